package catalog_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/storage/memory"
	"github.com/leveelake/catalog/storage/sqlite"
	"github.com/leveelake/catalog/types"
)

// BenchmarkListFiltered lists 10,000 tables as an admin, who sees all, and as a user who may see 10 of them. It prints
// how much longer the user waits.
func BenchmarkListFiltered(b *testing.B) {
	db, err := sqlite.Open(b.TempDir() + "/catalog.db")
	check(b, err)
	b.Cleanup(func() { db.Close() })
	for name, store := range map[string]storage.Store{"memory": memory.New(), "sqlite": db} {
		c := guarded(b, store, catalog.Config{})
		for i := range 10_000 {
			req := externalTable(fmt.Sprintf("t%05d", i))
			for j := range 10 {
				req.Columns.Fields = append(slices.Clip(req.Columns.Fields), types.StructField{Name: fmt.Sprintf("c%d", j), Type: types.String, Metadata: types.Metadata{}})
			}
			_, err := c.CreateTable(as(b, "ann"), s1, req)
			check(b, err)
		}
		allow(b, c, onCatalog, "bob", types.PrivilegeUseCatalog)
		allow(b, c, onSchema, "bob", types.PrivilegeUseSchema)
		for i := range 10 {
			allow(b, c, types.Securable{Kind: types.KindTable, Name: fmt.Sprintf("c1.s1.t%05d", 999*i+7)}, "bob", types.PrivilegeSelect)
		}
		list := func(who string, want int) time.Duration {
			began := time.Now()
			tables, _, err := c.ListTables(as(b, who, "group1", "group2"), s1, false, types.Page{Size: 10_000})
			if err != nil || len(tables) != want {
				b.Fatalf("%d tables, %v", len(tables), err)
			}
			return time.Since(began)
		}
		b.Run(name, func(b *testing.B) {
			list("ann", 10_000)
			list("bob", 10)
			var all, some []time.Duration
			for b.Loop() {
				all = append(all, list("root", 10_000))
				some = append(some, list("bob", 10))
			}
			slices.Sort(all)
			slices.Sort(some)
			b.ReportMetric(float64(all[len(all)/2].Microseconds())/1000, "ms/all")
			b.ReportMetric(float64(some[len(some)/2].Microseconds())/1000, "ms/filtered")
			b.ReportMetric(float64(some[len(some)/2])/float64(all[len(all)/2]), "ratio")
		})
	}
}
