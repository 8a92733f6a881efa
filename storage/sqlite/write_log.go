package sqlite

import (
	"context"
	"fmt"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/storage/internal/nodes"
	"github.com/leveelake/catalog/types"
)

// WriteLog adds a step to the journal. It touches neither the object nor the database,
// unless it must ask that for what the run has not read.
func (t *tx) WriteLog(ctx context.Context, id types.ID, old storage.Log, d storage.LogDelta) error {
	return t.write(ctx, func() error {
		if t.writer.broken != nil {
			return t.writer.broken
		}
		if d.Revision <= old.Revision || d.Backfilled > d.Last || d.Add != nil && d.Add.Version != d.Last {
			return fmt.Errorf("sqlite: WriteLog of %s does not raise Revision, backfills what is not there, or adds another version than the last", id)
		}
		is, ok, err := t.logOf(id)
		if err != nil {
			return err
		}
		if !ok || is.Revision != old.Revision {
			return fmt.Errorf("%w: log of %s", storage.ErrStale, id)
		}
		if err := t.isNew(id, is.Last, d.Add); err != nil {
			return err
		}
		t.writer.record(id, entryOf(d, t.writer.number))
		t.changes = append(t.changes, nodes.Change{ID: id, Log: t.after(is, old, d)})
		return nil
	})
}

// logOf returns the log of an object as it is, without its commits; false if there is no such
// object.
func (t *tx) logOf(id types.ID) (is storage.Log, ok bool, err error) {
	steps := t.journal.upTo(id, all)
	var key int64
	known := false
	if !t.deleted {
		for _, s := range t.read {
			if s.id == id {
				is, known = s.log, true
			}
		}
	}
	if !known {
		if err := t.writer.begin(); err != nil {
			return is, false, err
		}
		if key, err = t.key(id); key == 0 {
			return is, false, err
		}
	}
	if n := len(steps); n > 0 {
		is = steps[n-1].log
	} else if !known {
		err = t.logRow(key, &is)
	}
	return is, true, err
}

// isNew returns an error if add is a version that the log has already. One after the last is not.
func (t *tx) isNew(id types.ID, last int64, add *storage.Commit) error {
	if add == nil || add.Version > last {
		return nil
	}
	taken := false
	for _, s := range t.journal.upTo(id, all) {
		taken = taken || s.add != nil && s.add.Version == add.Version
	}
	if !taken {
		if err := t.writer.begin(); err != nil {
			return err
		}
		key, err := t.key(id)
		if err != nil {
			return err
		}
		c, err := t.stored(key, add.Version)
		if err != nil {
			return err
		}
		taken = c != nil
	}
	if taken {
		return fmt.Errorf("sqlite: WriteLog of %s: there is a version %d", id, add.Version)
	}
	return nil
}

// after returns the log after d for the cache, nil if it cannot be told: for one thing if old,
// which is the caller's, lacks commits of the log as it is.
func (t *tx) after(is, old storage.Log, d storage.LogDelta) *storage.Log {
	n := int64(len(old.Commits))
	if n != is.Last-is.Backfilled || n > 0 && (old.Commits[0].Version != is.Backfilled+1 || old.Commits[n-1].Version != is.Last) {
		return nil
	}
	old.Last, old.Backfilled = is.Last, is.Backfilled // as for these, there is no need to ask
	return nodes.After(old, d)
}

// entryOf returns the step that d is.
func entryOf(d storage.LogDelta, batch int64) entry {
	s := entry{batch: batch, forget: min(d.Forget, d.Backfilled)} // what is not backfilled is no memory
	s.log = storage.Log{Revision: d.Revision, Last: d.Last, Backfilled: d.Backfilled, State: cloneBytes(d.State)}
	if d.Add != nil {
		c := copyCommit(*d.Add)
		s.add = &c
	}
	return s
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
	if t.writer.open && t.AutocommitEnabled() { // a read failed so badly that SQLite has rolled back by itself
		t.err = errRolledBack
		return t.err
	}
	t.wrote = true
	t.err = t.fault(fn())
	return t.err
}

// writeRow is write of a row of the database, which is ch.
func (t *tx) writeRow(ctx context.Context, ch nodes.Change, fn func() error) error {
	return t.write(ctx, func() error {
		if !t.rows {
			if err := t.writer.begin(); err != nil {
				return err
			}
			if t.writer.rows {
				if err := t.run(qSavepoint); err != nil {
					return err
				}
				t.nested = true
			}
			t.rows = true
		}
		if err := fn(); err != nil {
			return err
		}
		t.changes = append(t.changes, ch)
		return nil
	})
}
