package catalog

import (
	"container/list"
	"context"
	"fmt"
	"sync"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// The columns of a table are an object of their own, a child of the table, so that a commit
// whose table is in the cache does not read them: a schema may be thousands of times as long as
// all else. Its body is the columns' JSON as a load sends it. The table's record names its
// revision, and both change in one transaction.
const kindColumns types.Kind = "columns"

const columnsName = "columns"

// besideColumns makes a Want bring the columns along.
func besideColumns(w storage.Want) storage.Want {
	w.Beside, w.Names = kindColumns, []string{columnsName}
	return w
}

// fillColumns sets t's columns: from what was read beside it, from the cache, or by reading
// them in the same transaction, whose last chain ended with t. With exactly, it reads the
// object in any case, so that it can be replaced.
func (c *Catalog) fillColumns(ctx context.Context, tx storage.ReadTx, t *table, beside []storage.Object, exactly bool) error {
	if t.record.Columns == 0 {
		return nil
	}
	if len(beside) == 0 && !exactly {
		if columns, ok := c.columns.get(t.revision()); ok {
			t.columns = columns
			return nil
		}
	}
	if len(beside) == 0 {
		nodes, err := tx.List(ctx, storage.ListQuery{Parent: t.object.ID, Kind: kindColumns, Limit: 1}, storage.Want{})
		if err != nil {
			return err
		}
		for _, n := range nodes {
			beside = append(beside, n.Object)
		}
	}
	if len(beside) != 1 || beside[0].Revision != t.record.Columns {
		return fmt.Errorf("table %s: its columns are not stored as of revision %d", t.object.ID, t.record.Columns)
	}
	t.stored = &beside[0]
	t.columns = types.RawColumns(beside[0].Body)
	return nil
}

// keepColumns puts t's columns into the cache. t must be durable: in a transaction that is
// going on, a revision may still come to nothing and be given to another value.
func (c *Catalog) keepColumns(t *table) {
	if t.record.Columns != 0 {
		c.columns.put(t.revision(), t.columns)
	}
}

func (t *table) revision() revision { return revision{t.object.ID, t.record.Columns} }

// writeColumns stores the columns of t, if they are others than those of old (nil: a new table).
func (t *table) writeColumns(ctx context.Context, tx storage.Tx, old *table, id types.ID) error {
	if t.record.Columns == 0 || old != nil && t.record.Columns == old.record.Columns {
		return nil
	}
	o := storage.Object{
		ID: id, Kind: kindColumns, Parent: t.object.ID, Name: columnsName, Revision: t.record.Columns,
		Created: t.object.Updated, Updated: t.object.Updated, Body: t.columns.JSON(),
	}
	if old == nil || old.stored == nil {
		return tx.Insert(ctx, o)
	}
	o.ID, o.Created = old.stored.ID, old.stored.Created
	return tx.Replace(ctx, *old.stored, o)
}

// A revision names one value of a table's columns, for ever: the ID of the table and the
// columns' revision.
type revision struct {
	id     types.ID
	number int64
}

// A columnCache keeps the columns that were used last. What it holds never changes, so it can
// never be stale.
type columnCache struct {
	mu    sync.Mutex
	size  int // of all entries, in bytes
	limit int
	order *list.List // of *columnEntry, the last used first
	byKey map[revision]*list.Element
}

// entryOverhead is about what an entry takes beside its JSON, in bytes.
const entryOverhead = 300

type columnEntry struct {
	key     revision
	columns types.Columns
	size    int
}

func newColumnCache(limit int) *columnCache {
	return &columnCache{limit: limit, order: list.New(), byKey: map[revision]*list.Element{}}
}

func (c *columnCache) get(key revision) (types.Columns, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.byKey[key]
	if !ok {
		return types.Columns{}, false
	}
	c.order.MoveToFront(e)
	return e.Value.(*columnEntry).columns, true
}

func (c *columnCache) put(key revision, columns types.Columns) {
	size := columns.Len() + entryOverhead
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.byKey[key]; ok || size > c.limit/2 {
		return
	}
	c.byKey[key] = c.order.PushFront(&columnEntry{key, columns, size})
	for c.size += size; c.size > c.limit; {
		e := c.order.Remove(c.order.Back()).(*columnEntry)
		delete(c.byKey, e.key)
		c.size -= e.size
	}
}
