package sqlite

import (
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

// An entry is what one WriteLog did. It never changes, and shares no memory with a caller.
type entry struct {
	batch  int64
	log    storage.Log // as it was then, without Commits
	add    *storage.Commit
	forget int64 // the highest so far
}

func newJournal(first int64) *journal {
	return &journal{first: first, logs: make(map[types.ID][]entry)}
}

// all is a batch after every other.
const all = int64(1<<63 - 1)

// upTo returns the steps of a log in the batches up to this one, which is durable or is
// what the writer itself asks for.
func (j *journal) upTo(id types.ID, batch int64) []entry {
	j.mu.RLock()
	defer j.mu.RUnlock()
	steps := j.logs[id]
	n := len(steps)
	for n > 0 && steps[n-1].batch > batch {
		n--
	}
	return steps[:n:n]
}

func (j *journal) add(id types.ID, s entry, size int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	steps := j.logs[id]
	if n := len(steps); n > 0 {
		s.forget = max(s.forget, steps[n-1].forget)
	}
	j.logs[id] = append(steps, s)
	j.size += size
}

// undo takes the last steps of these logs away again.
func (j *journal) undo(ids []types.ID, size int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, id := range ids {
		steps := j.logs[id]
		if steps = steps[:len(steps)-1]; len(steps) == 0 {
			delete(j.logs, id)
		} else {
			j.logs[id] = steps
		}
	}
	j.size -= size
}

func copyCommit(c storage.Commit) storage.Commit {
	c.Data = cloneBytes(c.Data)
	return c
}

// cloneBytes returns nil for what is empty, as a read from a table does.
func cloneBytes(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	return slices.Clone(b)
}
