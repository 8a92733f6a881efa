package sqlite

import (
	"cmp"
	"slices"

	"github.com/leveelake/catalog/types"
)

// How large the journal may grow, in bytes: at foldFrom it moves to the tables. If that
// fails, it goes on being written up to foldMost, so that a fault that passes stops nobody.
const (
	foldFrom = 1 << 20
	foldMost = 16 * foldFrom
)

// What moves to the tables forgets: not a version or two of a log, which would cost a page more,
// and not more than this beyond what comes, so that Updates do not stall when the retention
// was cut.
const (
	forgetFrom = 64
	forgetMost = 512
)

// refold moves the journal to the tables, between batches. If it fails it tries again when some more
// has come together, and with each batch when nothing more is let in.
func (w *writer) refold() {
	w.broken = nil
	if err := w.fold(); err != nil {
		size := w.journal.Load().size
		w.foldAt = min(size+w.foldFrom, foldMost)
		if size >= foldMost {
			w.broken = faultOf(w.conn.path, err)
		}
		return
	}
	w.foldAt = w.foldFrom
}

// fold moves the journal to the tables. To all who read, nothing changes.
func (w *writer) fold() error {
	j := w.journal.Load()
	if len(j.logs) == 0 {
		return nil
	}
	if err := w.foldAll(j); err != nil {
		_ = w.rollback() // begin tries again
		return err
	}
	w.open = false
	w.journal.Store(newJournal(w.number))
	return nil
}

func (w *writer) foldAll(j *journal) error {
	if err := w.begin(); err != nil {
		return err
	}
	keys, err := w.keysOf(j)
	if err != nil {
		return err
	}
	for _, k := range keys {
		if err := w.foldLog(k.key, j.logs[k.id]); err != nil {
			return err
		}
	}
	for _, q := range []query{qClear, qCommit} {
		if err := w.conn.run(q); err != nil {
			return err
		}
	}
	return nil
}

// keyed is a log by both of its names.
type keyed struct {
	key int64
	id  types.ID
}

// keysOf returns the logs of j in the order of the tables, without those whose object is gone.
func (w *writer) keysOf(j *journal) (keys []keyed, err error) {
	r := reader{conn: w.conn}
	for id := range j.logs {
		key, err := r.key(id)
		if err != nil {
			return nil, err
		}
		if key != 0 {
			keys = append(keys, keyed{key, id})
		}
	}
	slices.SortFunc(keys, func(a, b keyed) int { return cmp.Compare(a.key, b.key) })
	return keys, nil
}

// foldLog writes the last of entries as the log key, and adds and forgets commits.
func (w *writer) foldLog(key int64, entries []entry) error {
	last := entries[len(entries)-1]
	s, err := w.conn.get(qPutLog)
	if err != nil {
		return err
	}
	s.BindInt64(1, key)
	s.BindInt64(2, last.log.Revision)
	s.BindInt64(3, last.log.Last)
	s.BindInt64(4, last.log.Backfilled)
	s.BindBytes(5, last.log.State)
	if err := step(s); err != nil {
		return err
	}
	added := 0
	for _, e := range entries {
		c := e.add
		if c == nil || c.Version <= last.forgettable-forgetFrom {
			continue
		}
		if s, err = w.conn.get(qAddCommit); err != nil {
			return err
		}
		added++
		s.BindInt64(1, key)
		s.BindInt64(2, c.Version)
		s.BindText(3, c.File)
		s.BindBytes(4, c.Data)
		if err := step(s); err != nil {
			return err
		}
	}
	return w.forgetCommits(key, last.forgettable, int64(added+forgetMost))
}

// forgetCommits drops some of what the log key remembers of the versions up to upTo.
func (w *writer) forgetCommits(key, upTo, most int64) error {
	if upTo <= 0 {
		return nil
	}
	oldest, err := w.oldest(key)
	if err != nil || oldest < 0 || upTo-oldest < forgetFrom {
		return err
	}
	s, err := w.conn.get(qForget)
	if err != nil {
		return err
	}
	s.BindInt64(1, key)
	s.BindInt64(2, oldest+min(upTo-oldest, most-1)) // which no number is too large for
	return step(s)
}

// oldest returns the first version that the log key remembers, -1 if there is none.
func (w *writer) oldest(key int64) (int64, error) {
	s, err := w.conn.get(qOldest)
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
