package server_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestLoad(t *testing.T) {
	onEachStore(t, func(t *testing.T, a *api) {
		keys := func(v any) string { return strings.Join(slices.Sorted(maps.Keys(v.(object))), " ") }
		const metadataKeys = "columns created-time etag last-commit-timestamp-ms last-commit-version location partition-columns properties table-type table-uuid updated-time"

		a.run("060/managed", func(a *api) {
			m := a.table(put("a comment", "comment"))
			v := m.load()
			a.same("keys", keys(v), "commits latest-table-version metadata")
			a.same("keys of metadata", keys(v["metadata"]), metadataKeys)
			if etag, _ := metadata(v, "etag").(string); etag == "" {
				a.Error("the etag is empty")
			}
			a.same("latest-table-version", v["latest-table-version"], 0)
			a.same("commits", v["commits"], []any{})
			a.same("keys of external", keys(a.external().load()), "commits metadata")
		})
		a.run("061/missing", func(a *api) {
			m := a.table()
			name := m.path[len(t1)+1:]
			a.fails("GET", t1+"/"+strings.ToUpper(name), "", 404, noTable)
			a.fails("GET", t1+"/nope", "", 404, noTable, "nope")
			a.fails("GET", delta+"/catalogs/c1/schemas/S1/tables/"+name, "", 404, noSchema, "S1")
			a.fails("GET", delta+"/catalogs/C1/schemas/s1/tables/"+name, "", 404, noCatalog, "C1")
		})
		// Each endpoint of a table names the level that is missing.
		for endpoint, body := range map[string]string{
			"GET ": "", "HEAD ": "", "DELETE ": "", "GET /credentials?operation=READ": "", "POST /rename": `{"new-name":"x"}`,
			"POST ": (&tab{id: absentID}).update(setProperties(object{"a": "b"})), "POST /metrics": `{"table-id":"` + absentID + `"}`,
		} {
			method, suffix, _ := strings.Cut(endpoint, " ")
			a.run("061/"+endpoint, func(a *api) {
				for schema, code := range map[string]string{"nope/schemas/nope": noCatalog, "c1/schemas/nope": noSchema, "c1/schemas/s1": noTable} {
					path := delta + "/catalogs/" + schema + "/tables/nope" + suffix
					a.fails(method, path, body, 404, code, "nope")
				}
			})
		}
		a.run("064/exists", func(a *api) {
			m := a.table()
			a.ok("HEAD", m.path, "")
			a.ok("HEAD", a.external().path, "")
		})
		a.run("065/no columns", func(a *api) {
			name := a.fresh()
			a.ok("POST", unity+"/tables", body(edited(unityTable(name), cut("columns"))))
			v := a.ok("GET", t1+"/"+name, "")
			a.same("columns", metadata(v, "columns"), object{"type": "struct", "fields": []any{}})
			a.same("partition-columns", metadata(v, "partition-columns"), []any{})
		})
		a.run("066/again", func(a *api) {
			m := a.table()
			a.same("load", m.load(), m.load())
		})
		a.run("d01/the etag of the metadata is none of HTTP", func(a *api) {
			m := a.table()
			res := a.serve("GET", m.path, "")
			asked := []string{"If-None-Match", `"` + metadata(m.load(), "etag").(string) + `"`}
			if tag := res.Header.Get("ETag"); tag != "" {
				asked[1] = tag
			}
			m.commit(1, "f1")
			if res := a.serve("GET", m.path, "", asked...); res.StatusCode != 200 {
				a.Errorf("after a data commit, If-None-Match %s: %d", asked[1], res.StatusCode)
			}
		})
	})
}

func TestDelete(t *testing.T) {
	onEachStore(t, func(t *testing.T, a *api) {
		a.run("111/delete", func(a *api) {
			m := a.table()
			m.commit(1, "f1")
			a.ok("DELETE", m.path, "")
			a.fails("DELETE", m.path, "", 404, noTable)
			a.fails("HEAD", m.path, "", 404, "")
			n := a.managed(m.path[len(t1)+1:], nil)
			if n.id == m.id || metadata(n.load(), "etag") == "" {
				a.Errorf("the table is the dropped one, %s", m.id)
			}
			n.refusesBody(m.update(addCommit(1, "f1")), 409, requirement)
			n.refusesBody(m.update(addCommit(2, "f2")), 409, requirement)
		})
		a.run("113/bad renames", func(a *api) {
			m, n := a.table(), a.table()
			before := m.load()
			for _, path := range []string{m.path, t1 + "/nope"} {
				a.fails("POST", path+"/rename", `{}`, 400, badInput, "new-name")
				a.fails("POST", path+"/rename", `{"new-name":null}`, 400, badInput, "new-name")
				for _, name := range append([]string{"c.s.t2"}, badNames...) {
					a.fails("POST", path+"/rename", body(object{"new-name": name}), 400, badValue, "new-name")
				}
			}
			taken := body(object{"new-name": n.path[len(t1)+1:]})
			a.fails("POST", t1+"/nope/rename", taken, 404, noTable, "nope")
			a.fails("POST", t1+"/nope/rename", `{"new-name":"nope"}`, 404, noTable)
			a.fails("POST", m.path+"/rename", taken, 409, exists)
			a.ok("POST", m.path+"/rename", body(object{"new-name": m.path[len(t1)+1:]}))
			a.same("load", m.load(), before)
		})
		a.run("114/rename", func(a *api) {
			m, name := a.table(put("a comment", "comment")), a.fresh()
			before := m.commit(1, "f1")
			a.ok("POST", m.path+"/rename", body(object{"new-name": name}))
			a.fails("GET", m.path, "", 404, noTable)
			a.fails("GET", m.path+"/credentials?operation=READ", "", 404, noTable)
			n := &tab{a, m.id, m.location, t1 + "/" + name}
			after := n.load()
			n.moved(before, after)
			for _, v := range []object{before, after} {
				edited(v, cut("metadata", "etag"), cut("metadata", "updated-time"))
			}
			a.same("load", after, before)
			a.same("comment", n.comment(), "a comment")
			a.same("replay", n.commit(1, "f1")["commits"], before["commits"])
			n.shows(n.commit(2, "f2"), "2 1 of 2")
			a.managed(m.path[len(t1)+1:], nil) // the old name is free
			a.ok("DELETE", m.path, "")
			a.ok("POST", n.path+"/rename", body(object{"new-name": m.path[len(t1)+1:]})) // so is that of a dropped table
			x := a.external()
			a.ok("POST", x.path+"/rename", body(object{"new-name": a.fresh()}))
		})
		a.run("b71/case", func(a *api) {
			a.managed("Orders", nil)
			a.fails("GET", t1+"/orders", "", 404, noTable)
			a.managed("ORDERS", nil)
			a.managed("orders", nil)
			a.ok("DELETE", t1+"/ORDERS", "")
			a.ok("HEAD", t1+"/Orders", "")
			a.ok("GET", unity+"/tables/c1.s1.orders", "")
			a.fails("GET", unity+"/tables/c1.s1.ORDERS", "", 404, "TABLE_NOT_FOUND")
		})
	})
}

func TestMetrics(t *testing.T) {
	onEachStore(t, func(t *testing.T, a *api) {
		m, other := a.table(), a.table()
		report := func(commit any) string {
			return body(object{"table-id": m.id, "report": object{"commit-report": commit}})
		}
		histogram := func(edits ...edit) string {
			return report(object{"num-files-added": 1, "file-size-histogram": edited(object{
				"sorted-bin-boundaries": []any{0, 1024, 4096}, "file-counts": []any{0, 1, 2}, "total-bytes": []any{0, 2000, maxInt64}, "commit-version": 3,
			}, edits...)})
		}
		ok := func(a *api, b string) {
			a.Helper()
			before := m.load()
			a.ok("POST", m.path+"/metrics", b)
			a.same("load", m.load(), before)
		}
		bad := func(a *api, b, place string) {
			a.Helper()
			a.fails("POST", m.path+"/metrics", b, 400, badInput, place)
		}

		a.run("115/report", func(a *api) {
			id := `"table-id":"` + m.id + `"`
			for _, b := range []string{id, id + `,"report":null`, id + `,"report":{}`, id + `,"report":{"commit-report":null}`, id + `,"report":{"commit-report":{}}`,
				id + `,"report":{"x":1,"commit-report":{"y":2}}`} {
				ok(a, "{"+b+"}")
			}
			bad(a, `{}`, "table-id")
			bad(a, `{"table-id":null}`, "table-id")
			bad(a, `{"table-id":"zz"}`, "table-id")
			bad(a, `{"table-id":"`+other.id+`"}`, "table-id")
			bad(a, `{"table-id":"`+absentID+`"}`, "table-id")
			a.fails("POST", t1+"/nope/metrics", "{"+id+"}", 404, noTable)
			a.fails("POST", t1+"/nope/metrics", `{}`, 400, badInput)
			x := a.external()
			a.ok("POST", x.path+"/metrics", body(object{"table-id": x.id}))
			for _, n := range []string{"files-added", "bytes-added", "files-removed", "bytes-removed", "rows-inserted", "rows-removed", "rows-updated"} {
				ok(a, report(object{"num-" + n: maxInt64}))
				for _, v := range []any{-1, "1", 1.5, overInt64, true} {
					bad(a, report(object{"num-" + n: v}), "num-"+n)
				}
			}
		})
		a.run("116/histogram", func(a *api) {
			ok(a, histogram())
			ok(a, histogram(cut("commit-version")))
			ok(a, histogram(put([]any{}, "sorted-bin-boundaries"), put([]any{}, "file-counts"), put([]any{}, "total-bytes")))
			for _, list := range []string{"sorted-bin-boundaries", "file-counts", "total-bytes"} {
				bad(a, histogram(cut(list)), list)
				bad(a, histogram(put(nil, list)), list)
				bad(a, histogram(put([]any{0}, list)), "file-size-histogram")
				bad(a, histogram(put([]any{0, "1", 2}, list)), list+"[1]")
				bad(a, histogram(put([]any{0, nil, 2}, list)), list+"[1]")
				bad(a, histogram(put([]any{0, -1, -2}, list)), "file-size-histogram")
			}
			for _, b := range [][]any{{5, 6, 7}, {0, 2, 1}, {0, 1, 1}} {
				bad(a, histogram(put(b, "sorted-bin-boundaries")), "sorted-bin-boundaries")
			}
			bad(a, histogram(put(-1, "commit-version")), "commit-version")
		})
	})
}

func TestCredentials(t *testing.T) {
	onEachStore(t, func(t *testing.T, a *api) {
		a.run("117/table", func(a *api) {
			m, x := a.table(), a.external(put("file:///else/117", "location"))
			for _, t := range []*tab{m, x} {
				for _, op := range []string{"READ", "READ_WRITE"} {
					a.vended(a.ok("GET", t.path+"/credentials?operation="+op, ""), t.location, op)
				}
			}
			// Without a vendor, only local places are served.
			a.fails("GET", a.external().path+"/credentials?operation=READ", "", 501, notImplemented)
		})
		a.run("118/operation", func(a *api) {
			m := a.table()
			for _, q := range []string{"", "?operation=", "?operation=%20", "?operation=WRITE", "?operation=read", "?OPERATION=READ", "?operation=%zz"} {
				a.fails("GET", m.path+"/credentials"+q, "", 400, badInput, "operation")
				a.fails("GET", t1+"/nope/credentials"+q, "", 400, badInput, "operation")
			}
			a.fails("GET", t1+"/nope/credentials?operation=READ", "", 404, noTable)
			a.ok("GET", m.path+"/credentials?operation=READ&operation=WRITE&x=y", "")
		})
		a.run("119/path", func(a *api) {
			path := func(location, op string) string {
				return fmt.Sprintf("%s/temporary-path-credentials?location=%s&operation=%s", delta, location, op)
			}
			a.fails("GET", delta+"/temporary-path-credentials?operation=READ", "", 400, badInput, "location")
			a.fails("GET", path("%20", "READ"), "", 400, badInput, "location")
			a.fails("GET", path("file:///new/p", ""), "", 400, badInput, "operation")
			a.fails("GET", path("file:///new/p", "WRITE"), "", 400, badInput, "operation")
			a.vended(a.ok("GET", path("file:///new/p", "READ_WRITE"), ""), "file:///new/p", "READ_WRITE")
			a.vended(a.ok("GET", path("file:%2F%2F%2Fnew%2Fa%2520b%2F", "READ"), ""), "file:///new/a%20b", "READ")
			// With a vendor this would be 200.
			a.fails("GET", path("s3://bkt/new/p", "READ_WRITE"), "", 501, notImplemented)
			for _, l := range []string{"s3://bkt", "s3://bkt/", "s3a://bkt/p", "file:///", "p", "s3://bkt/a%3Fb"} {
				a.fails("GET", path(l, "READ"), "", 400, badInput, "location")
			}
			m, x := a.table(), a.external(put("file:///else/119", "location"))
			for _, l := range []string{m.location, m.location + "/x", "file:///managed", "file:///managed/x", "s3://bkt/__unitystorage/x", x.location, x.location + "/x", "file:///else"} {
				a.fails("GET", path(l, "READ"), "", 403, denied)
			}
			a.ok("GET", path(x.location+"2", "READ"), "") // a common prefix is no overlap
		})
	})
}
