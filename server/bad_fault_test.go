package server_test

import (
	"fmt"
	"strings"
	"testing"
)

// badFaults is what other faults of the decoding let through. See bad_table_test.go.
const badFaults = `
# catalogs
properties/k=null | invalid | properties
# schemas
properties/k=null | invalid | properties
# unity table
properties/k=null | invalid | properties
columns/0/position=2147483648 | invalid | position
columns/0/position=-2147483649 | invalid | position
columns/0/type_precision=4294967301 ;; columns/0/type_json=- ;; columns/0/type_text="bigint" ;; columns/0/type_name=- | invalid | type_precision
columns/0={"name":"x","type_text":"int\u0000, or whatever","position":0} | invalid | columns[0].type_text
columns/0={"name":"x","type_text":"struct<a:int>\u0000","position":0} | invalid | columns[0].type_text
columns=[{"name":"b","type_text":"int","position":1},{"name":"a","type_text":"nothing","position":0}] | invalid | columns[1].type_text
columns=[{"name":"b","type_text":"nothing","position":1},{"name":"a","type_text":"int","position":0}] | invalid | columns[0].type_text
# commit
metadata/properties/properties/k=null | invalid | properties
`

func TestBadFaults(t *testing.T) {
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, open(t))
			for _, b := range f.badsOf(badFaults) {
				f.run(strings.ReplaceAll(b.name, "/", ":"), func(a *api) {
					if g := f.goods["unity table"]; b.path == unityTables { // one fault must not hide the next
						name := a.fresh()
						b.body = strings.NewReplacer(`"new-u"`, `"`+name+`"`, g.body["storage_location"].(string), "s3://bkt/"+name).Replace(b.body)
					}
					before := f.dump()
					a.fails(b.method, b.path, b.body, b.status, b.code, b.word)
					a.same("objects", len(f.dump()), len(before))
				})
			}

			// Of a repeated name the last counts, whole: nothing of the first is left.
			f.run("repeated names", func(a *api) {
				v := a.ok("POST", unity+"/catalogs", `{"name":"twice","properties":{"a":"1"},"properties":{"b":"2"}}`)
				a.same("properties", v["properties"], object{"b": "2"})
				columns := `[{"name":"x","type_text":"bigint","comment":"old"}],"columns":[{"name":"y","type_text":"bigint"}]`
				v = a.ok("POST", unityTables, with(body(edited(unityTable("twice"), put("X", "columns"))), columns))
				a.same("comment", at(v, "columns", 0, "comment"), nil)
				m := a.table()
				commit := object{"version": 1, "timestamp": 1, "file_name": "f", "file_size": 1, "file_modification_timestamp": 1}
				twice := with(body(object{"table_id": m.id, "table_uri": m.location, "commit_info": "X"}), body(commit)+`,"commit_info":{"version":1}`)
				a.fails("POST", commits, twice, 400, invalid, "timestamp")
			})

			// A root is good for the tables below it, or is refused.
			f.run("long storage root", func(a *api) {
				for _, n := range []int{1800, 1900, 2000, 2040} {
					name := fmt.Sprint("long", n)
					status, _, _ := a.call("POST", unity+"/catalogs", body(object{"name": name, "storage_root": "s3://bkt/" + strings.Repeat("r", n-9)}))
					if status == 400 {
						continue
					}
					a.ok("POST", unity+"/schemas", body(object{"name": "s", "catalog_name": name}))
					in := delta + "/catalogs/" + name + "/schemas/s"
					a.ok("POST", in+"/tables", body(createBody("t", a.ok("POST", in+"/staging-tables", `{"name":"t"}`))))
				}
			})

			// Members that nobody knows hide none of those that are known.
			f.run("many members of type_json", func(a *api) {
				var b strings.Builder
				for i := range 1000 {
					fmt.Fprintf(&b, `"m%d":1,`, i)
				}
				for name, json := range map[string]string{
					"nullable": `{"name":"x",` + b.String() + `"type":"long","nullable":false,"metadata":{}}`,
					"type":     `{` + b.String() + `"type":"array","elementType":"long","containsNull":true}`,
				} {
					req := edited(unityTable(a.fresh()), put([]any{object{"name": "x", "type_json": json}}, "columns"))
					status, data, _ := a.call("POST", unityTables, body(req))
					if status == 400 {
						continue // too many is an answer, too
					}
					c := at(a.decode(data), "columns", 0).(object)
					if name == "nullable" {
						a.same("nullable", c["nullable"], false)
					} else {
						a.same("type_text", c["type_text"], "array<bigint>")
					}
				}
			})

			// delta.md 22: a commit of the older API has at most 32,768 columns.
			f.run("columns of a commit", func(a *api) {
				m := a.table()
				commit := func(columns int) string {
					list := make([]any, columns)
					for i := range list {
						list[i] = object{"name": fmt.Sprint("c", i), "type_text": "int", "position": i}
					}
					return body(object{
						"table_id": m.id, "table_uri": m.location, "metadata": object{"schema": object{"columns": list}},
						"commit_info": object{"version": 1, "timestamp": 1, "file_name": "f", "file_size": 1, "file_modification_timestamp": 1},
					})
				}
				a.fails("POST", commits, commit(32_769), 400, invalid, "columns")
				a.ok("POST", commits, commit(32_768))
			})
		})
	}
}
