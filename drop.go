package catalog

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// kindRemoval is the kind of the note that the files of a dropped managed table are to be
// removed: a child of the metastore, named by the table's ID, its body the location. It is made
// in the transaction of the drop and deleted when the files are gone, so that no crash
// leaves files behind for ever.
const kindRemoval types.Kind = "removal"

// DeleteTable removes a table from the catalog. When it returns, the removal is durable
// and the name is free; another table of that name gets another ID. The files of a
// managed table are removed by the next [Catalog.Sweep]; those of an external table stay. The
// location of a managed table cannot be registered again.
//
// Errors: NoSuchCatalog, NoSuchSchema, NoSuchTable, PermissionDenied.
func (c *Catalog) DeleteTable(ctx context.Context, name types.TableName) error {
	now := c.now()
	_, err := update(ctx, c, func(tx storage.Tx) (struct{}, error) {
		chain, err := c.reach(ctx, tx, ActDeleteTable, tablePath(name), storage.Want{})
		if err != nil {
			return struct{}{}, err
		}
		return struct{}{}, c.drop(ctx, tx, chain, chain[len(chain)-1:], now)
	})
	return err
}

// deleteNamespace removes the object at path, which holds children of kind child.
func (c *Catalog) deleteNamespace(ctx context.Context, path []storage.Step, act Action, child types.Kind, force bool) error {
	now := c.now()
	_, err := update(ctx, c, func(tx storage.Tx) (none struct{}, err error) {
		chain, err := c.reach(ctx, tx, act, path, storage.Want{})
		if err != nil {
			return none, err
		}
		o := last(chain)
		if !force {
			children, err := tx.List(ctx, storage.ListQuery{Parent: o.ID, Kind: child, Limit: 1}, storage.Want{})
			if err != nil {
				return none, err
			}
			if len(children) > 0 {
				// Which one is not said: the caller may have no right to know of it.
				return none, types.FailedPrecondition.Errorf("%s %q is not empty: it has a %s at least; empty it first, or force", o.Kind, o.Name, child).About(o.Kind)
			}
		}
		var tables []storage.Node
		if c.remover != nil {
			if tables, err = tablesBeneath(ctx, tx, o); err != nil {
				return none, err
			}
		}
		folders, err := foldersOf(ctx, tx, o)
		if err != nil {
			return none, err
		}
		if err := c.drop(ctx, tx, chain, tables, now); err != nil {
			return none, err
		}
		return none, keepTaken(ctx, tx, chain[0].ID, folders, now)
	})
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
			if err != nil {
				return nil, err
			}
			if len(chain) == 0 {
				return nil, storage.ErrStale
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

// kindTaken is the kind of what keeps a folder of managed tables taken, for old files may be there for ever: that of a
// dropped catalog or schema, and that of the server. It is a child of the metastore.
const kindTaken types.Kind = "taken"

func takenFolder(root types.ID, name, folder string, now time.Time) storage.Object {
	return storage.Object{
		ID: newID(), Kind: kindTaken, Parent: root, Name: name, Location: folder, Revision: 1, Created: now, Updated: now, Body: []byte("{}"),
	}
}

// takenName is the name of what keeps a folder taken that is no object's: there is one for each folder.
func takenName(folder string) string {
	sum := sha256.Sum256([]byte(folder))
	return hex.EncodeToString(sum[:])
}

// foldersOf returns o, and if it is a catalog its schemas, as far as they have a folder for managed tables of their own.
func foldersOf(ctx context.Context, tx storage.ReadTx, o storage.Object) ([]storage.Object, error) {
	all := []storage.Object{o}
	if o.Kind == types.KindCatalog {
		schemas, err := tx.List(ctx, storage.ListQuery{Parent: o.ID, Kind: types.KindSchema}, storage.Want{})
		if err != nil {
			return nil, err
		}
		for _, n := range schemas {
			all = append(all, n.Object)
		}
	}
	return slices.DeleteFunc(all, func(o storage.Object) bool { return o.Location == "" }), nil
}

func keepTaken(ctx context.Context, tx storage.Tx, root types.ID, folders []storage.Object, now time.Time) error {
	for _, o := range folders {
		if err := tx.Insert(ctx, takenFolder(root, string(o.ID), o.Location, now)); err != nil {
			return err
		}
	}
	return nil
}

// drop deletes the last object of chain with all beneath it. tables are those of it that may
// have files to be removed.
func (c *Catalog) drop(ctx context.Context, tx storage.Tx, chain, tables []storage.Node, now time.Time) error {
	if err := tx.Delete(ctx, last(chain)); err != nil {
		return err
	}
	if c.remover == nil {
		return nil
	}
	for _, n := range tables {
		if !isInManaged(n.Location) {
			continue
		}
		note := storage.Object{
			ID: newID(), Kind: kindRemoval, Parent: chain[0].ID, Name: string(n.ID),
			Revision: 1, Created: now, Updated: now, Body: []byte(n.Location),
		}
		if err := tx.Insert(ctx, note); err != nil {
			return err
		}
	}
	return nil
}

// Sweep removes the files of managed tables that were dropped. A server calls it now and
// then; it is cheap if there is nothing to remove, and may run at any time. What cannot
// be removed is told in the error, and tried again by the next Sweep. It does nothing without
// Config.Remover.
func (c *Catalog) Sweep(ctx context.Context) error {
	if c.remover == nil {
		return nil
	}
	notes, err := view(ctx, c, func(tx storage.ReadTx) ([]storage.Node, error) {
		chain, err := tx.Lookup(ctx, nil, storage.Want{})
		if err != nil || len(chain) == 0 {
			return nil, err
		}
		return tx.List(ctx, storage.ListQuery{Parent: chain[0].ID, Kind: kindRemoval}, storage.Want{})
	})
	if err != nil {
		return err
	}
	var all error
	for _, n := range notes {
		if err := ctx.Err(); err != nil {
			return errors.Join(all, err)
		}
		if err := c.removeFiles(ctx, n.Object); err != nil {
			all = errors.Join(all, fmt.Errorf("files of dropped table %s at %s: %w", n.Name, n.Body, err))
		}
	}
	return all
}

// removeFiles removes the files that a note names, and then the note.
func (c *Catalog) removeFiles(ctx context.Context, note storage.Object) error {
	err := c.remover.Remove(ctx, string(note.Body))
	if errors.Is(err, errors.ErrUnsupported) {
		c.log.InfoContext(ctx, "files of a dropped table stay: its storage is not the remover's", "table", note.Name, "location", string(note.Body))
		err = nil
	}
	if err != nil {
		return err
	}
	_, err = update(ctx, c, func(tx storage.Tx) (struct{}, error) {
		chain, err := tx.Get(ctx, note.ID, storage.Want{})
		if err != nil || len(chain) == 0 {
			return struct{}{}, err // another sweep was faster
		}
		return struct{}{}, tx.Delete(ctx, last(chain))
	})
	return err
}
