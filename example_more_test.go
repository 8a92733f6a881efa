package catalog_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/types"
)

// An external table is only named: its files are the user's, wherever they are.
func ExampleCatalog_CreateTable() {
	ctx := context.Background()
	c, trips := newTrips(ctx)
	schema := trips.Name.SchemaName()
	clicks := types.CreateTable{Name: "clicks", Type: types.External, Location: "s3://lake/raw/clicks/"}

	fmt.Println(must(c.CreateTable(ctx, schema, clicks)).Location)
	clicks.Name, clicks.Location = "more", "s3://lake/raw/clicks/2026"
	_, err := c.CreateTable(ctx, schema, clicks)
	fmt.Println("within another table:", errors.Is(err, types.InvalidParameterValue))
	// Output:
	// s3://lake/raw/clicks
	// within another table: true
}

// Lists come in pages, ordered by name.
func ExampleCatalog_ListTables() {
	ctx := context.Background()
	c, trips := newTrips(ctx)
	schema := trips.Name.SchemaName()
	for _, name := range []string{"a", "b"} {
		must(c.CreateTable(ctx, schema, types.CreateTable{Name: name, Type: types.External, Location: "s3://lake/" + name}))
	}
	page := types.Page{Size: 2}
	for {
		tables, next, err := c.ListTables(ctx, schema, false, page)
		if err != nil {
			panic(err)
		}
		for _, t := range tables {
			fmt.Println(t.Name.Table, t.Type)
		}
		if next == "" {
			return
		}
		page.Token = next
	}
	// Output:
	// a EXTERNAL
	// b EXTERNAL
	// trips MANAGED
}

// A name says on which level it is missing.
func ExampleCatalog_TableExists() {
	ctx := context.Background()
	c, trips := newTrips(ctx)
	fmt.Println(c.TableExists(ctx, trips.Name))
	err := c.TableExists(ctx, types.TableName{Catalog: trips.Name.Catalog, Schema: "nope", Table: "trips"})
	fmt.Println(errors.Is(err, types.NoSuchSchema), err)
	// Output:
	// <nil>
	// true NoSuchSchemaException: schema "main.nope" does not exist
}

// A dropped name is free at once; the table that takes it next is another one.
func ExampleCatalog_DeleteTable() {
	ctx := context.Background()
	c, trips := newTrips(ctx)
	fmt.Println(c.DeleteTable(ctx, trips.Name))
	again := must(c.CreateStagingTable(ctx, trips.Name.SchemaName(), types.CreateStagingTable{Name: "trips"}))
	fmt.Println("the same table:", again.ID == trips.ID)
	// Output:
	// <nil>
	// the same table: false
}

// What is not empty is deleted by force only.
func ExampleCatalog_DeleteSchema() {
	ctx := context.Background()
	c, trips := newTrips(ctx)
	err := c.DeleteSchema(ctx, trips.Name.SchemaName(), false)
	fmt.Println(errors.Is(err, types.FailedPrecondition))
	fmt.Println(c.DeleteSchema(ctx, trips.Name.SchemaName(), true))
	// Output:
	// true
	// <nil>
}

// Local files need no keys: their credentials say so and hold nothing.
func ExampleCatalog_TableCredentials() {
	ctx := context.Background()
	c, trips := newTrips(ctx)
	for _, cred := range must(c.TableCredentials(ctx, trips.Name, types.ReadWrite)) {
		fmt.Println(cred.Operation, cred.Prefix == trips.Location+"/", len(cred.Config), "keys")
	}
	// Output: READ_WRITE true 0 keys
}

// Reports of what commits did add up.
func ExampleCatalog_ReportMetrics() {
	ctx := context.Background()
	c, trips := newTrips(ctx)
	for range 3 {
		report := types.MetricReport{Commit: &types.CommitReport{FilesAdded: 2, RowsInserted: 1000}}
		if err := c.ReportMetrics(ctx, trips.Name, types.ReportMetrics{TableID: trips.ID, Report: &report}); err != nil {
			panic(err)
		}
	}
	m := must(c.TableMetrics(ctx, trips.Name))
	fmt.Println(m.Commits, "commits,", m.FilesAdded, "files,", m.RowsInserted, "rows")
	// Output: 3 commits, 6 files, 3000 rows
}

// A client says which versions of the API it speaks, the catalog picks one.
func ExampleCatalog_ProtocolConfig() {
	ctx := context.Background()
	c, _ := newTrips(ctx)
	fmt.Println(must(c.ProtocolConfig(ctx, "main", "1.3,2.0")).ProtocolVersion)
	_, err := c.ProtocolConfig(ctx, "main", "2.0")
	fmt.Println(errors.Is(err, types.InvalidParameterValue))
	// Output:
	// 1.0
	// true
}

// Catalogs and schemas are where tables have their names, and may say where managed ones go.
func ExampleCatalog_CreateSchema() {
	ctx := context.Background()
	c, _ := newTrips(ctx)
	name := types.SchemaName{Catalog: "main", Schema: "raw"}
	s := must(c.CreateSchema(ctx, types.CreateSchema{Name: name, StorageRoot: "s3://lake"}))
	staged := must(c.CreateStagingTable(ctx, name, types.CreateStagingTable{Name: "clicks"}))
	fmt.Println(staged.Location == s.Location+"/tables/"+string(staged.ID))
	// Output: true
}

// Who stages a table is the one who may create it.
func ExampleWithPrincipal() {
	c, trips := newTrips(context.Background())
	ann := catalog.WithPrincipal(context.Background(), "ann")
	bob := catalog.WithPrincipal(context.Background(), "bob")
	staged := must(c.CreateStagingTable(ann, trips.Name.SchemaName(), types.CreateStagingTable{Name: "hers"}))
	_, err := c.CreateTable(bob, trips.Name.SchemaName(), version0("hers", staged))
	fmt.Println(errors.Is(err, types.PermissionDenied))
	fmt.Println(must(c.CreateTable(ann, trips.Name.SchemaName(), version0("hers", staged))).Owner)
	// Output:
	// true
	// ann
}
