package server_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/types"
)

// BenchmarkLoad measures loads of a table over HTTP against a handler that writes the same bytes
// statically, in alternating rounds of one run. What counts is x-static: the share of the
// static handler's requests per second.
func BenchmarkLoad(b *testing.B) {
	for _, columns := range []int{2, 100, 3000} {
		for _, commits := range []int64{0, 10} {
			b.Run(fmt.Sprintf("columns=%d/commits=%d", columns, commits), func(b *testing.B) {
				store := stores["sqlite"](b)
				a := newAPI(b, store)
				a.bare(store, 0) // without the validator of the tests
				m := a.managed("t", func(req object) {
					var fields []any
					for i := range columns {
						fields = append(fields, object{"name": fmt.Sprintf("column_%d", i), "type": "string", "nullable": true, "metadata": object{"comment": "what the column holds, in some words"}})
					}
					req["columns"] = object{"type": "struct", "fields": fields}
				})
				for v := int64(1); v <= commits; v++ {
					m.commit(v, fmt.Sprintf("%020d.01234567-89ab-cdef-0123-456789abcdef.json", v))
				}
				_, loaded, _ := a.call("GET", m.path, "")
				static := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", "application/json")
					w.Header().Set("Content-Length", fmt.Sprint(len(loaded)))
					_, _ = w.Write(loaded)
				}))
				defer static.Close()
				load := httptest.NewServer(a.handler)
				defer load.Close()

				client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
				compare(b, client, load.URL+m.path, static.URL)
				b.ReportMetric(float64(len(loaded)), "bytes")
			})
		}
	}
}

const clients = 8

// compare reports the rate of url as a share of that of reference.
func compare(b *testing.B, client *http.Client, url, reference string) {
	const round = 400 // requests
	var ratios []float64
	for b.Loop() {
		ours, theirs := time.Duration(0), time.Duration(0)
		for range 2 {
			ours += fetch(b, client, url, round)
			theirs += fetch(b, client, reference, round)
		}
		ratios = append(ratios, theirs.Seconds()/ours.Seconds())
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "x-static")
	b.ReportMetric(float64(2*2*round), "requests/op")
}

// fetch gets url n times, with some clients at once.
func fetch(b *testing.B, client *http.Client, url string, n int) time.Duration {
	start := time.Now()
	var group sync.WaitGroup
	for range clients {
		group.Go(func() {
			for range n / clients {
				res, err := client.Get(url)
				if err != nil {
					b.Error(err)
					return
				}
				if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != http.StatusOK {
					b.Error(res.Status, err)
				}
				res.Body.Close()
			}
		})
	}
	group.Wait()
	return time.Since(start)
}

// median runs f some times and returns the median of what it took.
func median(b *testing.B, n int, f func()) time.Duration {
	b.Helper()
	times := make([]time.Duration, n)
	for i := range times {
		start := time.Now()
		f()
		times[i] = time.Since(start)
	}
	slices.Sort(times)
	return times[n/2]
}

// embedded makes a catalog in SQLite with a schema, without HTTP.
func embedded(b *testing.B) *catalog.Catalog {
	b.Helper()
	c, err := catalog.New(catalog.Config{Store: stores["sqlite"](b), ManagedRoot: "file:///managed"})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := c.CreateCatalog(b.Context(), types.CreateCatalog{Name: "c1"}); err != nil {
		b.Fatal(err)
	}
	if _, err := c.CreateSchema(b.Context(), types.CreateSchema{Name: schema}); err != nil {
		b.Fatal(err)
	}
	return c
}

var schema = types.SchemaName{Catalog: "c1", Schema: "s1"}

// wide is a struct of n columns as a client sends them.
func wide(n int) types.StructType {
	s := types.StructType{}
	for i := range n {
		s.Fields = append(s.Fields, types.StructField{
			Name: fmt.Sprintf("column_%d", i), Type: types.String, Nullable: true,
			Metadata: types.Metadata{"comment": json.RawMessage(`"what the column holds, in some words"`)},
		})
	}
	return s
}

// managedTable creates a managed table of n columns.
func managedTable(b *testing.B, c *catalog.Catalog, name string, n int) types.Table {
	b.Helper()
	staged, err := c.CreateStagingTable(b.Context(), schema, types.CreateStagingTable{Name: name})
	if err != nil {
		b.Fatal(err)
	}
	properties := map[string]string{}
	for k, v := range staged.RequiredProperties {
		properties[k] = *v
	}
	t, err := c.CreateTable(b.Context(), schema, types.CreateTable{
		Name: name, Location: staged.Location, Type: types.Managed, Columns: wide(n), Protocol: staged.RequiredProtocol,
		Properties: properties, LastCommitTimestamp: new(int64(1)),
	})
	if err != nil {
		b.Fatal(err)
	}
	return t
}

// BenchmarkCommitOfWideTable compares data-only commits to a table of 30,000 columns with
// those to one of 2. What counts is x-narrow.
func BenchmarkCommitOfWideTable(b *testing.B) {
	c := embedded(b)
	tables := []types.Table{managedTable(b, c, "narrow", 2), managedTable(b, c, "wide", 30_000)}
	version := int64(0)
	var ratios []float64
	for b.Loop() {
		var took [2]time.Duration
		const rounds = 30
		versions := [2]int64{version, version}
		for range rounds { // alternating, so that both meet the same disk
			for i, t := range tables {
				took[i] += median(b, 1, func() {
					versions[i]++
					v := versions[i]
					commit := types.Commit{Version: v, Timestamp: 1, FileName: "f", FileSize: 1, FileModificationTimestamp: 1}
					if _, err := c.AddCommit(b.Context(), t.Name, t.ID, commit, new(v-1)); err != nil {
						b.Fatal(err)
					}
				})
			}
		}
		version += rounds
		ratios = append(ratios, took[1].Seconds()/took[0].Seconds())
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "x-narrow")
}

// BenchmarkLoadOfUnbackfilled compares loads of a table with ten commits with those of one
// without. What counts is x-none.
func BenchmarkLoadOfUnbackfilled(b *testing.B) {
	c := embedded(b)
	none, ten := managedTable(b, c, "none", 100), managedTable(b, c, "ten", 100)
	for v := int64(1); v <= 10; v++ {
		commit := types.Commit{Version: v, Timestamp: 1, FileName: fmt.Sprintf("%020d.01234567-89ab-cdef-0123-456789abcdef.json", v), FileSize: 1, FileModificationTimestamp: 1}
		if _, err := c.AddCommit(b.Context(), ten.Name, ten.ID, commit, nil); err != nil {
			b.Fatal(err)
		}
	}
	load := func(t types.Table) func() {
		return func() {
			got, err := c.LoadTable(b.Context(), t.Name)
			if err != nil {
				b.Fatal(err)
			}
			got.AppendJSON(nil)
		}
	}
	var ratios []float64
	for b.Loop() {
		ratios = append(ratios, median(b, 200, load(ten)).Seconds()/median(b, 200, load(none)).Seconds())
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "x-none")
}

// BenchmarkWideCreate compares taking in and storing a table of 3,000 columns with decoding
// its JSON into an any. What counts is x-unmarshal.
func BenchmarkWideCreate(b *testing.B) {
	c := embedded(b)
	columns := types.NewColumns(wide(3000)).JSON()
	n := 0
	var ratios []float64
	for b.Loop() {
		plain := median(b, 5, func() {
			var v any
			if err := json.Unmarshal(columns, &v); err != nil {
				b.Fatal(err)
			}
		})
		create := median(b, 5, func() {
			n++
			name := fmt.Sprint("t", n)
			data := fmt.Sprintf(`{"name":%q,"location":"s3://b/%s","table-type":"EXTERNAL","columns":%s,"protocol":{"min-reader-version":1,"min-writer-version":2},"properties":{},"last-commit-timestamp-ms":1}`, name, name, columns)
			var req types.CreateTable
			if err := types.DecodeJSON([]byte(data), &req); err != nil {
				b.Fatal(err)
			}
			if _, err := c.CreateTable(b.Context(), schema, req); err != nil {
				b.Fatal(err)
			}
		})
		ratios = append(ratios, create.Seconds()/plain.Seconds())
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "x-unmarshal")
}
