package catalog

import (
	"context"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// LoadTable returns a Delta table as of one instant.
//
// Errors: NoSuchCatalog, NoSuchSchema, NoSuchTable, UnsupportedTableFormat (not a Delta
// table: use [Catalog.GetTable]), PermissionDenied.
func (c *Catalog) LoadTable(ctx context.Context, name types.TableName) (types.Table, error) {
	t, err := c.load(ctx, name)
	if err == nil {
		err = t.checkDelta()
	}
	if err != nil {
		return types.Table{}, err
	}
	return t.public(name.SchemaName())
}

// GetTable returns a table of any format as of one instant.
//
// Errors: NoSuchCatalog, NoSuchSchema, NoSuchTable, PermissionDenied.
func (c *Catalog) GetTable(ctx context.Context, name types.TableName) (types.Table, error) {
	t, err := c.load(ctx, name)
	if err != nil {
		return types.Table{}, err
	}
	return t.public(name.SchemaName())
}

func (c *Catalog) load(ctx context.Context, name types.TableName) (*table, error) {
	want := c.besideUnknown(storage.Want{Log: true}, name)
	t, err := view(ctx, c, func(tx storage.ReadTx) (*table, error) {
		chain, err := c.reach(ctx, tx, ActGetTable, tablePath(name), want)
		if err != nil {
			return nil, err
		}
		n := chain[len(chain)-1]
		t, err := c.table(n)
		if err != nil {
			return nil, err
		}
		return t, c.fillColumns(ctx, tx, t, beside(n, kindColumns), false)
	})
	if err != nil {
		return nil, err
	}
	c.keep(t, name)
	return t, nil
}

// TableExists returns nil if there is a table of this name, of any format.
//
// Errors: NoSuchCatalog, NoSuchSchema, NoSuchTable, PermissionDenied.
func (c *Catalog) TableExists(ctx context.Context, name types.TableName) error {
	_, err := view(ctx, c, func(tx storage.ReadTx) (struct{}, error) {
		_, err := c.reach(ctx, tx, ActGetTable, tablePath(name), storage.Want{})
		return struct{}{}, err
	})
	return err
}

// ListTables returns a page of the tables of a schema that the caller may see and the token of the next page, "" after
// the last. With deltaOnly it leaves out tables that [Catalog.LoadTable] refuses, and the columns of the
// others. Staging tables are not listed. All of a page is as of one instant.
//
// Errors: InvalidParameterValue (page), NoSuchCatalog, NoSuchSchema.
func (c *Catalog) ListTables(ctx context.Context, in types.SchemaName, deltaOnly bool, page types.Page) ([]types.Table, string, error) {
	l := listing{path: schemaPath(in), kind: types.KindTable, act: ActGetTable, page: page, want: storage.Want{Log: true}}
	if deltaOnly {
		l.filter = "delta"
	} else {
		l.want = besideColumns(l.want)
	}
	return listPage(ctx, c, l, func(tx storage.ReadTx, n storage.Node) (types.Table, bool, error) {
		t, err := c.table(n)
		if err == nil && !deltaOnly {
			err = c.fillColumns(ctx, tx, t, beside(n, kindColumns), false)
		}
		if err != nil {
			return types.Table{}, false, err
		}
		if deltaOnly && t.checkDelta() != nil {
			return types.Table{}, false, nil
		}
		out, err := t.public(in)
		return out, true, err
	})
}

// UpdateTable changes a Delta table, all of the request or nothing, and returns the
// table after it. When it returns, the change is durable.
//
// A commit that was ratified before, by version and file name, is recognised as a retry:
// nothing of the request is applied and the table is returned as it is. So after
// CommitStateUnknown, or no answer at all, the caller sends the same request again.
//
// Errors: BadRequest and InvalidParameterValue (anything about the request; a gap in the
// versions), NoSuchCatalog, NoSuchSchema, NoSuchTable, PermissionDenied, UnsupportedTableFormat,
// CommitVersionConflict (reload, rebuild the commit, retry), UpdateRequirementConflict
// (UUID, ETag, or another request in the way: the same), ResourceExhausted (backfill,
// then retry), TooManyRequests (retry later), CommitStateUnknown.
func (c *Catalog) UpdateTable(ctx context.Context, name types.TableName, req types.UpdateTable) (types.Table, error) {
	if err := c.rules.checkUpdate(req); err != nil {
		return types.Table{}, err
	}
	find := func(tx storage.ReadTx, w storage.Want) ([]storage.Node, error) {
		return c.reach(ctx, tx, ActUpdateTable, tablePath(name), w)
	}
	if err := c.queue.enterTable(name); err != nil {
		return types.Table{}, err
	}
	defer c.queue.leaveTable(name)
	return c.change(ctx, name, find, req, func(*table) (types.UpdateTable, error) { return req, nil })
}

// change applies what request makes, of a table as it is, of the request req. The table is known
// to the cache by name.
func (c *Catalog) change(ctx context.Context, name types.TableName, find finder, req types.UpdateTable, request func(old *table) (types.UpdateTable, error)) (types.Table, error) {
	want := storage.Want{Log: true}
	if add := req.Update.AddCommit; add != nil {
		want.Version = add.Commit.Version
	}
	if req.Update.SetColumns != nil {
		want = besideColumns(want)
	} else {
		want = c.besideUnknown(want, name)
	}
	now, columnsID := c.now(), types.ID("")
	type result struct {
		table  *table
		schema types.SchemaName
	}
	r, err := decide(ctx, c, func(tx storage.Tx, seen sighting) (result, *question, error) {
		chain, err := find(tx, want)
		if err != nil {
			return result{}, nil, err
		}
		n := chain[len(chain)-1]
		old, err := c.table(n)
		if err != nil {
			return result{}, nil, err
		}
		req, err := request(old)
		if err != nil {
			return result{}, nil, err
		}
		if err := c.fillColumns(ctx, tx, old, beside(n, kindColumns), req.Update.SetColumns != nil); err != nil {
			return result{}, nil, err
		}
		if req.Update.SetColumns != nil && columnsID == "" {
			columnsID = newID()
		}
		ch, err := apply(old, req, Principal(ctx), now, c.rules, seen)
		if err == nil && ch.object {
			err = tx.Replace(ctx, old.object, ch.table.object)
		}
		if err == nil && ch.object {
			err = ch.table.writeColumns(ctx, tx, old, columnsID)
		}
		if err == nil && ch.log != nil {
			err = tx.WriteLog(ctx, old.object.ID, old.log, *ch.log)
		}
		return result{ch.table, schemaOf(chain)}, ch.ask, err
	})
	if err != nil {
		return types.Table{}, err
	}
	c.keep(r.table, name)
	return r.table.public(r.schema)
}

// AddCommit asks to ratify a data-only commit of a managed table, and tells up to
// which version the caller has backfilled (nil: nothing new). It is [Catalog.UpdateTable]
// with these actions: the same guarantees, the same errors.
func (c *Catalog) AddCommit(ctx context.Context, name types.TableName, id types.ID, commit types.Commit, backfilled *int64) (types.Table, error) {
	return c.UpdateTable(ctx, name, types.UpdateTable{
		Require: types.Requirement{TableUUID: id},
		Update:  types.Update{AddCommit: &types.AddCommit{Commit: commit}, SetBackfilledVersion: backfilled},
	})
}

// Backfill tells that all commits of a managed table up to version are published in its
// _delta_log. It is [Catalog.UpdateTable] with this action: the same guarantees, the
// same errors.
func (c *Catalog) Backfill(ctx context.Context, name types.TableName, id types.ID, version int64) (types.Table, error) {
	return c.UpdateTable(ctx, name, types.UpdateTable{
		Require: types.Requirement{TableUUID: id},
		Update:  types.Update{SetBackfilledVersion: &version},
	})
}

// RenameTable gives a table of any format another name in its schema. ID, location,
// commits and properties stay; the ETag changes. To the same name it does nothing. When it
// returns, the new name is durable and the old one free.
//
// Errors: InvalidParameterValue (name), NoSuchCatalog, NoSuchSchema, NoSuchTable,
// AlreadyExists, PermissionDenied.
func (c *Catalog) RenameTable(ctx context.Context, name types.TableName, req types.RenameTable) error {
	if err := c.rules.checkName("new-name", req.NewName); err != nil {
		return err
	}
	now, target := c.now(), tablePath(name.SchemaName().Table(req.NewName))
	_, err := update(ctx, c, func(tx storage.Tx) (struct{}, error) {
		var none struct{}
		chain, err := c.reach(ctx, tx, ActRenameTable, tablePath(name), storage.Want{})
		if err != nil || req.NewName == name.Table {
			return none, err
		}
		if err := c.free(ctx, tx, tablePath(name), target); err != nil {
			return none, err
		}
		t, err := c.table(chain[len(chain)-1])
		if err != nil {
			return none, err
		}
		t.object.Name, t.record.UpdatedBy = req.NewName, Principal(ctx)
		if t.object.Body, err = t.body(); err != nil {
			return none, err
		}
		touch(&t.object, now)
		return none, tx.Replace(ctx, last(chain), t.object)
	})
	return claimed(err, target)
}
