package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func mapOf(key, value any) object {
	return object{"type": "map", "key-type": key, "value-type": value, "value-contains-null": false}
}

func TestColumns(t *testing.T) {
	onEachStore(t, func(t *testing.T, a *api) {
		put := func(schema any) edit { return put(schema, "columns") }
		// same makes a table of columns, which must come back as they are, or as want.
		same := func(a *api, schema object, want ...object) {
			a.Helper()
			m := a.table(put(schema))
			a.same("columns", metadata(m.load(), "columns"), append(want, schema)[0])
		}
		bad := func(a *api, place string, schema any) {
			a.Helper()
			name := a.fresh()
			creation{"", put(schema), place, nil}.create(a, t1, createBody(name, a.stage(name)))
		}
		typed := func(kind any) object { return columns(field("x", kind)) }

		a.run("047/primitives", func(a *api) {
			for _, p := range strings.Fields("boolean byte short integer long float double date timestamp timestamp_ntz string binary variant") {
				same(a, typed(p))
				same(a, typed(array(p)))
			}
		})
		a.run("048/not of Delta", func(a *api) {
			for _, p := range []any{"int", "bigint", "LONG", "void", "null", "", " long", "interval day", "char(3)", "varchar(5)", "string collate x", "geometry",
				object{"type": "long"}, object{"type": "LIST"}, object{}, object{"type": nil}, object{"type": 1}, nil, 1, true, []any{}} {
				bad(a, "columns.fields[0].type", typed(p))
				bad(a, "element-type", typed(array(p)))
			}
		})
		a.run("049/decimals", func(a *api) {
			for _, d := range []any{"decimal(10,2)", "decimal(10, 2)", object{"type": "decimal", "precision": 10, "scale": 2}} {
				same(a, typed(d), typed("decimal(10,2)"))
			}
		})
		a.run("050/range of decimals", func(a *api) {
			same(a, typed("decimal(38,38)"))
			same(a, typed("decimal(0,0)"))
			for _, d := range []any{"decimal(39,0)", "decimal(5,6)", "decimal", "decimal(10)", "decimal()", "decimal( 10,2)", "decimal(10,2 )", "decimal(+10,2)", "decimal(10,-2)",
				"decimal(99999999999999999999,0)", "DECIMAL(1,0)", "decimal(1,0)x",
				object{"type": "decimal", "precision": 2, "scale": 3}, object{"type": "decimal", "precision": 10}, object{"type": "decimal", "scale": 1},
				object{"type": "decimal", "precision": "10", "scale": 2}, object{"type": "decimal", "precision": 10.5, "scale": 2}, object{"type": "decimal", "precision": -1, "scale": -1}} {
				bad(a, "columns.fields[0].type", typed(d))
			}
		})
		deep := mapOf("string", array(columns(field("a", columns(field("b", mapOf("long", "decimal(5,1)")))))))
		a.run("051/nested", func(a *api) {
			same(a, typed(deep))
			where := "columns.fields[0].type.value-type.element-type.fields[0].type"
			inner := func(kind any) object {
				return typed(mapOf("string", array(columns(field("a", kind)))))
			}
			for member, kind := range map[string]object{"element-type": array("long"), "contains-null": array("long"), "key-type": mapOf("long", "long"),
				"value-type": mapOf("long", "long"), "value-contains-null": mapOf("long", "long"), "fields": columns(field("x", "long"))} {
				bad(a, where+"."+member, inner(edited(kind, cut(member))))
				kind[member] = nil
				bad(a, where+"."+member, inner(kind))
			}
		})
		a.run("052/camelCase", func(a *api) {
			camel := strings.NewReplacer("element-type", "elementType", "value-contains-null", "valueContainsNull", "contains-null", "containsNull", "key-type", "keyType", "value-type", "valueType")
			same(a, typed(json.RawMessage(camel.Replace(body(deep)))), typed(deep))
			agreed, other := array("long"), array("long")
			agreed["elementType"] = "long"
			same(a, typed(agreed), typed(array("long")))
			other["elementType"] = "string"
			bad(a, "element-type", typed(other))
			other = array("long")
			other["containsNull"] = false
			bad(a, "contains-null", typed(other))
		})
		a.run("053/not a struct", func(a *api) {
			f := []any{field("x", "long")}
			bad(a, "columns.type", object{"fields": f})
			bad(a, "columns", object{"type": "array", "fields": f})
			bad(a, "columns", array("long"))
			bad(a, "columns.fields", columns())
			bad(a, "columns.fields", object{"type": "struct"})
			bad(a, "columns.fields[0].type.fields", typed(columns()))
			for _, v := range []any{"struct", 1, []any{}, "long"} {
				bad(a, "columns", v)
			}
		})
		a.run("054/fields", func(a *api) {
			for _, name := range []string{"name", "type", "nullable", "metadata"} {
				bad(a, "columns.fields[1]."+name, columns(field("a", "long"), edited(field("x", "long"), cut(name))))
				f := field("x", "long")
				f[name] = nil
				bad(a, "columns.fields[1]."+name, columns(field("a", "long"), f))
				f[name] = 7
				bad(a, "columns.fields[1]."+name, columns(field("a", "long"), f))
			}
			for _, name := range []string{"", " ", "\t"} {
				bad(a, "columns.fields[0].name", columns(field(name, "long")))
			}
			bad(a, "columns.fields[1]", columns(field("a", "long"), nil))
			bad(a, "columns.fields[0]", columns("a"))
		})
		a.run("055/names that are the same", func(a *api) {
			bad(a, "columns.fields[1].name", columns(field("a", "long"), field("A", "long")))
			bad(a, "columns.fields[0].type.fields[1].name", typed(columns(field("a", "long"), field("A", "long"))))
			same(a, columns(field("a", columns(field("a", "long"), field("b", "long"))), field("b", "long")))
			same(a, columns(field("É", "long"), field("é", "long"), field("ſ", "long"), field("s", "long")))
		})
		a.run("056/names", func(a *api) {
			same(a, columns(field("a.b", "long"), field("a/b", "long"), field("`q`", "long"), field("日本", "long"), field("😀", "long"),
				field(" x ", "long"), field("<&>", "long"), field("\x00", "long"), field(strings.Repeat("n", 5000), "long")))
		})
		a.run("057/metadata", func(a *api) {
			f := field("x", "long")
			f["metadata"] = object{
				"delta.columnMapping.id": json.Number("9007199254740993"), "delta.columnMapping.nested.ids": object{"x.element": 2},
				"delta.typeChanges":   []any{object{"fromType": "short", "toType": "long"}},
				"delta.identity.step": json.Number("-9223372036854775808"), "huge": json.Number("123456789012345678901234567890.5e-3"),
				"null": nil, "true": true, "delta.generationExpression": "a < b && c > 'é'", "deep": []any{[]any{object{"a": []any{}}}}, "": "", "comment": "c",
			}
			same(a, columns(f))
		})
		a.run("058/many", func(a *api) {
			for _, n := range []int{3000, 32_768} {
				fields := make([]any, n)
				for i := range fields {
					fields[i] = field(fmt.Sprint("c", i), "long")
				}
				name := a.fresh()
				staged := a.stage(name)
				// Not decoded: that would take longer than the answer does.
				shows := func(method, path, request, first string) {
					a.Helper()
					status, data, _ := a.call(method, path, request)
					if got := bytes.Count(data, []byte(`"name":`)); status != 200 || got != n || !bytes.Contains(data, []byte(`[{"name":"`+first+`"`)) {
						a.Errorf("%s: %d with %d columns, want %d: %.300s", method, status, got, n, data)
					}
				}
				shows("POST", t1, body(edited(createBody(name, staged), put(columns(fields...)))), "c0")
				fields[0] = field("first", "string")
				m := &tab{a, staged["table-id"].(string), "", t1 + "/" + name}
				shows("POST", m.path, m.update(act("set-columns", "columns", columns(fields...))), "first")
				shows("GET", m.path, "", "first")
			}
		})
		a.run("058/deep", func(a *api) {
			arrays := func(n int) json.RawMessage {
				return json.RawMessage(strings.Repeat(`{"type":"array","contains-null":true,"element-type":`, n) + `"long"` + strings.Repeat("}", n))
			}
			same(a, typed(arrays(600)))
			bad(a, "deep", typed(arrays(2000)))
			name := a.fresh() // encoding/json cannot write what is nested so deep
			req := body(edited(createBody(name, a.stage(name)), put(typed("deepest"))))
			a.fails("POST", t1, strings.Replace(req, `"deepest"`, string(arrays(100_000)), 1), 400, badInput)
		})
		a.run("059/in the Unity Catalog REST API", func(a *api) {
			commented := field("c", "long")
			commented["metadata"] = object{"comment": "says <it>"}
			commented["nullable"] = false
			m := a.table(put(columns(commented, field("s", "short"), field("d", "decimal(10,2)"), field("x.y", array("long")), field("st", columns(field("a", "integer"))),
				field("m", mapOf("string", columns(field("a.b", "timestamp_ntz")))), field("b", "byte"), field("v", "variant"))))
			m.do(act("set-partition-columns", "partition-columns", []any{"s", "c"}))
			got := a.ok("GET", unity+"/tables/c1.s1."+m.path[len(t1)+1:], "")["columns"].([]any)
			for i, want := range []object{
				{"type_name": "LONG", "type_text": "bigint", "comment": "says <it>", "nullable": false, "partition_index": json.Number("1")},
				{"type_name": "SHORT", "type_text": "smallint", "nullable": true, "partition_index": json.Number("0")},
				{"type_name": "DECIMAL", "type_text": "decimal(10,2)", "type_precision": json.Number("10"), "type_scale": json.Number("2"), "partition_index": nil},
				{"type_name": "ARRAY", "type_text": "array<bigint>", "name": "x.y", "comment": nil},
				{"type_name": "STRUCT", "type_text": "struct<a:int>"},
				{"type_name": "MAP", "type_text": "map<string,struct<`a.b`:timestamp_ntz>>"},
				{"type_name": "BYTE", "type_text": "tinyint"},
				{"type_name": "VARIANT", "type_text": "variant"},
			} {
				c := got[i].(object)
				want["position"] = json.Number(fmt.Sprint(i))
				for k, v := range want {
					if c[k] != v {
						a.Errorf("column %v: %s is %v, want %v", c["name"], k, c[k], v)
					}
				}
			}
			a.same("type_json", a.decode([]byte(at(got, 3, "type_json").(string))), object{
				"name": "x.y", "type": object{"type": "array", "elementType": "long", "containsNull": true}, "nullable": true, "metadata": object{},
			})
			a.same("type_json", at(a.decode([]byte(at(got, 0, "type_json").(string))), "metadata", "comment"), "says <it>")
		})
	})
}
