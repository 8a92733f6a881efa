package server_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A post is an endpoint that takes a body, and a body that it takes.
type post struct {
	path string
	body object
}

// posts are all endpoints that take a body. What the bodies make is made by nobody yet.
func posts(a *api) map[string]post {
	m := a.table(add("clustering", "protocol", "writer-features"), add("rowTracking", "protocol", "writer-features"))
	m.commit(1, "f1")
	credential := a.credential()
	x, y := a.external(put("file:///x", "location")), a.external()
	create := createBody("new", a.stage("new"))
	create["comment"], create["partition-columns"] = "c", []any{"id"}
	create["domain-metadata"] = object{"delta.clustering": object{"clusteringColumns": []any{[]any{"id"}}}, "delta.rowTracking": object{"rowIdHighWaterMark": 1}}
	create["protocol"].(object)["writer-features"] = append(create["protocol"].(object)["writer-features"].([]any), "clustering", "rowTracking")
	create["properties"].(object)[formats] = "iceberg"
	create["uniform"] = uniform(create["location"].(string)+"/m.json", 0)
	create["columns"] = columns(field("id", "long"), field("deep", mapOf("string", array(columns(field("x", "decimal(5,1)"))))), field("d", object{"type": "decimal", "precision": 5, "scale": 1}))
	etag := metadata(m.load(), "etag")
	update := m.with(etagIs(etag), addCommit(2, "f2"), backfill(1), setProperties(object{"key": "v"}), removeProperties("gone"), setComment("c"),
		act("set-columns", "columns", columns(field("id", "long"))), act("set-partition-columns", "partition-columns", []any{"id"}),
		m.protocolWith("clustering", "rowTracking"), clustering([]any{"id"}), removeDomains("delta.rowTracking"))
	column := object{
		"name": "x", "type_text": "decimal(5,1)", "type_json": `"decimal(5,1)"`, "type_name": "DECIMAL", "type_precision": 5, "type_scale": 1,
		"type_interval_type": "", "position": 0, "comment": "c", "nullable": true, "partition_index": 0,
	}
	namespace := object{"name": "new", "comment": "c", "properties": object{"key": "v"}, "storage_root": "s3://roots/new"}
	schema := maps.Clone(namespace)
	schema["catalog_name"] = "c1"
	return map[string]post{
		"staging": {s1 + "/staging-tables", object{"name": "new-s"}},
		"create":  {t1, create},
		"update":  {m.path, a.decode([]byte(update))},
		"update external": {x.path, a.decode([]byte(x.update(
			object{"action": "update-metadata-snapshot-version", "last-commit-version": 1, "last-commit-timestamp-ms": 1})))},
		"rename": {y.path + "/rename", object{"new-name": "new-y"}},
		"metrics": {m.path + "/metrics", object{"table-id": m.id, "report": object{"commit-report": object{
			"num-files-added": 1, "num-bytes-added": 1, "num-files-removed": 1, "num-bytes-removed": 1, "num-rows-inserted": 1, "num-rows-removed": 1, "num-rows-updated": 1,
			"file-size-histogram": object{"sorted-bin-boundaries": []any{0, 1}, "file-counts": []any{1, 1}, "total-bytes": []any{1, 1}, "commit-version": 1},
		}}}},
		"unity catalog": {unity + "/catalogs", namespace},
		"unity schema":  {unity + "/schemas", schema},
		"unity table":   {unity + "/tables", edited(unityTable("new-u"), put("c", "comment"), put(object{"key": "v"}, "properties"), put([]any{column}, "columns"))},
		"unity storage credential": {unity + "/credentials", object{
			"name": "new-k", "purpose": "STORAGE", "comment": "c", "read_only": false, "skip_validation": true, "azure_storage_key": object{"account_name": "a", "account_key": "k"},
		}},
		"unity location": {unity + "/external-locations", object{
			"name": "new-l", "url": "s3://new-l/x", "credential_name": credential, "comment": "c", "read_only": false, "skip_validation": true,
		}},
		"unity token":            {unity + "/tokens", object{"principal": "ann", "groups": []any{"g"}, "comment": "c", "lifetime_seconds": 17}},
		"unity path credentials": {unity + "/temporary-path-credentials", object{"url": "file:///free", "operation": "PATH_READ"}},
		"unity staging":          {unity + "/staging-tables", object{"name": "new-us", "catalog_name": "c1", "schema_name": "s1"}},
		"root catalog":           {"/catalogs", object{"name": "new-r", "comment": "c", "storageRoot": "s3://roots/new-r"}},
		"root table":             {"/tables", edited(rootTable("c1", "s1", "new-rt"), put("c", "comment"))},
		"unity credentials":      {unity + "/temporary-table-credentials", object{"table_id": x.id, "operation": "READ"}},
	}
}

// state is all that the lists and loads show.
func (a *api) state() object {
	a.Helper()
	out := object{}
	for _, c := range a.ok("GET", unity+"/catalogs", "")["catalogs"].([]any) {
		catalog := at(c, "name").(string)
		out[catalog] = c
		for _, s := range a.ok("GET", unity+"/schemas?catalog_name="+catalog, "")["schemas"].([]any) {
			schema := at(s, "name").(string)
			out[catalog+"."+schema] = s
			for _, u := range a.ok("GET", unity+"/tables?catalog_name="+catalog+"&schema_name="+schema, "")["tables"].([]any) {
				table := at(u, "name").(string)
				out[catalog+"."+schema+"."+table] = []any{u, a.ok("GET", delta+"/catalogs/"+catalog+"/schemas/"+schema+"/tables/"+table, "")}
			}
		}
	}
	return out
}

// unchanged runs fn, which must change nothing that is shown.
func (a *api) unchanged(fn func()) {
	a.Helper()
	before := a.state()
	fn()
	if diff := cmp.Diff(before, a.state()); diff != "" {
		a.Errorf("refused requests changed the state:\n%s", diff)
	}
}

// badBodies are no JSON objects, or not what any endpoint takes.
func badBodies() map[string]string {
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, _ = io.WriteString(w, `{"name":"zipped"}`)
	_ = w.Close()
	deep := func(open, inside, close string, n int) string {
		return strings.Repeat(open, n) + inside + strings.Repeat(close, n)
	}
	return map[string]string{
		"empty": "", "blank": " \n", "null": "null", "list": "[]", "list of objects": `[{"name":"n"}]`, "text": `"x"`, "number": "17", "true": "true", "open": "{", "half": `{"name":`, "word": "x",
		"{}": "{}", "two": `{"name":"two"}{"name":"two"}`, "trailing word": `{"name":"w"} x`, "trailing bracket": `{"name":"w"}}`, "trailing comma": `{"name":"w",}`, "single quotes": `{'name':'q'}`,
		"comment": "{/* c */}", "mark of byte order": "\ufeff" + `{"name":"bom"}`, "UTF-16": "\xff\xfe{\x00}\x00", "bad UTF-8": "{\"name\":\"\xff\"}", "bad UTF-8 in a key": "{\"\xc3(\":1,\"name\":\"k\"}",
		"overlong": "{\"name\":\"\xc0\xae\"}", "surrogate": "{\"name\":\"\xed\xa0\x80\"}", "escape": `{"name":"\x"}`, "control": "{\"name\":\"a\nb\"}", "NUL": "\x00", "NUL behind": "{\"name\":\"n\"}\x00",
		"NaN": `{"name":NaN}`, "leading zero": `{"name":01}`, "gzip": zipped.String(), "form": "name=x", "XML": "<name>x</name>",
		"deep lists": deep("[", "", "]", 100_000), "deep objects": deep(`{"name":`, "1", "}", 100_000), "deep and open": strings.Repeat("[", 100_000), "deep beside": `{"x":` + deep("[", "", "]", 100_000) + `,"name":"n"}`,
	}
}

func TestBadBodies(t *testing.T) {
	onEachStore(t, func(t *testing.T, a *api) {
		bad := badBodies()
		long := `{"name":"` + strings.Repeat("n", 8<<20) + `"}`
		for name, p := range posts(a) {
			a.run(name, func(a *api) {
				codes := badInput
				if !strings.HasPrefix(p.path, delta) {
					codes = invalid
				}
				a.unchanged(func() {
					for _, b := range slices.Sorted(maps.Keys(bad)) {
						a.fails("POST", p.path, bad[b], 400, codes)
					}
					a.fails("POST", p.path, body(p.body)+"x", 400, codes)
					a.fails("POST", p.path, strings.Replace(body(p.body), "{", "{,", 1), 400, codes)
					a.fails("POST", p.path, long, 400, codes, fmt.Sprint(8<<20)) // it tells the limit
				})
			})
		}
	})
}

func TestContentType(t *testing.T) {
	onEachStore(t, func(t *testing.T, a *api) {
		staging := s1 + "/staging-tables"
		for _, ct := range []string{"application/json", "application/json; charset=utf-8", "Application/JSON", "application/problem+json", ""} {
			if res := a.serve("POST", staging, `{"name":"x"}`, "Content-Type", ct); res.StatusCode != 200 {
				t.Errorf("Content-Type %q: %d", ct, res.StatusCode)
			}
		}
		others := []string{"text/plain", "application/x-www-form-urlencoded", "application/xml", "multipart/form-data; boundary=x", "json", "a/b/c", ";"}
		for name, p := range posts(a) {
			if !strings.HasPrefix(p.path, delta) {
				continue
			}
			a.run(name, func(a *api) {
				a.unchanged(func() {
					for _, ct := range others {
						a.refusedAs(a.serve("POST", p.path, body(p.body), "Content-Type", ct), ct, 400, badInput, "Content-Type")
					}
				})
			})
		}
		a.run("m3/any of Unity Catalog", func(a *api) {
			for i, ct := range others {
				if res := a.serve("POST", unity+"/catalogs", fmt.Sprintf(`{"name":"ct%d"}`, i), "Content-Type", ct); res.StatusCode != 200 {
					a.Errorf("Content-Type %q: %d", ct, res.StatusCode)
				}
			}
		})
	})
}

// free are members whose value may be any JSON, and named those whose names are data.
var (
	free  = []string{"metadata"}
	named = []string{"properties"}
)

// places calls visit for each place in v, with what stands there.
func places(v any, path []any, visit func(path []any, v any)) {
	if len(path) > 0 {
		visit(path, v)
	}
	switch v := v.(type) {
	case object:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if slices.Contains(free, k) {
				visit(append(slices.Clone(path), k), v[k])
				continue
			}
			places(v[k], append(slices.Clone(path), k), visit)
		}
	case []any:
		for i := range v {
			places(v[i], append(slices.Clone(path), i), visit)
		}
	}
}

// wrongKinds are values of other kinds than v.
func wrongKinds(v any) []any {
	all := []any{"x", json.Number("17"), json.Number("1.5"), true, []any{}, object{}, []any{nil}}
	return slices.DeleteFunc(all, func(w any) bool {
		switch v.(type) {
		case string:
			_, same := w.(string)
			return same
		case json.Number, int, int64:
			return w == json.Number("17")
		case bool:
			return w == true
		case object:
			_, same := w.(object)
			return same
		case []any:
			list, same := w.([]any)
			return same && len(list) == 0
		}
		return false
	})
}

// TestWrongKinds puts a value of each wrong kind at each place of a good request.
func TestWrongKinds(t *testing.T) {
	onEachStore(t, func(t *testing.T, a *api) {
		for name, p := range posts(a) {
			a.run(name, func(a *api) {
				codes := badInput
				if !strings.HasPrefix(p.path, delta) {
					codes = invalid
				}
				good := a.decode([]byte(body(p.body)))
				try := func(path []any, value any) {
					a.Helper()
					v := edited(a.decode([]byte(body(good))), put(value, path...))
					// The message names the member, or the list that has the element.
					place := ""
					for _, step := range path {
						if s, ok := step.(string); ok && !slices.Contains(named, place) {
							place = s
						}
					}
					a.fails("POST", p.path, body(v), 400, codes, place)
				}
				a.unchanged(func() {
					places(good, nil, func(path []any, v any) {
						kinds := wrongKinds(v)
						if s, ok := v.(string); ok && path[len(path)-1] == "type" && s == "decimal(5,1)" {
							kinds = slices.DeleteFunc(kinds, func(w any) bool { _, is := w.(object); return is })
						}
						for _, w := range kinds {
							try(path, w)
						}
						if n, ok := v.(json.Number); ok && n != "" {
							for _, w := range []any{overInt64, json.Number("-9223372036854775809"), json.Number("1e3"), json.Number("1.0"), "1"} {
								if w != any("1") || codes != invalid { // the Unity Catalog REST API takes numbers in strings
									try(path, w)
								}
							}
						}
						if _, ok := path[len(path)-1].(int); ok {
							try(path, nil) // an element may not be null
						}
					})
				})
				// After all this the request itself is still good.
				if status, data, _ := a.call("POST", p.path, body(good)); status != 200 && status != 204 {
					a.Errorf("POST %s %s: %d %s", p.path, body(good), status, data)
				}
			})
		}
	})
}
