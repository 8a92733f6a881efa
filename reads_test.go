package catalog

import (
	"context"
	"fmt"
	"testing"

	"github.com/leveelake/catalog/storage"
	memorystore "github.com/leveelake/catalog/storage/memory"
	"github.com/leveelake/catalog/types"
)

// A counting store notes the reads of the last transaction.
type counting struct {
	storage.Store
	reads string
}

func (c *counting) View(ctx context.Context, fn func(tx storage.ReadTx) error) error {
	return c.Store.View(ctx, func(tx storage.ReadTx) error {
		c.reads = ""
		return fn(countedReads{tx, c})
	})
}

func (c *counting) Update(ctx context.Context, fn func(tx storage.Tx) error) error {
	return c.Store.Update(ctx, func(tx storage.Tx) error {
		c.reads = ""
		return fn(countedTx{tx, countedReads{tx, c}})
	})
}

type countedReads struct {
	storage.ReadTx
	of *counting
}

func (r countedReads) Lookup(ctx context.Context, path []storage.Step, w storage.Want) ([]storage.Node, error) {
	kinds := ""
	for _, b := range w.Beside {
		kinds += string(b.Kind)
	}
	r.of.reads += fmt.Sprintf("Lookup(%s) ", kinds)
	return r.ReadTx.Lookup(ctx, path, w)
}

func (r countedReads) List(ctx context.Context, q storage.ListQuery, w storage.Want) ([]storage.Node, error) {
	r.of.reads += fmt.Sprintf("List(%s) ", q.Kind)
	return r.ReadTx.List(ctx, q, w)
}

type countedTx struct {
	storage.Tx
	reads countedReads
}

func (t countedTx) Lookup(ctx context.Context, path []storage.Step, w storage.Want) ([]storage.Node, error) {
	return t.reads.Lookup(ctx, path, w)
}

func (t countedTx) List(ctx context.Context, q storage.ListQuery, w storage.Want) ([]storage.Node, error) {
	return t.reads.List(ctx, q, w)
}

// TestOneRead: a load and a commit are one read of the store each, with the columns where they are
// not known, and without where they are.
func TestOneRead(t *testing.T) {
	store := &counting{Store: memorystore.New()}
	fresh := func() *Catalog {
		c, err := New(Config{Store: store})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	c := fresh()
	ctx := t.Context()
	s := types.SchemaName{Catalog: "c", Schema: "s"}
	if _, err := c.CreateCatalog(ctx, types.CreateCatalog{Name: "c"}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.CreateSchema(ctx, types.CreateSchema{Name: s}); err != nil {
		t.Fatal(err)
	}
	table, err := c.CreateTable(ctx, s, types.CreateTable{Name: "t", Type: types.External, Location: "s3://b/t", Columns: columnsNamed("a")})
	if err != nil {
		t.Fatal(err)
	}
	load := func(c *Catalog) error { _, err := c.LoadTable(ctx, table.Name); return err }
	update := func(u types.Update) func(c *Catalog) error {
		return func(c *Catalog) error {
			_, err := c.UpdateTable(ctx, table.Name, types.UpdateTable{Require: types.Requirement{TableUUID: table.ID}, Update: u})
			return err
		}
	}
	comment, columns := update(types.Update{SetComment: ptr("x")}), update(types.Update{SetColumns: ptr(columnsNamed("b"))})
	const bare, withColumns = "Lookup() ", "Lookup(columns) "
	do := func(what string, c *Catalog, op func(c *Catalog) error, want string) {
		t.Helper()
		if err := op(c); err != nil || store.reads != want {
			t.Errorf("%s: %s, %v", what, store.reads, err)
		}
	}
	do("load of a table just made", c, load, bare)
	cold := fresh()
	do("first load", cold, load, withColumns)
	do("second load", cold, load, bare)
	do("update", cold, comment, bare)
	do("update of the columns", cold, columns, withColumns)
	do("load after it", cold, load, bare)
	do("first update", fresh(), comment, withColumns)
	do("another has changed the columns", c, load, bare+"List(columns) ")
	do("and then", c, load, bare)
}
