package postgres

import (
	"cmp"
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/leveelake/catalog/types"
)

// massive is how many writes make an Update that takes its time.
const massive = 1000

// apply has the database do what a run wants written, if all is as the run has read it: one
// transaction in one round trip, but for statements that are new to the connection, and without a BEGIN or
// COMMIT of its own.
func (a *attempt) apply(ctx context.Context) error {
	p := a.plan()
	if p.contradictory {
		return errUnsent{errContradiction}
	}
	conn, err := a.s.lend(ctx)
	if err != nil {
		return err
	}
	defer conn.release()
	timeout := writeTimeout
	if a.deletes() || len(a.writes) > massive {
		timeout = massTimeout
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	defer cancel()
	err = conn.SendBatch(ctx, &p.batch).Close()
	if _, ok := errors.AsType[pgx.ErrPreprocessingBatch](err); ok {
		return errUnsent{err}
	}
	return cmp.Or(err, notReplicated(conn.Conn))
}

// errContradiction is about two reads of a run that cannot both be true.
var errContradiction = errors.New("postgres: what was read has changed meanwhile")

// A plan is what is sent for a run: locks, checks, writes.
type plan struct {
	batch         pgx.Batch
	contradictory bool

	schema   string
	seen     map[types.ID]ref
	inserted map[types.ID]bool // by the run itself
	places   locations
	objects  objectLocks
	logs     map[types.ID]bool // those to lock
	checks   checks            // of what was read
	given    checks            // of what was not
}

func (a *attempt) plan() *plan {
	p := &plan{schema: a.s.schema, seen: make(map[types.ID]ref), inserted: make(map[types.ID]bool), objects: make(objectLocks), logs: make(map[types.ID]bool)}
	p.places.schema = a.s.schema
	logs := make(map[types.ID]int64)
	for i := range a.reads {
		p.read(&a.reads[i], logs)
	}
	for i := range a.writes {
		p.wants(&a.writes[i])
	}
	p.queueLocks()
	p.queueChecks(a.reads)
	w := writer{plan: p}
	for i := range a.writes {
		w.add(&a.writes[i])
	}
	w.flush()
	return p
}

// read takes in what a read has seen.
func (p *plan) read(s *saw, logs map[types.ID]int64) {
	for _, r := range s.refs {
		was, twice := p.seen[r.id]
		if twice && was.revision != r.revision {
			p.contradictory = true
		}
		if !twice {
			p.seen[r.id] = r
			p.checks.object(r.id, r.revision)
		}
		if r.held {
			p.objects.lock(r.id, r.depth, asRead)
		}
	}
	for _, l := range s.logs {
		was, twice := logs[l.id]
		if twice && was != l.revision {
			p.contradictory = true
		}
		if !twice {
			logs[l.id] = l.revision
			p.checks.log(l.id, l.revision)
			p.logs[l.id] = true
		}
	}
	for _, n := range s.absents {
		p.checks.absent(n)
	}
	if l := s.list; l != nil && l.parent != "" { // an Insert beneath needs a lock of the parent, too
		p.objects.lock(l.parent, p.depth(l.parent), writing)
	}
	if o := s.overlap; o != nil {
		p.places.lock(o.location, o.beneath)
	}
}

// depth of an object, as far as it is known.
func (p *plan) depth(id types.ID) int16 {
	if r, ok := p.seen[id]; ok {
		return r.depth
	}
	return unknownDepth
}

// above is the depth of the parent of what is in this one.
func above(depth int16) int16 {
	if depth == unknownDepth {
		return unknownDepth
	}
	return depth - 1
}

// moves tells whether a write brings a child to another place among those of its parent.
func (w *write) moves() bool {
	return w.new != nil && w.old.Parent != "" && (w.new.Kind != w.old.Kind || w.new.Name != w.old.Name)
}

// wants takes in what a write needs: locks, and conditions on what was not read.
func (p *plan) wants(w *write) {
	switch {
	case w.old == nil && w.new == nil:
		if p.inserted[w.id] {
			return
		}
		p.logs[w.id] = true
		if w.log.Revision == 0 { // whoever has read that there is none holds the object
			p.objects.lock(w.id, p.depth(w.id), writing)
		}
		if w.unread {
			p.given.log(w.id, w.log.Revision)
			p.given.exists(w.id)
		}
	case w.old == nil:
		p.places.lock(w.new.Location, true)
		known := w.new.Parent == "" || p.inserted[w.new.Parent]
		p.inserted[w.new.ID] = true // not before: nothing is its own parent
		if known {
			return
		}
		p.objects.lock(w.new.Parent, p.depth(w.new.Parent), stays)
		if w.unread {
			p.given.exists(w.new.Parent)
		}
	default:
		if w.new != nil && (w.new.Location != w.old.Location || w.new.Kind != w.old.Kind) {
			p.places.lock(w.new.Location, true)
		}
		if p.inserted[w.old.ID] {
			return
		}
		p.logs[w.old.ID] = true
		p.objects.lock(w.old.ID, p.depth(w.old.ID), writing)
		if w.moves() && !p.inserted[w.old.Parent] { // as an Insert: not into a range that another holds
			p.objects.lock(w.old.Parent, above(p.depth(w.old.ID)), stays)
		}
		if w.unread {
			p.given.object(w.old.ID, w.old.Revision)
		}
	}
}

func (p *plan) queueLocks() {
	if keys, exclusive := p.places.sorted(); len(keys) > 0 {
		p.batch.Queue(sqlLockLocations, keys, exclusive)
	}
	for _, run := range p.objects.runs() {
		ids := make([]string, len(run))
		for i, l := range run {
			ids[i] = string(l.id)
		}
		p.batch.Queue(sqlLockObjects(run[0].how), ids)
	}
	if len(p.logs) > 0 {
		ids := make([]string, 0, len(p.logs))
		for id := range p.logs {
			ids = append(ids, string(id))
		}
		p.batch.Queue(sqlLockLogs, ids)
	}
}

func (p *plan) queueChecks(reads []saw) {
	p.checks.queue(&p.batch, stateChanged)
	for i := range reads {
		if l := reads[i].list; l != nil {
			l.queue(&p.batch)
		}
		if o := reads[i].overlap; o != nil {
			o.queue(&p.batch)
		}
	}
	p.given.queue(&p.batch, stateStale)
}
