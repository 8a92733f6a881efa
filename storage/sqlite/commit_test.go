package sqlite

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	lib "modernc.org/sqlite/lib"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// A COMMIT that fails takes along all who wrote or may have seen what was written, and
// nobody else; then the store works again.
func TestCommitFails(t *testing.T) {
	for _, c := range []struct {
		name    string
		op      string
		code    int32
		unknown bool
	}{
		{"full", "write", lib.SQLITE_FULL, false},
		{"readonly", "write", lib.SQLITE_READONLY, false},
		{"write", "write", lib.SQLITE_IOERR_WRITE, true},
		{"sync", "sync", lib.SQLITE_IOERR_FSYNC, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "levee.db")
			p := watch(t, path)
			s, err := Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			plant(t, s)
			ctx := t.Context()
			stop := errors.New("stop")
			b := newBatch(t, s)
			before := b.add(ctx, func(storage.Tx) error { return stop })
			writer := b.add(ctx, insert(1, func() error { return nil }))
			refused := b.add(ctx, func(storage.Tx) error { return stop })
			panicked := b.add(ctx, func(storage.Tx) error { panic(stop) })
			second := b.add(ctx, insert(2, func() error { return nil }))
			p.fail = func(op string) (int32, bool) {
				if op != c.op {
					return 0, false
				}
				return c.code, false
			}
			b.run()
			p.fail = nil

			if before.err != stop {
				t.Errorf("one who saw nothing of it: %v", before.err)
			}
			if panicked.value != stop {
				t.Errorf("one who panicked: %v", panicked.value)
			}
			for what, r := range map[string]*result{"writer": writer, "refused": refused, "second": second} {
				if r.err == nil || r.err == stop {
					t.Errorf("%s: %v", what, r.err)
				} else if cause := errors.Unwrap(r.err); c.unknown && !strings.Contains(fmt.Sprint(cause), path) || !c.unknown && !strings.Contains(r.err.Error(), path) {
					t.Errorf("%s: %v, because %v", what, r.err, cause)
				} else if errors.Is(r.err, types.CommitStateUnknown) != c.unknown {
					t.Errorf("%s: CommitStateUnknown is not %v of %v", what, c.unknown, r.err)
				}
			}
			if got := tables(t, s); got != "" {
				t.Errorf("there are %s", got)
			}
			update(t, s, insert(3, func() error { return nil }))
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if s, err = Open(path); err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if got := tables(t, s); got != "table3" {
				t.Errorf("after a reopen there are %s", got)
			}
		})
	}
}

// A fault may make SQLite roll back all of the batch in the middle of it. Then those who
// had written get an error, what comes after in the same function is not stored
// by itself, and the rest of the batch goes on.
func TestRolledBackByFault(t *testing.T) {
	s := open1(t)
	ctx := t.Context()
	ok := func() error { return nil }
	b := newBatch(t, s)
	first := b.add(ctx, insert(1, ok))
	faulty := b.add(ctx, func(store storage.Tx) error {
		if err := store.(*tx).run(qRollback); err != nil { // as SQLite would
			return err
		}
		_ = insert(2, ok)(store)
		return nil
	})
	silent := b.add(ctx, func(store storage.Tx) error { return store.(*tx).run(qRollback) })
	after := b.add(ctx, insert(3, ok))
	b.run()
	for what, r := range map[string]*result{"first": first, "faulty": faulty, "silent": silent} {
		if r.err == nil || errors.Is(r.err, types.CommitStateUnknown) {
			t.Errorf("%s: %v", what, r.err)
		}
	}
	if after.err != nil {
		t.Error(after.err)
	}
	if got := tables(t, s); got != "table3" {
		t.Errorf("there are %s, want table3", got)
	}
}

// Those who wait together share one sync; those who write nothing cause none.
func TestOneSync(t *testing.T) {
	path := filepath.Join(t.TempDir(), "levee.db")
	p := watch(t, path)
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	plant(t, s)
	for _, writes := range []bool{true, false} {
		b := newBatch(t, s)
		for n := range 20 {
			b.add(t.Context(), func(tx storage.Tx) error {
				if !writes {
					_, err := tx.Lookup(bg, nil, storage.Want{})
					return err
				}
				return insert(n, func() error { return nil })(tx)
			})
		}
		ops := make(map[string]int)
		p.fail = func(op string) (int32, bool) { ops[op]++; return 0, false }
		b.run()
		p.fail = nil
		if writes && (ops["sync"] != 1 || ops["write"] == 0) || !writes && len(ops) != 0 {
			t.Errorf("20 Updates, writes=%v: %v", writes, ops)
		}
	}
}
