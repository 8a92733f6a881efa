package sqlite

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/leveelake/catalog/types"
)

// How large the journal may grow, in bytes: at foldFrom it moves to the tables. If that
// fails, it goes on being written up to foldMost, so that a fault that passes stops nobody.
const (
	foldFrom = 1 << 20
	foldMost = 16 * foldFrom

	entryOverhead = 128 // what a step takes in memory beside its entry
)

// What moves to the tables forgets: not a version or two of a log, which would cost a page more,
// and not more than this beyond what comes, so that Updates do not stall when the retention
// was cut.
const (
	forgetFrom = 64
	forgetMost = 512
)

// position returns the present one.
func (w *writer) position() position { return position{len(w.encoded), len(w.logs)} }

// record adds a step to the journal; it is durable with the batch.
func (w *writer) record(id types.ID, s entry) {
	start := len(w.encoded)
	w.encoded = appendEntry(w.encoded, id, s)
	w.logs = append(w.logs, id)
	w.journal.Load().add(id, s, len(w.encoded)-start+entryOverhead)
}

// forget takes back what was recorded from p on.
func (w *writer) forget(p position) {
	gone := w.logs[p.logs:]
	if len(gone) == 0 {
		return
	}
	w.journal.Load().undo(gone, len(w.encoded)-p.bytes+len(gone)*entryOverhead)
	w.encoded, w.logs = w.encoded[:p.bytes], w.logs[:p.logs]
}

// append writes what the batch has recorded to the database.
func (w *writer) append() error {
	if err := w.begin(); err != nil {
		return faultOf(w.conn.path, err)
	}
	if len(w.encoded) == 0 {
		return nil
	}
	s, err := w.conn.get(qAppend)
	if err == nil {
		s.BindInt64(1, w.number)
		s.BindBytes(2, w.encoded)
		err = step(s)
	}
	return faultOf(w.conn.path, err)
}

// loadJournal reads the journal that another process, or a store that was closed, has left.
func (c *conn) loadJournal() (*journal, int64, error) {
	j := newJournal(1)
	s, err := c.get(qJournal)
	if err != nil {
		return nil, 0, err
	}
	defer s.Reset()
	number := int64(1)
	for {
		ok, err := s.Step()
		if err != nil || !ok {
			return j, number, err
		}
		number = s.ColumnInt64(0)
		d := decoder{left: column(s, 1)}
		for len(d.left) > 0 {
			size := len(d.left)
			id, s, err := d.entry()
			if err != nil {
				return nil, 0, fmt.Errorf("%w (%w, batch %d)", ErrDamaged, err, number)
			}
			s.batch = number
			j.add(id, s, size-len(d.left)+entryOverhead)
		}
		number++
	}
}

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

// foldLog writes the last of steps as the log key, and adds and forgets commits.
func (w *writer) foldLog(key int64, steps []entry) error {
	last := steps[len(steps)-1]
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
	for _, st := range steps {
		c := st.add
		if c == nil || c.Version <= last.forget-forgetFrom {
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
	return w.forgetCommits(key, last.forget, int64(added+forgetMost))
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
	s.BindInt64(2, min(upTo, oldest+most-1))
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
