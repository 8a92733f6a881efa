// Embed is a program that has a catalog within itself: no server, no HTTP. It makes a
// managed table in a temporary folder, ratifies two commits, backfills and loads. The files of
// the table are written in deltalog.go; a real writer has Delta Kernel or the like for that.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/storage/sqlite"
	"github.com/leveelake/catalog/types"
)

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "levee-embed-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	// The state lives in one SQLite file, the tables in a folder beside it.
	store, err := sqlite.Open(filepath.Join(dir, "catalog.db"))
	if err != nil {
		return err
	}
	defer store.Close()
	c, err := catalog.New(catalog.Config{Store: store, ManagedRoot: "file://" + filepath.ToSlash(dir) + "/tables"})
	if err != nil {
		return err
	}
	schema := types.SchemaName{Catalog: "main", Schema: "default"}
	_, err = c.CreateCatalog(ctx, types.CreateCatalog{Name: schema.Catalog})
	if err == nil {
		_, err = c.CreateSchema(ctx, types.CreateSchema{Name: schema})
	}
	if err != nil {
		return err
	}

	// A managed table begins as a place: the catalog chooses it, we write version 0 there.
	staged, err := c.CreateStagingTable(ctx, schema, types.CreateStagingTable{Name: "trips"})
	if err != nil {
		return err
	}
	fmt.Println("staged   ", staged.Location)
	create, actions := version0(staged)
	if _, err := write(staged.Location, "00000000000000000000.json", actions...); err != nil {
		return err
	}
	trips, err := c.CreateTable(ctx, schema, create)
	if err != nil {
		return err
	}
	fmt.Println("created  ", trips.Name, "at version", *trips.LatestVersion)

	for version := int64(1); version <= 2; version++ {
		commit, err := stage(trips.Location, version)
		if err != nil {
			return err
		}
		if trips, err = c.AddCommit(ctx, trips.Name, trips.ID, commit, nil); err != nil {
			return err
		}
		fmt.Println("ratified ", commit.FileName)
	}

	// Backfill: publish first, tell the catalog then. A link is never put over another file.
	oldest := trips.Commits[len(trips.Commits)-1]
	staging, published := logFile(trips.Location, "_staged_commits", oldest.FileName), logFile(trips.Location, "00000000000000000001.json")
	if err := os.Link(staging, published); err != nil {
		return err
	}
	if _, err := c.Backfill(ctx, trips.Name, trips.ID, oldest.Version); err != nil {
		return err
	}
	fmt.Println("published", filepath.Base(published))

	loaded, err := c.LoadTable(ctx, trips.Name)
	if err != nil {
		return err
	}
	fmt.Printf("loaded    %s: latest version %d, of which still staged: %d\n", loaded.Name, *loaded.LatestVersion, len(loaded.Commits))
	return nil
}
