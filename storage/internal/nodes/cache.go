// Package nodes keeps in memory what a store has read and written last: objects, with their
// logs. A store answers from it what it knows to be as it is in the database, and so the database is
// not asked again for what has not changed. It holds no truth of its own: it may forget
// anything at any time.
//
// A store with one owner tells it of every write, before the write can be seen ([Cache.Hold]) and
// after ([Cache.Settle]): then what it answers is exact. A store that is shared uses it for guesses
// which it has the database confirm.
package nodes

import (
	"hash/maphash"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// A Cache is bounded in bytes. All methods may be called from many goroutines.
type Cache struct {
	limit int
	seed  maphash.Seed

	mu     sync.RWMutex
	size   int
	root   types.ID
	byID   map[types.ID]*entry
	byName map[name]*entry
	ring   []*entry // all of them; hand goes round and removes those that were not used since it came by
	hand   int

	now     Mark // how many times something was settled
	stripes [stripes]stripe
}

// A name is what is unique beside an object's ID.
type name struct {
	parent types.ID
	kind   types.Kind
	name   string
}

func nameOf(o storage.Object) name { return name{o.Parent, o.Kind, o.Name} }

// An entry is an object and what is known of it.
type entry struct {
	object storage.Object
	log    *storage.Log      // nil: not known; Asked is nil
	absent map[name]struct{} // children that are known not to be there
	held   bool              // written, but not yet there for all to see
	used   atomic.Bool       // since the hand came by
	slot   int               // in ring

	absentSize int // of absent, in bytes
	size       int // of all
}

// A Mark is an instant in the life of a cache.
type Mark int64

// stripes is how many parts all IDs and names fall into. Whatever changes in a part keeps what
// was read of it before from being put: more parts only mean that fewer reads are lost so.
const stripes = 1 << 12

// A stripe tells when something in it was written.
type stripe struct {
	held    int32 // writes that are not settled
	changed Mark  // when the last was
}

// New makes a cache of at most limit bytes, more or less.
func New(limit int) *Cache {
	return &Cache{limit: limit, seed: maphash.MakeSeed(), byID: map[types.ID]*entry{}, byName: map[name]*entry{}}
}

func (c *Cache) ofID(id types.ID) *stripe {
	return &c.stripes[maphash.String(c.seed, string(id))%stripes]
}

func (c *Cache) ofName(n name) *stripe {
	return &c.stripes[maphash.Comparable(c.seed, n)%stripes]
}

// Mark returns the present instant. A store takes it before the snapshot begins that it is going
// to read.
func (c *Cache) Mark() Mark {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.now
}

// Put keeps a chain from the root on and what w brought with it, as a Lookup or Get of a snapshot
// that began after m has returned it. It leaves out what was written since m, and what is
// known in a newer revision.
func (c *Cache) Put(m Mark, chain []storage.Node, w storage.Want) {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.evict()
	for i, n := range chain {
		var log *storage.Log
		if w.Log && i == len(chain)-1 {
			log = n.Log
		}
		e := c.put(m, n.Object, log)
		if e == nil {
			return // nor is what is beneath known to be there
		}
		if n.Parent == "" {
			c.root = n.ID
		}
		if len(w.Beside) > 0 {
			c.putBeside(m, e, n.Beside, w.Beside)
		}
	}
}

// put returns the entry of o, nil if o may have changed since m.
func (c *Cache) put(m Mark, o storage.Object, log *storage.Log) *entry {
	if s := c.ofID(o.ID); s.held > 0 || s.changed > m || !c.fits(o) {
		return nil
	}
	e := c.byID[o.ID]
	switch {
	case e == nil:
		e = &entry{object: o, slot: len(c.ring)}
		c.byID[o.ID] = e
		c.ring = append(c.ring, e)
	case e.object.Revision < o.Revision:
		c.unname(e)
		e.object = o
	}
	c.byName[nameOf(e.object)] = e
	if log != nil && (e.log == nil || e.log.Revision <= log.Revision) {
		c.setLog(e, log)
	}
	c.weigh(e)
	return e
}

// fits says whether o is small enough to be kept beside others.
func (c *Cache) fits(o storage.Object) bool { return bytesOf(o) <= c.limit/8 }

// setLog makes log that of e, if it is small enough to be kept beside others.
func (c *Cache) setLog(e *entry, log *storage.Log) {
	e.log = nil
	if log != nil && bytesOfLog(log) <= c.limit/8 {
		e.log = own(log)
	}
}

// putBeside keeps which of these children e has.
func (c *Cache) putBeside(m Mark, e *entry, beside []storage.Object, asked []storage.Step) {
	there := make(map[storage.Step]bool, len(beside))
	for _, o := range beside {
		there[storage.Step{Kind: o.Kind, Name: o.Name}] = true
		c.put(m, o, nil)
	}
	for _, step := range asked {
		n := name{e.object.ID, step.Kind, step.Name}
		if s := c.ofName(n); there[step] || s.held > 0 || s.changed > m {
			continue
		}
		c.addAbsent(e, n)
		if was := c.byName[n]; was != nil {
			c.remove(was)
		}
	}
	c.weigh(e)
}

// addAbsent notes that e has no child n. What is asked for is not ours to choose, so an entry that has too much
// of it begins anew.
func (c *Cache) addAbsent(e *entry, n name) {
	if e.absent == nil || len(e.absent) >= absentMost || e.absentSize > c.limit/8 {
		e.absent, e.absentSize = map[name]struct{}{}, 0
	}
	if _, ok := e.absent[n]; !ok && absentOverhead+len(n.name) <= c.limit/8 {
		n.name = strings.Clone(n.name) // which may be a part of something large
		e.absent[n] = struct{}{}
		e.absentSize += absentOverhead + len(n.name)
	}
}

// Forget removes objects, since they are not what they were.
func (c *Cache) Forget(ids ...types.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range ids {
		if e := c.byID[id]; e != nil {
			c.remove(e)
		}
	}
}

// remove removes an entry.
func (c *Cache) remove(e *entry) {
	c.unname(e)
	delete(c.byID, e.object.ID)
	end := len(c.ring) - 1
	c.ring[e.slot] = c.ring[end]
	c.ring[e.slot].slot = e.slot
	c.ring[end] = nil
	c.ring = c.ring[:end]
	c.size -= e.size
}

// unname takes the name from e, unless another has it already.
func (c *Cache) unname(e *entry) {
	if n := nameOf(e.object); c.byName[n] == e {
		delete(c.byName, n)
	}
}

// evict removes what was not used for long until all is within the limit.
func (c *Cache) evict() {
	for c.size > c.limit && len(c.ring) > 0 {
		if c.hand >= len(c.ring) {
			c.hand = 0
		}
		if e := c.ring[c.hand]; !e.used.Swap(false) {
			c.remove(e)
		}
		c.hand++ // past what has taken its slot, too: the newest of all
	}
}

// What an entry, a commit and an absent child take beside their bytes and texts: about, and
// rather too much.
const (
	entryOverhead  = 600
	commitOverhead = 80
	absentOverhead = 300
)

// absentMost is how many absent children an entry has at most.
const absentMost = 256

// weigh sets the size of e as it is now.
func (c *Cache) weigh(e *entry) {
	size := e.weight()
	c.size += size - e.size
	e.size = size
}

func (e *entry) weight() int {
	size := entryOverhead + bytesOf(e.object) + e.absentSize
	if e.log != nil {
		size += bytesOfLog(e.log)
	}
	return size
}

func bytesOf(o storage.Object) int { return len(o.Body) + 2*len(o.Name) + len(o.Location) }

func bytesOfLog(l *storage.Log) int {
	size := len(l.State)
	for i := range l.Commits {
		size += commitOverhead + len(l.Commits[i].File) + len(l.Commits[i].Data)
	}
	return size
}
