package catalog

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/leveelake/catalog/storage"
	memorystore "github.com/leveelake/catalog/storage/memory"
	"github.com/leveelake/catalog/storage/storagetest"
	"github.com/leveelake/catalog/types"
)

func columnsNamed(name string) types.StructType {
	return types.StructType{Fields: []types.StructField{field(name, types.Long)}}
}

// TestColumnsOfFailedUpdate: a revision of columns that came to nothing is not remembered as
// what the next update makes of that number.
func TestColumnsOfFailedUpdate(t *testing.T) {
	var fail bool
	c, err := New(Config{Store: storagetest.Faulty(memorystore.New(), func(storagetest.Op) storagetest.Fault {
		if fail {
			return storagetest.FailedNotPersisted()
		}
		return storagetest.Fault{}
	})})
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	if _, err := c.CreateCatalog(ctx, types.CreateCatalog{Name: "c"}); err != nil {
		t.Fatal(err)
	}
	s := types.SchemaName{Catalog: "c", Schema: "s"}
	if _, err := c.CreateSchema(ctx, types.CreateSchema{Name: s}); err != nil {
		t.Fatal(err)
	}
	table, err := c.CreateTable(ctx, s, types.CreateTable{Name: "t", Type: types.External, Location: "s3://b/t", Columns: columnsNamed("a")})
	if err != nil {
		t.Fatal(err)
	}
	set := func(name string) error {
		_, err := c.UpdateTable(ctx, table.Name, types.UpdateTable{
			Require: types.Requirement{TableUUID: table.ID}, Update: types.Update{SetColumns: new(columnsNamed(name))},
		})
		return err
	}
	fail = true
	if err := set("lost"); !errors.Is(err, types.CommitStateUnknown) {
		t.Fatal(err)
	}
	fail = false
	for _, name := range []string{"b", "c"} {
		if err := set(name); err != nil {
			t.Fatal(err)
		}
		for range 2 { // from the store, and from the cache
			got, err := c.LoadTable(ctx, table.Name)
			if err != nil || !strings.Contains(string(got.Columns.JSON()), `"`+name+`"`) {
				t.Errorf("want column %s: %s, %v", name, got.Columns.JSON(), err)
			}
		}
	}
	// A catalog that has nothing cached sees the same.
	other, err := New(Config{Store: c.store})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := other.LoadTable(ctx, table.Name); err != nil || !strings.Contains(string(got.Columns.JSON()), `"c"`) {
		t.Errorf("%s, %v", got.Columns.JSON(), err)
	}
}

// TestCommitReadsNoColumns: the columns are read for the first answer, and no more.
func TestCommitReadsNoColumns(t *testing.T) {
	reads := 0
	c := &Catalog{cache: newRevisionCache(1 << 20)}
	tab := managedTable()
	tab.record.Columns = 1
	body := tab.columns.JSON()
	tx := listOnly{list: func(storage.ListQuery) []storage.Node {
		reads++
		return []storage.Node{{Object: storage.Object{Kind: kindColumns, Revision: 1, Body: body}}}
	}}
	for range 3 {
		if err := c.fillColumns(t.Context(), tx, tab, nil, false); err != nil {
			t.Fatal(err)
		}
		c.keep(tab, types.TableName{Table: "t"})
	}
	if reads != 1 {
		t.Errorf("the columns were read %d times", reads)
	}
	if err := c.fillColumns(t.Context(), tx, tab, nil, true); err != nil || tab.stored == nil {
		t.Errorf("an update of the columns must read them: %v", err)
	}
	tab.record.Columns = 2
	if err := c.fillColumns(t.Context(), tx, tab, nil, false); err == nil {
		t.Error("columns of another revision are taken")
	}
}

// listOnly is a ReadTx that only lists.
type listOnly struct {
	storage.ReadTx
	list func(storage.ListQuery) []storage.Node
}

func (l listOnly) List(_ context.Context, q storage.ListQuery, _ storage.Want) ([]storage.Node, error) {
	return l.list(q), nil
}
