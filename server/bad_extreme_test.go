package server_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
)

// nested is what lies n times within open and close.
func nested(n int, open, inside, close string) string {
	return strings.Repeat(open, n) + inside + strings.Repeat(close, n)
}

// deepTypes are types that lie n deep: in JSON, and as text.
func deepTypes(n int) (inJSON, inText map[string]string) {
	return map[string]string{
			"arrays":       nested(n, `{"type":"array","contains-null":true,"element-type":`, `"long"`, `}`),
			"log arrays":   nested(n, `{"elementType":`, `"long"`, `,"containsNull":true,"type":"array"}`),
			"maps":         nested(n, `{"type":"map","value-contains-null":true,"key-type":"long","value-type":`, `"long"`, `}`),
			"keys of maps": nested(n, `{"type":"map","value-contains-null":true,"value-type":"long","key-type":`, `"long"`, `}`),
			"structs":      nested(n, `{"type":"struct","fields":[{"name":"a","nullable":true,"metadata":{},"type":`, `"long"`, `}]}`),
			"type last":    nested(n, `{"fields":[{"type":`, `"long"`, `,"metadata":{},"nullable":true,"name":"a"}],"type":"struct"}`),
		}, map[string]string{
			"arrays":  nested(n, "array<", "int", ">"),
			"maps":    nested(n, "map<int,", "int", ">"),
			"structs": nested(n, "struct<a:", "int", ">"),
			"open":    strings.Repeat("array<", n),
		}
}

// TestBadDepth sends types and plain JSON that lie 100,000 deep, and some as deep as is allowed.
func TestBadDepth(t *testing.T) {
	const most = 999 // types in a column, within its columns
	onEachRace(t, func(f *fixture) {
		a := f.api
		a.bare(f.store, 8*mib)
		depths := []int{most + 1}
		if strings.HasSuffix(f.Name(), "memory") && !testing.Short() && !underRace { // none of it comes to a store
			depths = append(depths, 100_000)
		} else {
			f.Log("without types that lie 100,000 deep")
		}
		m := a.table()
		create := func(kind string) string {
			return with(body(edited(externalBody(a.fresh()), put(columns(field("a", "X")), "columns"))), kind)
		}
		classic := func(key, kind string) string {
			return body(edited(unityTable(a.fresh()), put([]any{object{"name": "a", key: kind}}, "columns")))
		}
		preview := func(kind string) string {
			return body(object{
				"table_id": m.id, "table_uri": m.location, "metadata": object{"schema": object{"columns": []any{object{"name": "a", "type_json": kind}}}},
				"commit_info": object{"version": 1, "timestamp": 1, "file_name": "f", "file_size": 1, "file_modification_timestamp": 1},
			})
		}
		a.unchanged(func() {
			for _, n := range depths {
				inJSON, inText := deepTypes(n)
				if n > 10_000 { // what is read by itself
					maps.DeleteFunc(inJSON, func(name, _ string) bool { return name != "arrays" && name != "structs" })
				}
				for name, kind := range inJSON {
					a.run(fmt.Sprint(name, " ", n), func(a *api) {
						a.fails("POST", t1, create(kind), 400, badInput)
						a.fails("POST", m.path, with(m.update(act("set-columns", "columns", columns(field("a", "X")))), kind), 400, badInput)
						a.fails("POST", unityTables, classic("type_json", kind), 400, invalid)
						a.fails("POST", commits, preview(kind), 400, invalid)
					})
				}
				for name, kind := range inText {
					a.run(fmt.Sprint("text of ", name, " ", n), func(a *api) {
						a.fails("POST", unityTables, classic("type_text", kind), 400, invalid, "columns")
						a.fails("POST", unityTables, classic("type_json", kind), 400, invalid, "columns")
						a.fails("POST", t1, create(body(kind)), 400, badInput, "type")
					})
				}
			}
			for name, deep := range map[string]string{
				"lists": nested(100_000, "[", "", "]"), "objects": nested(100_000, `{"a":`, "1", "}"), "both": nested(100_000, `[{"a":`, "1", "}]"), "open": strings.Repeat(`{"a":[`, 100_000),
			} {
				a.run("plain "+name, func(a *api) {
					a.fails("POST", t1, with(body(edited(externalBody(a.fresh()), put("X", "unknown"))), deep), 400, badRequest, "JSON")
					a.fails("POST", t1, with(body(edited(externalBody(a.fresh()), put("X", "columns", "fields", 0, "metadata", "k"))), deep), 400, badRequest, "JSON")
					a.fails("POST", m.path, with(m.update(act("set-properties", "updates", "X")), deep), 400, badRequest, "JSON")
					a.fails("POST", unity+"/catalogs", `{"name":"deep","unknown":`+deep+`}`, 400, invalid, "JSON")
					a.fails("POST", unityTables, classic("type_json", deep), 400, invalid, "type_json")
				})
			}
		})
		// What is as deep as allowed is stored, and shown by every face.
		inJSON, inText := deepTypes(most)
		for name, kind := range inJSON {
			table := a.fresh()
			v := a.ok("POST", t1, with(body(edited(externalBody(table), put(columns(field("a", "X")), "columns"))), kind))
			a.same(name, a.ok("GET", unityTables+"/c1.s1."+table, "")["table_id"], metadata(v, "table-uuid"))
		}
		for name, kind := range inText {
			if name != "open" {
				a.ok("POST", unityTables, classic("type_text", kind))
			}
		}
		deepest := nested(9000, `{"a":`, "1", "}")
		a.ok("POST", t1, with(body(edited(externalBody(a.fresh()), put("X", "columns", "fields", 0, "metadata", "k"))), deepest))
		a.ok("GET", unityTables+"?catalog_name=c1&schema_name=s1", "")
		a.state()
	})
}

// TestBadWidth sends more of everything than anybody has.
func TestBadWidth(t *testing.T) {
	heavy(t)
	for _, name := range []string{"sqlite"} { // the store that has more to fear
		t.Run(name, func(t *testing.T) {
			a := newWide(t, stores[name](t))
			list := func(n int, item func(i int) string) string {
				var b strings.Builder
				for i := range n {
					b.WriteString(item(i) + ",")
				}
				return `[` + strings.TrimSuffix(b.String(), ",") + `]`
			}
			quoted := func(i int) string { return fmt.Sprintf(`"c%d"`, i) }
			same := func(int) string { return `"gone"` }
			pairs := func(n int) string {
				return `{` + strings.Trim(list(n, func(i int) string { return quoted(i) + `:"v"` }), "[]") + `}`
			}
			external := func(path ...any) string { return body(edited(externalBody(a.fresh()), put("X", path...))) }

			const wide = 32_768
			a.ok("POST", t1, with(external("columns"), wideJSON(0, wide)))
			m := a.table()
			set := m.update(act("set-columns", "columns", "X"))
			a.ok("POST", m.path, with(set, wideJSON(0, wide)))
			a.ok("POST", m.path, with(m.update(act("set-partition-columns", "partition-columns", "X")), list(wide, quoted)))
			a.same("columns", len(a.ok("GET", unityTables+"/c1.s1."+m.path[len(t1)+1:], "")["columns"].([]any)), wide)
			column := func(i int) string { return fmt.Sprintf(`{"name":"c%d","type_text":"bigint","position":%d}`, i, i) }
			a.ok("POST", unityTables, with(body(edited(unityTable(a.fresh()), put("X", "columns"))), list(wide, column)))
			m.commit(1, "f")

			const many = 100_000
			q := a.table()
			a.fails("POST", q.path, with(q.update(act("set-partition-columns", "partition-columns", "X")), list(many, quoted)), 400, badValue, "partition-columns[0]")
			a.fails("POST", q.path, with(q.update(act("set-partition-columns", "partition-columns", "X")), list(many+1, quoted)), 400, badRequest, "partition-columns")
			a.fails("POST", m.path, with(m.update(act("set-partition-columns", "partition-columns", "X")), list(many, same)), 400, badValue, "partition-columns[0]")
			a.ok("POST", q.path, with(q.update(removeProperties("X")), strings.Trim(list(many, same), "[]")))
			a.fails("POST", q.path, with(q.update(removeProperties("X")), strings.Trim(list(1_000_000, same), "[]")), 400, badRequest, "removals")
			a.fails("POST", q.path, with(q.update(act("set-properties", "updates", "X")), pairs(many)), 400, badValue, "properties")
			a.fails("POST", q.path, with(q.update(act("set-properties", "updates", "X")), pairs(many+1)), 400, badRequest, "updates")
			a.fails("POST", q.path, with(q.update(act("remove-domain-metadata", "domains", "X")), list(many+1, func(int) string { return `"delta.clustering"` })), 400, badRequest, "domains")
			a.fails("POST", q.path, `{"requirements":`+list(1_000_000, func(int) string { return `{"type":"assert-etag","etag":"x"}` })+`,"updates":[]}`, 400, badValue, "assert-etag")
			a.fails("POST", q.path, `{"requirements":[],`+strings.Trim(pairs(many), "{}")+`}`, 400, badRequest, "fields")
			for _, path := range []string{unity + "/catalogs", unity + "/schemas", unityTables} {
				req := edited(unityTable(a.fresh()), put("X", "properties"))
				a.fails("POST", path, with(body(req), pairs(many)), 400, invalid, "properties")
			}
			features := list(many, quoted)
			v := a.ok("POST", t1, with(external("protocol", "writer-features"), features))
			a.same("features", property(v, "delta.feature.c99999"), "supported")
			a.fails("POST", t1, with(external("protocol", "writer-features"), list(many+1, quoted)), 400, badRequest, "writer-features")
			protocol := object{"min-reader-version": 3, "min-writer-version": 7, "reader-features": "X"}
			a.fails("POST", q.path, with(q.update(act("set-protocol", "protocol", protocol)), features), 400, badValue, "c")
			report := object{"table-id": q.id, "report": object{"commit-report": object{"file-size-histogram": object{"sorted-bin-boundaries": "X", "file-counts": "Y", "total-bytes": "Z"}}}}
			numbers := func(n int) string { return list(n, func(i int) string { return json.Number(fmt.Sprint(i)).String() }) }
			histogram := func(n int) string {
				return strings.NewReplacer(`"X"`, numbers(n), `"Y"`, numbers(n), `"Z"`, numbers(n)).Replace(body(report))
			}
			a.fails("POST", q.path+"/metrics", histogram(many), 400, badValue, "file-size-histogram")
			a.fails("POST", q.path+"/metrics", histogram(many+1), 400, badRequest, "sorted-bin-boundaries")
			a.ok("GET", q.path+"/metrics", "")
			q.commit(1, "f")
		})
	}
}
