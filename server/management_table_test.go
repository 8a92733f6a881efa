package server_test

import (
	"strings"
	"testing"
)

func TestManagementTables(t *testing.T) {
	onEachStore(t, func(t *testing.T, a *api) {
		tables := func(name string, edits ...edit) string { return body(edited(rootTable("c1", "s1", name), edits...)) }
		location := func(url string) edit { return put(url, "storageLocation") }
		a.run("040/external", func(a *api) {
			v := a.ok("POST", "/tables", tables("t40", location("s3://l40//t40/"), put("c", "comment"), put(object{"k": 1}, "properties")))
			a.onlyCase(v, "_")
			a.has(v, object{
				"name": "t40", "fullName": "c1.s1.t40", "storageLocation": "s3://l40/t40", "tableType": 2, "dataSourceFormat": 1, "comment": "c", "properties": object{"k": "1"},
			})
			a.has(v["columns"].([]any)[0].(object), object{"name": "id", "typeName": 5, "typeText": "bigint", "position": 0, "nullable": true})
			if id, _ := v["tableId"].(string); !uuidForm.MatchString(id) {
				a.Errorf("tableId is %v", v["tableId"])
			}
			a.has(a.ok("GET", unity+"/tables/c1.s1.t40", ""), object{"table_type": "EXTERNAL", "data_source_format": "DELTA", "full_name": "c1.s1.t40", "table_id": v["tableId"]})
			a.same("get", a.ok("GET", "/tables/c1.s1.t40", ""), v)
		})
		a.run("041/types", func(a *api) {
			a.bad400("POST", "/tables", tables("t41", cut("storageLocation")), "storageLocation")
			a.bad400("POST", "/tables", tables("t41", cut("storageLocation"), cut("tableType")), "storageLocation")
			for _, kind := range []any{"BOGUS", 99, -1} {
				a.bad400("POST", "/tables", tables("t41", put(kind, "tableType")), "tableType")
			}
			for _, kind := range []any{"VIEW", 3, "MATERIALIZED_VIEW", 5} {
				a.rpc("POST", "/tables", tables("t41", put(kind, "tableType")), 501, 12, "UNIMPLEMENTED", "tableType")
			}
			a.has(a.ok("POST", "/tables", tables("t41", cut("tableType"))), object{"tableType": 2})
			a.has(a.ok("POST", "/tables", tables("t41b", put(0, "tableType"), put(4, "dataSourceFormat"))), object{"tableType": 2, "dataSourceFormat": 4})
		})
		a.run("042/locations", func(a *api) {
			a.ok("POST", "/tables", tables("t42", location("s3://l42/x")))
			for _, url := range []string{"s3://bucket", "s3://l42/x", "s3://l42/x/below", "s3://l42/__unitystorage/y", "s3a://l42/y"} {
				a.bad400("POST", "/tables", tables("t42b", location(url)), "location")
			}
			a.ok("POST", "/tables", tables("t42b", location("s3://l42/x-x")))
			a.ok("POST", "/tables", tables("t42c", location("s3://l42/my__unitystorage_x/t")))
			a.bad400("POST", "/tables", tables("t42d", location("s3://l42/my__unitystorage_x")), "location")
		})
		a.run("043/parents and names", func(a *api) {
			a.rpc("POST", "/tables", tables("t43", put("nope", "schemaName")), 404, 5, "SCHEMA_NOT_FOUND")
			a.rpc("POST", "/tables", tables("t43", put("nope", "catalogName")), 404, 5, "CATALOG_NOT_FOUND")
			a.tableIn("c1", "s1", "t43")
			a.rpc("POST", "/tables", tables("t43", location("s3://l43/x")), 409, 6, "TABLE_ALREADY_EXISTS")
			a.fails("POST", unity+"/tables", body(unityTable("t43")), 409, "TABLE_ALREADY_EXISTS")
		})
		a.run("044/managed", func(a *api) {
			staged := a.unityStage("t44")
			managed := func(edits ...edit) string {
				return body(previewTable(staged, append([]edit{put("t44", "name"), put("MANAGED", "table_type")}, edits...)...))
			}
			a.bad400("POST", "/tables", managed(put("PARQUET", "data_source_format")), "data_source_format")
			a.bad400("POST", "/tables", managed(cut("storage_location")), "storageLocation", "staging-tables")
			a.rpc("POST", "/tables", managed(put("s3://l44/none", "storage_location")), 404, 5, "TABLE_NOT_FOUND")
			a.has(a.ok("POST", "/tables", managed(cut("table_type"))), object{"tableType": 1, "tableId": staged["id"]}) // by its place
			a.fails("POST", "/tables", managed(put("t44b", "name")), 400, precondition, "location")
		})
		a.run("045/columns", func(a *api) {
			v := a.tableIn("c1", "s1", "t45", put([]any{object{"name": "a", "typeText": "BIGINT"}, object{"name": "b", "typeJson": `"long"`}}, "columns"))
			a.same("typeText", at(v, "columns", 0, "typeText"), "bigint")
			a.same("typeJson", a.decode([]byte(at(v, "columns", 1, "typeJson").(string))), object{"name": "b", "type": "long", "nullable": true, "metadata": object{}})
			a.same("positions", []any{at(v, "columns", 0, "position"), at(v, "columns", 1, "position")}, []any{0, 1})
			a.bad400("POST", "/tables", tables("t45b", put([]any{object{"name": "a", "typeText": "int"}, object{"name": "A", "typeText": "int"}}, "columns")), "columns[1]")
			a.bad400("POST", "/tables", tables("t45b", put([]any{nil}, "columns")), "columns[0]: want an object, got null")
			mapped := `{"name":"m","type":"long","nullable":true,"metadata":{"delta.columnMapping.id":7}}`
			v = a.tableIn("c1", "s1", "t45c", put([]any{object{"name": "m", "typeJson": mapped}}, "columns"))
			a.same("columnId", at(v, "columns", 0, "columnId"), "7")
		})
		a.run("046/missing", func(a *api) {
			for _, n := range []string{"c1.s1", "c1", "c1.s1.a.b", "c1..t"} {
				a.bad400("GET", "/tables/"+n, "", "3 parts")
			}
			a.rpc("GET", "/tables/c1.s1.nope", "", 404, 5, "TABLE_NOT_FOUND")
			a.rpc("GET", "/tables/c1.no.t", "", 404, 5, "SCHEMA_NOT_FOUND")
			a.rpc("GET", "/tables/no.s.t", "", 404, 5, "CATALOG_NOT_FOUND")
		})
		a.run("047/list", func(a *api) {
			c := a.space()
			v := a.tableIn(c, "s1", "t47", put(object{"k": "v"}, "properties"))
			a.bad400("GET", "/tables?catalogName="+c, "", "schemaName")
			a.bad400("GET", "/tables?catalogName="+c+"&schemaName=s1&omitUsername=1", "", "omitUsername")
			a.same("tables", a.ok("GET", "/tables?catalogName="+c+"&schemaName=s1", ""), object{"tables": []any{v}})
			v["columns"], v["properties"] = []any{}, object{}
			a.same("tables", a.ok("GET", "/tables?catalogName="+c+"&schemaName=s1&omitColumns=true&omitProperties=true&omitUsername=true", ""), object{"tables": []any{v}})
		})
		a.run("048/other parameters", func(a *api) {
			a.ok("GET", unity+"/tables/c1.s1.t40?full_name=c1.s1.t40&read_streaming_table_as_managed=true", "")
		})
		a.run("049/exists", func(a *api) {
			a.same("there", a.ok("GET", "/tables/c1.s1.t40/exists", ""), object{"tableExists": true})
			a.same("there", a.ok("GET", unity+"/tables/c1%1Fs1%1Ft40/exists", ""), object{"table_exists": true})
			a.same("of another format", a.ok("GET", "/tables/c1.s1.t41b/exists", ""), object{"tableExists": true})
			for _, n := range []string{"c1.s1.nope", "c1.no.t", "no.s.t"} {
				a.same(n, a.ok("GET", "/tables/"+n+"/exists", ""), object{"tableExists": false})
			}
			a.bad400("GET", "/tables/a.b/exists", "")
		})
		a.run("050/delete", func(a *api) {
			v := a.tableIn("c1", "s1", "t50")
			a.ok("DELETE", "/tables/c1.s1.t50", "")
			a.rpc("DELETE", "/tables/c1.s1.t50", "", 404, 5, "TABLE_NOT_FOUND")
			if w := a.tableIn("c1", "s1", "t50"); w["tableId"] == v["tableId"] {
				a.Errorf("the new table is the old one")
			}
		})
	})
}

func TestManagementSummaries(t *testing.T) {
	onEachStore(t, func(t *testing.T, a *api) {
		c := a.space()
		a.ok("POST", "/schemas", body(object{"name": "s2", "catalogName": c}))
		for _, n := range []string{"s2.t1", "s1.t2", "s1.t1", "s1.a_b", "s1.axb", "s2.x-y@z"} {
			schema, name, _ := strings.Cut(n, ".")
			a.tableIn(c, schema, name)
		}
		list := "/table-summaries?catalogName=" + c
		in := func(names ...string) []string {
			out := []string{}
			for _, n := range names {
				out = append(out, c+"."+n)
			}
			return out
		}
		all := in("s1.a_b", "s1.axb", "s1.t1", "s1.t2", "s2.t1", "s2.x-y@z")
		a.run("054/of what catalog", func(a *api) {
			a.bad400("GET", "/table-summaries", "", "catalogName")
			a.rpc("GET", "/table-summaries?catalogName=nope", "", 404, 5, "CATALOG_NOT_FOUND")
		})
		a.run("055/all", func(a *api) {
			got, _ := names(a.ok("GET", list, ""), "tables", "fullName", "nextPageToken")
			a.same("tables", got, all)
			v := a.ok("GET", list, "")
			a.same("first", at(v, "tables", 0), object{"fullName": all[0], "tableType": 2})
			v = a.ok("GET", unity+"/table-summaries?catalog_name="+c, "")
			a.same("first", at(v, "tables", 0), object{"full_name": all[0], "table_type": "EXTERNAL"})
		})
		for query, want := range map[string][]string{
			"056/tableNamePattern=t%25": in("s1.t1", "s1.t2", "s2.t1"), "056/tableNamePattern=t_": in("s1.t1", "s1.t2", "s2.t1"), "056/table_name_pattern=_1": in("s1.t1", "s2.t1"),
			"056/tableNamePattern=%25": all, "056/tableNamePattern=": all, "056/tableNamePattern=T%25": {}, "056/tableNamePattern=t": {},
			"056/schemaNamePattern=s_": all, "056/schemaNamePattern=s2&tableNamePattern=t1": in("s2.t1"),
			"057/tableNamePattern=a_b": in("s1.a_b", "s1.axb"), "057/tableNamePattern=a%5C_b": in("s1.a_b"), "057/tableNamePattern=a.*": {}, "057/tableNamePattern=x-y@z": in("s2.x-y@z"),
		} {
			number, query, _ := strings.Cut(query, "/")
			a.run(number+"/"+query, func(a *api) {
				got, _ := names(a.ok("GET", list+"&"+query, ""), "tables", "fullName", "nextPageToken")
				a.same("tables", append([]string{}, got...), want)
			})
		}
		a.run("058/pages", func(a *api) {
			got, sizes := a.pagesOf(list, "tables", "fullName", 1)
			a.same("tables", got, all)
			a.same("sizes", sizes, []int{1, 1, 1, 1, 1, 1})
			got, _ = a.pagesOf(list+"&tableNamePattern=t%25", "tables", "fullName", 1)
			a.same("tables", got, in("s1.t1", "s1.t2", "s2.t1"))
		})
	})
}
