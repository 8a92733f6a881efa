package server_test

import (
	"strings"
	"testing"
)

func TestLocations(t *testing.T) {
	onEachStore(t, func(t *testing.T, a *api) {
		at := func(a *api, location string) object {
			return edited(externalBody(a.fresh()), put(location, "location"))
		}
		good := func(a *api, location, want string) {
			a.Helper()
			req := at(a, location)
			v := a.ok("POST", t1, body(req))
			a.same("location", metadata(v, "location"), want)
			a.ok("DELETE", t1+"/"+req["name"].(string), "")
		}
		bad := func(a *api, location string, places ...string) {
			a.Helper()
			a.fails("POST", t1, body(at(a, location)), 400, badInput, places...)
		}

		a.run("035/external", func(a *api) {
			req := at(a, "s3://bkt/p/")
			v := a.ok("POST", t1, body(req))
			a.same("location", metadata(v, "location"), "s3://bkt/p")
			a.same("table-type", metadata(v, "table-type"), "EXTERNAL")
			a.same("commits", v["commits"], []any{})
			if l, ok := v["latest-table-version"]; ok {
				a.Errorf("latest-table-version is %v", l)
			}
		})
		a.run("036/refused", func(a *api) {
			for _, l := range []string{
				"s3://bkt", "s3://bkt/", "s3://bkt//", "s3://bkt/x/..", "s3:///x", "s3:/bkt/x", "s3:bkt/x", "S3://bkt/x", "abfss://a@b", "abfss://acc/x", "gs://b",
				"hdfs://h/x", "ftp://x/y", "file:///", "file://", "/", "file:x", "p/q", "./x", "../x", "C:\\x", "x",
				"s3://bkt/%2F", "s3://user:pw@bkt/x", "s3://bkt:9000/x",
			} {
				bad(a, l, "location")
			}
			for _, l := range []string{"", " "} {
				bad(a, l, "location")
			}
			// The message tells the right spelling.
			for l, right := range map[string]string{"s3a://bkt/x": "s3", "s3n://bkt/x": "s3", "wasb://c@a/x": "abfs", "wasbs://c@a/x": "abfss", "r2://b@a/x": "s3", "http://h/x": "s3", "https://h/x": "s3"} {
				bad(a, l, "location", right)
			}
			for _, c := range "?#*${}\\'\"<>|`\x00\n\x7f" {
				bad(a, "s3://bkt/a"+string(c)+"b", "location")
			}
		})
		a.run("037/normal form", func(a *api) {
			for in, want := range map[string]string{
				"file:///d//x/../y/":         "file:///d/y",
				"file:/d/z":                  "file:///d/z",
				"file:////d/z":               "file:///d/z",
				"file://d/z":                 "file:///d/z",
				"/d/z":                       "file:///d/z",
				"s3://bkt/a/./b//c/":         "s3://bkt/a/b/c",
				"s3://bkt/a%20b/%C3%A9":      "s3://bkt/a%20b/%C3%A9",
				"s3://bkt/день/🙂 x":          "s3://bkt/день/🙂 x",
				"gs://b/x=1/y:z":             "gs://b/x=1/y:z",
				"abfss://c@acc.dfs.x.net/t/": "abfss://c@acc.dfs.x.net/t",
				"abfs://c@ACC/t":             "abfss://c@acc/t", // one place has one name
			} {
				good(a, in, want)
			}
		})
		a.run("037/escapes", func(a *api) {
			good(a, "s3://bkt/%41/b%", "s3://bkt/%41/b%")
			// What hides a slash, dots or the managed folder would name two places.
			for _, l := range []string{"s3://bkt/a%2Fb", "s3://bkt/a/%2e%2E/b", "s3://bkt/a/.%2e", "file:///x/%2E/y", "s3://bkt/%5f_unitystorage/x", "s3://bkt/x/__unity%73torage"} {
				bad(a, l, "location")
			}
		})
		a.run("038/managed storage", func(a *api) {
			staging := a.stage(a.fresh())["location"].(string)
			managed := a.table().location
			for _, l := range []string{
				staging, staging + "/x", managed, managed + "/sub/x", managed + "2", "file:///managed/x", "file:///managed", "/managed/",
				"file:///managed/__unitystorage", "file:///managed/__unitystorage/tables", "s3://bkt/__unitystorage/x", "s3://bkt/x/__unitystorage",
			} {
				bad(a, l, "location")
			}
			good(a, "file:///managed2/x", "file:///managed2/x")
			good(a, "file:///manage", "file:///manage")
			good(a, "s3://bkt/my__unitystorage_x/t", "s3://bkt/my__unitystorage_x/t")
		})
		a.run("038/storage root of a catalog", func(a *api) {
			c := a.ok("POST", unity+"/catalogs", `{"name":"rooted","storage_root":"s3://rooted/deep/root/"}`)
			a.ok("POST", unity+"/schemas", `{"name":"s","catalog_name":"rooted"}`)
			staged := a.ok("POST", delta+"/catalogs/rooted/schemas/s/staging-tables", `{"name":"t"}`)
			// No doubled slash where root and folder meet.
			a.same("location", staged["location"], "s3://rooted/deep/root/__unitystorage/catalogs/"+c["id"].(string)+"/tables/"+staged["table-id"].(string))
			// There is no vendor for s3; the credentials of a staging answer are a convenience.
			a.same("storage-credentials", staged["storage-credentials"], []any{})
			bad(a, "s3://rooted/deep", "location")
			bad(a, "s3://rooted/deep/root", "location")
			bad(a, staged["location"].(string)+"/x", "location")
			good(a, "s3://rooted/deep/root2", "s3://rooted/deep/root2")
		})
		a.run("d11/two external tables", func(a *api) {
			x := a.external(put("s3://two/a/b", "location"))
			for _, l := range []string{"s3://two/a/b", "s3://two/a/b/", "s3://two/a", "s3://two/a/b/c/d"} {
				bad(a, l, "location")
				a.fails("POST", unity+"/tables", body(edited(unityTable(a.fresh()), put(l, "storage_location"))), 400, "INVALID_ARGUMENT", "location")
			}
			for _, l := range []string{"s3://two/a/bc", "s3://two/a/b-c", "s3://two/A/b", "s3://two2/a/b", "gs://two/a/b"} {
				good(a, l, l)
			}
			a.ok("DELETE", x.path, "")
			good(a, "s3://two/a/b", "s3://two/a/b")
		})
		a.run("112/after the drop", func(a *api) {
			name := a.fresh()
			staged := a.stage(name)
			req := createBody(name, staged)
			a.ok("POST", t1, body(req))
			a.ok("POST", t1+"/"+name, (&tab{a, staged["table-id"].(string), "", ""}).update(addCommit(1, "f1"), setProperties(object{"a": "1"})))
			a.ok("DELETE", t1+"/"+name, "")
			a.fails("POST", t1, body(req), 404, noTable)
			bad(a, staged["location"].(string), "location")
			m := a.managed(name, nil)
			m.shows(m.load(), " of 0")
			a.same("a", property(m.load(), "a"), nil)
			x := a.external()
			a.ok("DELETE", x.path, "")
			good(a, x.location, x.location)
		})
		a.run("b78/no place for managed tables", func(a *api) {
			// A table needs no root of its own, and a root may be shared.
			for _, n := range []string{"share1", "share2"} {
				c := a.ok("POST", unity+"/catalogs", body(object{"name": n, "storage_root": "s3://shared/root"}))
				if l, _ := c["storage_location"].(string); !strings.HasPrefix(l, "s3://shared/root/__unitystorage/catalogs/") {
					a.Errorf("storage_location is %q", l)
				}
			}
		})
	})
}
