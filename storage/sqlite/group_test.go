package sqlite

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	lib "modernc.org/sqlite/lib"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// A batch holds the writer in one Update while others queue up behind it.
type batch struct {
	testing.TB
	s       *Store
	release chan struct{}
	group   sync.WaitGroup
	queued  int
}

func newBatch(t testing.TB, s *Store) *batch {
	b := &batch{TB: t, s: s, release: make(chan struct{})}
	began := make(chan struct{})
	b.group.Go(func() {
		err := s.Update(context.Background(), func(storage.Tx) error { close(began); <-b.release; return nil })
		if err != nil {
			t.Error(err)
		}
	})
	<-began
	return b
}

// add queues an Update as the next of the batch. What it ends with is in the result when
// run has returned.
func (b *batch) add(ctx context.Context, fn func(tx storage.Tx) error) *result {
	r := &result{}
	b.group.Go(func() {
		defer func() {
			r.value = recover()
			r.exited = !r.returned && r.value == nil
		}()
		r.err = b.s.Update(ctx, fn)
		r.returned = true
	})
	b.queued++
	waitFor(b, "the queue", func() bool { return len(b.s.writer.queue) == b.queued })
	return r
}

// run lets the batch run, and waits for all of it.
func (b *batch) run() {
	close(b.release)
	b.group.Wait()
}

type result struct {
	err      error
	value    any // of a panic
	returned bool
	exited   bool
}

// insert is an Update that inserts the n-th table and then does what after does.
func insert(n int, after func() error) func(tx storage.Tx) error {
	return func(tx storage.Tx) error {
		o := object(tableN+n, types.KindTable, id(schemaN), fmt.Sprint("table", n))
		if err := tx.Insert(context.Background(), o); err != nil {
			return err
		}
		return after()
	}
}

// tables returns the names of the tables.
func tables(t testing.TB, s *Store) string {
	t.Helper()
	var names []string
	err := s.View(context.Background(), func(tx storage.ReadTx) error {
		nodes, err := tx.List(context.Background(), storage.ListQuery{Parent: id(schemaN), Kind: types.KindTable}, storage.Want{})
		for _, n := range nodes {
			names = append(names, n.Name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(names, " ")
}

// Whatever ends one Update of a batch, the others end as if they had been alone.
func TestNeighbours(t *testing.T) {
	for _, firstBad := range []bool{false, true} { // the first to write has no savepoint
		t.Run(fmt.Sprint("firstBad=", firstBad), func(t *testing.T) {
			s := open1(t)
			ok := func() error { return nil }
			stop := errors.New("stop")
			ctx := t.Context()
			b := newBatch(t, s)
			var good []*result
			if !firstBad {
				good = append(good, b.add(ctx, insert(1, ok)))
			}
			failed := b.add(ctx, insert(2, func() error { return stop }))
			good = append(good, b.add(ctx, insert(3, ok)))
			panicked := b.add(ctx, insert(4, func() error { panic(stop) }))
			good = append(good, b.add(ctx, insert(5, ok)))
			exited := b.add(ctx, insert(6, func() error { runtime.Goexit(); return nil }))
			good = append(good, b.add(ctx, insert(7, ok)))
			taken := b.add(ctx, insert(7, ok))
			dropped := b.add(ctx, func(tx storage.Tx) error {
				_ = insert(8, ok)(tx)
				_ = insert(7, ok)(tx)
				return nil
			})
			leaving, leave := context.WithCancel(ctx)
			cancelled := b.add(leaving, insert(9, func() error { leave(); return nil }))
			reading := b.add(ctx, func(tx storage.Tx) error {
				nodes, err := tx.List(ctx, storage.ListQuery{Parent: id(schemaN)}, storage.Want{})
				return fmt.Errorf("%d tables, %v", len(nodes), err)
			})
			b.run()

			want := "table1 table3 table5 table7"
			if firstBad {
				want = "table3 table5 table7"
			}
			if got := tables(t, s); got != want {
				t.Errorf("there are %s, want %s", got, want)
			}
			for _, r := range good {
				if r.err != nil || !r.returned {
					t.Errorf("a good Update: %+v", r)
				}
			}
			for what, is := range map[string]bool{
				"its error":         failed.err == stop,
				"its panic":         panicked.value == stop,
				"Goexit":            exited.exited,
				"ErrExists":         errors.Is(taken.err, storage.ErrExists),
				"a dropped error":   errors.Is(dropped.err, storage.ErrExists),
				"cancelled":         errors.Is(cancelled.err, context.Canceled),
				"reads neighbours'": reading.err.Error() == fmt.Sprintf("%d tables, <nil>", len(good)),
			} {
				if !is {
					t.Errorf("a bad Update does not end with %s", what)
				}
			}
		})
	}
}

// An Update that waits for its turn leaves as soon as its context ends, and never runs.
func TestLeaveQueue(t *testing.T) {
	s := open1(t)
	b := newBatch(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		done <- s.Update(ctx, func(storage.Tx) error { t.Error("it ran"); return nil })
	}()
	waitFor(t, "the queue", func() bool { return len(s.writer.queue) == 1 })
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) { // while the writer is held
		t.Errorf("Update returned %v", err)
	}
	b.run()
	update(t, s, func(storage.Tx) error { return nil }) // the writer has passed it over
}

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

// A View is not held up by the Update that runs, nor does it see what that writes.
func TestViewBesideUpdate(t *testing.T) {
	s := open1(t)
	update(t, s, func(tx storage.Tx) error {
		if err := insert(1, func() error { return nil })(tx); err != nil {
			return err
		}
		if got := tables(t, s); got != "" {
			t.Errorf("a View sees %s", got)
		}
		return nil
	})
	if got := tables(t, s); got != "table1" {
		t.Errorf("a View sees %s", got)
	}
}

// Many Views that take long leave room for others, and more than there are connections
// take turns.
func TestManyViews(t *testing.T) {
	s := open1(t)
	release := make(chan struct{})
	var group, began sync.WaitGroup
	view := func(fn func()) {
		group.Go(func() {
			err := s.View(context.Background(), func(tx storage.ReadTx) error {
				_, err := tx.Lookup(context.Background(), nil, storage.Want{})
				fn()
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	began.Add(viewsMost - 1)
	for range viewsMost - 1 {
		view(func() { began.Done(); <-release })
	}
	began.Wait()
	_ = tables(t, s) // there is one left
	for range 2 * viewsMost {
		view(func() {})
	}
	close(release)
	group.Wait()
	if n := len(s.views.idle); n > viewsMost {
		t.Errorf("%d connections, want %d at most", n, viewsMost)
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
