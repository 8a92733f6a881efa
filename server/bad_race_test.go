package server_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// onEachRace runs fn on each store with the store itself, and afterwards checks what is true
// after every race.
func onEachRace(t *testing.T, fn func(f *fixture)) {
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			f := &fixture{api: newAPI(t, s), store: s}
			fn(f)
			f.sound()
		})
	}
}

// sound checks the whole store: no name twice, no place twice, no table without a load.
func (f *fixture) sound() {
	f.Helper()
	names, located := map[string]bool{}, []storage.Node{}
	for _, n := range f.dump() {
		key := fmt.Sprint(n.Parent, n.Kind, n.Name)
		if names[key] {
			f.Errorf("%s %q is there twice", n.Kind, n.Name)
		}
		names[key] = true
		if n.Location == "" {
			continue
		}
		for _, o := range located {
			tables := (n.Kind == types.KindTable || n.Kind == types.KindStagingTable) && o.Kind != types.KindCatalog && o.Kind != types.KindSchema && o.Kind != "taken"
			if a, b := n.Location, o.Location; a == b || tables && (strings.HasPrefix(a, b+"/") || strings.HasPrefix(b, a+"/")) {
				f.Errorf("%s %q at %s overlaps %s %q at %s", n.Kind, n.Name, a, o.Kind, o.Name, b)
			}
		}
		located = append(located, n)
		if n.Kind == types.KindTable {
			f.ok("GET", unity+"/delta/v1/catalogs/c1/schemas/s1/tables/"+n.Name, "")
		}
	}
}

// answers checks that all answers are among some, and one of them there just n times (-1: any).
func (f *fixture) answers(got map[string]int, one string, n int, others ...string) {
	f.Helper()
	for a := range got {
		if a != one && !slices.Contains(others, a) {
			f.Errorf("answers are %v, want %d of %q and %q", got, n, one, others)
		}
	}
	if n >= 0 && got[one] != n {
		f.Errorf("answers are %v, want %d of %q", got, n, one)
	}
}

func TestBadRaces(t *testing.T) {
	const n = 16
	onEachRace(t, func(f *fixture) {
		for round := range 10 { // one name for tables of all kinds and faces
			name := f.fresh()
			requests := make([]good, n)
			for i := range requests {
				place := fmt.Sprintf("s3://bkt/%s-%d", name, i)
				switch i % 4 {
				case 0:
					requests[i] = good{"POST", t1, edited(externalBody(name), put(place, "location"))}
				case 1:
					requests[i] = good{"POST", t1, createBody(name, f.stage(name))}
				case 2:
					requests[i] = good{"POST", unityTables, edited(unityTable(name), put(place, "storage_location"))}
				case 3:
					requests[i] = good{"POST", unityTables, f.classic(name, f.stage(name))}
				}
			}
			got := f.parallel(n, func(i int) (string, string, string) {
				r := requests[(i+round)%n]
				return r.method, r.path, body(r.body)
			})
			f.answers(got, "200", 1, "409 "+exists, "409 TABLE_ALREADY_EXISTS")
		}
		for range 10 { // places at several depths, none of them beside another
			root := "s3://bkt/" + f.fresh()
			got := f.parallel(n, func(i int) (string, string, string) {
				place := root + strings.Repeat("/d", i%6)
				if i%2 == 0 {
					return "POST", t1, body(edited(externalBody(f.fresh()), put(place+"/", "location")))
				}
				return "POST", unityTables, body(edited(unityTable(f.fresh()), put(place, "storage_location")))
			})
			f.answers(got, "200", 1, "400 "+badValue, "400 "+invalid)
		}
		for range 10 { // a root of a catalog against tables above it and below
			root := "s3://bkt/" + f.fresh()
			got := f.parallel(n, func(i int) (string, string, string) {
				switch i % 4 {
				case 0:
					return "POST", unity + "/catalogs", body(object{"name": f.fresh(), "storage_root": root + "/a/b"})
				case 1:
					return "POST", unity + "/schemas", body(object{"name": f.fresh(), "catalog_name": "c1", "storage_root": root + "/a/b/c"})
				case 2:
					return "POST", t1, body(edited(externalBody(f.fresh()), put(root+"/a", "location")))
				}
				return "POST", t1, body(edited(externalBody(f.fresh()), put(root+"/a/b/__unitystorage", "location")))
			})
			f.answers(got, "200", -1, "400 "+badValue, "400 "+invalid)
			managed, above := 0, 0
			for _, o := range f.dump() {
				if strings.HasPrefix(o.Location, root+"/a/b") {
					managed++
				} else if strings.HasPrefix(o.Location, root) {
					above++
				}
			}
			if managed > 0 && above > 0 || managed+above == 0 {
				f.Errorf("%d managed folders and %d tables above them", managed, above)
			}
		}
		for range 10 { // credentials for a path against a table there
			place := "file:///paths/" + f.fresh()
			got := f.parallel(n, func(i int) (string, string, string) {
				if i%4 == 0 {
					return "POST", t1, body(edited(externalBody(f.fresh()), put(place, "location")))
				}
				return "GET", delta + "/temporary-path-credentials?operation=READ&location=" + place + strings.Repeat("/x", i%2), ""
			})
			f.answers(got, "200", -1, "400 "+badValue, "403 "+denied)
			f.fails("GET", delta+"/temporary-path-credentials?operation=READ&location="+place+"/x", "", 403, denied)
		}
	})
}

// TestBadRenames renames four tables to and fro, drops one of them and commits to all.
func TestBadRenames(t *testing.T) {
	onEachRace(t, func(f *fixture) {
		for range 10 {
			names, ids := make([]string, 4), map[string]bool{}
			for i := range names {
				m := f.table()
				names[i], ids[m.id] = m.path[len(t1)+1:], true
			}
			id := slices.Collect(maps.Keys(ids))
			got := f.parallel(48, func(i int) (string, string, string) {
				path := t1 + "/" + names[i%4]
				m := &tab{id: id[i/4%4]}
				switch {
				case i == 47:
					return "DELETE", path, ""
				case i%3 == 0:
					return "POST", path, m.update(addCommit(1, "f"), setComment("c"))
				}
				return "POST", path + "/rename", body(object{"new-name": names[i/8%4]})
			})
			f.answers(got, "204", -1, "200", "404 "+noTable, "409 "+exists, "409 "+requirement)
			left := 0
			for _, o := range f.dump() {
				if ids[string(o.ID)] && o.Kind == types.KindTable {
					left++
					f.same("ID", metadata(f.ok("GET", t1+"/"+o.Name, ""), "table-uuid"), o.ID)
				}
			}
			if left != 3 && left != 4 {
				f.Errorf("%d of 4 tables are left", left)
			}
		}
	})
}

// TestBadDrops drops tables and schemas that are in use.
func TestBadDrops(t *testing.T) {
	const n = 24
	onEachRace(t, func(f *fixture) {
		for range 10 { // commits against a drop, and the next table of that name
			m := f.table()
			name := m.path[len(t1)+1:]
			next := createBody(name, f.stage(f.fresh()))
			got := f.parallel(n, func(i int) (string, string, string) {
				switch i % 6 {
				case 0:
					return "DELETE", m.path, ""
				case 1:
					return "POST", t1, body(next)
				case 2:
					return "POST", commits, body(object{"table_id": m.id, "table_uri": m.location, "commit_info": object{
						"version": 1, "timestamp": 1, "file_name": "f", "file_size": 1, "file_modification_timestamp": 1,
					}})
				}
				return "POST", m.path, m.update(addCommit(1, "f"))
			})
			f.answers(got, "204", -1, "200", "404 "+noTable, "404 TABLE_NOT_FOUND", "409 "+exists, "409 "+requirement, "400 "+badValue)
			f.fails("GET", delta+"/staging-tables/"+m.id+"/credentials", "", 404, noTable)
			if status, data, _ := f.call("GET", m.path, ""); status == 200 {
				f.same("version", f.decode(data)["latest-table-version"], 0) // no commit went to the other table
			}
		}
		for range 10 { // all that can happen in a schema against its drop
			s := f.fresh()
			in, made := delta+"/catalogs/c1/schemas/"+s, body(object{"name": s, "catalog_name": "c1"})
			f.ok("POST", unity+"/schemas", made)
			m := &tab{f.api, "", "", in + "/tables/m"}
			staged := f.ok("POST", in+"/staging-tables", `{"name":"m"}`)
			m.id = staged["table-id"].(string)
			f.ok("POST", in+"/tables", body(createBody("m", staged)))
			open := f.ok("POST", in+"/staging-tables", `{"name":"open"}`)
			got := f.parallel(n, func(i int) (string, string, string) {
				switch i % 6 {
				case 0:
					return "POST", in + "/staging-tables", `{"name":"more"}`
				case 1:
					return "POST", in + "/tables", body(createBody("open", open))
				case 2:
					return "POST", in + "/tables", body(edited(externalBody(fmt.Sprint("x", i)), put(fmt.Sprintf("s3://bkt/%s/%d", s, i), "location")))
				case 3:
					return "POST", m.path, m.update(addCommit(int64(i/6+1), "f"))
				case 4:
					return "POST", unity + "/schemas", made
				}
				return "DELETE", unity + "/schemas/c1." + s + "?force=true", ""
			})
			f.answers(got, "200", -1, "404 "+noSchema, "404 SCHEMA_NOT_FOUND", "404 "+noTable, "409 "+exists, "409 SCHEMA_ALREADY_EXISTS", "409 "+requirement, "400 "+badValue)
			f.call("DELETE", unity+"/schemas/c1."+s+"?force=true", "")
			for _, id := range []any{m.id, open["table-id"]} {
				f.fails("GET", fmt.Sprint(delta, "/staging-tables/", id, "/credentials"), "", 404, noTable)
			}
			f.ok("POST", unity+"/schemas", made)
			f.same("tables", f.ok("GET", in+"/tables", "")["tables"], []any{})
			for i := 2; i < n; i += 6 { // no place is held
				f.ok("POST", in+"/tables", body(edited(externalBody(fmt.Sprint("x", i)), put(fmt.Sprintf("s3://bkt/%s/%d", s, i), "location"))))
			}
			f.ok("DELETE", unity+"/schemas/c1."+s+"?force=true", "")
		}
	})
}
