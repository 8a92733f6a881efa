package sqlite

import (
	"context"
	"fmt"
	"time"

	engine "zombiezen.com/go/sqlite"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// A tx is an Update under way, within the transaction of its batch. No other Update runs
// beside it, so what it reads stays true until it ends: the conditions of its writes
// guard only against a fn that passes what it has not read.
type tx struct {
	reader
	nested bool  // others have written in this transaction: a savepoint keeps them apart
	wrote  bool  // a write was tried
	err    error // the first error of a write
}

// Lookup, Get, List and Overlap read as in a View, before the first write.

func (t *tx) Lookup(ctx context.Context, path []storage.Step, w storage.Want) ([]storage.Node, error) {
	if t.wrote {
		return nil, storage.ErrOrder
	}
	return t.reader.Lookup(ctx, path, w)
}

func (t *tx) Get(ctx context.Context, id types.ID, w storage.Want) ([]storage.Node, error) {
	if t.wrote {
		return nil, storage.ErrOrder
	}
	return t.reader.Get(ctx, id, w)
}

func (t *tx) List(ctx context.Context, q storage.ListQuery, w storage.Want) ([]storage.Node, error) {
	if t.wrote {
		return nil, storage.ErrOrder
	}
	return t.reader.List(ctx, q, w)
}

func (t *tx) Overlap(ctx context.Context, location string, kinds []types.Kind, below int) ([]storage.Object, error) {
	if t.wrote {
		return nil, storage.ErrOrder
	}
	return t.reader.Overlap(ctx, location, kinds, below)
}

// Insert adds one row; that there is one root is an index of its own.
func (t *tx) Insert(ctx context.Context, o storage.Object) error {
	return t.write(ctx, func() error {
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
	return t.write(ctx, func() error {
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
	return t.write(ctx, func() error {
		s, err := t.get(qDelete)
		if err != nil {
			return err
		}
		t.lastID, t.lastKey = "", 0 // the key may be used again
		s.BindText(1, string(old.ID))
		s.BindInt64(2, old.Revision)
		return t.changed(step(s), "%s %s", old.Kind, old.ID)
	})
}

// WriteLog changes the row of the log and adds one to its commits. It touches neither
// the object nor its body.
func (t *tx) WriteLog(ctx context.Context, id types.ID, old storage.Log, d storage.LogDelta) error {
	return t.write(ctx, func() error {
		if d.Revision <= old.Revision || d.Backfilled > d.Last {
			return fmt.Errorf("sqlite: WriteLog of %s does not raise Revision, or backfills what is not there", id)
		}
		key, err := t.keyOf(id)
		if err != nil {
			return err
		}
		if key == 0 {
			return fmt.Errorf("%w: no object %s", storage.ErrStale, id)
		}
		if err := t.writeLog(id, key, old, d); err != nil {
			return err
		}
		if d.Add != nil {
			if err := t.addCommit(id, key, *d.Add); err != nil {
				return err
			}
		}
		return t.forget(key, min(d.Forget, d.Backfilled)) // what is not backfilled is no memory
	})
}

func (t *tx) writeLog(id types.ID, key int64, old storage.Log, d storage.LogDelta) error {
	q := qUpdateLog
	if old.Revision == 0 {
		q = qInsertLog
	}
	s, err := t.get(q)
	if err != nil {
		return err
	}
	s.BindInt64(1, key)
	s.BindInt64(2, d.Revision)
	s.BindInt64(3, d.Last)
	s.BindInt64(4, d.Backfilled)
	s.BindBytes(5, d.State)
	if q == qUpdateLog {
		s.BindInt64(6, old.Revision)
	}
	err = step(s)
	if isUnique(err) { // the log that was not there is
		return fmt.Errorf("%w: log of %s", storage.ErrStale, id)
	}
	return t.changed(err, "log of %s", id)
}

func (t *tx) addCommit(id types.ID, key int64, c storage.Commit) error {
	s, err := t.get(qAddCommit)
	if err != nil {
		return err
	}
	s.BindInt64(1, key)
	s.BindInt64(2, c.Version)
	s.BindText(3, c.File)
	s.BindBytes(4, c.Data)
	err = step(s)
	if isUnique(err) {
		return fmt.Errorf("sqlite: WriteLog of %s: there is a version %d", id, c.Version)
	}
	return err
}

// What a write forgets: not a version or two, which would cost each commit a page more
// to sync, and no more than this, so that a commit does not stall when the retention
// was cut.
const (
	forgetFrom = 64
	forgetMost = 512
)

// forget drops some of what the log key remembers of the versions up to upTo.
func (t *tx) forget(key, upTo int64) error {
	if upTo <= 0 {
		return nil
	}
	oldest, err := t.oldest(key)
	if err != nil || oldest < 0 || upTo-oldest < forgetFrom {
		return err
	}
	s, err := t.get(qForget)
	if err != nil {
		return err
	}
	s.BindInt64(1, key)
	s.BindInt64(2, min(upTo, oldest+forgetMost-1))
	return step(s)
}

// oldest returns the first version that the log key remembers, -1 if there is none.
func (t *tx) oldest(key int64) (int64, error) {
	s, err := t.get(qOldest)
	if err != nil {
		return 0, err
	}
	defer s.Reset()
	s.BindInt64(1, key)
	ok, err := s.Step()
	if !ok {
		return -1, err
	}
	return s.ColumnInt64(0), nil
}

// write runs one write, unless one before it went wrong.
func (t *tx) write(ctx context.Context, fn func() error) error {
	if t.over {
		return errOver
	}
	if t.err != nil {
		return t.err
	}
	if t.err = ctx.Err(); t.err != nil {
		return t.err
	}
	if t.AutocommitEnabled() { // a read failed so badly that SQLite has rolled back by itself
		t.err = errRolledBack
		return t.err
	}
	if !t.wrote && t.nested {
		if t.err = t.fault(t.run(qSavepoint)); t.err != nil {
			return t.err
		}
	}
	t.wrote = true
	t.err = t.fault(fn())
	return t.err
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

func bindTime(s *engine.Stmt, i int, t time.Time) { s.BindInt64(i, t.UnixMilli()) }

func bindLocation(s *engine.Stmt, i int, location string) {
	if location == "" {
		s.BindNull(i)
		return
	}
	s.BindText(i, location)
}
