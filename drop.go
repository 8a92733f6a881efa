package catalog

import (
	"context"
	"errors"
	"fmt"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// kindRemoval is the kind of the note that the files of a dropped managed table are still
// to be removed: a child of the metastore, named by the table's ID, its body the location. It is made in the
// transaction of the drop and deleted when the files are gone, so that a crash between the two
// leaves no files behind for ever.
const kindRemoval types.Kind = "removal"

// DeleteTable removes a table from the catalog. When it returns, the removal is durable
// and the name is free; another table of that name gets another ID. Files of a
// managed table are then removed by Config.Remover; those of an external table stay. The
// location of a managed table cannot be registered again.
//
// Errors: NoSuchCatalog, NoSuchSchema, NoSuchTable.
func (c *Catalog) DeleteTable(ctx context.Context, name types.TableName) error {
	removals, err := update(ctx, c, func(tx storage.Tx) ([]storage.Object, error) {
		chain, err := walk(ctx, tx, tablePath(name), storage.Want{})
		if err != nil {
			return nil, err
		}
		return c.drop(ctx, tx, chain[0].ID, last(chain), chain[len(chain)-1:])
	})
	c.remove(ctx, removals)
	return err
}

// deleteNamespace removes the object at path, which holds children of kind child.
func (c *Catalog) deleteNamespace(ctx context.Context, path []storage.Step, child types.Kind, force bool) error {
	removals, err := update(ctx, c, func(tx storage.Tx) ([]storage.Object, error) {
		chain, err := walk(ctx, tx, path, storage.Want{})
		if err != nil {
			return nil, err
		}
		o := last(chain)
		if !force {
			children, err := tx.List(ctx, storage.ListQuery{Parent: o.ID, Kind: child, Limit: 1}, storage.Want{})
			if err != nil {
				return nil, err
			}
			if len(children) > 0 {
				return nil, types.FailedPrecondition.Errorf("%s %q is not empty: it has %s %q; empty it first, or force", o.Kind, o.Name, child, children[0].Name).About(o.Kind)
			}
		}
		tables, err := tablesBeneath(ctx, tx, o)
		if err != nil {
			return nil, err
		}
		return c.drop(ctx, tx, chain[0].ID, o, tables)
	})
	c.remove(ctx, removals)
	return err
}

// tablesBeneath returns all tables and staging tables of a catalog or schema.
func tablesBeneath(ctx context.Context, tx storage.ReadTx, o storage.Object) ([]storage.Node, error) {
	if o.Kind == types.KindCatalog {
		schemas, err := tx.List(ctx, storage.ListQuery{Parent: o.ID, Kind: types.KindSchema}, storage.Want{})
		if err != nil {
			return nil, err
		}
		var out []storage.Node
		for _, s := range schemas {
			chain, err := tx.Get(ctx, s.ID, storage.Want{}) // a List wants its parent read
			if err != nil || len(chain) == 0 {
				return nil, errors.Join(err, storage.ErrStale)
			}
			tables, err := tablesBeneath(ctx, tx, last(chain))
			if err != nil {
				return nil, err
			}
			out = append(out, tables...)
		}
		return out, nil
	}
	return tx.List(ctx, storage.ListQuery{Parent: o.ID}, storage.Want{})
}

// drop deletes o with all beneath, among which are tables, and notes the files to remove.
func (c *Catalog) drop(ctx context.Context, tx storage.Tx, metastore types.ID, o storage.Object, tables []storage.Node) ([]storage.Object, error) {
	var removals []storage.Object
	now := c.now()
	for _, n := range tables {
		if c.remover == nil || n.Location == "" || !isInManaged(n.Location) {
			continue
		}
		removals = append(removals, storage.Object{
			ID: newID(), Kind: kindRemoval, Parent: metastore, Name: string(n.ID),
			Revision: 1, Created: now, Updated: now, Body: []byte(n.Location),
		})
	}
	if err := tx.Delete(ctx, o); err != nil {
		return nil, err
	}
	for _, r := range removals {
		if err := tx.Insert(ctx, r); err != nil {
			return nil, err
		}
	}
	return removals, nil
}

// remove removes files and the notes of those that are gone. What fails is logged and left for
// Sweep.
func (c *Catalog) remove(ctx context.Context, removals []storage.Object) error {
	// The drop is durable, whatever becomes of the request.
	ctx = context.WithoutCancel(ctx)
	var all error
	for _, r := range removals {
		err := c.remover.Remove(ctx, string(r.Body))
		if errors.Is(err, errors.ErrUnsupported) {
			c.log.InfoContext(ctx, "files of a dropped table stay: its storage is not the remover's", "table", r.Name, "location", string(r.Body))
			err = nil
		}
		if err == nil {
			_, err = update(ctx, c, func(tx storage.Tx) (struct{}, error) {
				chain, err := tx.Get(ctx, r.ID, storage.Want{})
				if err != nil || len(chain) == 0 {
					return struct{}{}, err // another sweep was faster
				}
				return struct{}{}, tx.Delete(ctx, last(chain))
			})
		}
		if err != nil {
			err = fmt.Errorf("files of dropped table %s at %s are still to be removed: %w", r.Name, r.Body, err)
			c.log.WarnContext(ctx, err.Error())
			all = errors.Join(all, err)
		}
	}
	return all
}

// Sweep removes files of dropped managed tables that could not be removed at the drop.
// It does nothing without Config.Remover. It may be called at any time.
func (c *Catalog) Sweep(ctx context.Context) error {
	if c.remover == nil {
		return nil
	}
	removals, err := view(ctx, c, func(tx storage.ReadTx) ([]storage.Object, error) {
		chain, err := tx.Lookup(ctx, nil, storage.Want{})
		if err != nil || len(chain) == 0 {
			return nil, err
		}
		nodes, err := tx.List(ctx, storage.ListQuery{Parent: chain[0].ID, Kind: kindRemoval}, storage.Want{})
		out := make([]storage.Object, len(nodes))
		for i, n := range nodes {
			out[i] = n.Object
		}
		return out, err
	})
	if err != nil {
		return err
	}
	return c.remove(ctx, removals)
}
