package seed_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/internal/bench/seed"
	"github.com/leveelake/catalog/storage/memory"
	"github.com/leveelake/catalog/types"
)

// TestFill asks the catalog about tables that it has not made: they must be as its own.
func TestFill(t *testing.T) {
	for _, managed := range []bool{false, true} {
		t.Run(fmt.Sprintf("managed=%t", managed), func(t *testing.T) {
			ctx := t.Context()
			s := memory.New()
			p := seed.Plan{Tables: 27, Columns: 3, PerSchema: 5, Big: 7, Managed: managed}
			var told []int
			if err := seed.Fill(ctx, s, p, func(done int) { told = append(told, done) }); err != nil {
				t.Fatal(err)
			}
			if want := []int{7, 12, 17, 22, 27}; !slices.Equal(told, want) {
				t.Errorf("told %v, want %v", told, want)
			}
			c, err := catalog.New(catalog.Config{Store: s})
			if err != nil {
				t.Fatal(err)
			}
			bench, err := c.GetCatalog(ctx, seed.Catalog)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := seed.PlanOf(bench.Properties); err != nil || got != p {
				t.Errorf("plan %+v (%v), want %+v", got, err, p)
			}
			for i := range p.Tables {
				got, err := c.LoadTable(ctx, p.Name(i))
				if err != nil {
					t.Fatal(err)
				}
				columns, err := got.Columns.Struct()
				if got.ID != seed.ID(i) || len(columns.Fields) != 3 || err != nil {
					t.Errorf("table %d: %+v (%v)", i, got, err)
				}
				if !managed && got.Location != p.Location(i) {
					t.Errorf("table %d is at %s", i, got.Location)
				}
			}
			if list, _, err := c.ListTables(ctx, p.Schema(0), true, types.Page{}); err != nil || len(list) != p.Big {
				t.Errorf("the big schema has %d tables, %v", len(list), err)
			}
			if managed {
				commits(t, c, p)
			}
			if err := seed.Fill(ctx, s, p, nil); !errors.Is(err, seed.ErrSeeded) {
				t.Errorf("it fills a store twice: %v", err)
			}
		})
	}
}

// commits changes tables that are copies.
func commits(t *testing.T, c *catalog.Catalog, p seed.Plan) {
	for i := range p.Tables {
		for v := int64(1); v < 3; v++ {
			commit := types.Commit{Version: v, Timestamp: 1, FileName: fmt.Sprint(i, v), FileSize: 1, FileModificationTimestamp: 1}
			got, err := c.AddCommit(t.Context(), p.Name(i), seed.ID(i), commit, new(v-1))
			if err != nil || *got.LatestVersion != v {
				t.Fatalf("table %d, version %d: %v", i, v, err)
			}
		}
	}
	// Metadata is checked against the properties that name the table.
	_, err := c.UpdateTable(t.Context(), p.Name(5), types.UpdateTable{
		Require: types.Requirement{TableUUID: seed.ID(5)},
		Update: types.Update{
			SetProperties: map[string]string{"a": "b"},
			AddCommit:     &types.AddCommit{Commit: types.Commit{Version: 3, Timestamp: 1, FileName: "m", FileSize: 1, FileModificationTimestamp: 1}},
		},
	})
	if err != nil {
		t.Errorf("new properties: %v", err)
	}
}
