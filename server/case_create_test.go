package server_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// A creation is a row of a test of createTable: edits of a valid request, and what must
// come of it.
type creation struct {
	name  string
	edit  edit
	place string         // what the message of a refusal names; "" for one that is welcome
	want  map[string]any // properties of the new table; nil for one that must be absent
}

// create sends a request of the row; a table that was refused must not be there.
func (c creation) create(a *api, path string, req object) {
	a.Helper()
	if c.edit != nil {
		c.edit(req)
	}
	table, _ := req["name"].(string)
	if c.place != "" {
		a.fails("POST", path, body(req), 400, badInput, c.place)
		if checkable := table != "" && len(table) < 100 && !strings.Contains(table, "."); checkable {
			a.fails("GET", path+"/"+table, "", 404, noTable)
		}
		return
	}
	v := a.ok("POST", path, body(req))
	a.same("load", a.ok("GET", path+"/"+table, ""), v)
	for k, want := range c.want {
		a.same(k, property(v, k), want)
	}
}

func createManaged(t *testing.T, cases []creation) {
	t.Helper()
	onEachStore(t, func(t *testing.T, a *api) {
		for _, c := range cases {
			a.run(c.name, func(a *api) {
				name := a.fresh()
				c.create(a, t1, createBody(name, a.stage(name)))
			})
		}
	})
}

func TestCreateManaged(t *testing.T) {
	const id = "io.unitycatalog.tableId"
	cases := []creation{
		{"026/view", put("VIEW", "table-type"), "table-type", nil},
		{"026/lower case", put("managed", "table-type"), "table-type", nil},
		{"027/reader 2", put(2, "protocol", "min-reader-version"), "min-reader-version", nil},
		{"027/writer 6", put(6, "protocol", "min-writer-version"), "min-writer-version", nil},
		{"027/higher", both(put(4, "protocol", "min-reader-version"), put(8, "protocol", "min-writer-version")), "", object{"delta.minReaderVersion": "4", "delta.minWriterVersion": "8"}},
		{"027/no writer", cut("protocol", "min-writer-version"), "protocol.min-writer-version", nil},
		{"027/no reader", cut("protocol", "min-reader-version"), "protocol.min-reader-version", nil},
		{"028/no reader features", cut("protocol", "reader-features"), "deletionVectors", nil},
		{"029/reader only", add("x", "protocol", "reader-features"), "x", nil},
		{"029/writer only", add("x", "protocol", "writer-features"), "", object{"delta.feature.x": "supported"}},
		{"029/twice", both(add("deletionVectors", "protocol", "reader-features"), add("deletionVectors", "protocol", "writer-features")), "", nil},
		{"029/blank", add(" ", "protocol", "writer-features"), "writer-features", nil},
		{"029/null", add(nil, "protocol", "writer-features"), "writer-features", nil},
		{"030/upper case", put("TRUE", "properties", "delta.enableDeletionVectors"), "delta.enableDeletionVectors", nil},
		{"030/classic", put("classic", "properties", "delta.checkpointPolicy"), "delta.checkpointPolicy", nil},
		{"031/no id", cut("properties", id), id, nil},
		{"031/empty id", put("", "properties", id), id, nil},
		{"031/another id", put(absentID, "properties", id), id, nil},
		{"031/upper case", func(v object) {
			put(strings.ToUpper(property(object{"metadata": v}, id).(string)), "properties", id)(v)
		}, id, nil},
		{"032/derived", func(v object) {
			for k, x := range map[string]string{
				"delta.lastUpdateVersion": "77", "delta.minReaderVersion": "9", "delta.feature.catalogManaged": "x",
				"delta.feature.other": "supported", "clusteringColumns": "x", "delta.rowTracking.rowIdHighWaterMark": "1",
			} {
				put(x, "properties", k)(v)
			}
		}, "", object{
			"delta.lastUpdateVersion": "0", "delta.minReaderVersion": "3", "delta.feature.catalogManaged": "supported",
			"delta.feature.other": nil, "clusteringColumns": nil, "delta.rowTracking.rowIdHighWaterMark": nil,
		}},
		{"033/null", put(nil, "properties", "key"), "key", nil},
		{"033/number", put(1, "properties", "key"), "key", nil},
		{"033/object", put(object{}, "properties", "key"), "key", nil},
		{"033/list", put([]any{}, "properties"), "properties", nil},
		{"033/empty key", put("x", "properties", ""), "properties", nil},
		{"033/300 characters", put(strings.Repeat("v", 300), "properties", "key"), "", object{"key": strings.Repeat("v", 300)}},
		{"033/100000 characters", put(strings.Repeat("v", 100_000), "properties", "key"), "", object{"key": strings.Repeat("v", 100_000)}},
		{"033/any script", put("значение 🙂", "properties", "ключ 🔑"), "", object{"ключ 🔑": "значение 🙂"}},
		{"034/over int64", put(overInt64, "last-commit-timestamp-ms"), "last-commit-timestamp-ms", nil},
		{"034/fraction", put(1.5, "last-commit-timestamp-ms"), "last-commit-timestamp-ms", nil},
		{"034/text", put("17", "last-commit-timestamp-ms"), "last-commit-timestamp-ms", nil},
		{"034/negative", put(-1, "last-commit-timestamp-ms"), "last-commit-timestamp-ms", nil},
		{"034/0", put(0, "last-commit-timestamp-ms"), "", object{"delta.lastCommitTimestamp": "0"}},
		{"034/max", put(maxInt64, "last-commit-timestamp-ms"), "", object{"delta.lastCommitTimestamp": string(maxInt64)}},
		{"039/case", put([]any{"ID"}, "partition-columns"), "", nil},
		{"039/unknown", put([]any{"zz"}, "partition-columns"), "zz", nil},
		{"039/twice", put([]any{"id", "ID"}, "partition-columns"), "partition-columns[1]", nil},
		{"039/empty", put([]any{""}, "partition-columns"), "partition-columns[0]", nil},
		{"039/null in it", put([]any{nil}, "partition-columns"), "partition-columns[0]", nil},
		{"039/all", put([]any{"id", "amount"}, "partition-columns"), "", nil},
		{"039/null", put(nil, "partition-columns"), "", nil},
		{"044/unknown field", put(object{"a": 1}, "new-in-version-2"), "", nil},
		// The option that lets IcebergCompatV2 tables do without deletion vectors is not built.
		{"046/IcebergCompatV2", both(put("true", "properties", "delta.enableIcebergCompatV2"), cut("properties", "delta.enableDeletionVectors"),
			drop("deletionVectors", "protocol", "reader-features"), drop("deletionVectors", "protocol", "writer-features")), "deletionVectors", nil},
		{"d08/column mapping", put("name", "properties", "delta.columnMapping.mode"), "columns.fields[0]", nil},
	}
	for _, k := range []string{"name", "location", "table-type", "columns", "protocol", "last-commit-timestamp-ms"} {
		cases = append(cases, creation{"024/no " + k, cut(k), k, nil}, creation{"024/null " + k, put(nil, k), k, nil})
	}
	for _, k := range []string{"delta.enableDeletionVectors", "delta.checkpointPolicy", "delta.enableInCommitTimestamps", "delta.checkpoint.writeStatsAsStruct", "delta.checkpoint.writeStatsAsJson"} {
		cases = append(cases, creation{"030/no " + k, cut("properties", k), k, nil})
	}
	for _, f := range []string{"catalogManaged", "v2Checkpoint", "vacuumProtocolCheck", "deletionVectors"} {
		cases = append(cases,
			creation{"028/reader without " + f, drop(f, "protocol", "reader-features"), f, nil},
			creation{"028/writer without " + f, drop(f, "protocol", "writer-features"), f, nil})
	}
	cases = append(cases, creation{"028/writer without inCommitTimestamp", drop("inCommitTimestamp", "protocol", "writer-features"), "inCommitTimestamp", nil})

	feature := func(names ...string) edit {
		return func(v object) {
			for _, f := range names {
				add(f, "protocol", "writer-features")(v)
			}
		}
	}
	cluster := func(columns any) edit {
		return put(object{"clusteringColumns": columns}, "domain-metadata", "delta.clustering")
	}
	mark := func(m any) edit { return put(object{"rowIdHighWaterMark": m}, "domain-metadata", "delta.rowTracking") }
	domains := func(edits ...edit) edit { return both(append([]edit{put(object{}, "domain-metadata")}, edits...)...) }
	nested := []any{[]any{"id"}, []any{"address", "city"}}
	cases = append(cases,
		creation{"040/clustering", domains(feature("clustering"), cluster(nested)), "", object{"clusteringColumns": `[["id"],["address","city"]]`, "delta.clusteringColumns": nil}},
		creation{"041/none", domains(feature("clustering"), cluster([]any{})), "", object{"clusteringColumns": "[]"}},
		creation{"041/no feature", domains(cluster(nested)), "clustering", nil},
		creation{"041/no feature of row tracking", domains(mark(1)), "rowTracking", nil},
		creation{"041/mark -1", domains(feature("rowTracking"), mark(-1)), "", object{"delta.rowTracking.rowIdHighWaterMark": "-1"}},
		creation{"041/highest mark", domains(feature("rowTracking"), mark(maxInt64)), "", object{"delta.rowTracking.rowIdHighWaterMark": string(maxInt64)}},
		creation{"041/mark out of range", domains(feature("rowTracking"), mark(overInt64)), "rowIdHighWaterMark", nil},
		creation{"042/{}", domains(), "", nil},
		creation{"042/null", put(nil, "domain-metadata"), "", nil},
		creation{"042/unknown", domains(put(object{}, "domain-metadata", "acme.x")), "acme.x", nil},
		creation{"042/extra key", domains(feature("clustering"), cluster(nested), put("x", "domain-metadata", "delta.clustering", "domainName")), "", nil},
		creation{"042/no columns", domains(feature("clustering"), put(object{}, "domain-metadata", "delta.clustering")), "clusteringColumns", nil},
	)
	createManaged(t, cases)
}

func TestCreate(t *testing.T) {
	onEachStore(t, func(t *testing.T, a *api) {
		a.run("019/answer", func(a *api) {
			name := a.fresh()
			staged := a.stage(name)
			v := a.ok("POST", t1, body(edited(createBody(name, staged), put("c", "comment"))))
			a.same("commits", v["commits"], []any{})
			a.same("latest-table-version", v["latest-table-version"], 0)
			a.same("last-commit-version", metadata(v, "last-commit-version"), 0)
			a.same("last-commit-timestamp-ms", metadata(v, "last-commit-timestamp-ms"), 1000)
			a.same("table-uuid", metadata(v, "table-uuid"), staged["table-id"])
			a.same("location", metadata(v, "location"), staged["location"])
			a.same("table-type", metadata(v, "table-type"), "MANAGED")
			a.same("partition-columns", metadata(v, "partition-columns"), []any{})
			a.same("columns", metadata(v, "columns"), createBody(name, staged)["columns"])
			a.same("updated-time", metadata(v, "updated-time"), metadata(v, "created-time"))
			a.same("load", a.ok("GET", t1+"/"+name, ""), v)
		})
		a.run("020/derived properties", func(a *api) {
			name := a.fresh()
			staged := a.stage(name)
			v := a.ok("POST", t1, body(createBody(name, staged)))
			want := object{
				"delta.minReaderVersion": "3", "delta.minWriterVersion": "7", "delta.lastUpdateVersion": "0", "delta.lastCommitTimestamp": "1000",
			}
			for k, p := range staged["required-properties"].(object) {
				want[k] = p
			}
			for _, f := range at(staged, "required-protocol", "writer-features").([]any) {
				want["delta.feature."+f.(string)] = "supported"
			}
			a.same("properties", metadata(v, "properties"), want)
		})
		a.run("021/again", func(a *api) {
			name := a.fresh()
			req := createBody(name, a.stage(name))
			v := a.ok("POST", t1, body(req))
			a.fails("POST", t1, body(req), 409, exists, name)
			a.fails("POST", t1, body(edited(req, put(a.fresh(), "name"))), 400, badValue, "location")
			a.same("load", a.ok("GET", t1+"/"+name, ""), v)
		})
		a.run("022/not staged here", func(a *api) {
			name := a.fresh()
			staged := a.stage(name)
			for _, location := range []string{"file:///managed/__unitystorage/tables/" + absentID, staged["location"].(string) + "/x", "s3://bkt/nowhere"} {
				a.fails("POST", t1, body(edited(createBody(name, staged), put(location, "location"))), 404, noTable)
			}
			a.ok("POST", unity+"/schemas", `{"name":"s2","catalog_name":"c1"}`)
			s2 := delta + "/catalogs/c1/schemas/s2/tables"
			a.fails("POST", s2, body(createBody(name, staged)), 400, badValue, "schema")
			// The name may be another than the staged one, and the refusals used nothing up.
			a.ok("POST", t1, body(createBody(a.fresh(), staged)))
		})
		a.run("023/spelling of the location", func(a *api) {
			for _, spell := range []func(string) string{
				func(s string) string { return s + "/" },
				func(s string) string { return s + "///" },
				func(s string) string { return "file:" + strings.TrimPrefix(s, "file://") },
				func(s string) string { return strings.TrimPrefix(s, "file://") },
				func(s string) string { return strings.Replace(s, "/tables/", "//x/../tables/./", 1) },
			} {
				name := a.fresh()
				staged := a.stage(name)
				v := a.ok("POST", t1, body(edited(createBody(name, staged), put(spell(staged["location"].(string)), "location"))))
				a.same("location", metadata(v, "location"), staged["location"])
			}
		})
		a.run("025/no properties", func(a *api) {
			for _, e := range []edit{cut("properties"), put(nil, "properties"), put(object{}, "properties")} {
				x := a.external(e)
				a.same("properties", metadata(x.load(), "properties"), object{
					"delta.minReaderVersion": "1", "delta.minWriterVersion": "2", "delta.lastUpdateVersion": "0", "delta.lastCommitTimestamp": "1000",
				})
			}
		})
		a.run("039/answer", func(a *api) {
			a.same("one", metadata(a.table(put([]any{"ID"}, "partition-columns")).load(), "partition-columns"), []any{"id"})
			a.same("all", metadata(a.table(put([]any{"amount", "id"}, "partition-columns")).load(), "partition-columns"), []any{"amount", "id"})
		})
		a.run("043/order", func(a *api) {
			req := externalBody(a.fresh())
			a.fails("POST", delta+"/catalogs/nope/schemas/s1/tables", body(req), 404, noCatalog, "nope")
			a.fails("POST", delta+"/catalogs/c1/schemas/nope/tables", body(req), 404, noSchema, "nope")
			a.fails("POST", delta+"/catalogs/nope/schemas/nope/tables", body(edited(req, cut("columns"))), 400, badInput, "columns")
		})
		a.run("045/name taken comes before the place", func(a *api) {
			x := a.external()
			req := edited(externalBody(x.path[len(t1)+1:]), put("s3://bkt/other", "location"))
			a.fails("POST", t1, body(req), 409, exists)
		})
		a.run("b44/numbers", func(a *api) {
			m := a.table(put(json.Number("9007199254740993"), "last-commit-timestamp-ms"))
			a.same("last-commit-timestamp-ms", metadata(m.load(), "last-commit-timestamp-ms"), json.Number("9007199254740993"))
		})
	})
}
