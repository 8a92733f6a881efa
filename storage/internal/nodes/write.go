package nodes

import (
	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// A Change is a write: an Insert of New, a Replace of Old by New, a Delete of Old, or, without
// both, a WriteLog of the object with this ID. Nobody changes the bytes of New and Log afterwards.
type Change struct {
	Old, New *storage.Object // of Old, ID and name will do
	ID       types.ID
	Log      *storage.Log // as it is afterwards; nil: not known
}

// id is that of the object that changes.
func (ch *Change) id() types.ID {
	switch {
	case ch.New != nil:
		return ch.New.ID
	case ch.Old != nil:
		return ch.Old.ID
	}
	return ch.ID
}

// touched calls fn for each part in which something changes.
func (c *Cache) touched(ch *Change, fn func(s *stripe)) {
	fn(c.ofID(ch.id()))
	for _, o := range []*storage.Object{ch.Old, ch.New} {
		if o != nil {
			fn(c.ofName(nameOf(*o)))
		}
	}
}

// Hold takes in changes that a transaction has made but not committed: what they touch is unknown
// to all but that transaction until they are settled.
func (c *Cache) Hold(changes []Change) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hold(changes)
	c.evict()
}

func (c *Cache) hold(changes []Change) {
	for i := range changes {
		ch := &changes[i]
		c.touched(ch, func(s *stripe) { s.held++ })
		if e := c.byID[ch.id()]; e != nil {
			c.change(e, ch)
		}
		if ch.New != nil {
			c.appear(*ch.New)
		}
	}
}

// change makes e what it is after ch.
func (c *Cache) change(e *entry, ch *Change) {
	switch {
	case ch.New != nil && !c.fits(*ch.New):
		c.remove(e)
		return
	case ch.New != nil:
		c.unname(e)
		e.object = *ch.New
		c.byName[nameOf(e.object)] = e
	case ch.Old != nil:
		c.remove(e)
		return
	default:
		c.setLog(e, ch.Log)
	}
	e.held = true
	c.weigh(e)
}

// appear notes that a name is not absent any more.
func (c *Cache) appear(o storage.Object) {
	n := nameOf(o)
	parent := c.byID[o.Parent]
	if parent == nil {
		return
	}
	if _, ok := parent.absent[n]; ok {
		delete(parent.absent, n)
		parent.absentSize -= absentOverhead + len(n.name)
		c.weigh(parent)
	}
}

// Settle ends what Hold began with the same changes: they are durable and there for all to see, or
// they were undone, or nobody knows (not committed, then).
func (c *Cache) Settle(changes []Change, committed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.settle(changes, committed)
}

func (c *Cache) settle(changes []Change, committed bool) {
	c.now++
	for i := range changes {
		c.touched(&changes[i], func(s *stripe) {
			s.held--
			s.changed = c.now
		})
		e := c.byID[changes[i].id()]
		switch {
		case e == nil:
		case committed:
			e.held = false
		default:
			c.remove(e)
		}
	}
}

// Apply takes in changes that are committed.
func (c *Cache) Apply(changes []Change) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hold(changes)
	c.settle(changes, true)
	c.evict()
}

// After returns the log that old becomes by d, nil if that depends on more than old tells: if
// versions that are not in it come back. Its bytes are theirs.
func After(old storage.Log, d storage.LogDelta) *storage.Log {
	if d.Backfilled < old.Backfilled {
		return nil
	}
	out := &storage.Log{Revision: d.Revision, Last: d.Last, Backfilled: d.Backfilled, State: asRead(d.State)}
	if d.Last > d.Backfilled {
		out.Commits = make([]storage.Commit, 0, min(int64(len(old.Commits))+1, d.Last-d.Backfilled))
	}
	for _, c := range old.Commits {
		if c.Version > d.Backfilled {
			out.Commits = append(out.Commits, c)
		}
	}
	if d.Add != nil && d.Last > d.Backfilled {
		add := *d.Add
		add.Data = asRead(add.Data)
		out.Commits = append(out.Commits, add)
	}
	return out
}

// asRead returns nil for what is empty, as a store does.
func asRead(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	return b
}
