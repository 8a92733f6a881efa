package postgres

import (
	"context"
	"errors"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/storage/internal/nodes"
	"github.com/leveelake/catalog/types"
)

// errOutdated is the answer to a commit whose conditions did not hold: nothing happened.
var errOutdated = errors.New("postgres: what was read has changed")

// A commit is an Update that read one chain with its log and writes that log: by far the most
// frequent one. All that it must hold is in one row, that of the log, so that one
// statement without a lock will do: the database looks at the row again after it has
// waited for it.
type commit struct {
	id             types.ID
	objectRevision int64
	logRevision    int64
	delta          storage.LogDelta

	shared saw // the ancestors, and what is beside them
	own    saw // what is beside the object itself

	ctx  context.Context // if it waits for others to send it: of who waits
	done chan struct{}   // closed with err
	err  error
}

// answer tells who waits what became of the commit.
func (c *commit) answer(err error) {
	c.err = err
	close(c.done)
}

// size is about how many bytes it is that a commit sends.
func (c *commit) size() int {
	n := len(c.delta.State)
	if c.delta.Add != nil {
		n += len(c.delta.Add.File) + len(c.delta.Add.Data)
	}
	return n
}

// commit returns what a run wants if that is a commit, else nil.
func (a *attempt) commit() *commit {
	if len(a.writes) != 1 || len(a.reads) != 1 {
		return nil
	}
	w, r := &a.writes[0], &a.reads[0]
	if w.old != nil || w.new != nil || w.unread || w.log.Revision == 0 || r.nodes == 0 || len(r.logs) != 1 || r.logs[0].id != w.id {
		return nil
	}
	last := r.refs[r.nodes-1]
	c := &commit{id: w.id, objectRevision: last.revision, logRevision: w.log.Revision, delta: w.delta}
	c.shared.refs = r.refs[:r.nodes-1]
	for i, b := range r.refs[r.nodes:] { // in the order of the nodes
		if int(b.depth) == r.nodes {
			c.own.refs = r.refs[r.nodes+i:]
			break
		}
		c.shared.refs = append(c.shared.refs[:len(c.shared.refs):len(c.shared.refs)], b)
	}
	for i := range r.absents {
		if r.absents[i].parent == w.id {
			c.shared.absents, c.own.absents = r.absents[:i], r.absents[i:]
			return c
		}
	}
	c.shared.absents = r.absents
	return c
}

// remember tells the memory what was written.
func (a *attempt) remember() {
	changes := make([]nodes.Change, 0, len(a.writes))
	for i := range a.writes {
		w := &a.writes[i]
		if w.new == nil && w.old == nil {
			changes = append(changes, nodes.Change{ID: w.id, Log: w.after})
			continue
		}
		changes = append(changes, nodes.Change{Old: w.old, New: w.new})
	}
	a.s.cache.Apply(changes)
}

const (
	// forgetEvery is how many changes of a log come between two deletes of what it may forget:
	// not one or two rows with each commit.
	forgetEvery = 64

	// forgetMost is how much one delete takes at most, so that it does not stall when the
	// retention was cut. It is a multiple of forgetEvery, so that it gets on.
	forgetMost = 512
)

// forget returns up to which version d lets the log forget now, 0: nothing.
func forget(d storage.LogDelta) int64 {
	if d.Revision%forgetEvery != 0 {
		return 0
	}
	return max(0, min(d.Forget, d.Backfilled)) // what is not backfilled is no memory
}
