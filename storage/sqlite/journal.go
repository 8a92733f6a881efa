package sqlite

import (
	"fmt"
	"slices"
	"sync"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// A journal holds what was written to logs and is not in their tables yet: what the table journal
// holds, in a form to read. The writer alone changes it. When all of it has moved to the
// tables, another takes its place, and Views whose snapshot is from before keep this one.
type journal struct {
	first int64 // the number of its first batch

	mu   sync.RWMutex
	logs map[types.ID][]entry
	size int // of the entries, in bytes
}

// An entry is what one WriteLog did. Nobody changes its bytes: all who read have the same.
type entry struct {
	batch       int64
	log         storage.Log // as it was then, without Commits
	add         *storage.Commit
	forgettable int64 // versions up to this one may be forgotten; the highest so far of the log in this journal
}

// entryOverhead is what an entry takes in memory beside its bytes.
const entryOverhead = 128

func newJournal(first int64) *journal {
	return &journal{first: first, logs: make(map[types.ID][]entry)}
}

// all is a batch after every other.
const all = int64(1<<63 - 1)

// upTo returns the entries of a log in the batches up to this one, which is durable or is
// what the writer itself asks for.
func (j *journal) upTo(id types.ID, batch int64) []entry {
	j.mu.RLock()
	defer j.mu.RUnlock()
	entries := j.logs[id]
	n := len(entries)
	for n > 0 && entries[n-1].batch > batch {
		n--
	}
	return entries[:n:n]
}

func (j *journal) add(id types.ID, e entry, size int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	entries := j.logs[id]
	if n := len(entries); n > 0 {
		e.forgettable = max(e.forgettable, entries[n-1].forgettable)
	}
	j.logs[id] = append(entries, e)
	j.size += size
}

// undo takes the last entries of these logs away again.
func (j *journal) undo(ids []types.ID, size int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, id := range ids {
		entries := j.logs[id]
		if entries = entries[:len(entries)-1]; len(entries) == 0 {
			delete(j.logs, id)
		} else {
			j.logs[id] = entries
		}
	}
	j.size -= size
}

// A position is one in the entries of a batch.
type position struct{ bytes, logs int }

// position returns the present one.
func (w *writer) position() position { return position{len(w.encoded), len(w.logs)} }

// record adds an entry to the journal; it is durable with the batch.
func (w *writer) record(id types.ID, e entry) {
	start := len(w.encoded)
	w.encoded = appendEntry(w.encoded, id, e)
	w.logs = append(w.logs, id)
	w.journal.Load().add(id, e, len(w.encoded)-start+entryOverhead)
}

// takeBack undoes what was recorded from p on.
func (w *writer) takeBack(p position) {
	gone := w.logs[p.logs:]
	if len(gone) == 0 {
		return
	}
	w.journal.Load().undo(gone, len(w.encoded)-p.bytes+len(gone)*entryOverhead)
	w.encoded, w.logs = w.encoded[:p.bytes], w.logs[:p.logs]
}

// writeBatch writes what a batch has recorded as a row of the journal.
func (w *writer) writeBatch(encoded []byte) error {
	s, err := w.conn.get(qAppend)
	if err != nil {
		return err
	}
	s.BindInt64(1, w.number)
	s.BindBytes(2, encoded)
	return step(s)
}

// loadJournal reads the journal that another process, or a store that was closed, has left. It returns
// the number of the next batch, too.
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
			id, e, err := d.entry()
			if err != nil {
				return nil, 0, fmt.Errorf("%w (%w, batch %d)", ErrDamaged, err, number)
			}
			e.batch = number
			j.add(id, e, size-len(d.left)+entryOverhead)
		}
		number++
	}
}

// cloneBytes returns nil for what is empty, as a read from a table does.
func cloneBytes(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	return slices.Clone(b)
}
