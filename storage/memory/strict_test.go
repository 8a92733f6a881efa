package memory

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/leveelake/catalog/storage"
)

const (
	rootID  = "00000000-0000-4000-8000-000000000001"
	childID = "00000000-0000-4000-8000-000000000002"
)

// fixture is a store with a root and a child that has a log with ten versions.
func fixture(t *testing.T) *Store {
	s := New()
	update(t, s, func(ctx context.Context, tx storage.Tx) error {
		return errors.Join(
			tx.Insert(ctx, storage.Object{ID: rootID, Kind: "metastore", Name: "root", Revision: 1}),
			tx.Insert(ctx, storage.Object{ID: childID, Kind: "catalog", Parent: rootID, Name: "child", Revision: 1}),
			tx.WriteLog(ctx, childID, storage.Log{}, storage.LogDelta{Revision: 1}))
	})
	for v := int64(1); v <= 10; v++ {
		update(t, s, func(ctx context.Context, tx storage.Tx) error {
			n, err := read(ctx, tx)
			return errors.Join(err, tx.WriteLog(ctx, childID, *n.Log, storage.LogDelta{Revision: v + 1, Last: v, Backfilled: v - 1, Add: &storage.Commit{Version: v}}))
		})
	}
	return s
}

func update(t *testing.T, s *Store, fn func(ctx context.Context, tx storage.Tx) error) {
	t.Helper()
	if err := s.Update(t.Context(), func(tx storage.Tx) error { return fn(t.Context(), tx) }); err != nil {
		t.Fatal(err)
	}
}

func read(ctx context.Context, tx storage.ReadTx) (storage.Node, error) {
	nodes, err := tx.Get(ctx, childID, storage.Want{Log: true})
	if err != nil {
		return storage.Node{}, err
	}
	return nodes[len(nodes)-1], nil
}

// What callers owe a store is refused here, though another store might let it pass.
func TestStrict(t *testing.T) {
	s := fixture(t)
	ctx := t.Context()
	now, err := storage.View(ctx, s, func(tx storage.ReadTx) (storage.Node, error) { return read(ctx, tx) })
	if err != nil {
		t.Fatal(err)
	}
	changed := func(change func(o *storage.Object)) storage.Object {
		o := now.Object
		o.Revision++
		change(&o)
		return o
	}
	for name, c := range map[string]struct {
		want error // nil: any
		fn   func(tx storage.Tx) error
	}{
		"List of what was not read": {nil, func(tx storage.Tx) error {
			_, err := tx.List(ctx, storage.ListQuery{Parent: rootID}, storage.Want{})
			return err
		}},
		"List of an ancestor": {nil, func(tx storage.Tx) error {
			_, _ = read(ctx, tx)
			_, err := tx.List(ctx, storage.ListQuery{Parent: rootID}, storage.Want{})
			return err
		}},
		"Replace of what was not read":  {storage.ErrStale, func(tx storage.Tx) error { return tx.Replace(ctx, now.Object, changed(func(*storage.Object) {})) }},
		"Delete of what was not read":   {storage.ErrStale, func(tx storage.Tx) error { return tx.Delete(ctx, now.Object) }},
		"WriteLog of what was not read": {storage.ErrStale, func(tx storage.Tx) error { return tx.WriteLog(ctx, childID, *now.Log, storage.LogDelta{Revision: 99}) }},
		"WriteLog of a log that was not read": {storage.ErrStale, func(tx storage.Tx) error {
			_, _ = tx.Get(ctx, childID, storage.Want{})
			return tx.WriteLog(ctx, childID, *now.Log, storage.LogDelta{Revision: 99})
		}},
		"first revision not 1": {nil, func(tx storage.Tx) error {
			return tx.Insert(ctx, storage.Object{ID: "x", Kind: "catalog", Parent: rootID, Revision: 2})
		}},
		"no ID": {nil, func(tx storage.Tx) error {
			return tx.Insert(ctx, storage.Object{Kind: "catalog", Parent: rootID, Revision: 1})
		}},
		"revision not up": {nil, after(ctx, func(tx storage.Tx) error { return tx.Replace(ctx, now.Object, now.Object) })},
		"another parent": {nil, after(ctx, func(tx storage.Tx) error {
			return tx.Replace(ctx, now.Object, changed(func(o *storage.Object) { o.Parent = childID }))
		})},
		"another ID": {nil, after(ctx, func(tx storage.Tx) error {
			return tx.Replace(ctx, now.Object, changed(func(o *storage.Object) { o.ID = "x" }))
		})},
		"created anew": {nil, after(ctx, func(tx storage.Tx) error {
			return tx.Replace(ctx, now.Object, changed(func(o *storage.Object) { o.Created = time.Now() }))
		})},
		"log revision not up": {nil, after(ctx, func(tx storage.Tx) error {
			return tx.WriteLog(ctx, childID, *now.Log, storage.LogDelta{Revision: now.Log.Revision})
		})},
		"backfilled beyond last": {nil, after(ctx, func(tx storage.Tx) error {
			return tx.WriteLog(ctx, childID, *now.Log, storage.LogDelta{Revision: 99, Last: 10, Backfilled: 11})
		})},
		"backfilled less than nothing": {nil, after(ctx, func(tx storage.Tx) error {
			return tx.WriteLog(ctx, childID, *now.Log, storage.LogDelta{Revision: 99, Last: 10, Backfilled: -1})
		})},
		"WriteLog that lowers the Last of the store": {nil, after(ctx, func(tx storage.Tx) error {
			old := *now.Log
			old.Last = 5 // says the caller
			return tx.WriteLog(ctx, childID, old, storage.LogDelta{Revision: 99, Last: 9})
		})},
		"WriteLog that lowers Last": {nil, after(ctx, func(tx storage.Tx) error {
			return tx.WriteLog(ctx, childID, *now.Log, storage.LogDelta{Revision: 99, Last: 9})
		})},
		"WriteLog of another version than Last": {nil, after(ctx, func(tx storage.Tx) error {
			return tx.WriteLog(ctx, childID, *now.Log, storage.LogDelta{Revision: 99, Last: 11, Add: &storage.Commit{Version: 12}})
		})},
		"version twice": {nil, after(ctx, func(tx storage.Tx) error {
			return tx.WriteLog(ctx, childID, *now.Log, storage.LogDelta{Revision: 99, Last: 10, Add: &storage.Commit{Version: 10}})
		})},
	} {
		err := s.Update(ctx, c.fn)
		if err == nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: Update returned %v", name, err)
		}
		if c.want == nil && (errors.Is(err, storage.ErrStale) || errors.Is(err, storage.ErrExists)) {
			t.Errorf("%s: Update returned %v, which callers take for a conflict", name, err)
		}
	}
}

// after reads the child, then writes.
func after(ctx context.Context, fn func(tx storage.Tx) error) func(tx storage.Tx) error {
	return func(tx storage.Tx) error {
		if _, err := read(ctx, tx); err != nil {
			return err
		}
		return fn(tx)
	}
}

func TestForgets(t *testing.T) {
	s := fixture(t)
	kept := func() int {
		l, _ := s.state.Load().logs.get(childID)
		return len(l.commits)
	}
	if kept() != 10 {
		t.Fatalf("it remembers %d versions", kept())
	}
	for _, c := range []struct {
		forget int64
		kept   int
	}{{0, 10}, {6, 4}, {2, 4}, {100, 1}} { // never what is not backfilled
		update(t, s, func(ctx context.Context, tx storage.Tx) error {
			n, err := read(ctx, tx)
			return errors.Join(err, tx.WriteLog(ctx, childID, *n.Log, storage.LogDelta{Revision: n.Log.Revision + 1, Last: 10, Backfilled: 9, Forget: c.forget}))
		})
		if kept() != c.kept {
			t.Errorf("after Forget %d it remembers %d versions, want %d", c.forget, kept(), c.kept)
		}
	}
}

func TestPublishes(t *testing.T) {
	s := fixture(t)
	before := s.state.Load()
	update(t, s, func(ctx context.Context, tx storage.Tx) error { _, err := read(ctx, tx); return err })
	if s.state.Load() != before {
		t.Error("an Update without writes has published a state")
	}
	update(t, s, func(ctx context.Context, tx storage.Tx) error {
		n, err := read(ctx, tx)
		return errors.Join(err, tx.Delete(ctx, n.Object))
	})
	now := s.state.Load()
	if now == before || now.logs.root != nil || now.objects.root.count() != 1 || now.children.root.count() != 1 {
		t.Error("after Delete something of the object is left")
	}
	if !before.objects.has(childID) {
		t.Error("a state that was published has changed")
	}
}

// A transaction ends with its function.
func TestOver(t *testing.T) {
	s := fixture(t)
	ctx := t.Context()
	var view storage.ReadTx
	var tx storage.Tx
	_ = s.View(ctx, func(r storage.ReadTx) error { view = r; return nil })
	_ = s.Update(ctx, func(w storage.Tx) error { tx = w; return nil })
	_, err1 := view.Get(ctx, rootID, storage.Want{})
	_, err2 := tx.Get(ctx, rootID, storage.Want{})
	err3 := tx.Insert(ctx, storage.Object{ID: "x", Kind: "catalog", Parent: rootID, Revision: 1})
	for _, err := range []error{err1, err2, err3} {
		if !errors.Is(err, errOver) {
			t.Errorf("after its end: %v", err)
		}
	}
	if s.state.Load().objects.has("x") {
		t.Error("a write after the end was published")
	}
}
