package server_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/leveelake/catalog/storage"
)

// A fixture is a catalog with objects of every kind, for requests that must leave them alone.
type fixture struct {
	*api
	store storage.Store
	goods map[string]good
	known map[string]string // by the name that stands for it behind a $
}

const (
	commits     = unity + "/delta/preview/commits"
	unityTables = unity + "/tables"
	mapping     = "delta.columnMapping.mode"
)

// newFixture makes the fixture. Its managed tables are m (two commits), full (ten
// commits), ice (UniForm), mapped (column mapping) and older (of the classic API); the external
// ones x (partitioned), y (local), parquet, and foreign (a column of no Delta type).
func newFixture(t *testing.T, store storage.Store) *fixture {
	a := newAPI(t, store)
	f := &fixture{api: a, store: store, known: map[string]string{
		"T": t1, "S": s1, "D": delta, "U": unity, "P": commits, "absent": absentID, "long": strings.Repeat("n", 256), "commit": body(addCommit(3, "f3")), "path": "s3://bkt/" + strings.Repeat("p", 2040),
	}}
	a.ok("POST", unity+"/catalogs", `{"name":"rooted","storage_root":"s3://roots/r"}`)
	a.ok("POST", unity+"/schemas", `{"name":"s2","catalog_name":"c1"}`)
	tables := map[string]*tab{}
	know := func(name string, m *tab) *tab {
		tables[name] = m
		f.known[name], f.known["at_"+name] = m.id, m.location
		return m
	}
	features := both(add("clustering", "protocol", "writer-features"), add("rowTracking", "protocol", "writer-features"))
	m := know("m", a.managed("m", features))
	m.commit(1, "f1", setProperties(object{"k": "v"}))
	m.commit(2, "f2")
	full := know("full", a.managed("full", nil))
	for v := range int64(10) {
		full.commit(v+1, fmt.Sprint("f", v+1))
	}
	ice := know("ice", a.managed("ice", func(req object) {
		put("iceberg", "properties", formats)(req)
		put(uniform(req["location"].(string)+"/m0.json", 0), "uniform")(req)
	}))
	ice.do(ice.converted(1))
	known := field("id", "long")
	known["metadata"] = object{"delta.columnMapping.id": 1, "delta.columnMapping.physicalName": "p"}
	mapped := know("mapped", a.managed("mapped", both(put("name", "properties", mapping), put(columns(known), "columns"))))
	x := know("x", a.externalNamed("x", put([]any{"id"}, "partition-columns")))
	y := know("y", a.externalNamed("y", put("file:///y", "location")))
	for name, edits := range map[string]edit{
		"parquet": put("PARQUET", "data_source_format"),
		"foreign": put([]any{object{"name": "i", "type_text": "interval day", "position": 0}}, "columns"),
	} {
		v := a.ok("POST", unityTables, body(edited(unityTable(name), edits)))
		f.known[name], f.known["at_"+name] = v["table_id"].(string), v["storage_location"].(string)
	}
	staged := func(name, path string) object {
		v := a.ok("POST", path+"/staging-tables", `{"name":"staged"}`)
		f.known[name], f.known["at_"+name] = v["table-id"].(string), v["location"].(string)
		return v
	}
	older := a.ok("POST", unityTables, body(f.classic("older", staged("older", s1))))
	f.known["older"] = older["table_id"].(string)
	gone := know("gone", a.managed("gone", nil))
	a.ok("DELETE", gone.path, "")
	create := createBody("new", staged("staged", s1))
	staged("elsewhere", delta+"/catalogs/c1/schemas/s2")
	create["comment"], create["partition-columns"] = "c", []any{"id"}
	create["domain-metadata"] = object{"delta.clustering": object{"clusteringColumns": []any{[]any{"id"}}}, "delta.rowTracking": object{"rowIdHighWaterMark": 1}}
	features(create)
	create["columns"] = columns(field("id", "long"), field("deep", mapOf("string", array(columns(field("x", "decimal(5,1)"))))), field("d", object{"type": "decimal", "precision": 5, "scale": 1}))
	update := func(t *tab, actions ...object) object { return a.decode([]byte(t.update(actions...))) }
	column := object{"name": "x", "type_text": "decimal(5,1)", "type_json": `"decimal(5,1)"`, "type_name": "DECIMAL", "type_precision": 5, "type_scale": 1, "position": 0, "nullable": true, "partition_index": 0}
	commit := object{"version": 3, "timestamp": 3, "file_name": "f3", "file_size": 1, "file_modification_timestamp": 1}
	f.goods = map[string]good{
		"staging":  {"POST", s1 + "/staging-tables", object{"name": "new-s"}},
		"create":   {"POST", t1, create},
		"external": {"POST", t1, externalBody("new-x")},
		"update":   {"POST", m.path, update(m, setComment("c"))},
		"full":     {"POST", full.path, update(full, addCommit(11, "f11"), backfill(1))},
		"ice":      {"POST", ice.path, update(ice, ice.converted(2))},
		"mapped":   {"POST", mapped.path, update(mapped, act("set-columns", "columns", columns(known)))},
		"update x": {"POST", x.path, update(x, object{"action": "update-metadata-snapshot-version", "last-commit-version": 1, "last-commit-timestamp-ms": 1})},
		"rename":   {"POST", y.path + "/rename", object{"new-name": "new-y"}},
		"metrics": {"POST", m.path + "/metrics", object{"table-id": m.id, "report": object{"commit-report": object{
			"num-files-added": 1, "num-rows-updated": 1, "file-size-histogram": object{"sorted-bin-boundaries": []any{0, 1}, "file-counts": []any{1, 1}, "total-bytes": []any{1, 1}, "commit-version": 1},
		}}}},
		"catalogs":      {"POST", unity + "/catalogs", object{"name": "new", "comment": "c", "properties": object{"k": "v"}, "storage_root": "s3://roots/new"}},
		"schemas":       {"POST", unity + "/schemas", object{"name": "new", "catalog_name": "c1", "comment": "c", "properties": object{"k": "v"}, "storage_root": "s3://roots/new"}},
		"unity staging": {"POST", unity + "/staging-tables", object{"name": "new-c", "catalog_name": "c1", "schema_name": "s1"}},
		"unity table":   {"POST", unityTables, edited(unityTable("new-u"), put(object{"k": "v"}, "properties"), put([]any{column}, "columns"))},
		"unity managed": {"POST", unityTables, f.classic("new-o", staged("open", s1))},
		"credentials":   {"POST", unity + "/temporary-table-credentials", object{"table_id": y.id, "operation": "READ"}},
		"commit": {"POST", commits, object{
			"table_id": m.id, "table_uri": m.location, "commit_info": commit, "latest_backfilled_version": 1,
			"metadata": object{"description": "d", "properties": object{"properties": metadata(m.load(), "properties")}},
		}},
		"commits": {"GET", commits, object{"table_id": m.id, "table_uri": m.location, "start_version": 0, "end_version": 2}},
	}
	return f
}

const propertyID = "io.unitycatalog.tableId"

// classic is a create request of the classic API for a managed table.
func (f *fixture) classic(name string, staged object) object {
	properties := object{propertyID: staged["table-id"], "delta.minReaderVersion": "3", "delta.minWriterVersion": "7"}
	for _, feature := range []string{"catalogManaged", "inCommitTimestamp", "vacuumProtocolCheck"} {
		properties["delta.feature."+feature] = "supported"
	}
	return edited(unityTable(name), put("MANAGED", "table_type"), put(staged["location"], "storage_location"), put(properties, "properties"))
}

// externalNamed is external for a table of this name.
func (a *api) externalNamed(name string, edits ...edit) *tab {
	a.Helper()
	v := a.ok("POST", t1, body(edited(externalBody(name), edits...)))
	return &tab{a, at(v, "metadata", "table-uuid").(string), at(v, "metadata", "location").(string), t1 + "/" + name}
}
