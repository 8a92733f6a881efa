package storagetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/leveelake/catalog/storage"
)

// bodySize is that of the body of a table with some fifty columns.
const bodySize = 14 << 10

// Bench measures what a catalog does most, with tables whose body has 14 KB: commits, by
// one writer and by 16 on a table each, with and without a change of the metadata, and
// loads, with 0 and 10 commits that are not backfilled, by one reader and by as many
// as there are processors. ns/op is the time that passes per commit or load, of all writers
// or readers together.
func Bench(b *testing.B, backend Backend) {
	for _, writers := range []int{1, 16} {
		b.Run(fmt.Sprintf("Commit/writers=%d", writers), func(b *testing.B) { benchCommit(b, backend, writers, false) })
		b.Run(fmt.Sprintf("CommitMetadata/writers=%d", writers), func(b *testing.B) { benchCommit(b, backend, writers, true) })
	}
	for _, commits := range []int64{0, 10} {
		b.Run(fmt.Sprintf("Load/commits=%d", commits), func(b *testing.B) { benchLoad(b, backend, commits, false) })
		b.Run(fmt.Sprintf("LoadParallel/commits=%d", commits), func(b *testing.B) { benchLoad(b, backend, commits, true) })
	}
}

func benchPath(table int) []storage.Step { return path("main", "schema", fmt.Sprint("table ", table)) }

// benchStore opens a store with that many tables, each with a log.
func benchStore(b *testing.B, backend Backend, tables int) Store {
	b.Helper()
	s, err := backend.Open(b, b.TempDir())
	if err != nil {
		b.Fatalf("Open: %v", err)
	}
	b.Cleanup(func() { _ = s.Close() })
	root := object(kindRoot, "", "root")
	catalog := object(kindCatalog, root.ID, "main")
	schema := object(kindSchema, catalog.ID, "schema")
	objects := []storage.Object{root, catalog, schema}
	for i := range tables {
		t := at(object(kindTable, schema.ID, fmt.Sprint("table ", i)), fmt.Sprintf("s3://bucket/tables/%d", i))
		t.Body = bytes.Repeat([]byte("0123456789abcdef"), bodySize/16)
		objects = append(objects, t)
	}
	err = s.Update(b.Context(), func(tx storage.Tx) error {
		for _, o := range objects {
			if err := tx.Insert(b.Context(), o); err != nil {
				return err
			}
			if o.Kind == kindTable {
				if err := tx.WriteLog(b.Context(), o.ID, storage.Log{}, storage.LogDelta{Revision: 1}); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		b.Fatalf("Update: %v", err)
	}
	return s
}

// benchOne commits the next version of a table as the catalog does: it finds the table
// by name with its log and the caller's grants, leaves one commit to be backfilled, and
// remembers a hundred.
func benchOne(ctx context.Context, s storage.Store, table int, metadata bool) error {
	return s.Update(ctx, func(tx storage.Tx) error {
		nodes, err := tx.Lookup(ctx, benchPath(table), storage.Want{Log: true, Version: 1, Beside: steps(kindGrant, "alice")})
		if err != nil {
			return err
		}
		t := nodes[len(nodes)-1]
		v := t.Log.Last + 1
		d := storage.LogDelta{Revision: t.Log.Revision + 1, Last: v, Backfilled: v - 1, State: t.Log.State,
			Add: &storage.Commit{Version: v, File: "00000000000000000001.0b0b3bd8-1f5b-4b1e-a1e2-1c2f5c8a7a11.json", Data: []byte(`{"size":1234,"timestamp":1700000000000}`)}, Forget: v - 100}
		if metadata {
			new := t.Object
			new.Revision++
			if err := tx.Replace(ctx, t.Object, new); err != nil {
				return err
			}
		}
		return tx.WriteLog(ctx, t.ID, *t.Log, d)
	})
}

func benchCommit(b *testing.B, backend Backend, writers int, metadata bool) {
	s := benchStore(b, backend, writers)
	var left atomic.Int64
	left.Store(int64(b.N))
	var wg sync.WaitGroup
	b.ReportAllocs()
	b.ResetTimer()
	for w := range writers {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				err := storage.ErrConflict
				for errors.Is(err, storage.ErrConflict) {
					err = benchOne(b.Context(), s, w, metadata)
				}
				if err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

func benchLoad(b *testing.B, backend Backend, commits int64, parallel bool) {
	s := benchStore(b, backend, 1)
	ctx := b.Context()
	for v := int64(1); v <= commits; v++ {
		err := s.Update(ctx, func(tx storage.Tx) error {
			nodes, err := tx.Lookup(ctx, benchPath(0), storage.Want{Log: true})
			if err != nil {
				return err
			}
			t := nodes[len(nodes)-1]
			return tx.WriteLog(ctx, t.ID, *t.Log, storage.LogDelta{Revision: v + 1, Last: v, Add: commit(v)})
		})
		if err != nil {
			b.Fatalf("Update: %v", err)
		}
	}
	load := func() {
		err := s.View(ctx, func(tx storage.ReadTx) error {
			nodes, err := tx.Lookup(ctx, benchPath(0), storage.Want{Log: true, Beside: steps(kindGrant, "alice")})
			if err == nil && (len(nodes) != 4 || int64(len(nodes[3].Log.Commits)) != commits) {
				err = fmt.Errorf("loaded %d nodes", len(nodes))
			}
			return err
		})
		if err != nil {
			b.Error(err)
		}
	}
	b.ReportAllocs()
	b.ResetTimer()
	if parallel {
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				load()
			}
		})
		return
	}
	for range b.N {
		load()
	}
}
