package server_test

import (
	"strings"
	"testing"
)

func TestUpdateShape(t *testing.T) {
	onEachStore(t, func(t *testing.T, a *api) {
		m := a.table()
		uuid := object{"type": "assert-table-uuid", "uuid": m.id}
		set := setProperties(object{"a": "1"})
		// bad sends a request of these requirements and updates; undefined is left out.
		type undefined struct{}
		try := func(a *api, requirements, updates any, status int, codes, place string) {
			a.Helper()
			req := object{}
			if requirements != (undefined{}) {
				req["requirements"] = requirements
			}
			if updates != (undefined{}) {
				req["updates"] = updates
			}
			(&tab{a, m.id, m.location, m.path}).refusesBody(body(req), status, codes, place)
		}
		bad := func(a *api, requirements, updates any, place string) {
			a.Helper()
			try(a, requirements, updates, 400, badInput, place)
		}
		list := func(v ...any) *[]any { return &v }

		a.run("067/nothing", func(a *api) {
			bad(a, list(uuid), undefined{}, "updates")
			bad(a, list(uuid), nil, "updates")
			bad(a, list(uuid), list(), "updates")
			bad(a, list(uuid), &object{}, "updates")
			bad(a, undefined{}, list(set), "requirements")
			bad(a, nil, list(set), "requirements")
			bad(a, list(), list(set), "requirements")
			bad(a, list(etagIs("x")), list(set), "assert-table-uuid")
		})
		a.run("068/twice", func(a *api) {
			bad(a, list(uuid, uuid), list(set), "assert-table-uuid")
			bad(a, list(uuid, etagIs("x"), etagIs("x")), list(set), "assert-etag")
			bad(a, list(uuid), list(set, set), "set-properties")
			bad(a, list(uuid), list(addCommit(1, "f1"), addCommit(2, "f2")), "add-commit")
		})
		a.run("069/unknown", func(a *api) {
			bad(a, list(uuid), list(object{"action": "make-coffee"}), "make-coffee")
			bad(a, list(uuid), list(set, object{"action": "make-coffee"}), "make-coffee")
			bad(a, list(uuid), list(object{"action": "SET-PROPERTIES", "updates": object{}}), "SET-PROPERTIES")
			bad(a, list(uuid), list(object{}), "action")
			bad(a, list(uuid), list(object{"action": nil}), "action")
			bad(a, list(uuid), list(object{"action": 1}), "action")
			bad(a, list(uuid), list(set, nil), "updates[1]")
			bad(a, list(uuid), list("set-properties"), "updates[0]")
			bad(a, list(uuid, nil), list(set), "requirements[1]")
			bad(a, list(uuid, object{"type": "assert-luck"}), list(set), "assert-luck")
			bad(a, list(uuid, object{}), list(set), "type")
		})
		a.run("070/uuid", func(a *api) {
			of := func(v any) *[]any { return list(object{"type": "assert-table-uuid", "uuid": v}) }
			bad(a, list(object{"type": "assert-table-uuid"}), list(set), "uuid")
			for _, v := range []any{nil, "", "zz", 1, strings.ReplaceAll(m.id, "-", ""), "{" + m.id + "}", m.id + " "} {
				bad(a, of(v), list(set), "uuid")
			}
			try(a, of(absentID), list(set), 409, requirement, absentID)
			a.ok("POST", m.path, body(object{"requirements": of(strings.ToUpper(m.id)), "updates": list(set)}))
		})
		a.run("071/etag", func(a *api) {
			bad(a, list(uuid, object{"type": "assert-etag"}), list(set), "etag")
			bad(a, list(uuid, etagIs(nil)), list(set), "etag")
			bad(a, list(uuid, etagIs("")), list(set), "etag")
			bad(a, list(uuid, etagIs(1)), list(set), "etag")
			before := m.load()
			etag := metadata(before, "etag").(string)
			for _, v := range []string{"x", `"` + etag + `"`, "W/" + etag, "*", etag + " "} {
				try(a, list(uuid, etagIs(v)), list(set), 409, requirement, "assert-etag")
			}
			m.moved(before, a.ok("POST", m.path, m.with(etagIs(etag), set)))
			try(a, list(uuid, etagIs(etag)), list(set), 409, requirement, "assert-etag")
		})
		a.run("072/set and removed", func(a *api) {
			bad(a, list(uuid), list(set, removeProperties("b", "a")), "a")
			m := a.table(add("clustering", "protocol", "writer-features"))
			domain := setDomains(object{"delta.clustering": object{"clusteringColumns": []any{}}})
			m.refuses(400, badInput, domain, act("remove-domain-metadata", "domains", []any{"delta.clustering"}))
			m.do(domain, act("remove-domain-metadata", "domains", []any{"delta.rowTracking"}))
		})
		a.run("073/order", func(a *api) {
			a.fails("POST", t1+"/nope", `{"requirements":`, 400, badInput)
			a.fails("POST", t1+"/nope", `{"requirements":[],"updates":[]}`, 400, badInput)
			a.fails("POST", t1+"/nope", m.update(set), 404, noTable, "nope")
			try(a, list(object{"type": "assert-table-uuid", "uuid": absentID}, etagIs("x")), list(set), 409, requirement, "assert-table-uuid")
		})
		a.run("063/not Delta", func(a *api) {
			name := a.fresh()
			a.ok("POST", unity+"/tables", body(edited(unityTable(name), put("PARQUET", "data_source_format"))))
			path := t1 + "/" + name
			a.fails("GET", path, "", 400, unsupported)
			a.fails("POST", path, m.update(set), 409, requirement)
			id := a.ok("GET", unity+"/tables/c1.s1."+name, "")["table_id"].(string)
			a.fails("POST", path, (&tab{a, id, "", path}).update(set), 400, unsupported)
			a.ok("HEAD", path, "")
			a.ok("POST", path+"/rename", body(object{"new-name": name + "x"}))
			a.fails("GET", path+"x", "", 400, unsupported)
			a.ok("DELETE", path+"x", "")
		})
	})
}

func TestUpdateColumns(t *testing.T) {
	onEachStore(t, func(t *testing.T, a *api) {
		setColumns := func(fields ...any) object { return act("set-columns", "columns", columns(fields...)) }
		partitionBy := func(names ...any) object { return act("set-partition-columns", "partition-columns", names) }
		partitioned := put([]any{"id"}, "partition-columns")
		nobody := act("set-partition-columns", "partition-columns", []any{})
		is := func(a *api, v object, want ...string) {
			a.Helper()
			a.same("partition-columns", metadata(v, "partition-columns"), append([]string{}, want...))
		}

		a.run("077/partition column goes", func(a *api) {
			m := a.table(partitioned)
			m.refuses(400, badValue, setColumns(field("x", "long")))
			v := m.do(setColumns(field("x", "long")), nobody)
			is(a, v)
			a.same("columns", metadata(v, "columns"), columns(field("x", "long")))
		})
		a.run("077/partition column changes case", func(a *api) {
			m := a.table(partitioned)
			is(a, m.do(setColumns(field("amount", "long"), field("ID", "long"))), "ID")
		})
		a.run("078/absent", func(a *api) {
			for _, e := range []edit{partitioned, func(object) {}} {
				m := a.table(e)
				for _, name := range []string{"columns", "partition-columns"} {
					m.refusesBody(m.update(object{"action": "set-" + name}), 400, badInput, name)
					for _, v := range []any{nil, "id", 1, true} {
						m.refusesBody(m.update(act("set-"+name, name, v)), 400, badInput, name)
					}
				}
				m.refusesBody(m.update(setColumns()), 400, badInput, "fields")
				m.refusesBody(m.update(act("set-columns", "columns", object{"type": "struct"})), 400, badInput, "fields")
				m.refusesBody(m.update(setColumns(nil)), 400, badInput, "fields[0]")
				is(a, m.do(nobody))
			}
		})
		a.run("079/partition columns", func(a *api) {
			m := a.table()
			v := m.load()
			w := m.do(partitionBy("ID"))
			is(a, w, "id")
			m.moved(v, w)
			for _, names := range [][]any{{"zz"}, {"id", "ID"}, {"id", "id"}, {""}, {nil}, {1}} {
				m.refuses(400, badInput, partitionBy(names...))
			}
			is(a, m.do(partitionBy("amount", "ID")), "amount", "id")
			// They are looked up in the columns after the request, in whatever order.
			is(a, m.do(partitionBy("NEW"), setColumns(field("new", "long"))), "new")
			m.refuses(400, badValue, setColumns(field("id", "long")), partitionBy("new"))
		})
		a.run("040/columns that differ by case", func(a *api) {
			m := a.table()
			m.refuses(400, badValue, setColumns(field("id", "long"), field("ID", "long")))
			m.refuses(400, badValue, setColumns(field("s", columns(field("x", "long"), field("X", "long")))))
			v := m.do(setColumns(field("Id", "long"), field("sUb", columns(field("iD", "long")))))
			a.same("columns", metadata(v, "columns"), columns(field("Id", "long"), field("sUb", columns(field("iD", "long")))))
		})
		a.run("d08/column mapping", func(a *api) {
			mapped := func(name string, id any) object {
				f := field(name, "long")
				f["metadata"] = object{"delta.columnMapping.id": id, "delta.columnMapping.physicalName": "c" + name}
				return f
			}
			m := a.table()
			m.do(setColumns(field("a", "long"))) // not looked at while mapping is off
			on := setProperties(object{"delta.columnMapping.mode": "name"})
			m.refuses(400, badValue, on, setColumns(field("a", "long")))
			m.do(on) // the mode alone is accepted
			for _, fields := range [][]any{
				{field("a", "long")},
				{edited(mapped("a", 1), cut("metadata", "delta.columnMapping.physicalName"))},
				{edited(mapped("a", 1), cut("metadata", "delta.columnMapping.id"))},
				{mapped("a", 1), mapped("b", 1)},
				{edited(mapped("a", 1), put(columns(field("x", "long")), "type"))},
				{edited(mapped("a", 1), put(columns(mapped("x", 1)), "type"))},
				{edited(mapped("a", 1), put(array(columns(mapped("x", 1))), "type"))},
			} {
				m.refuses(400, badValue, setColumns(fields...))
			}
			m.do(setColumns(edited(mapped("a", 1), put(columns(mapped("x", 2)), "type")), mapped("b", 3)))
		})
	})
}

func array(element any) object {
	return object{"type": "array", "element-type": element, "contains-null": true}
}
