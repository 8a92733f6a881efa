package server_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

const unityStaging = unity + "/staging-tables"

// unityStage reserves a managed table as clients of the commits API do.
func (a *api) unityStage(name string) object {
	a.Helper()
	return a.ok("POST", unityStaging, body(object{"name": name, "catalog_name": "c1", "schema_name": "s1"}))
}

// previewTable is a create request for a staged table with no more than is demanded of it.
func previewTable(staged object, edits ...edit) object {
	return edited(object{
		"name": staged["name"], "catalog_name": staged["catalog_name"], "schema_name": staged["schema_name"], "table_type": "MANAGED", "data_source_format": "DELTA",
		"storage_location": staged["staging_location"], "columns": []any{column("id", "bigint")},
		"properties": object{
			"delta.minReaderVersion": "3", "delta.minWriterVersion": "7", "delta.lastUpdateVersion": "0", "delta.lastCommitTimestamp": "1000",
			"delta.feature.catalogManaged": "supported", "delta.feature.inCommitTimestamp": "supported", "delta.feature.vacuumProtocolCheck": "supported",
			"io.unitycatalog.tableId": staged["id"],
		},
	}, edits...)
}

// previewed makes a table as clients of the commits API do.
func (a *api) previewed(edits ...edit) *tab {
	a.Helper()
	staged := a.unityStage(a.fresh())
	v := a.ok("POST", unity+"/tables", body(previewTable(staged, edits...)))
	return &tab{a, v["table_id"].(string), v["storage_location"].(string), t1 + "/" + v["name"].(string)}
}

func withProperty(key, value string) edit { return put(value, "properties", key) }

func feature(name string) edit { return withProperty("delta.feature."+name, "supported") }

// protocolOf is an action that sets these writer features, and those among them that readers must know.
func protocolOf(features ...any) object {
	reader := slices.DeleteFunc(slices.Clone(features), func(f any) bool { return f == "inCommitTimestamp" || f == "rowTracking" })
	return act("set-protocol", "protocol", object{"min-reader-version": 3, "min-writer-version": 7, "reader-features": reader, "writer-features": features})
}

func TestPreviewStaging(t *testing.T) {
	onEachStore(t, func(t *testing.T, a *api) {
		bad := func(status int, code, place string, edits ...edit) {
			t.Helper()
			a.fails("POST", unityStaging, body(edited(object{"name": "x", "catalog_name": "c1", "schema_name": "s1"}, edits...)), status, code, place)
		}
		a.run("007/answer", func(a *api) {
			name := a.fresh()
			v, w := a.unityStage(name), a.unityStage(name)
			id, _ := v["id"].(string)
			if !uuidForm.MatchString(id) || w["id"] == id || w["staging_location"] == v["staging_location"] {
				a.Errorf("two answers: %v, %v", v, w)
			}
			a.same("answer", v, object{"id": id, "name": name, "catalog_name": "c1", "schema_name": "s1", "staging_location": "file:///managed/__unitystorage/tables/" + id})
			a.vended(a.ok("GET", delta+"/staging-tables/"+id+"/credentials", ""), v["staging_location"], "READ_WRITE")
			a.fails("GET", t1+"/"+name, "", 404, noTable)
			a.ok("POST", unityStaging, body(object{"name": a.fresh(), "catalog_name": "c1", "schema_name": "s1", "new": "x"}))
		})
		a.run("012/refused", func(a *api) {
			for _, k := range []string{"name", "catalog_name", "schema_name"} {
				for _, e := range []edit{cut(k), put(nil, k), put("", k), put(7, k)} {
					bad(400, invalid, k, e)
				}
			}
			for _, n := range badNames {
				bad(400, invalid, "name", put(n, "name"))
			}
			for _, b := range []string{"", "null", "[]", "{", `{"name":"x"}x`} {
				a.fails("POST", unityStaging, b, 400, invalid)
			}
			bad(404, "CATALOG_NOT_FOUND", "nope", put("nope", "catalog_name"))
			bad(404, "SCHEMA_NOT_FOUND", "nope", put("nope", "schema_name"))
			m := a.table()
			bad(409, "TABLE_ALREADY_EXISTS", "", put(m.path[len(t1)+1:], "name"))
		})
	})
}

func TestPreviewCreate(t *testing.T) {
	tables := unity + "/tables"
	onEachStore(t, func(t *testing.T, a *api) {
		bad := func(a *api, place string, edits ...edit) {
			a.Helper()
			a.fails("POST", tables, body(previewTable(a.unityStage(a.fresh()), edits...)), 400, invalid, place)
		}
		a.run("019/answer", func(a *api) {
			staged := a.unityStage(a.fresh())
			req := previewTable(staged, put("c", "comment"), withProperty("k", "v"), feature("deletionVectors"))
			v := a.ok("POST", tables, body(req))
			a.has(v, object{
				"name": staged["name"], "table_id": staged["id"], "table_type": "MANAGED", "data_source_format": "DELTA", "catalog_name": "c1", "schema_name": "s1",
				"storage_location": staged["staging_location"], "comment": "c", "properties": req["properties"],
			})
			a.same("get", a.ok("GET", tables+"/c1.s1."+staged["name"].(string), ""), v)
			w := a.ok("GET", t1+"/"+staged["name"].(string), "")
			a.has(w, object{"commits": []any{}, "latest-table-version": 0})
			a.has(w["metadata"].(object), object{
				"table-uuid": staged["id"], "table-type": "MANAGED", "last-commit-version": 0, "last-commit-timestamp-ms": 1000, "properties": req["properties"],
				"columns": columns(field("id", "long")), "partition-columns": []any{},
			})
		})
		a.run("d7/contract", func(a *api) {
			for _, f := range []string{"catalogManaged", "vacuumProtocolCheck", "inCommitTimestamp"} {
				bad(a, f, cut("properties", "delta.feature."+f))
			}
			const id = "io.unitycatalog.tableId"
			for _, e := range []edit{cut("properties", id), withProperty(id, ""), withProperty(id, absentID)} {
				bad(a, id, e)
			}
			bad(a, id, func(req object) { withProperty(id, strings.ToUpper(at(req, "properties", id).(string)))(req) })
			for k, low := range map[string]string{"delta.minReaderVersion": "2", "delta.minWriterVersion": "6"} {
				for _, e := range []edit{cut("properties", k), withProperty(k, "x"), withProperty(k, ""), withProperty(k, "-1"), withProperty(k, "3.0"), withProperty(k, "4294967299")} {
					bad(a, k, e)
				}
				bad(a, "", withProperty(k, low))
			}
			for _, v := range []string{"", "x", "-1", "1.5", "9223372036854775808"} {
				bad(a, "", withProperty("delta.lastCommitTimestamp", v))
			}
			bad(a, "", feature(""))
			for _, e := range []edit{cut("properties"), put(nil, "properties"), put(object{}, "properties")} {
				bad(a, "", e)
			}
		})
		a.run("d7/not of the contract", func(a *api) {
			p := func(m *tab) object { return metadata(m.load(), "properties").(object) }
			m := a.previewed()
			for k := range p(m) {
				if strings.HasPrefix(k, "delta.feature.") && !slices.Contains([]string{"catalogManaged", "vacuumProtocolCheck", "inCommitTimestamp"}, strings.TrimPrefix(k, "delta.feature.")) {
					a.Errorf("the table has %s", k)
				}
			}
			m = a.previewed(feature("deletionVectors"), feature("appendOnly"), feature("somethingNew"), withProperty("delta.enableDeletionVectors", "true"))
			for _, f := range []string{"deletionVectors", "appendOnly", "somethingNew", "catalogManaged"} {
				a.same(f, p(m)["delta.feature."+f], "supported")
			}
			m = a.previewed(withProperty("delta.minReaderVersion", "4"), withProperty("delta.lastUpdateVersion", "17"), cut("data_source_format"))
			a.has(p(m), object{"delta.minReaderVersion": "4", "delta.lastUpdateVersion": "0"})
			m = a.previewed(cut("properties", "delta.lastUpdateVersion"), cut("properties", "delta.lastCommitTimestamp"))
			a.same("commits", m.previews(withInfo(1, "f1"), describe("c"))["latest-table-version"], 1)
			a.same("last-commit-version", metadata(m.load(), "last-commit-version"), 1)
		})
		a.run("d7/what it has stays", func(a *api) {
			m := a.previewed(feature("deletionVectors"), feature("appendOnly"), withProperty("delta.enableInCommitTimestamps", "true"))
			has := []any{"catalogManaged", "deletionVectors", "inCommitTimestamp", "vacuumProtocolCheck"}
			for i, f := range has {
				m.refusesBody(m.update(protocolOf(slices.Delete(slices.Clone(has), i, i+1)...)), 400, badValue, f.(string))
			}
			low := protocolOf(has...)
			put(2, "protocol", "min-reader-version")(low)
			m.refuses(400, badValue, low)
			m.refusesBody(m.update(setProperties(object{"delta.enableInCommitTimestamps": "false"})), 400, badValue, "delta.enableInCommitTimestamps")
			m.refusesBody(m.update(removeProperties("io.unitycatalog.tableId")), 400, badValue, "io.unitycatalog.tableId")
			m.refusesPreview(400, invalid, "delta.enableInCommitTimestamps", withInfo(1, "f1"), m.withProperties(cut("delta.enableInCommitTimestamps")))
			m.do(protocolOf(has...)) // the contract says nothing of appendOnly
			a.same("appendOnly", property(m.load(), "delta.feature.appendOnly"), nil)
		})
		a.run("d7/what it never had is not demanded", func(a *api) {
			m := a.previewed()
			m.do(setProperties(object{"a": "1"}))
			m.do(setComment("c"))
			m.do(act("set-columns", "columns", columns(field("x", "long"))))
			m.do(protocolOf("catalogManaged", "inCommitTimestamp", "vacuumProtocolCheck", "rowTracking"))
			m.do(rowTracking(5))
			m.do(setProperties(object{"delta.enableDeletionVectors": "false", "delta.checkpointPolicy": "classic"}))
			m.commit(1, "f1", setProperties(object{"b": "1"}))
			m.previews(withInfo(2, "f2"), m.withProperties(cut("a"), cut("delta.enableDeletionVectors")))
			// What it gets it has.
			m.do(setProperties(object{"delta.checkpointPolicy": "v2"}))
			m.refusesBody(m.update(removeProperties("delta.checkpointPolicy")), 400, badValue, "delta.checkpointPolicy")
		})
		a.run("d7/of the Delta API all is demanded", func(a *api) {
			staged := a.unityStage(a.fresh())
			req := createBody(a.fresh(), a.stage(a.fresh()))
			req["location"] = staged["staging_location"]
			put(staged["id"], "properties", "io.unitycatalog.tableId")(req)
			less := edited(a.decode([]byte(body(req))), drop("v2Checkpoint", "protocol", "reader-features"), drop("v2Checkpoint", "protocol", "writer-features"))
			a.fails("POST", t1, body(less), 400, badValue, "v2Checkpoint")
			a.ok("POST", t1, body(req)) // where it was staged does not matter
			delta := a.stage(a.fresh())
			other := object{"name": a.fresh(), "catalog_name": "c1", "schema_name": "s1", "id": delta["table-id"], "staging_location": delta["location"]}
			a.ok("POST", tables, body(previewTable(other)))
		})
		a.run("021/twice", func(a *api) {
			staged := a.unityStage(a.fresh())
			req := previewTable(staged)
			a.ok("POST", tables, body(req))
			a.fails("POST", tables, body(req), 409, "TABLE_ALREADY_EXISTS", staged["name"].(string))
			a.fails("POST", tables, body(edited(maps.Clone(req), put(a.fresh(), "name"))), 400, precondition, "location")
			a.fails("POST", unityStaging, body(object{"name": staged["name"], "catalog_name": "c1", "schema_name": "s1"}), 409, "TABLE_ALREADY_EXISTS")
		})
		a.run("022/place", func(a *api) {
			a.ok("POST", unity+"/schemas", `{"name":"other","catalog_name":"c1"}`)
			bad(a, "another schema", put("other", "schema_name"))
			bad(a, "storage_location", cut("storage_location"))
			bad(a, "storage_location", put("", "storage_location"))
			bad(a, "location", put("relative", "storage_location"))
			bad(a, "location", put("s3a://bkt/x", "storage_location"))
			unstaged := previewTable(a.unityStage(a.fresh()), put("file:///managed/__unitystorage/tables/"+absentID, "storage_location"))
			a.fails("POST", tables, body(unstaged), 404, "TABLE_NOT_FOUND", absentID)
			for _, form := range []func(string) string{
				func(l string) string { return l + "/" },
				func(l string) string { return strings.Replace(l, "file://", "file:", 1) },
				func(l string) string { return strings.TrimPrefix(l, "file://") },
			} {
				staged := a.unityStage(a.fresh())
				v := a.ok("POST", tables, body(previewTable(staged, put(form(staged["staging_location"].(string)), "storage_location"))))
				a.same("storage_location", v["storage_location"], staged["staging_location"])
			}
			staged := a.unityStage(a.fresh())
			name := a.fresh()
			a.same("name", a.ok("POST", tables, body(previewTable(staged, put(name, "name"))))["name"], name)
		})
		a.run("024/other fields", func(a *api) {
			bad(a, "columns", cut("columns"))
			bad(a, "columns", put([]any{}, "columns"))
			bad(a, "columns", put([]any{column("x", "interval day to second")}, "columns"))
			bad(a, "data_source_format", put("PARQUET", "data_source_format"))
			a.fails("POST", tables, body(previewTable(a.unityStage(a.fresh()), put("VIEW", "table_type"))), 501, "UNIMPLEMENTED", "VIEW")
			a.fails("POST", tables, body(previewTable(a.unityStage(a.fresh()), put("nope", "catalog_name"))), 404, "CATALOG_NOT_FOUND")
			a.fails("POST", tables, body(previewTable(a.unityStage(a.fresh()), put("nope", "schema_name"))), 404, "SCHEMA_NOT_FOUND")
			// What needs no look at the catalog is said first.
			a.fails("POST", tables, body(previewTable(a.unityStage(a.fresh()), put("nope", "catalog_name"), cut("properties", "delta.feature.catalogManaged"))), 400, invalid, "catalogManaged")
			m := a.previewed(put([]any{column("x", "int", placed(0, 1)), column("y", "int", placed(1, 0)), column("z", "int", put(2, "position"))}, "columns"))
			a.same("partition-columns", metadata(m.load(), "partition-columns"), []any{"y", "x"})
		})
		a.run("124/life", func(a *api) {
			m := a.previewed()
			a.same("seen", m.asks(), " of 0")
			m.shows(m.previews(withInfo(1, "f1")), "1 of 1")
			m.shows(m.commit(2, "f2", backfill(1)), "2 of 2")
			a.same("seen", m.asks(), "2 of 2")
			a.ok("DELETE", tables+"/c1.s1."+m.path[len(t1)+1:], "")
			a.fails("GET", preview, m.preview(put(0, "start_version")), 404, "TABLE_NOT_FOUND", m.id)
		})
		a.run("109/race", func(a *api) {
			staged := a.unityStage(a.fresh())
			got := a.parallel(8, func(int) (string, string, string) { return "POST", tables, body(previewTable(staged)) })
			if got["200"] != 1 || got["409 TABLE_ALREADY_EXISTS"] != 7 {
				a.Errorf("answers are %v", got)
			}
		})
	})
}
