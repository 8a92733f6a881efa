package catalog

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	memorystore "github.com/leveelake/catalog/storage/memory"
	"github.com/leveelake/catalog/types"
)

func TestRevisionCache(t *testing.T) {
	const size = 100
	c := newRevisionCache(4 * (size + entryOverhead))
	key := func(i int) revision { return revision{"x", types.KindTable, int64(i)} }
	for i := range 6 {
		c.put(key(i), i, size)
		if i == 3 {
			c.get(key(0)) // used last: stays
		}
	}
	for i, want := range []any{0, nil, nil, 3, 4, 5} {
		if got := c.get(key(i)); got != want {
			t.Errorf("entry %d: %v", i, got)
		}
	}
	if c.get(revision{"x", kindColumns, 0}) != nil || c.get(revision{"y", types.KindTable, 0}) != nil {
		t.Error("another kind, or another object, has the value")
	}
	if c.size != c.limit || len(c.byKey) != 4 || c.order.Len() != 4 {
		t.Errorf("%d bytes, %d keys, %d entries", c.size, len(c.byKey), c.order.Len())
	}
	c.put(key(9), 9, c.limit/2)
	if c.get(key(9)) != nil || c.size > c.limit {
		t.Error("a value that would push out nearly all others is kept")
	}
}

// TestResultsBelongToTheCaller: whatever a caller does to the table that it got, others get the table
// as it is.
func TestResultsBelongToTheCaller(t *testing.T) {
	c, err := New(Config{Store: memorystore.New()})
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
	created, err := c.CreateTable(ctx, s, types.CreateTable{
		Name: "t", Type: types.External, Location: "s3://b/t", Columns: columnsNamed("a"), PartitionColumns: []string{"a"},
		Protocol:   types.Protocol{MinReaderVersion: 3, MinWriterVersion: 7, ReaderFeatures: []string{"f"}, WriterFeatures: []string{"f"}},
		Properties: map[string]string{"k": "v"}, LastCommitTimestamp: ptr(int64(5)),
		Domains: types.DomainMetadata{Clustering: &types.Clustering{ClusteringColumns: [][]string{{"a"}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	scribble := func(table types.Table) {
		table.PartitionColumns[0] = "x"
		table.Protocol.ReaderFeatures[0], table.Protocol.WriterFeatures[0] = "x", "x"
		table.Properties.Map()["k"] = "x"
		*table.LastCommitVersion, *table.LastCommitTimestamp = 9, 9
		clear(table.Columns.JSON())
	}
	want, err := c.LoadTable(ctx, created.Name)
	if err != nil {
		t.Fatal(err)
	}
	text := string(want.AppendJSON(nil))
	scribble(created)
	for range 2 {
		got, err := c.LoadTable(ctx, created.Name)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(text, string(got.AppendJSON(nil))); d != "" {
			t.Error(d)
		}
		scribble(got)
	}
	updated, err := c.UpdateTable(ctx, created.Name, types.UpdateTable{
		Require: types.Requirement{TableUUID: created.ID}, Update: types.Update{SetProperties: map[string]string{"k": "w"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	text = string(updated.AppendJSON(nil))
	scribble(updated)
	if got, err := c.LoadTable(ctx, created.Name); err != nil || string(got.AppendJSON(nil)) != text {
		t.Errorf("%v\n%s", err, cmp.Diff(text, string(got.AppendJSON(nil))))
	}
}
