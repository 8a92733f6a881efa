package postgres

import (
	"context"
	"fmt"
	"testing"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

const (
	rootID    types.ID = "00000000-0000-4000-8000-000000000001"
	catalogID types.ID = "00000000-0000-4000-8000-000000000002"
	tableID   types.ID = "00000000-0000-4000-8000-000000000003"
)

// plant inserts a root, a catalog and in it a table with a log.
func plant(t testing.TB, s *Store) {
	t.Helper()
	err := s.Update(bg, func(tx storage.Tx) error {
		for _, o := range []storage.Object{
			{ID: rootID, Kind: "metastore", Name: "root", Revision: 1},
			{ID: catalogID, Kind: "catalog", Parent: rootID, Name: "main", Revision: 1},
			{ID: tableID, Kind: "table", Parent: catalogID, Name: "table", Revision: 1},
		} {
			if err := tx.Insert(bg, o); err != nil {
				return err
			}
		}
		return tx.WriteLog(bg, tableID, storage.Log{}, storage.LogDelta{Revision: 1})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// tables inserts tables with logs into the catalog.
func tables(t testing.TB, s *Store, n int) (ids []types.ID) {
	t.Helper()
	err := s.Update(bg, func(tx storage.Tx) error {
		ids = nil
		for i := range n {
			ids = append(ids, randomID(i))
			_ = tx.Insert(bg, storage.Object{ID: randomID(i), Kind: "table", Parent: catalogID, Name: fmt.Sprint("t", i), Revision: 1})
			_ = tx.WriteLog(bg, randomID(i), storage.Log{}, storage.LogDelta{Revision: 1})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

func get(t testing.TB, s *Store, id types.ID) []storage.Node {
	t.Helper()
	chain, err := storage.View(bg, s, func(tx storage.ReadTx) ([]storage.Node, error) {
		return tx.Get(bg, id, storage.Want{Log: true})
	})
	if err != nil {
		t.Fatal(err)
	}
	return chain
}

// commitTo commits the next version to a table.
func commitTo(ctx context.Context, s storage.Store, id types.ID) (version int64, err error) {
	return storage.Update(ctx, s, func(tx storage.Tx) (int64, error) {
		chain, err := tx.Get(ctx, id, storage.Want{Log: true})
		if err != nil {
			return 0, err
		}
		if len(chain) == 0 {
			return 0, storage.ErrStale
		}
		log := *chain[len(chain)-1].Log
		v := log.Last + 1
		return v, tx.WriteLog(ctx, id, log, storage.LogDelta{Revision: log.Revision + 1, Last: v, Backfilled: max(0, v-3), Forget: v - 20,
			Add: &storage.Commit{Version: v, File: fmt.Sprint(v, ".json"), Data: []byte("data")}})
	})
}

// replaceTable changes a table in a way that is no commit.
func replaceTable(ctx context.Context, s storage.Store, id types.ID) error {
	return s.Update(ctx, func(tx storage.Tx) error {
		chain, err := tx.Get(ctx, id, storage.Want{})
		if err != nil {
			return err
		}
		old := chain[len(chain)-1].Object
		changed := old
		changed.Revision++
		return tx.Replace(ctx, old, changed)
	})
}

// writeBoth writes in both ways.
func writeBoth(t testing.TB, s *Store) {
	t.Helper()
	if _, err := commitTo(bg, s, tableID); err != nil {
		t.Error(err)
	}
	if err := replaceTable(bg, s, tableID); err != nil {
		t.Error(err)
	}
}

// randomID makes an ID that is random enough for an index, and the same for the same n.
func randomID(n int) types.ID {
	x := uint64(n+1) * 0x9e3779b97f4a7c15
	x ^= x >> 29
	x *= 0xbf58476d1ce4e5b9
	return types.ID(fmt.Sprintf("%08x-%04x-4000-8000-%012x", uint32(x>>32), uint16(x), n))
}
