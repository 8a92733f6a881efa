package catalog

import (
	"context"
	"fmt"
	"slices"

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
	w.Beside = append(slices.Clip(w.Beside), storage.Step{Kind: kindColumns, Name: columnsName})
	return w
}

// besideUnknown makes a Want bring the columns along of a table that is called so, unless they are
// likely to be in the cache: then they need not be read, and else not by a read of their own.
func (c *Catalog) besideUnknown(w storage.Want, name types.TableName) storage.Want {
	if c.cache.get(known(name)) != nil {
		return w
	}
	return besideColumns(w)
}

// fillColumns sets t's columns: from stored, what was read beside it, from the cache, or by reading
// them in the same transaction, whose last chain ended with t. With exactly, it reads the
// object in any case, so that it can be replaced.
func (c *Catalog) fillColumns(ctx context.Context, tx storage.ReadTx, t *table, stored *storage.Object, exactly bool) error {
	if t.record.Columns == 0 {
		return nil
	}
	if stored == nil && !exactly {
		if columns, ok := c.cache.get(t.columnsRevision()).(types.Columns); ok {
			t.columns = columns
			return nil
		}
	}
	t.cached = false
	if stored == nil {
		nodes, err := tx.List(ctx, storage.ListQuery{Parent: t.object.ID, Kind: kindColumns, Limit: 1}, storage.Want{})
		if err != nil {
			return err
		}
		if len(nodes) == 1 {
			stored = &nodes[0].Object
		}
	}
	if stored == nil || stored.Revision != t.record.Columns {
		return corrupt(t.object, "columns", fmt.Errorf("there are none of revision %d", t.record.Columns))
	}
	t.stored = stored
	t.columns = types.RawColumns(stored.Body)
	return nil
}

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
