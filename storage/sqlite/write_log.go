package sqlite

import (
	"context"
	"fmt"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/storage/internal/nodes"
	"github.com/leveelake/catalog/types"
)

// WriteLog adds an entry to the journal. It touches neither the object nor the database,
// unless it must ask that for what the run has not read.
func (t *tx) WriteLog(ctx context.Context, id types.ID, old storage.Log, d storage.LogDelta) error {
	return t.write(ctx, func() error {
		if t.writer.broken != nil {
			return t.writer.broken
		}
		is, ok, err := t.logOf(id)
		if err != nil {
			return err
		}
		if !ok || is.Revision != old.Revision {
			return fmt.Errorf("%w: log of %s", storage.ErrStale, id)
		}
		if d.Revision <= is.Revision || d.Last < is.Last || d.Backfilled < 0 || d.Backfilled > d.Last || d.Add != nil && d.Add.Version != d.Last {
			return fmt.Errorf("sqlite: WriteLog of %s does not raise Revision, lowers Last, backfills what is not there, or adds another version than the last", id)
		}
		if err := t.isNew(id, is.Last, d.Add); err != nil {
			return err
		}
		e := entryOf(d, t.writer.number)
		t.writer.record(id, e)
		t.changes = append(t.changes, nodes.Change{ID: id, Log: t.after(id, is, e)})
		return nil
	})
}

// logOf returns the log of an object as it is, without its commits; false if there is no such
// object.
func (t *tx) logOf(id types.ID) (is storage.Log, ok bool, err error) {
	entries := t.journal.upTo(id, all)
	var key int64
	known := false
	if !t.deleted {
		is, known = t.read.get(id)
	}
	if !known {
		if err := t.writer.begin(); err != nil {
			return is, false, err
		}
		if key, err = t.key(id); key == 0 {
			return is, false, err
		}
	}
	if n := len(entries); n > 0 {
		is = entries[n-1].log
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
	taken := added(t.journal.upTo(id, all), add.Version) != nil
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

// after returns the log after e for the cache, nil if it cannot be told: only what this run has read has
// its commits, and that is as it was before the run wrote.
func (t *tx) after(id types.ID, is storage.Log, e entry) *storage.Log {
	if is.Revision != 0 {
		if was, ok := t.read.get(id); !ok || was.Revision != is.Revision {
			return nil
		} else {
			is = was
		}
	}
	return nodes.After(is, storage.LogDelta{Revision: e.log.Revision, Last: e.log.Last, Backfilled: e.log.Backfilled, State: e.log.State, Add: e.add})
}

// entryOf returns the entry that d is, apart from what the caller has.
func entryOf(d storage.LogDelta, batch int64) entry {
	e := entry{batch: batch, forgettable: max(0, min(d.Forget, d.Backfilled))} // what is not backfilled is no memory
	e.log = storage.Log{Revision: d.Revision, Last: d.Last, Backfilled: d.Backfilled, State: cloneBytes(d.State)}
	if d.Add != nil {
		c := *d.Add
		c.Data = cloneBytes(c.Data)
		e.add = &c
	}
	return e
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
