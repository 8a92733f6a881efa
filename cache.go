package catalog

import (
	"container/list"
	"sync"

	"github.com/leveelake/catalog/types"
)

// A revision names one value for ever: what the body of an object held in one of its revisions.
type revision struct {
	id     types.ID // of the table
	kind   types.Kind
	number int64
}

// recordRevision and columnsRevision name the two values that a table is made of.
func (t *table) recordRevision() revision {
	return revision{t.object.ID, types.KindTable, t.object.Revision}
}

func (t *table) columnsRevision() revision {
	return revision{t.object.ID, kindColumns, t.record.Columns}
}

// known is the key of what only says that the columns of the table which was called so were put
// beside it.
func known(name types.TableName) revision {
	return revision{types.ID(name.Catalog + "." + name.Schema + "." + name.Table), "name", 0}
}

// decodedBody is the kind of what was made of the body of a small object, such as a grant.
const decodedBody types.Kind = "body"

// keep remembers what t, called name, was made of. t must be durable: in a transaction that is going on, a
// revision may still come to nothing and be given to another value.
func (c *Catalog) keep(t *table, name types.TableName) {
	if t.cached {
		return
	}
	c.cache.put(known(name), true, 0)
	t.properties() // makes what is shown of them
	c.cache.put(t.recordRevision(), &table{record: t.record, shown: t.shown}, 3*len(t.object.Body))
	if t.record.Columns != 0 {
		c.cache.put(t.columnsRevision(), t.columns, t.columns.Len())
	}
}

// A revisionCache keeps the values that were used last. What it holds never changes, so it can never
// be stale; who gets a value must not change it either.
type revisionCache struct {
	mu    sync.Mutex
	size  int // of all entries, in bytes
	limit int
	order *list.List // of *revisionEntry, the last used first
	byKey map[revision]*list.Element
}

// entryOverhead is about what an entry takes beside its value, in bytes.
const entryOverhead = 500

type revisionEntry struct {
	key   revision
	value any
	size  int
}

func newRevisionCache(limit int) *revisionCache {
	return &revisionCache{limit: limit, order: list.New(), byKey: map[revision]*list.Element{}}
}

// get returns nil if key is not known.
func (c *revisionCache) get(key revision) any {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.byKey[key]
	if !ok {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*revisionEntry).value
}

// put keeps a value of about size bytes.
func (c *revisionCache) put(key revision, value any, size int) {
	size += entryOverhead
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.byKey[key]; ok || size > c.limit/2 {
		return
	}
	c.byKey[key] = c.order.PushFront(&revisionEntry{key, value, size})
	for c.size += size; c.size > c.limit; {
		e := c.order.Remove(c.order.Back()).(*revisionEntry)
		delete(c.byKey, e.key)
		c.size -= e.size
	}
}
