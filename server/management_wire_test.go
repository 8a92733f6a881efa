package server_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/leveelake/catalog/storage"
)

func TestManagementWire(t *testing.T) {
	onEachStore(t, func(t *testing.T, a *api) {
		a.run("001/root mount", func(a *api) {
			v := a.ok("POST", "/catalogs", `{"name":"wire","comment":"x"}`)
			a.onlyCase(v, "_")
			if ms, ok := v["createdAt"].(string); !ok || len(ms) != 13 || v["updatedAt"] != v["createdAt"] {
				a.Errorf("times are %v, %v", v["createdAt"], v["updatedAt"])
			}
			a.has(v, object{"catalogType": 1, "properties": object{}, "comment": "x"})
			if id, _ := v["id"].(string); !uuidForm.MatchString(id) {
				a.Errorf("id is %v", v["id"])
			}
			for _, k := range []string{"owner", "createdBy", "storageRoot", "storageLocation"} {
				if _, there := v[k]; there {
					a.Errorf("%s is %v", k, v[k])
				}
			}
		})
		a.run("002/the same on the other mount", func(a *api) {
			v, r := a.ok("GET", unity+"/catalogs/wire", ""), a.ok("GET", "/catalogs/wire", "")
			a.onlyCase(v, upperCase)
			a.born(v, "id")
			a.has(v, object{"catalog_type": "MANAGED_CATALOG", "id": r["id"], "comment": "x", "created_at": json.Number(r["createdAt"].(string))})
		})
		a.run("003/camelCase on the snake mount", func(a *api) {
			a.has(a.ok("POST", unity+"/catalogs", `{"name":"c3","storageRoot":"file:///tmp/c3"}`), object{"storage_root": "file:///tmp/c3"})
			a.has(a.ok("POST", "/catalogs", `{"name":"c3b","storage_root":"file:///tmp/c3b"}`), object{"storageRoot": "file:///tmp/c3b"})
			a.fails("POST", unity+"/catalogs", `{"name":"c3c","storageRoot":"file:///a","storage_root":"file:///b"}`, 400, invalid, "storage_root")
			a.ok("POST", unity+"/catalogs", `{"name":"c3c","storageRoot":"file:///a","storage_root":"file:///a"}`)
			a.fails("POST", unity+"/catalogs", `{"Name":"c3d"}`, 400, invalid, "name") // to the letter
		})
		a.run("004/both spellings of a parameter", func(a *api) {
			want := a.ok("GET", "/schemas?catalog_name=c1", "")
			a.same("schemas", a.ok("GET", "/schemas?catalogName=c1", ""), want)
			a.same("schemas", a.ok("GET", "/schemas?catalogName=c1&catalog_name=c1", ""), want)
			a.same("the first counts", a.ok("GET", "/schemas?catalogName=c1&catalogName=nope", ""), want)
			a.ok("GET", unity+"/schemas?catalogName=c1", "")
		})
		a.run("005/two that differ", func(a *api) {
			a.bad400("GET", "/schemas?catalogName=c1&catalog_name=c2", "", "catalogName")
			a.fails("GET", unity+"/schemas?catalogName=c1&catalog_name=c2", "", 400, invalid, "catalog_name")
		})
		a.run("006/enums", func(a *api) {
			for _, p := range []any{1, "1", "STORAGE", "storage"} {
				a.has(a.ok("POST", "/credentials", body(edited(roleCredential(a.fresh()), put(p, "purpose")))), object{"purpose": 1})
			}
			for _, p := range []any{0, 7, -1, "X", true, nil, 1.5, []any{1}} {
				a.bad400("POST", "/credentials", body(edited(roleCredential(a.fresh()), put(p, "purpose"))), "purpose")
			}
			a.bad400("POST", "/credentials", body(edited(roleCredential(a.fresh()), cut("purpose"))), "purpose")
		})
		a.run("007/unknown and null", func(a *api) {
			if v := a.ok("POST", "/catalogs", `{"name":"c7","foo":1,"comment":null}`); v["comment"] != nil {
				a.Errorf("the comment is %v", v["comment"])
			}
		})
		a.run("008/no object", func(a *api) {
			for _, b := range []string{"", "null", "[]", "{", "{} x", `"x"`, "\xff", `{"name":"\ud800"}`, strings.Repeat("[", 100_000)} {
				a.bad400("POST", "/catalogs", b)
			}
		})
		a.run("009/wrong kinds", func(a *api) {
			a.bad400("POST", "/catalogs", `{"name":5}`, "name: want a string, got a number")
			a.bad400("POST", "/tables", body(edited(rootTable("c1", "s1", "kinds"), put(5, "columns", 0, "typeJson"))), "columns[0].typeJson: want a string, got a number")
			a.fails("POST", unity+"/tables", body(edited(unityTable("kinds"), put(5, "columns", 0, "type_json"))), 400, invalid, "columns[0].type_json: want a string, got a number")
			a.bad400("POST", "/external-locations", `{"name":"l","url":"s3://b9/x","credentialName":"c","readOnly":"true"}`, "readOnly")
			for _, n := range []string{"2147483648", "-2147483649", `"2147483648"`, "1.0", `"1.0"`, `" 1"`, `"+1"`, `""`} {
				a.bad400("POST", "/tables", body(edited(rootTable("c1", "s1", "kinds"), put(json.RawMessage(n), "columns", 0, "position"))), "columns[0].position")
			}
			a.tableIn("c1", "s1", "kinds", put("7", "columns", 0, "position"), put(5, "columns", 0, "typeName"))
		})
		a.run("010/no such path or method", func(a *api) {
			a.rpc("GET", "/nope", "", 404, 5, "NOT_FOUND")
			a.rpc("PUT", "/catalogs/c1", "", 405, 3, invalid)
			a.fails("GET", unity+"/nope", "", 404, "NOT_FOUND")
			a.fails("PUT", unity+"/catalogs/c1", "", 405, invalid)
			if allow := a.serve("PUT", "/catalogs/c1", "").Header.Get("Allow"); allow != "DELETE, GET, PATCH" {
				a.Errorf("Allow is %s", allow)
			}
		})
		a.run("011/a copy of the name", func(a *api) {
			for _, mount := range []string{"", unity} {
				a.fails("PATCH", mount+"/catalogs/c1", `{"name":"other","comment":"y"}`, 400, invalid, "other")
				a.ok("PATCH", mount+"/catalogs/c1", `{"comment":"y"}`)
				a.ok("PATCH", mount+"/catalogs/c1", `{"name":"c1","comment":"y"}`)
				a.fails("PATCH", mount+"/schemas/c1.s1", `{"fullName":"c1.s2"}`, 400, invalid, "c1.s2")
				a.fails("PATCH", mount+"/schemas/c1.s1", `{"name":"s2"}`, 400, invalid, "s2")
				a.ok("PATCH", mount+"/schemas/c1.s1", `{"full_name":"c1.s1","name":"s1"}`)
			}
		})
		a.run("012/delete", func(a *api) {
			for _, mount := range []string{"", unity} {
				c := a.space()
				a.tableIn(c, "s1", "t")
				credential := a.credential()
				location := a.location("s3://"+c+"/elsewhere", credential)
				for _, path := range []string{"/tables/" + c + ".s1.t", "/schemas/" + c + ".s1", "/catalogs/" + c, "/external_locations/" + location, "/credentials/" + credential} {
					a.same(path, a.ok("DELETE", mount+path, ""), object{})
				}
			}
		})
	})
}

func TestManagementNames(t *testing.T) {
	onEachStore(t, func(t *testing.T, a *api) {
		credential := a.credential()
		makers := map[string]func(name any) object{
			"/catalogs": func(n any) object { return object{"name": n} },
			"/schemas":  func(n any) object { return object{"name": n, "catalogName": "c1"} },
			"/tables":   func(n any) object { return edited(rootTable("c1", "s1", a.fresh()), put(n, "name")) },
			"/credentials": func(n any) object {
				return edited(roleCredential("x"), put(n, "name"))
			},
			"/external-locations": func(n any) object {
				return object{"name": n, "url": "s3://names/" + a.fresh(), "credentialName": credential, "readOnly": false}
			},
		}
		for path, of := range makers {
			a.run("013/names"+path, func(a *api) {
				for _, n := range append([]string{"a.b", "a b", "a/b", "é", strings.Repeat("a", 256)}, badNames...) {
					a.bad400("POST", path, body(of(n)), "name")
				}
				a.bad400("POST", path, body(edited(of("x"), cut("name"))), "name")
				for _, n := range goodNames {
					a.has(a.ok("POST", path, body(of(n))), object{"name": n})
				}
			})
		}
		a.run("014/twice", func(a *api) {
			a.rpc("POST", "/catalogs", `{"name":"c1"}`, 409, 6, "CATALOG_ALREADY_EXISTS")
			a.fails("POST", unity+"/catalogs", `{"name":"c1"}`, 409, "CATALOG_ALREADY_EXISTS")
		})
		a.run("015/case", func(a *api) {
			a.ok("POST", "/catalogs", `{"name":"C1"}`)
			a.has(a.ok("GET", "/catalogs/c1", ""), object{"name": "c1"})
			a.has(a.ok("GET", "/catalogs/C1", ""), object{"name": "C1"})
		})
	})
}

func TestManagementPages(t *testing.T) {
	onEachStore(t, func(t *testing.T, a *api) {
		a.ok("DELETE", "/catalogs/c1?force=TRUE", "")
		a.run("021/none", func(a *api) {
			a.same("catalogs", a.ok("GET", "/catalogs", ""), object{"catalogs": []any{}})
		})
		a.run("016/pages", func(a *api) {
			for _, n := range []string{"d", "B", "a", "c", "_"} {
				a.ok("POST", "/catalogs", body(object{"name": n}))
			}
			all, sizes := a.pagesOf("/catalogs?x=y", "catalogs", "name", 2)
			a.same("catalogs", all, []string{"B", "_", "a", "c", "d"})
			a.same("sizes", sizes, []int{2, 2, 1})
			a.ok("DELETE", "/catalogs/_", "")
			_, sizes = a.pagesOf("/catalogs?x=y", "catalogs", "name", 2)
			a.same("sizes", sizes, []int{2, 2})
		})
		a.run("017/tokens of another list", func(a *api) {
			for _, n := range []string{"x", "y"} {
				a.ok("POST", "/schemas", body(object{"name": n, "catalogName": "a"}))
				a.ok("POST", "/schemas", body(object{"name": n, "catalogName": "c"}))
			}
			_, catalogs := names(a.ok("GET", "/catalogs?maxResults=1", ""), "catalogs", "name", "nextPageToken")
			_, schemas := names(a.ok("GET", "/schemas?catalogName=a&maxResults=1", ""), "schemas", "name", "nextPageToken")
			for _, token := range []string{catalogs, "zzzz", schemas[:len(schemas)-3]} {
				a.bad400("GET", "/schemas?catalogName=a&pageToken="+token, "", "token")
			}
			a.bad400("GET", "/schemas?catalogName=c&pageToken="+schemas, "", "token")
			a.bad400("GET", "/catalogs?pageToken="+schemas, "", "token")
			a.ok("GET", unity+"/schemas?catalog_name=a&page_token="+schemas, "")
		})
		a.run("018/changes between pages", func(a *api) {
			got, next := names(a.ok("GET", "/catalogs?maxResults=2", ""), "catalogs", "name", "nextPageToken")
			a.ok("DELETE", "/catalogs/"+got[1]+"?force=true", "")
			a.ok("POST", "/catalogs", `{"name":"@first"}`)
			rest, _ := names(a.ok("GET", "/catalogs?pageToken="+next, ""), "catalogs", "name", "nextPageToken")
			a.same("catalogs", append(got, rest...), []string{"B", "a", "c", "d"})
		})
		a.run("019/sizes", func(a *api) {
			for _, n := range []string{"-1", "abc", "1.5", "2147483648"} {
				a.bad400("GET", "/catalogs?maxResults="+n, "", "maxResults")
			}
			a.ok("GET", "/catalogs?maxResults=100000", "")
			a.ok("GET", "/table-summaries?catalogName=c&maxResults=100000", "")
			for i := range 105 {
				a.ok("POST", "/catalogs", body(object{"name": fmt.Sprintf("p%03d", i)}))
			}
			for _, query := range []string{"", "?maxResults=0", "?maxResults="} {
				got, next := names(a.ok("GET", "/catalogs"+query, ""), "catalogs", "name", "nextPageToken")
				if len(got) != 100 || next == "" {
					a.Errorf("%s: %d catalogs and token %q", query, len(got), next)
				}
			}
			got, next := names(a.ok("GET", "/catalogs?maxResults=100000", ""), "catalogs", "name", "nextPageToken")
			if len(got) != 109 || next != "" || !slices.IsSorted(got) {
				a.Errorf("%d catalogs and token %q", len(got), next)
			}
		})
		a.run("020/whole lists of Unity Catalog", func(a *api) {
			c := a.space()
			for i := range 150 {
				a.tableIn(c, "s1", fmt.Sprintf("t%03d", i))
			}
			for _, query := range []string{"", "&max_results=0"} { // Spark asks for 0, and reads one page
				got, next := names(a.ok("GET", unity+"/tables?catalog_name="+c+"&schema_name=s1"+query, ""), "tables", "name", "next_page_token")
				if len(got) != 150 || next != "" {
					a.Errorf("%s: %d tables and token %q", query, len(got), next)
				}
			}
			got, next := names(a.ok("GET", "/tables?catalogName="+c+"&schemaName=s1", ""), "tables", "name", "nextPageToken")
			if len(got) != 100 || next == "" {
				a.Errorf("%d tables and token %q", len(got), next)
			}
		})
	})
}

// TestManagementRestart: a page token is good for another server of the same store.
func TestManagementRestart(t *testing.T) {
	onEachRestart(t, func(t *testing.T, a *api, store storage.Store) {
		a.run("022/page token", func(a *api) {
			a.ok("POST", "/catalogs", `{"name":"c2"}`)
			_, next := names(a.ok("GET", "/catalogs?maxResults=1", ""), "catalogs", "name", "nextPageToken")
			a.bare(store, 0)
			got, _ := names(a.ok("GET", "/catalogs?pageToken="+next, ""), "catalogs", "name", "nextPageToken")
			a.same("catalogs", got, []string{"c2"})
		})
	})
}
