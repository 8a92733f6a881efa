package server_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// Codes of errors of the Unity Catalog REST API.
const (
	invalid      = "INVALID_ARGUMENT"
	precondition = "FAILED_PRECONDITION"
)

// unityTable is a valid create request of the Unity Catalog REST API.
func unityTable(name string) object {
	return object{
		"name": name, "catalog_name": "c1", "schema_name": "s1", "table_type": "EXTERNAL", "data_source_format": "DELTA",
		"storage_location": "s3://bkt/" + name, "columns": []any{object{"name": "id", "type_name": "LONG", "type_text": "bigint", "type_json": `"long"`, "position": 0}},
	}
}

// born checks what a reply says of a new object that nobody owns, as is so without
// authentication.
func (a *api) born(v object, idKey string) {
	a.Helper()
	if id, _ := v[idKey].(string); !uuidForm.MatchString(id) {
		a.Errorf("%s is %v", idKey, v[idKey])
	}
	if ms, ok := v["created_at"].(json.Number); !ok || len(ms) != 13 {
		a.Errorf("created_at is %v", v["created_at"])
	}
	a.same("updated_at", v["updated_at"], v["created_at"])
	for _, k := range []string{"owner", "created_by", "updated_by"} {
		a.same(k, v[k], nil)
	}
	for k := range v {
		if strings.ToLower(k) != k {
			a.Errorf("%s is not snake_case", k)
		}
	}
}

func TestUnityCatalogs(t *testing.T) {
	onEachStore(t, func(t *testing.T, a *api) {
		catalogs := unity + "/catalogs"
		a.run("create", func(a *api) {
			v := a.ok("POST", catalogs, `{"name":"full","comment":"x","properties":{"k":"v"},"foo":1,"storage_root":null}`)
			a.born(v, "id")
			a.same("catalog_type", v["catalog_type"], "MANAGED_CATALOG")
			a.same("comment", v["comment"], "x")
			a.same("properties", v["properties"], object{"k": "v"})
			a.same("get", a.ok("GET", catalogs+"/full", ""), v)
			v = a.ok("POST", catalogs, `{"name":"bare","comment":null,"properties":null}`)
			a.same("comment", v["comment"], nil)
			a.same("properties", v["properties"], object{})
		})
		a.run("names", func(a *api) {
			for _, n := range badNames {
				a.fails("POST", catalogs, body(object{"name": n}), 400, invalid, "name")
			}
			for _, b := range []string{`{}`, `{"name":null}`, `{"name":5}`, `{"name":["x"]}`} {
				a.fails("POST", catalogs, b, 400, invalid, "name")
			}
			for _, n := range goodNames {
				a.ok("POST", catalogs, body(object{"name": n}))
				a.same("name", a.ok("GET", catalogs+"/"+percent(n), "")["name"], n)
			}
			a.fails("POST", catalogs, `{"name":"c1"}`, 409, "CATALOG_ALREADY_EXISTS", "c1")
			a.ok("POST", catalogs, `{"name":"C1"}`)
		})
		a.run("missing", func(a *api) {
			a.fails("GET", catalogs+"/nope", "", 404, "CATALOG_NOT_FOUND", "nope")
			a.fails("DELETE", catalogs+"/nope", "", 404, "CATALOG_NOT_FOUND", "nope")
			a.fails("DELETE", catalogs+"/nope?force=true", "", 404, "CATALOG_NOT_FOUND")
			a.fails("GET", catalogs+"/a%2Fb", "", 404, "CATALOG_NOT_FOUND")
		})
		a.run("storage root", func(a *api) {
			for _, r := range []string{"ftp://x/y", "nopath", "file:///x/__unitystorage/y", "s3a://b/x", "s3://b/?x", "file:///"} {
				a.fails("POST", catalogs, body(object{"name": "root", "storage_root": r}), 400, invalid, "storage_root")
			}
			v := a.ok("POST", catalogs, `{"name":"root","storage_root":"file:///tmp/r/"}`)
			a.same("storage_root", v["storage_root"], "file:///tmp/r")
			a.same("storage_location", v["storage_location"], "file:///tmp/r/__unitystorage/catalogs/"+v["id"].(string))
			a.fails("POST", catalogs, body(object{"name": "inside", "storage_root": a.external().location + "/x"}), 400, invalid, "storage_root")
		})
		a.run("properties", func(a *api) {
			a.fails("POST", catalogs, `{"name":"p","properties":{"key":1}}`, 400, invalid, "properties")
			a.fails("POST", catalogs, `{"name":"p","properties":[]}`, 400, invalid, "properties")
		})
		a.run("delete", func(a *api) {
			a.ok("POST", catalogs, `{"name":"d"}`)
			a.ok("POST", unity+"/schemas", `{"name":"s","catalog_name":"d"}`)
			req := edited(unityTable("t"), put("d", "catalog_name"), put("s", "schema_name"))
			a.ok("POST", unity+"/tables", body(req))
			a.fails("DELETE", catalogs+"/d", "", 400, precondition, "d")
			a.fails("DELETE", catalogs+"/d?force=false", "", 400, precondition)
			a.fails("DELETE", catalogs+"/d?force=maybe", "", 400, invalid, "force")
			a.ok("GET", unity+"/tables/d.s.t", "")
			a.same("answer", a.ok("DELETE", catalogs+"/d?force=TRUE", ""), object{})
			a.fails("GET", unity+"/tables/d.s.t", "", 404, "CATALOG_NOT_FOUND")
			a.fails("DELETE", catalogs+"/d?force=true", "", 404, "CATALOG_NOT_FOUND")
			a.ok("POST", catalogs, `{"name":"d"}`)
			a.same("schemas", a.ok("GET", unity+"/schemas?catalog_name=d", ""), object{"schemas": []any{}})
			a.same("answer", a.ok("DELETE", catalogs+"/d", ""), object{})
			a.ok("POST", unity+"/tables", body(unityTable("t"))) // its place is free
		})
		a.run("metastore", func(a *api) {
			v := a.ok("GET", unity+"/metastore_summary", "")
			if id, _ := v["metastore_id"].(string); !uuidForm.MatchString(id) || v["name"] == "" {
				a.Errorf("metastore is %v", v)
			}
			a.same("again", a.ok("GET", unity+"/metastore_summary", ""), v)
		})
		a.run("alias", func(a *api) {
			alias := strings.Replace(unity, "2.1", "2.0", 1)
			a.same("catalog", a.ok("GET", alias+"/catalogs/c1", ""), a.ok("GET", catalogs+"/c1", ""))
			a.fails("GET", alias+"/catalogs/nope", "", 404, "CATALOG_NOT_FOUND")
		})
		a.run("not part of it", func(a *api) {
			for _, path := range []string{"/volumes/c.s.v", "/functions/x", "/models/a/versions/1"} {
				a.fails("GET", unity+path, "", 501, "UNIMPLEMENTED")
				a.fails("POST", unity+path, "{}", 501, "UNIMPLEMENTED")
			}
			for path, list := range map[string]string{"/volumes": "volumes", "/functions": "functions", "/models": "registered_models"} {
				a.same(path, a.ok("GET", unity+path, ""), object{list: []any{}}) // clients list them when they start
				for _, method := range []string{"POST", "PATCH", "DELETE"} {
					a.fails(method, unity+path, "{}", 501, "UNIMPLEMENTED")
				}
			}
		})
		a.run("none", func(a *api) {
			for _, c := range a.ok("GET", catalogs, "")["catalogs"].([]any) {
				a.ok("DELETE", catalogs+"/"+c.(object)["name"].(string)+"?force=true", "")
			}
			a.same("catalogs", a.ok("GET", catalogs, ""), object{"catalogs": []any{}})
		})
	})
}

func TestUnitySchemas(t *testing.T) {
	onEachStore(t, func(t *testing.T, a *api) {
		schemas := unity + "/schemas"
		a.run("create", func(a *api) {
			v := a.ok("POST", schemas, `{"name":"full","catalog_name":"c1","comment":"x","properties":{"k":"v"},"storage_root":"s3://schemas/r/"}`)
			a.born(v, "schema_id")
			a.same("full_name", v["full_name"], "c1.full")
			a.same("catalog_name", v["catalog_name"], "c1")
			a.same("name", v["name"], "full")
			a.same("storage_root", v["storage_root"], "s3://schemas/r")
			a.same("storage_location", v["storage_location"], "s3://schemas/r/__unitystorage/schemas/"+v["schema_id"].(string))
			a.same("get", a.ok("GET", schemas+"/c1.full", ""), v)
			a.same("properties", a.ok("POST", schemas, `{"name":"bare","catalog_name":"c1"}`)["properties"], object{})
		})
		a.run("order of refusals", func(a *api) {
			a.fails("POST", schemas, `{"name":"s1","catalog_name":"nope"}`, 404, "CATALOG_NOT_FOUND", "nope")
			a.fails("POST", schemas, `{"name":"s1"}`, 400, invalid, "catalog_name")
			a.fails("POST", schemas, `{"name":"s1","catalog_name":""}`, 400, invalid, "catalog_name")
			a.fails("POST", schemas, `{"catalog_name":"c1"}`, 400, invalid, "name")
			a.fails("POST", schemas, `{"name":"s1","catalog_name":"c1"}`, 409, "SCHEMA_ALREADY_EXISTS", "s1")
			a.fails("POST", schemas, `{"name":"a.b","catalog_name":"nope"}`, 400, invalid, "name")
			for _, n := range badNames {
				a.fails("POST", schemas, body(object{"name": n, "catalog_name": "c1"}), 400, invalid, "name")
			}
		})
		a.run("get", func(a *api) {
			for _, n := range []string{"s1", "a.b.c", "c1.", ".s1", "%2E", "c1..s1"} {
				a.fails("GET", schemas+"/"+n, "", 400, invalid)
				a.fails("DELETE", schemas+"/"+n, "", 400, invalid)
			}
			a.fails("GET", schemas+"/c1.nope", "", 404, "SCHEMA_NOT_FOUND", "nope")
			a.fails("GET", schemas+"/nope.s1", "", 404, "CATALOG_NOT_FOUND", "nope")
			a.fails("DELETE", schemas+"/c1.nope", "", 404, "SCHEMA_NOT_FOUND")
			a.same("with %1F", a.ok("GET", schemas+"/c1%1Fs1", ""), a.ok("GET", schemas+"/c1.s1", ""))
		})
		a.run("list", func(a *api) {
			a.fails("GET", schemas, "", 400, invalid, "catalog_name")
			a.fails("GET", schemas+"?catalog_name=", "", 400, invalid, "catalog_name")
			a.fails("GET", schemas+"?catalog_name=nope", "", 404, "CATALOG_NOT_FOUND")
		})
		a.run("delete", func(a *api) {
			a.ok("POST", schemas, `{"name":"d","catalog_name":"c1"}`)
			in := delta + "/catalogs/c1/schemas/d"
			a.ok("POST", in+"/staging-tables", `{"name":"t"}`)
			a.same("with a staging table only", a.ok("DELETE", schemas+"/c1.d", ""), object{})
			a.ok("POST", schemas, `{"name":"d","catalog_name":"c1"}`)
			staged := a.ok("POST", in+"/staging-tables", `{"name":"t"}`)
			a.ok("POST", in+"/tables", body(createBody("t", staged)))
			a.fails("DELETE", schemas+"/c1.d", "", 400, precondition, "d")
			a.ok("GET", in+"/tables/t", "")
			a.same("by force", a.ok("DELETE", schemas+"/c1.d?force=true", ""), object{})
			a.fails("GET", in+"/tables/t", "", 404, noSchema)
			a.fails("GET", delta+"/staging-tables/"+staged["table-id"].(string)+"/credentials", "", 404, noTable)
		})
	})
}
