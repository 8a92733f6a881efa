package storagetest

import (
	"context"
	"errors"
	"time"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

func contextTests() []test {
	return []test{
		{"Before", testCancelledBefore},
		{"InView", testCancelledInView},
		{"InUpdate", testCancelledInUpdate},
		{"AtCommit", testCancelledAtCommit},
		{"Waiting", testCancelledWaiting},
	}
}

func testCancelledBefore(e *env) {
	_, s, _ := e.branch("main")
	before := e.dump()
	cancelled, cancel := context.WithCancel(e.ctx)
	cancel()
	late, cancel := context.WithDeadline(e.ctx, time.Unix(0, 0))
	defer cancel()
	for want, ctx := range map[error]context.Context{context.Canceled: cancelled, context.DeadlineExceeded: late} {
		err := e.store.View(ctx, func(tx storage.ReadTx) error {
			_, err := tx.Get(ctx, s.ID, storage.Want{})
			return err
		})
		if !errors.Is(err, want) {
			e.Errorf("View returned %v, want %v", err, want)
		}
		err = e.store.Update(ctx, func(tx storage.Tx) error { return tx.Insert(ctx, object(kindTable, s.ID, "t")) })
		if !errors.Is(err, want) {
			e.Errorf("Update returned %v, want %v", err, want)
		}
	}
	e.same("after both", e.dump(), before)
}

func testCancelledInView(e *env) {
	_, s, _ := e.branch("main")
	ctx, cancel := context.WithCancel(e.ctx)
	defer cancel()
	err := e.store.View(ctx, func(tx storage.ReadTx) error {
		cancel()
		_, err := tx.Get(ctx, s.ID, storage.Want{})
		return err
	})
	if !errors.Is(err, context.Canceled) {
		e.Errorf("View returned %v", err)
	}
	e.dump() // the store goes on
}

// settled checks that err, of an Update that was cancelled, tells the truth about
// the object that it was to insert.
func (e *env) settled(err error, id types.ID) {
	e.Helper()
	is := len(e.get(id, storage.Want{})) > 0
	switch {
	case err == nil && !is:
		e.Error("Update returned nil and did not write")
	case err == nil || errors.Is(err, types.CommitStateUnknown):
	case is:
		e.Errorf("Update wrote and returned %v", err)
	case !errors.Is(err, context.Canceled):
		e.Errorf("Update returned %v, want %v", err, context.Canceled)
	}
}

// testCancelledInUpdate: between reads and between writes.
func testCancelledInUpdate(e *env) {
	_, s, _ := e.branch("main")
	for when := range 3 {
		ctx, cancel := context.WithCancel(e.ctx)
		stop := func(i int) {
			if i == when {
				cancel()
			}
		}
		o, o2 := object(kindTable, s.ID, "o"), object(kindTable, s.ID, "o2")
		err := e.store.Update(ctx, func(tx storage.Tx) error {
			stop(0)
			if _, err := tx.Get(ctx, s.ID, storage.Want{}); err != nil {
				return err
			}
			stop(1)
			if err := tx.Insert(ctx, o); err != nil {
				return err
			}
			stop(2)
			return tx.Insert(ctx, o2)
		})
		cancel()
		if err == nil {
			e.Errorf("cancelled at %d, Update returned nil", when)
		}
		e.settled(err, o.ID)
		if a, b := len(e.get(o.ID, storage.Want{})), len(e.get(o2.ID, storage.Want{})); a != b {
			e.Errorf("cancelled at %d, one of two writes is there", when)
		}
		e.child(kindTable, s.ID, "goes on"+string(rune('0'+when)))
	}
}

// testCancelledAtCommit: too late for fn to notice, perhaps in time for the store.
func testCancelledAtCommit(e *env) {
	_, s, _ := e.branch("main")
	for i := range 10 {
		ctx, cancel := context.WithCancel(e.ctx)
		o := object(kindTable, s.ID, string(newID()))
		err := e.store.Update(ctx, func(tx storage.Tx) error {
			err := tx.Insert(ctx, o)
			if i%2 == 0 {
				cancel()
			} else {
				go cancel()
			}
			return err
		})
		cancel()
		e.settled(err, o.ID)
	}
}

// testCancelledWaiting: whoever waits for another Update need not wait for ever.
func testCancelledWaiting(e *env) {
	p := e.pair()
	release := e.hold(func(tx storage.Tx) error { return p.change(e.ctx, tx) })
	ctx, cancel := context.WithCancel(e.ctx)
	defer cancel()
	o := object(kindTable, p.a.Parent, "waits")
	done := make(chan struct{})
	var err error
	go func() {
		defer close(done)
		err = e.store.Update(ctx, func(tx storage.Tx) error { return tx.Insert(ctx, o) })
	}()
	wait(done, e.pause) // a store with one writer lets it wait, another need not
	cancel()
	if !wait(done, e.patience) {
		e.Error("a cancelled Update waits on for another")
	}
	if err := release(); err != nil {
		e.Errorf("the other Update: %v", err)
	}
	<-done
	e.settled(err, o.ID)
	if n := e.node(p.a.ID); n.Revision != 2 {
		e.Errorf("the other Update is not there: %s", textOfNode(n))
	}
}
