package server_test

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"
)

// TestRaces sends requests at the same time. What must come of them does not depend on
// their order.
func TestRaces(t *testing.T) {
	const n = 20
	onEachStore(t, func(t *testing.T, a *api) {
		one := func(win, lose string) map[string]int { return map[string]int{win: 1, lose: n - 1} }

		a.run("109/commits from distinct files", func(a *api) {
			m := a.table()
			got := a.parallel(n, func(i int) (string, string, string) {
				return "POST", m.path, m.update(addCommit(1, fmt.Sprint("f", i)))
			})
			a.same("answers", got, one("200", "409 "+versionTaken))
			m.shows(m.load(), "1 of 1")
		})
		a.run("109/commits from one file", func(a *api) {
			m := a.table()
			got := a.parallel(n, func(int) (string, string, string) { return "POST", m.path, m.update(addCommit(1, "f1")) })
			a.same("answers", got, map[string]int{"200": n})
			m.shows(m.load(), "1 of 1")
		})
		a.run("110/one etag", func(a *api) {
			m := a.table()
			etag := metadata(m.load(), "etag")
			got := a.parallel(n, func(i int) (string, string, string) {
				return "POST", m.path, m.with(etagIs(etag), setProperties(object{fmt.Sprint("k", i): "v"}))
			})
			a.same("answers", got, one("200", "409 "+requirement))
			set := 0
			for i := range n {
				if property(m.load(), fmt.Sprint("k", i)) != nil {
					set++
				}
			}
			a.same("properties set", set, 1)
		})
		a.run("b10/tables of their own", func(a *api) {
			tables := make([]*tab, n)
			for i := range tables {
				tables[i] = a.table()
			}
			for v := int64(1); v <= 3; v++ {
				got := a.parallel(n, func(i int) (string, string, string) {
					return "POST", tables[i].path, tables[i].update(addCommit(v, "f"), backfill(v-1))
				})
				a.same("answers", got, map[string]int{"200": n})
			}
		})
		a.run("b11/catalog", func(a *api) {
			a.onlyOne(n, "CATALOG_ALREADY_EXISTS", unity+"/catalogs", func(int) (string, string) {
				return unity + "/catalogs", `{"name":"race"}`
			}, unity+"/catalogs/race")
		})
		a.run("b11/schema", func(a *api) {
			a.onlyOne(n, "SCHEMA_ALREADY_EXISTS", unity+"/schemas?catalog_name=c1", func(int) (string, string) {
				return unity + "/schemas", `{"name":"race","catalog_name":"c1"}`
			}, unity+"/schemas/c1.race")
		})
		a.run("b11/table", func(a *api) {
			a.onlyOne(n, exists, t1, func(i int) (string, string) {
				return t1, body(edited(externalBody("race"), put(fmt.Sprint("s3://bkt/race/", i), "location")))
			}, t1+"/race")
		})
		a.run("b11/table across APIs", func(a *api) {
			got := a.parallel(n, func(i int) (string, string, string) {
				location := fmt.Sprint("s3://bkt/across/", i)
				if i%2 == 0 {
					return "POST", t1, body(edited(externalBody("across"), put(location, "location")))
				}
				return "POST", unity + "/tables", body(edited(unityTable("across"), put(location, "storage_location")))
			})
			if lost := got["409 "+exists] + got["409 TABLE_ALREADY_EXISTS"]; got["200"] != 1 || lost != n-1 {
				a.Errorf("answers are %v", got)
			}
			a.ok("DELETE", t1+"/across", "")
		})
		a.run("b11/places that overlap", func(a *api) {
			got := a.parallel(n, func(i int) (string, string, string) {
				location := "s3://bkt/over"
				if i%2 == 0 {
					location += "/below"
				}
				return "POST", t1, body(edited(externalBody(fmt.Sprint("over", i)), put(location, "location")))
			})
			a.same("answers", got, one("200", "400 "+badValue))
		})
		a.run("b11/renames to one name", func(a *api) {
			tables := make([]*tab, n)
			for i := range tables {
				tables[i] = a.table()
			}
			name := a.fresh()
			got := a.parallel(n, func(i int) (string, string, string) {
				return "POST", tables[i].path + "/rename", body(object{"new-name": name})
			})
			a.same("answers", got, one("204", "409 "+exists))
		})
		a.run("b28/creates on one staging table", func(a *api) {
			staged := a.stage(a.fresh())
			names := make([]string, n)
			for i := range names {
				names[i] = a.fresh()
			}
			got := a.parallel(n, func(i int) (string, string, string) { return "POST", t1, body(createBody(names[i], staged)) })
			// Those who come late find the place used, those who lose the race a conflict.
			if lost := got["400 "+badValue] + got["409 "+requirement]; got["200"] != 1 || lost != n-1 {
				a.Errorf("answers are %v", got)
			}
		})
		a.run("b35/drop of a schema that fills", func(a *api) {
			a.ok("POST", unity+"/schemas", `{"name":"fills","catalog_name":"c1"}`)
			in := delta + "/catalogs/c1/schemas/fills/tables"
			got := a.parallel(n, func(i int) (string, string, string) {
				if i == n/2 {
					return "DELETE", unity + "/schemas/c1.fills?force=true", ""
				}
				return "POST", in, body(externalBody(fmt.Sprint("fills", i)))
			})
			if got["200"]+got["404 "+noSchema] != n {
				a.Errorf("answers are %v", got)
			}
			a.fails("GET", in, "", 404, noSchema)
			a.ok("POST", unity+"/schemas", `{"name":"fills","catalog_name":"c1"}`)
			a.same("tables", a.ok("GET", in, "")["tables"], []any{})
			// No row is left that would hold a place.
			for i := range n {
				a.ok("POST", in, body(externalBody(fmt.Sprint("fills", i))))
			}
		})
		a.run("b17/reads beside commits", func(a *api) { a.readsBeside(a.table()) })
	})
}

// onlyOne sends n creates of one name, of which one may win, and checks that the list
// shows it once and that the name is free after a deletion.
func (a *api) onlyOne(n int, lost, list string, create func(i int) (path, body string), item string) {
	a.Helper()
	count := func() (total int) {
		for _, v := range a.ok("GET", list, "") {
			items, _ := v.([]any)
			total += len(items)
		}
		return total
	}
	before := count()
	for range 2 {
		got := a.parallel(n, func(i int) (string, string, string) {
			path, body := create(i)
			return "POST", path, body
		})
		a.same("answers", got, map[string]int{"200": 1, "409 " + lost: n - 1})
		a.ok("GET", item, "")
		a.same("items of the list", count(), before+1)
		a.ok("DELETE", item, "")
	}
}

// readsBeside loads m while it takes commits: every answer must be of one instant.
func (a *api) readsBeside(m *tab) {
	const last = 30
	done := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for stop := false; !stop; {
				select {
				case <-done:
					stop = true
				default:
				}
				status, data, _ := a.call("GET", m.path, "")
				var v struct {
					Metadata struct {
						Last       int64 `json:"last-commit-version"`
						Properties map[string]string
					}
					Commits []struct{ Version int64 }
					Latest  int64 `json:"latest-table-version"`
				}
				if err := json.Unmarshal(data, &v); err != nil || status != 200 {
					a.Errorf("%d %s", status, data)
					return
				}
				want := v.Latest
				for _, c := range v.Commits {
					if c.Version != want {
						a.Errorf("torn: %s", data)
					}
					want--
				}
				if p := v.Metadata.Properties["n"]; v.Metadata.Last != v.Latest || v.Latest > 0 && p != fmt.Sprint(v.Latest) {
					a.Errorf("torn: %s", data)
				}
			}
		})
	}
	for v := int64(1); v <= last; v++ {
		m.commit(v, "f", setProperties(object{"n": fmt.Sprint(v)}), backfill(v-1))
	}
	close(done)
	wg.Wait()
}
