package storagetest

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/storage/memory"
	"github.com/leveelake/catalog/types"
)

func TestFaulty(t *testing.T) {
	for _, c := range []struct {
		name    string
		fault   Fault
		want    error
		written bool
	}{
		{"none", Fault{}, nil, true},
		{"not persisted", FailedNotPersisted(), types.CommitStateUnknown, false},
		{"but persisted", FailedButPersisted(), types.CommitStateUnknown, true},
		{"own", Fault{Err: errStop}, errStop, false},
		{"own, persisted", Fault{Err: storage.ErrConflict, Persisted: true}, storage.ErrConflict, true},
		{"no error", Fault{Persisted: true}, nil, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx := t.Context()
			inner := memory.New()
			asked := 0
			s := Faulty(Rerun(inner, nil), func(op Op) Fault {
				if op.View {
					t.Error("asked about a View that was not called")
				}
				if !op.Has("Insert", kindRoot) || !op.Has("Insert", "") || !op.Has("WriteLog", "") || op.Has("Delete", "") || op.Has("Insert", kindTable) || len(op.Writes) != 2 {
					t.Errorf("asked about %v", op)
				}
				asked++
				return c.fault
			})
			root := object(kindRoot, "", "root")
			err := s.Update(ctx, func(tx storage.Tx) error {
				return firstError(tx.Insert(ctx, root), tx.WriteLog(ctx, root.ID, storage.Log{}, storage.LogDelta{Revision: 1}))
			})
			if !errors.Is(err, c.want) {
				t.Errorf("Update returned %v, want %v", err, c.want)
			}
			if asked != 1 {
				t.Errorf("asked %d times", asked)
			}
			nodes, _ := storage.View(ctx, inner, func(tx storage.ReadTx) ([]storage.Node, error) { return tx.Lookup(ctx, nil, storage.Want{}) })
			if (len(nodes) == 1) != c.written {
				t.Errorf("there are %d nodes", len(nodes))
			}
		})
	}
}

// What goes wrong without a fault goes wrong as ever, and nobody is asked.
func TestFaultyErrors(t *testing.T) {
	ctx := t.Context()
	s := Faulty(memory.New(), func(Op) Fault { t.Error("asked"); return FailedButPersisted() })
	if err := s.Update(ctx, func(storage.Tx) error { return errStop }); err != errStop {
		t.Errorf("Update returned %v", err)
	}
	err := s.Update(ctx, func(tx storage.Tx) error { _ = tx.Insert(ctx, object(kindTable, newID(), "t")); return nil })
	if !errors.Is(err, storage.ErrStale) {
		t.Errorf("Update returned %v", err)
	}
}

func TestFaultyView(t *testing.T) {
	ctx := t.Context()
	fault := Fault{Err: errStop}
	s := Faulty(memory.New(), func(op Op) Fault {
		if !op.View {
			t.Error("a View is taken for an Update")
		}
		return fault
	})
	ran := 0
	fn := func(storage.ReadTx) error { ran++; return nil }
	if err := s.View(ctx, fn); err != errStop || ran != 0 {
		t.Errorf("View returned %v and ran %d times", err, ran)
	}
	fault = Fault{}
	if err := s.View(ctx, fn); err != nil || ran != 1 {
		t.Errorf("View returned %v and ran %d times", err, ran)
	}
}

// A function that relies on running once shows itself, and so does one that does not
// look again.
func TestRerun(t *testing.T) {
	ctx := t.Context()
	inner := memory.New()
	root := object(kindRoot, "", "root")
	add := func(ctx context.Context, o storage.Object) func(tx storage.Tx) error {
		return func(tx storage.Tx) error { return tx.Insert(ctx, o) }
	}
	if err := inner.Update(ctx, add(ctx, root)); err != nil {
		t.Fatal(err)
	}
	o := object(kindCatalog, root.ID, "taken")
	s := Rerun(inner, func() { _ = inner.Update(ctx, add(ctx, o)) })

	var saw []int
	if err := s.View(ctx, func(tx storage.ReadTx) error {
		nodes, err := tx.Lookup(ctx, path("taken"), storage.Want{})
		saw = append(saw, len(nodes))
		return err
	}); err != nil || !slices.Equal(saw, []int{1, 2}) {
		t.Errorf("View saw %v, error %v", saw, err)
	}
	ran := 0
	err := s.Update(ctx, func(tx storage.Tx) error { ran++; return tx.Insert(ctx, object(kindCatalog, root.ID, "taken")) })
	if !errors.Is(err, storage.ErrExists) || ran != 2 {
		t.Errorf("Update ran %d times and returned %v", ran, err)
	}
	if err := s.Update(ctx, func(storage.Tx) error { return errStop }); err != errStop {
		t.Errorf("Update returned %v", err)
	}
	_ = inner.Close()
	if err := s.Update(ctx, func(storage.Tx) error { return nil }); !errors.Is(err, storage.ErrClosed) {
		t.Errorf("Update after Close returned %v", err)
	}
	if err := s.View(ctx, func(storage.ReadTx) error { return nil }); !errors.Is(err, storage.ErrClosed) {
		t.Errorf("View after Close returned %v", err)
	}
}
