package sqlite

import (
	"context"
	"fmt"
	"time"

	engine "zombiezen.com/go/sqlite"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/storage/internal/nodes"
	"github.com/leveelake/catalog/types"
)

// Insert adds one row; that there is one root is an index of its own.
func (t *tx) Insert(ctx context.Context, o storage.Object) error {
	return t.writeRow(ctx, nodes.Change{New: copied(o)}, func() error {
		var parent int64
		if o.Parent != "" {
			var err error
			if parent, err = t.keyOf(o.Parent); err != nil {
				return err
			}
			if parent == 0 {
				return fmt.Errorf("%w: no parent %s of %s %q", storage.ErrStale, o.Parent, o.Kind, o.Name)
			}
		}
		s, err := t.get(qInsert)
		if err != nil {
			return err
		}
		s.BindText(1, string(o.ID))
		if parent == 0 {
			s.BindNull(2)
		} else {
			s.BindInt64(2, parent)
		}
		s.BindText(3, string(o.Kind))
		s.BindText(4, o.Name)
		bindLocation(s, 5, o.Location)
		s.BindInt64(6, o.Revision)
		bindTime(s, 7, o.Created)
		bindTime(s, 8, o.Updated)
		s.BindBytes(9, o.Body)
		err = step(s)
		if isUnique(err) {
			return fmt.Errorf("%w: %s %q", storage.ErrExists, o.Kind, o.Name)
		}
		return err
	})
}

// Replace changes the one row that still has the revision of old.
func (t *tx) Replace(ctx context.Context, old, new storage.Object) error {
	return t.writeRow(ctx, nodes.Change{Old: &old, New: copied(new)}, func() error {
		if new.ID != old.ID || new.Parent != old.Parent || new.Created.UnixMilli() != old.Created.UnixMilli() || new.Revision <= old.Revision {
			return fmt.Errorf("sqlite: Replace of %s %s changes ID, Parent or Created, or does not raise Revision", old.Kind, old.ID)
		}
		s, err := t.get(qReplace)
		if err != nil {
			return err
		}
		s.BindText(1, string(old.ID))
		s.BindInt64(2, old.Revision)
		s.BindText(3, string(new.Kind))
		s.BindText(4, new.Name)
		bindLocation(s, 5, new.Location)
		s.BindInt64(6, new.Revision)
		bindTime(s, 7, new.Updated)
		s.BindBytes(8, new.Body)
		err = step(s)
		if isUnique(err) {
			return fmt.Errorf("%w: %s %q", storage.ErrExists, new.Kind, new.Name)
		}
		return t.changed(err, "%s %s", old.Kind, old.ID)
	})
}

// Delete removes one row; the foreign keys take along what is beneath, and the logs.
func (t *tx) Delete(ctx context.Context, old storage.Object) error {
	return t.writeRow(ctx, nodes.Change{Old: &old}, func() error {
		s, err := t.get(qDelete)
		if err != nil {
			return err
		}
		t.deleted = true
		t.lastID, t.lastKey = "", 0 // the key may be used again
		s.BindText(1, string(old.ID))
		s.BindInt64(2, old.Revision)
		return t.changed(step(s), "%s %s", old.Kind, old.ID)
	})
}

// changed makes ErrStale of a write that met no row as it was read.
func (t *tx) changed(err error, format string, args ...any) error {
	if err == nil && t.Changes() == 0 {
		err = fmt.Errorf("%w: %s", storage.ErrStale, fmt.Sprintf(format, args...))
	}
	return err
}

// keyOf returns the key of an object, 0 if there is none.
func (t *tx) keyOf(id types.ID) (int64, error) {
	if t.lastKey != 0 && id == t.lastID {
		return t.lastKey, nil
	}
	return t.key(id)
}

// copied returns a copy of o as a read brings it: the caller may change his.
func copied(o storage.Object) *storage.Object {
	o.Body = cloneBytes(o.Body)
	o.Created, o.Updated = ofMillis(o.Created.UnixMilli()), ofMillis(o.Updated.UnixMilli())
	return &o
}

func ofMillis(n int64) time.Time { return time.UnixMilli(n).UTC() }

func bindTime(s *engine.Stmt, i int, t time.Time) { s.BindInt64(i, t.UnixMilli()) }

func bindLocation(s *engine.Stmt, i int, location string) {
	if location == "" {
		s.BindNull(i)
		return
	}
	s.BindText(i, location)
}
