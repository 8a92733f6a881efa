package storagetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// badTransactions are faults of View and Update.
func badTransactions() []mutant {
	return []mutant{
		broken("no snapshot", bent{view: func(b *bent, c ctx, fn func(readTx) error) error { return fn(loose{b}) }},
			"instant/ViewSeesOneInstant", "instant/ReadersAmongWriters"),
		broken("one at a time", bent{
			view: func(b *bent, c ctx, fn func(readTx) error) error {
				return b.alone(c, func() error { return b.Store.View(c, fn) })
			},
			update: func(b *bent, c ctx, fn func(tx) error) error {
				return b.alone(c, func() error { return b.Store.Update(c, fn) })
			},
		}, "instant/ViewSeesOneInstant", "instant/ViewWaitsForNoUpdate", "instant/UpdateWaitsForNoView"),
		broken("runs nothing", bent{update: func(*bent, ctx, func(tx) error) error { return nil }}, "tx/Nothing"),
		broken("runs twice and keeps both", bent{update: func(b *bent, c ctx, fn func(tx) error) error {
			err := b.Store.Update(c, fn)
			if err == nil {
				_ = b.Store.Update(c, fn)
			}
			return err
		}}, "tx/NotTwice", "race/Counter"),
		broken("each write by itself", bent{update: func(b *bent, c ctx, fn func(tx) error) error { return fn(separate{loose{b}}) }},
			"tx/AllOrNone", "tx/OwnError", "tx/Panic"),
		broken("an error rolls nothing back", bent{update: func(b *bent, c ctx, fn func(tx) error) error {
			var fnErr error
			if err := b.Store.Update(c, func(t tx) error { fnErr = fn(t); return nil }); err != nil {
				return err
			}
			return fnErr
		}}, "tx/OwnError", "tx/OwnErrorFirst", "tx/Order"),
		broken("a panic rolls nothing back", bent{update: func(b *bent, c ctx, fn func(tx) error) error {
			var value any
			err := b.Store.Update(c, func(t tx) error { defer func() { value = recover() }(); return fn(t) })
			if value != nil {
				panic(value)
			}
			return err
		}}, "tx/Panic"),
		broken("a panic is an error", bent{update: func(b *bent, c ctx, fn func(tx) error) (err error) {
			defer func() {
				if r := recover(); r != nil {
					err = fmt.Errorf("panic: %v", r)
				}
			}()
			return b.Store.Update(c, fn)
		}}, "tx/Panic"),
		broken("errors are wrapped", bent{update: func(b *bent, c ctx, fn func(tx) error) error {
			if err := b.Store.Update(c, fn); err != nil {
				return fmt.Errorf("update: %w", err)
			}
			return nil
		}}, "tx/OwnError"),
		broken("errors of View are lost", bent{view: func(b *bent, c ctx, fn func(readTx) error) error {
			return b.Store.View(c, func(t readTx) error { _ = fn(t); return nil })
		}}, "tx/OwnError", "context/InView"),
		broken("errors of writes are not sticky", bent{insert: func(b *bent, c ctx, t tx, o storage.Object) error {
			for _, n := range b.children(o.Parent, o.Kind) {
				if n.Name == o.Name {
					return storage.ErrExists // and the store itself does not know
				}
			}
			return t.Insert(c, o)
		}}, "tx/Sticky", "object/OneRun"),
		broken("reads after writes", bent{update: func(b *bent, c ctx, fn func(tx) error) error {
			return b.Store.Update(c, func(t tx) error { return fn(looseTx{loose{b}, t}) })
		}}, "tx/Order"),
		broken("writes nothing", bent{update: func(b *bent, c ctx, fn func(tx) error) error {
			err := b.Store.Update(c, func(t tx) error { return errors.Join(fn(t), errStop) })
			if err != nil && strings.TrimSpace(err.Error()) == errStop.Error() {
				return nil
			}
			return err
		}}, "object/RoundTrip", "log/Commits"),
		broken("deaf to cancellation", bent{ctx: context.WithoutCancel}, "context/Before", "context/InView", "context/InUpdate", "context/Waiting"),
		broken("cancelled and done", bent{update: func(b *bent, c ctx, fn func(tx) error) error {
			if err := b.Store.Update(context.WithoutCancel(c), fn); err != nil {
				return err
			}
			return c.Err()
		}}, "context/AtCommit"),
		broken("not closed", bent{close: func(*bent) error { return nil }}, "tx/Closed"),
	}
}

// loose reads what is there, each time anew.
type loose struct{ b *bent }

func (l loose) Lookup(c ctx, path []storage.Step, w storage.Want) ([]storage.Node, error) {
	return storage.View(c, l.b.Store, func(t readTx) ([]storage.Node, error) { return t.Lookup(c, path, w) })
}

func (l loose) Get(c ctx, id types.ID, w storage.Want) ([]storage.Node, error) {
	time.Sleep(100 * time.Microsecond) // so that others come in between
	return storage.View(c, l.b.Store, func(t readTx) ([]storage.Node, error) { return t.Get(c, id, w) })
}

func (l loose) List(c ctx, q storage.ListQuery, w storage.Want) ([]storage.Node, error) {
	return storage.View(c, l.b.Store, func(t readTx) ([]storage.Node, error) { return t.List(c, q, w) })
}

func (l loose) Overlap(c ctx, location string, k kinds, below int) (objects, error) {
	return storage.View(c, l.b.Store, func(t readTx) (objects, error) { return t.Overlap(c, location, k, below) })
}

// looseTx reads so, and writes as it should.
type looseTx struct {
	loose
	tx storage.Tx
}

func (l looseTx) Insert(c ctx, o storage.Object) error         { return l.tx.Insert(c, o) }
func (l looseTx) Replace(c ctx, old, new storage.Object) error { return l.tx.Replace(c, old, new) }
func (l looseTx) Delete(c ctx, old storage.Object) error       { return l.tx.Delete(c, old) }
func (l looseTx) WriteLog(c ctx, id types.ID, old storage.Log, d storage.LogDelta) error {
	return l.tx.WriteLog(c, id, old, d)
}

// separate applies each write at once, whatever becomes of the others.
type separate struct{ loose }

func (s separate) update(c ctx, id types.ID, fn func(t tx) error) error {
	return s.b.Store.Update(c, func(t tx) error {
		if _, err := t.Get(c, id, storage.Want{Log: true}); err != nil {
			return err
		}
		return fn(t)
	})
}

func (s separate) Insert(c ctx, o storage.Object) error {
	return s.update(c, o.Parent, func(t tx) error { return t.Insert(c, o) })
}

func (s separate) Replace(c ctx, old, new storage.Object) error {
	return s.update(c, old.ID, func(t tx) error { return t.Replace(c, old, new) })
}

func (s separate) Delete(c ctx, old storage.Object) error {
	return s.update(c, old.ID, func(t tx) error { return t.Delete(c, old) })
}

func (s separate) WriteLog(c ctx, id types.ID, old storage.Log, d storage.LogDelta) error {
	return s.update(c, id, func(t tx) error { return t.WriteLog(c, id, old, d) })
}
