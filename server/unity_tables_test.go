package server_test

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestUnityTables(t *testing.T) {
	onEachStore(t, func(t *testing.T, a *api) {
		tables := unity + "/tables"
		create := func(a *api, edits ...edit) object {
			a.Helper()
			return a.ok("POST", tables, body(edited(unityTable(a.fresh()), edits...)))
		}
		bad := func(a *api, place string, edits ...edit) {
			a.Helper()
			a.fails("POST", tables, body(edited(unityTable(a.fresh()), edits...)), 400, invalid, place)
		}

		a.run("create", func(a *api) {
			v := create(a, put("x", "comment"), put(object{"k": "v"}, "properties"), put("new", "foo"))
			a.born(v, "table_id")
			a.has(v, object{
				"catalog_name": "c1", "schema_name": "s1", "table_type": "EXTERNAL", "data_source_format": "DELTA",
				"storage_location": "s3://bkt/" + v["name"].(string), "comment": "x", "properties": object{"k": "v"},
			})
			full := "c1.s1." + v["name"].(string)
			a.same("get", a.ok("GET", tables+"/"+full, ""), v)
			a.same("get, as some clients ask", a.ok("GET", tables+"/"+full+"?full_name="+full+"&read_streaming_table_as_managed=true", ""), v)
			a.same("get with %1F", a.ok("GET", tables+"/"+strings.ReplaceAll(full, ".", "%1F"), ""), v)
			a.fails("POST", tables, body(unityTable(v["name"].(string))), 409, "TABLE_ALREADY_EXISTS")
		})
		a.run("create, refused", func(a *api) {
			for _, k := range []string{"name", "catalog_name", "schema_name", "storage_location"} {
				bad(a, k, cut(k))
				bad(a, k, put("", k))
				bad(a, k, put(7, k))
			}
			for _, n := range badNames {
				bad(a, "name", put(n, "name"))
			}
			bad(a, "table_type", put("BOGUS", "table_type"))
			bad(a, "data_source_format", put("BOGUS", "data_source_format"))
			bad(a, "data_source_format", put("delta ", "data_source_format"))
			// The rules of locations are one for all faces, and so is their word for the field.
			bad(a, "location", put("s3://bucket", "storage_location"))
			bad(a, "location", put("s3a://b/p", "storage_location"))
			bad(a, "location", put("file:///managed/x", "storage_location"))
			bad(a, "location", put("s3://b/__unitystorage/x", "storage_location"))
			bad(a, "properties", put(object{"key": 1}, "properties"))
			a.fails("POST", tables, body(edited(unityTable("x"), put("nope", "catalog_name"))), 404, "CATALOG_NOT_FOUND")
			a.fails("POST", tables, body(edited(unityTable("x"), put("nope", "schema_name"))), 404, "SCHEMA_NOT_FOUND")
			bad(a, "delta.minReaderVersion", put("MANAGED", "table_type"))
		})
		a.run("create, by default", func(a *api) {
			v := create(a, cut("table_type"), cut("data_source_format"), cut("columns"))
			a.same("table_type", v["table_type"], "EXTERNAL")
			a.same("data_source_format", v["data_source_format"], "DELTA")
			a.same("columns", v["columns"], []any{})
			a.same("properties", v["properties"], object{})
			a.same("columns", create(a, put([]any{}, "columns"))["columns"], []any{})
			for _, format := range []string{"PARQUET", "CSV", "JSON", "ORC", "AVRO", "TEXT"} {
				a.same("data_source_format", create(a, put(format, "data_source_format"))["data_source_format"], format)
			}
			// Names of enums are taken in any case: a table of format "delta" is a Delta table.
			a.same("data_source_format", create(a, put("delta", "data_source_format"))["data_source_format"], "DELTA")
		})
		column := func(edits ...edit) edit {
			return put([]any{edited(object{"name": "x", "type_text": "bigint"}, edits...)}, "columns")
		}
		a.run("columns", func(a *api) {
			first := func(edits ...edit) any { return at(create(a, column(edits...)), "columns", 0) }
			a.same("type_text", at(first(put("BIGINT", "type_text")), "type_text"), "bigint")
			c := first(put(`"long"`, "type_json"))
			a.same("type_json", a.decode([]byte(at(c, "type_json").(string))), object{"name": "x", "type": "long", "nullable": true, "metadata": object{}})
			a.same("nullable", at(c, "nullable"), true)
			a.same("type_name", at(c, "type_name"), "LONG")
			a.same("nullable", at(first(put(false, "nullable")), "nullable"), false)
			a.same("comment", at(first(put("c", "comment")), "comment"), "c")
			list := create(a, put([]any{object{"name": "b", "type_text": "int"}, object{"name": "a", "type_text": "string"}}, "columns"))["columns"]
			a.same("position", []any{at(list, 0, "name"), at(list, 0, "position"), at(list, 1, "name"), at(list, 1, "position")}, []any{"b", 0, "a", 1})
			// Precision and scale may be left out, but not be wrong.
			for _, e := range []edit{put("decimal(10,2)", "type_text"), put(`{"name":"x","type":"decimal(10,2)","nullable":true,"metadata":{}}`, "type_json")} {
				d := first(cut("type_text"), e, put("DECIMAL", "type_name"))
				a.same("type_precision", at(d, "type_precision"), 10)
				a.same("type_scale", at(d, "type_scale"), 2)
			}
			bad(a, "columns[0]", column(put("decimal(10,2)", "type_text"), put(9, "type_precision"), put(2, "type_scale")))
			bad(a, "columns[0]", column(put("STRING", "type_name")))
			bad(a, "columns[0]", column(put(`"string"`, "type_json")))
			bad(a, "columns[0]", column(cut("type_text")))
			bad(a, "columns[0]", column(put("bigint>", "type_text")))
			bad(a, "columns[0]", column(put("{", "type_json")))
			bad(a, "columns[0]", column(put("", "name")))
			bad(a, "position", column(put("1.0", "position")))
			bad(a, "columns[1]", put([]any{object{"name": "a", "type_text": "int"}, object{"name": "A", "type_text": "int"}}, "columns"))
			bad(a, "partition", column(put(1, "partition_index")))
			bad(a, "partition", column(put(-1, "partition_index")))
			bad(a, "columns", put([]any{nil}, "columns"))
		})
		a.run("b41/types as deep as they are", func(a *api) {
			const field = `{"name":"x.y","type":{"type":"array","elementType":{"type":"struct","fields":[{"name":"a.b","type":"decimal(38,18)","nullable":true,"metadata":{}},{"name":"m` + "`" + `n","type":{"type":"map","keyType":"string","valueType":"timestamp_ntz","valueContainsNull":false},"nullable":false,"metadata":{"k":9007199254740993}}]},"containsNull":true},"nullable":true,"metadata":{}}`
			v := create(a, column(put("x.y", "name"), cut("type_text"), put(field, "type_json")))
			a.same("type_json", a.decode([]byte(at(v, "columns", 0, "type_json").(string))), json.RawMessage(field))
			a.same("type_text", at(v, "columns", 0, "type_text"), "array<struct<`a.b`:decimal(38,18),`m``n`:map<string,timestamp_ntz>>>")
			a.same("type_name", at(v, "columns", 0, "type_name"), "ARRAY")
			kebab := strings.NewReplacer("elementType", "element-type", "containsNull", "contains-null", "keyType", "key-type", "valueType", "value-type", "valueContainsNull", "value-contains-null")
			a.same("columns", metadata(a.ok("GET", t1+"/"+v["name"].(string), ""), "columns"), columns(json.RawMessage(kebab.Replace(field))))
		})
		for _, format := range []string{"PARQUET", "DELTA"} {
			a.run("b70/types that Delta does not have, in "+format, func(a *api) {
				for _, kind := range []string{"interval day to second", "void", "char(3)", "array<varchar(5)>"} {
					v := create(a, column(put(kind, "type_text")), put(format, "data_source_format"))
					name := v["name"].(string)
					a.same("type_text", at(a.ok("GET", tables+"/c1.s1."+name, ""), "columns", 0, "type_text"), kind)
					a.fails("GET", t1+"/"+name, "", 400, unsupported)
					a.ok("GET", tables+"?catalog_name=c1&schema_name=s1", "")
					a.ok("GET", t1, "")
				}
			})
		}
		a.run("get", func(a *api) {
			for _, n := range []string{"c1", "c1.s1", "c1.s1.", "%2E%2E", ".s1.t", "c1.s1.t.x"} {
				a.fails("GET", tables+"/"+n, "", 400, invalid)
				a.fails("DELETE", tables+"/"+n, "", 400, invalid)
			}
			a.fails("GET", tables+"/c1.s1.nope", "", 404, "TABLE_NOT_FOUND", "nope")
			a.fails("GET", tables+"/c1.no.t", "", 404, "SCHEMA_NOT_FOUND", "no")
			a.fails("GET", tables+"/no.s.t", "", 404, "CATALOG_NOT_FOUND", "no")
		})
		a.run("list", func(a *api) {
			a.ok("POST", unity+"/schemas", `{"name":"listed","catalog_name":"c1"}`)
			list := tables + "?catalog_name=c1&schema_name=listed"
			a.same("none", a.ok("GET", list, ""), object{"tables": []any{}})
			req := unityTable(a.fresh())
			v := a.ok("POST", tables, body(edited(req, put("listed", "schema_name"), put(object{"k": "v"}, "properties"))))
			a.ok("POST", delta+"/catalogs/c1/schemas/listed/staging-tables", `{"name":"staged"}`)
			a.same("one", a.ok("GET", list, ""), object{"tables": []any{v}})
			a.fails("GET", tables+"?catalog_name=c1", "", 400, invalid, "schema_name")
			a.fails("GET", tables+"?schema_name=s1", "", 400, invalid, "catalog_name")
			a.fails("GET", tables+"?catalog_name=c1&schema_name=nope", "", 404, "SCHEMA_NOT_FOUND")
			a.fails("GET", tables+"?catalog_name=nope&schema_name=s1", "", 404, "CATALOG_NOT_FOUND")
			a.fails("GET", list+"&omit_columns=x", "", 400, invalid, "omit_columns")
			a.same("without columns", at(a.ok("GET", list+"&omit_columns=True", ""), "tables", 0, "columns"), []any{})
			a.same("without properties", at(a.ok("GET", list+"&omit_properties=true", ""), "tables", 0, "properties"), object{})
		})
		a.run("of the Delta API", func(a *api) {
			m := a.table(put("c", "comment"))
			path := tables + "/c1.s1." + m.path[len(t1)+1:]
			v := a.ok("GET", path, "")
			a.has(v, object{
				"table_type": "MANAGED", "data_source_format": "DELTA", "comment": "c", "table_id": m.id, "storage_location": m.location,
				"properties": metadata(m.load(), "properties"), "updated_at": metadata(m.load(), "updated-time"),
			})
			m.do(setProperties(object{"a": "1"}))
			a.same("updated_at", a.ok("GET", path, "")["updated_at"], metadata(m.load(), "updated-time"))
			a.same("delete", a.ok("DELETE", path, ""), object{})
			a.fails("DELETE", path, "", 404, "TABLE_NOT_FOUND")
			a.fails("GET", m.path, "", 404, noTable)
		})
		a.run("temporary credentials", func(a *api) {
			m := a.table()
			for _, base := range []string{unity, strings.Replace(unity, "2.1", "2.0", 1)} {
				path := base + "/temporary-table-credentials"
				req := func(id, op any) string { return body(object{"table_id": id, "operation": op}) }
				v := a.ok("POST", path, req(strings.ToUpper(m.id), "READ_WRITE"))
				if u, _ := v["url"].(string); strings.TrimSuffix(u, "/") != m.location || v["expiration_time"] == nil || len(v) != 2 {
					a.Errorf("credentials are %v", v)
				}
				for _, op := range []any{"WRITE", "", nil} {
					a.fails("POST", path, req(m.id, op), 400, invalid, "operation")
				}
				for _, id := range []any{"zz", "", nil} {
					a.fails("POST", path, req(id, "READ"), 400, invalid, "table_id")
				}
				a.fails("POST", path, req(absentID, "READ"), 404, "TABLE_NOT_FOUND")
				a.fails("POST", path, req(a.stage(a.fresh())["table-id"], "READ"), 404, "TABLE_NOT_FOUND")
				a.fails("POST", path, req(a.external().id, "READ"), 501, "UNIMPLEMENTED")
			}
		})
	})
}
