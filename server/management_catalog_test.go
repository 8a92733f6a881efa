package server_test

import (
	"fmt"
	"testing"
)

func TestManagementCatalogs(t *testing.T) {
	onEachStore(t, func(t *testing.T, a *api) {
		a.run("023/missing", func(a *api) {
			a.rpc("GET", "/catalogs/nope", "", 404, 5, "CATALOG_NOT_FOUND", "nope")
			a.rpc("PATCH", "/catalogs/nope", `{}`, 404, 5, "CATALOG_NOT_FOUND", "nope")
			a.fails("PATCH", unity+"/catalogs/nope", `{"comment":"c"}`, 404, "CATALOG_NOT_FOUND", "nope")
		})
		a.run("024/update", func(a *api) {
			c := a.ok("POST", "/catalogs", `{"name":"c24","comment":"x","properties":{"a":"b"}}`)
			a.same("nothing", a.ok("PATCH", "/catalogs/c24", `{}`), c)
			a.same("no properties", a.ok("PATCH", "/catalogs/c24", `{"properties":{}}`), c)
			a.same("null", a.ok("PATCH", "/catalogs/c24", `{"properties":null,"comment":null,"newName":null,"owner":null}`), c)
			a.same("a storage root", a.ok("PATCH", "/catalogs/c24", `{"storageRoot":"s3://elsewhere/x"}`), c)
			if v := a.ok("PATCH", "/catalogs/c24", `{"comment":""}`); v["comment"] != "" {
				a.Errorf("the comment is %v", v["comment"])
			}
			a.has(a.ok("PATCH", "/catalogs/c24", `{"properties":{"k":"v"}}`), object{"properties": object{"k": "v"}, "id": c["id"], "createdAt": c["createdAt"]})
			a.has(a.ok("GET", unity+"/catalogs/c24", ""), object{"properties": object{"k": "v"}})
		})
		a.run("025/owner", func(a *api) {
			a.has(a.ok("PATCH", "/catalogs/c1", `{"owner":"bob"}`), object{"owner": "bob"})
			a.has(a.ok("GET", unity+"/catalogs/c1", ""), object{"owner": "bob"})
			a.bad400("PATCH", "/catalogs/c1", `{"owner":""}`, "owner")
			a.bad400("PATCH", "/catalogs/c1", `{"owner":"a\nb"}`, "owner")
		})
		a.run("026/rename", func(a *api) {
			name := a.space()
			c, table := a.ok("GET", "/catalogs/"+name, ""), a.tableIn(name, "s1", "t1")
			a.has(a.ok("PATCH", "/catalogs/"+name, `{"newName":"c26"}`), object{"name": "c26", "id": c["id"], "createdAt": c["createdAt"]})
			a.has(a.ok("GET", "/tables/c26.s1.t1", ""), object{"tableId": table["tableId"], "fullName": "c26.s1.t1", "catalogName": "c26"})
			a.rpc("GET", "/tables/"+name+".s1.t1", "", 404, 5, "CATALOG_NOT_FOUND")
			a.rpc("GET", "/catalogs/"+name, "", 404, 5, "CATALOG_NOT_FOUND")
		})
		a.run("027/rename to a name", func(a *api) {
			a.ok("POST", "/catalogs", `{"name":"c27"}`)
			a.rpc("PATCH", "/catalogs/c27", `{"newName":"c1"}`, 409, 6, "CATALOG_ALREADY_EXISTS")
			v := a.ok("GET", "/catalogs/c27", "")
			a.same("its own", a.ok("PATCH", "/catalogs/c27", `{"newName":"c27"}`), v)
			a.bad400("PATCH", "/catalogs/c27", `{"newName":"a.b"}`, "name")
		})
		a.run("028/shared", func(a *api) {
			a.bad400("POST", "/catalogs", `{"name":"c28","providerName":"p"}`)
			a.bad400("POST", "/catalogs", `{"name":"c28","shareName":"s"}`)
			a.bad400("POST", "/catalogs", `{"name":"c28","providerName":"p","shareName":"s","storageRoot":"s3://c28/x"}`)
			a.has(a.ok("POST", "/catalogs", `{"name":"c28","providerName":"p","shareName":"s"}`), object{"catalogType": 2, "providerName": "p", "shareName": "s"})
			a.has(a.ok("GET", unity+"/catalogs/c28", ""), object{"catalog_type": "DELTASHARING_CATALOG", "provider_name": "p", "share_name": "s"})
		})
		a.run("029/storage root", func(a *api) {
			for _, root := range []string{"ftp://x/y", "nopath", "file:///x/__unitystorage/y"} {
				a.bad400("POST", "/catalogs", body(object{"name": "c29", "storageRoot": root}))
			}
			a.ok("POST", "/catalogs", `{"name":"c29","storageRoot":"file:///tmp/r29/"}`)
			v := a.ok("GET", unity+"/catalogs/c29", "")
			a.has(v, object{"storage_root": "file:///tmp/r29", "storage_location": fmt.Sprint("file:///tmp/r29/__unitystorage/catalogs/", v["id"])})
		})
		a.run("030/delete", func(a *api) {
			c := a.space()
			a.tableIn(c, "s1", "t")
			a.rpc("DELETE", "/catalogs/"+c, "", 400, 9, precondition)
			a.ok("GET", "/tables/"+c+".s1.t", "")
			a.bad400("DELETE", "/catalogs/"+c+"?force=yes", "", "force")
			a.ok("DELETE", "/catalogs/"+c+"?force=true", "")
			a.rpc("GET", "/tables/"+c+".s1.t", "", 404, 5, "CATALOG_NOT_FOUND")
			a.rpc("GET", "/schemas/"+c+".s1", "", 404, 5, "CATALOG_NOT_FOUND")
			a.rpc("DELETE", "/catalogs/"+c, "", 404, 5, "CATALOG_NOT_FOUND")
		})
		a.run("031/delete much", func(a *api) {
			c := a.space()
			for _, s := range []string{"s1", "s2", "s3"} {
				if s != "s1" {
					a.ok("POST", "/schemas", body(object{"name": s, "catalogName": c}))
				}
				for i := range 150 {
					a.tableIn(c, s, fmt.Sprint("t", i))
				}
			}
			a.ok("DELETE", "/catalogs/"+c+"?force=true", "")
			a.ok("POST", "/catalogs", body(object{"name": c}))
			a.same("schemas", a.ok("GET", "/schemas?catalogName="+c, ""), object{"schemas": []any{}})
			a.ok("POST", "/schemas", body(object{"name": "s3", "catalogName": c}))
			a.tableIn(c, "s3", "t149") // its place is free
		})
		a.run("032/properties", func(a *api) {
			a.fails("POST", unity+"/catalogs", `{"name":"c32","properties":{"a":1}}`, 400, invalid, `properties["a"]`)
			v := a.ok("POST", "/catalogs", `{"name":"c32","properties":{"a":1,"b":{"c":[true, null]},"d":null,"e":"f","_g_h":false}}`)
			a.same("properties", v["properties"], object{"a": "1", "b": `{"c":[true, null]}`, "d": "null", "e": "f", "_g_h": "false"})
		})
	})
}

func TestManagementSchemas(t *testing.T) {
	onEachStore(t, func(t *testing.T, a *api) {
		a.run("033/create", func(a *api) {
			a.rpc("POST", "/schemas", `{"name":"s1","catalogName":"nope"}`, 404, 5, "CATALOG_NOT_FOUND")
			a.bad400("POST", "/schemas", `{"name":"s1"}`, "catalogName is missing")
			v := a.ok("POST", "/schemas", `{"name":"s33","catalogName":"c1","comment":"c","properties":{"k":1},"storageRoot":"s3://s33/x"}`)
			a.onlyCase(v, "_")
			a.has(v, object{"fullName": "c1.s33", "catalogName": "c1", "name": "s33", "comment": "c", "properties": object{"k": "1"}, "storageRoot": nil})
			a.has(a.ok("GET", unity+"/schemas/c1.s33", ""), object{"schema_id": v["schemaId"], "storage_root": "s3://s33/x"})
		})
		a.run("034/twice", func(a *api) {
			a.rpc("POST", "/schemas", `{"name":"s1","catalogName":"c1"}`, 409, 6, "SCHEMA_ALREADY_EXISTS")
			a.fails("POST", unity+"/schemas", `{"name":"s1","catalog_name":"c1"}`, 409, "SCHEMA_ALREADY_EXISTS")
		})
		a.run("035/list", func(a *api) {
			a.bad400("GET", "/schemas", "", "catalogName")
			a.rpc("GET", "/schemas?catalogName=nope", "", 404, 5, "CATALOG_NOT_FOUND")
			a.ok("GET", "/schemas?catalogName=c1&includeBrowse=True", "")
			a.bad400("GET", "/schemas?catalogName=c1&includeBrowse=1", "", "includeBrowse")
		})
		a.run("036/names in the path and the query", func(a *api) {
			want := a.ok("GET", "/schemas/c1.s1", "")
			for _, path := range []string{"s1?fullName=c1.s1", "c1.s1?fullName=c1.s1", "c1.s1/", "c1%1Fs1", "s1?full_name=c1%1Fs1"} {
				a.same(path, a.ok("GET", "/schemas/"+path, ""), want)
			}
			for _, path := range []string{"s1", "c1.s1?fullName=c1.s2", "a.b.c", "s1?fullName=c1.s2", "s1?fullName=s1", "s1?fullName=a.c1.s1", "s?fullName=c1.s1"} {
				for _, method := range []string{"GET", "DELETE", "PATCH"} {
					a.bad400(method, "/schemas/"+path, "{}")
				}
			}
		})
		a.run("037/missing", func(a *api) {
			a.fails("GET", unity+"/schemas/c1.nope", "", 404, "SCHEMA_NOT_FOUND")
			a.fails("GET", unity+"/schemas/nope.s1", "", 404, "CATALOG_NOT_FOUND")
			a.rpc("GET", "/schemas/c1.nope", "", 404, 5, "SCHEMA_NOT_FOUND")
			a.ok("GET", unity+"/schemas/c1%1Fs1", "")
		})
		a.run("038/update", func(a *api) {
			c := a.space()
			v, table := a.ok("GET", "/schemas/"+c+".s1", ""), a.tableIn(c, "s1", "t")
			a.has(a.ok("PATCH", "/schemas/"+c+".s1", `{"newName":"s9","comment":"n"}`), object{"fullName": c + ".s9", "name": "s9", "schemaId": v["schemaId"], "comment": "n", "createdAt": v["createdAt"]})
			a.has(a.ok("GET", "/tables/"+c+".s9.t", ""), object{"tableId": table["tableId"]})
			a.rpc("GET", "/schemas/"+c+".s1", "", 404, 5, "SCHEMA_NOT_FOUND")
			v = a.ok("GET", "/schemas/"+c+".s9", "")
			a.same("nothing", a.ok("PATCH", "/schemas/s9?fullName="+c+".s9", `{"properties":{},"newName":"s9"}`), v)
			a.ok("POST", "/schemas", body(object{"name": "taken", "catalogName": c}))
			a.rpc("PATCH", "/schemas/"+c+".s9", `{"newName":"taken"}`, 409, 6, "SCHEMA_ALREADY_EXISTS")
			a.bad400("PATCH", "/schemas/"+c+".s9", `{"newName":"`+c+`.s10"}`, "name")
		})
		a.run("039/delete", func(a *api) {
			c := a.space()
			a.tableIn(c, "s1", "t")
			a.rpc("DELETE", "/schemas/"+c+".s1", "", 400, 9, precondition)
			a.ok("DELETE", "/schemas/"+c+".s1?force=true", "")
			a.ok("POST", "/schemas", body(object{"name": "s1", "catalogName": c}))
			a.ok("POST", unity+"/staging-tables", body(object{"name": "staged", "catalog_name": c, "schema_name": "s1"}))
			a.ok("DELETE", "/schemas/s1?fullName="+c+".s1", "")
		})
	})
}
