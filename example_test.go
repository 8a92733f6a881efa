package catalog_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/storage/memory"
	"github.com/leveelake/catalog/types"
)

// The life of a managed table: reserve its place, register its version 0, ratify a commit. Only the
// catalog's part is shown; examples/embed writes the files, too.
func Example() {
	ctx := context.Background()
	c := must(catalog.New(catalog.Config{Store: memory.New(), ManagedRoot: "file:///lake"}))
	must(c.CreateCatalog(ctx, types.CreateCatalog{Name: "main"}))
	schema := must(c.CreateSchema(ctx, types.CreateSchema{Name: types.SchemaName{Catalog: "main", Schema: "default"}})).Name

	staged := must(c.CreateStagingTable(ctx, schema, types.CreateStagingTable{Name: "trips"}))
	// Write version 0 below staged.Location here, as staged says it must be.
	trips := must(c.CreateTable(ctx, schema, version0("trips", staged)))

	// Write a file below _delta_log/_staged_commits here. It is version 1 once this returns.
	trips = must(c.AddCommit(ctx, trips.Name, trips.ID, staging(1), nil))
	fmt.Println(trips.Name, "is at version", *trips.LatestVersion)
	// Output: main.default.trips is at version 1
}

// Two writers want to be version 1. One of them wins; the other learns that it must look at the table
// again. Whoever got no answer sends the same commit again and gets the answer then.
func ExampleCatalog_AddCommit() {
	ctx := context.Background()
	c, trips := newTrips(ctx)
	mine, theirs := staging(1), staging(1)
	theirs.FileName = "00000000000000000001.66cdb71f-4b6b-45f3-8e4a-3b6d2ddc4b0f.json"

	_, err := c.AddCommit(ctx, trips.Name, trips.ID, mine, nil)
	fmt.Println("mine:", err)

	_, err = c.AddCommit(ctx, trips.Name, trips.ID, theirs, nil)
	fmt.Println("theirs is too late:", errors.Is(err, types.CommitVersionConflict))

	again, err := c.AddCommit(ctx, trips.Name, trips.ID, mine, nil)
	fmt.Println("mine again:", err, "- latest version", *again.LatestVersion)
	// Output:
	// mine: <nil>
	// theirs is too late: true
	// mine again: <nil> - latest version 1
}

// Ratified commits are listed until the catalog is told that they are published in _delta_log.
func ExampleCatalog_Backfill() {
	ctx := context.Background()
	c, trips := newTrips(ctx)
	for version := int64(1); version <= 3; version++ {
		trips = must(c.AddCommit(ctx, trips.Name, trips.ID, staging(version), nil))
	}
	fmt.Println(len(trips.Commits), "commits to backfill")

	// Copy versions 1 and 2 to _delta_log/<version>.json here, never over a file that is there.
	trips = must(c.Backfill(ctx, trips.Name, trips.ID, 2))
	fmt.Println(len(trips.Commits), "commit to backfill, version", trips.Commits[0].Version)
	// Output:
	// 3 commits to backfill
	// 1 commit to backfill, version 3
}

// What a reader needs comes with one load: where the files are, up to which version to read, and which
// versions are still staged.
func ExampleCatalog_LoadTable() {
	ctx := context.Background()
	c, trips := newTrips(ctx)
	must(c.AddCommit(ctx, trips.Name, trips.ID, staging(1), nil))

	t := must(c.LoadTable(ctx, trips.Name))
	fmt.Println("latest version:", *t.LatestVersion)
	for _, commit := range t.Commits {
		fmt.Println("staged:", commit.FileName)
	}
	schema := must(t.Columns.Struct())
	fmt.Println("columns:", schema.Fields[0].Name, schema.Fields[0].Type)

	_, err := c.LoadTable(ctx, trips.Name.SchemaName().Table("rides"))
	fmt.Println(err)
	// Output:
	// latest version: 1
	// staged: 00000000000000000001.8f3a6f0e-2c0e-4d0c-9f5e-7e1c2a9b4d11.json
	// columns: id long
	// NoSuchTableException: table "main.default.rides" does not exist
}

// A rename keeps everything but the name and the ETag.
func ExampleCatalog_RenameTable() {
	ctx := context.Background()
	c, trips := newTrips(ctx)
	if err := c.RenameTable(ctx, trips.Name, types.RenameTable{NewName: "rides"}); err != nil {
		panic(err)
	}
	rides := must(c.LoadTable(ctx, trips.Name.SchemaName().Table("rides")))
	fmt.Println("same table:", rides.ID == trips.ID && rides.Location == trips.Location)
	fmt.Println("same ETag:", rides.ETag == trips.ETag)
	// Output:
	// same table: true
	// same ETag: false
}

// Metadata changes with a commit, or without one. With the ETag of the last load required, nobody else's
// change is overwritten.
func ExampleCatalog_UpdateTable() {
	ctx := context.Background()
	c, trips := newTrips(ctx)
	change := types.UpdateTable{
		Require: types.Requirement{TableUUID: trips.ID, ETag: &trips.ETag},
		Update:  types.Update{SetProperties: map[string]string{"team": "rides"}},
	}
	changed := must(c.UpdateTable(ctx, trips.Name, change))
	fmt.Println("team:", changed.Properties.Get("team"))

	_, err := c.UpdateTable(ctx, trips.Name, change)
	fmt.Println("the ETag is an old one now:", errors.Is(err, types.UpdateRequirementConflict))
	// Output:
	// team: rides
	// the ETag is an old one now: true
}

// newTrips makes a catalog with one managed table, main.default.trips.
func newTrips(ctx context.Context) (*catalog.Catalog, types.Table) {
	c := must(catalog.New(catalog.Config{Store: memory.New(), ManagedRoot: "file:///lake"}))
	must(c.CreateCatalog(ctx, types.CreateCatalog{Name: "main"}))
	schema := must(c.CreateSchema(ctx, types.CreateSchema{Name: types.SchemaName{Catalog: "main", Schema: "default"}})).Name
	staged := must(c.CreateStagingTable(ctx, schema, types.CreateStagingTable{Name: "trips"}))
	return c, must(c.CreateTable(ctx, schema, version0("trips", staged)))
}

// version0 registers a table of two columns that is all that staged asks for.
func version0(name string, staged types.StagingTable) types.CreateTable {
	properties := map[string]string{}
	for key, value := range staged.RequiredProperties {
		properties[key] = *value
	}
	return types.CreateTable{
		Name:     name,
		Location: staged.Location,
		Type:     types.Managed,
		Columns: types.StructType{Fields: []types.StructField{
			{Name: "id", Type: types.Long, Nullable: true},
			{Name: "city", Type: types.String, Nullable: true},
		}},
		Protocol:            staged.RequiredProtocol,
		Properties:          properties,
		LastCommitTimestamp: new(int64(1_767_225_600_000)),
	}
}

// staging describes a file that a writer has staged as version.
func staging(version int64) types.Commit {
	return types.Commit{
		Version:                   version,
		Timestamp:                 1_767_225_600_000 + version,
		FileName:                  fmt.Sprintf("%020d.8f3a6f0e-2c0e-4d0c-9f5e-7e1c2a9b4d11.json", version),
		FileSize:                  1234,
		FileModificationTimestamp: 1_767_225_600_000 + version,
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
