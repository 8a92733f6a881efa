package sqlite

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

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
				_, err := tx.List(context.Background(), storage.ListQuery{}, storage.Want{}) // which the cache cannot answer
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
