package server_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"
)

var uuidForm = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// badNames are names that nothing may have, and goodNames some that anything may.
var (
	badNames  = []string{"", " ", "a.b", "a b", "a/b", "a%41", "a%2Fb", "é", "a'b", "a\tb", "a`b", ".", "..", "日本", "🙂", "a\x00", "*", "a\u200b", strings.Repeat("a", 256), strings.Repeat("é", 200)}
	goodNames = []string{"-", "_", "@", "-x", "A@b", "UPPER", "0", strings.Repeat("a", 255)}
)

func TestConfig(t *testing.T) {
	onEachStore(t, func(t *testing.T, a *api) {
		config := delta + "/config?"
		for name, versions := range map[string]string{
			"001/1.0": "1.0", "002/higher ones": "1.1,2.3", "002/blanks": "%201.0%20,%202.0", "002/twice": "1.0,1.7,1.0", "002/other majors": "0.9,1.0,77.1",
		} {
			a.run(name, func(a *api) {
				v := a.ok("GET", config+"catalog=c1&protocol-versions="+versions, "")
				a.same("protocol-version", v["protocol-version"], "1.0")
				if list, _ := v["endpoints"].([]any); len(list) == 0 || len(v) != 2 {
					a.Errorf("config is %v", v)
				}
			})
		}
		a.run("003/none in common", func(a *api) {
			for _, versions := range []string{"2.0", "0.1", "2.0,3.1"} {
				a.fails("GET", config+"catalog=c1&protocol-versions="+versions, "", 400, badValue, "1.0")
			}
		})
		a.run("004/malformed", func(a *api) {
			for _, versions := range []string{"abc", "1", "", "%20", "1.", ".1", "1.0,", "1.0.0", "-1.0", "1.x", "1,0", "1.99999999999999999999"} {
				a.fails("GET", config+"catalog=c1&protocol-versions="+versions, "", 400, badInput, "protocol-versions")
			}
		})
		a.run("005/missing", func(a *api) {
			a.fails("GET", config+"catalog=c1", "", 400, badValue, "protocol-versions")
			a.fails("GET", config+"protocol-versions=1.0", "", 400, badValue, "catalog")
			a.fails("GET", config+"protocol-versions=1.0&catalog=", "", 400, badValue, "catalog")
			a.fails("GET", config+"protocol-versions=1.0&catalog=%20", "", 400, badValue, "catalog")
		})
		a.run("006/unknown catalog", func(a *api) {
			a.fails("GET", config+"catalog=nope&protocol-versions=1.0", "", 404, noCatalog, "nope")
			a.fails("GET", config+"catalog=C1&protocol-versions=1.0", "", 404, noCatalog, "C1")
		})
	})
}

// vended checks the one credential of an answer for a local place.
func (a *api) vended(v object, location any, operation string) {
	a.Helper()
	list, _ := v["storage-credentials"].([]any)
	if len(list) != 1 {
		a.Fatalf("credentials are %v", v)
	}
	c := list[0].(object)
	if p, _ := c["prefix"].(string); p != location && p != fmt.Sprint(location, "/") {
		a.Errorf("prefix is %q, the location %q", p, location)
	}
	a.same("operation", c["operation"], operation)
	a.same("config", c["config"], object{})
	ms, _ := c["expiration-time-ms"].(json.Number)
	if n, err := ms.Int64(); err != nil || time.Until(time.UnixMilli(n)) < time.Hour {
		a.Errorf("expiration-time-ms is %v", c["expiration-time-ms"])
	}
	if len(c) != 4 {
		a.Errorf("credential is %v", c)
	}
}

func TestStaging(t *testing.T) {
	onEachStore(t, func(t *testing.T, a *api) {
		staging := s1 + "/staging-tables"

		a.run("007/answer", func(a *api) {
			v := a.stage(a.fresh())
			id, _ := v["table-id"].(string)
			if !uuidForm.MatchString(id) {
				a.Errorf("table-id is %q", id)
			}
			a.same("table-type", v["table-type"], "MANAGED")
			// The folder of managed tables below the server's root.
			a.same("location", v["location"], "file:///managed/__unitystorage/tables/"+id)
			a.vended(v, v["location"], "READ_WRITE")
		})
		a.run("008/required protocol", func(a *api) {
			v := a.stage(a.fresh())
			sorted := func(list any) string {
				s := fmt.Sprint(list)
				for _, f := range []string{"catalogManaged", "v2Checkpoint", "vacuumProtocolCheck", "deletionVectors", "inCommitTimestamp", "columnMapping", "domainMetadata", "rowTracking"} {
					s = strings.Replace(s, f, strings.ToUpper(f[:1]), 1)
				}
				return s
			}
			p, suggested := v["required-protocol"].(object), v["suggested-protocol"].(object)
			a.same("min-reader-version", p["min-reader-version"], 3)
			a.same("min-writer-version", p["min-writer-version"], 7)
			for list, want := range map[string]int{sorted(p["reader-features"]): 4, sorted(p["writer-features"]): 5, sorted(suggested["reader-features"]): 1, sorted(suggested["writer-features"]): 3} {
				if fields := strings.Fields(strings.Trim(list, "[]")); len(fields) != want || len(strings.Join(fields, "")) != want {
					a.Errorf("features are %v, want %d", list, want)
				}
			}
		})
		a.run("009/properties", func(a *api) {
			v := a.stage(a.fresh())
			a.same("required-properties", v["required-properties"], object{
				"delta.enableDeletionVectors": "true", "delta.checkpointPolicy": "v2", "delta.enableInCommitTimestamps": "true",
				"delta.checkpoint.writeStatsAsStruct": "true", "delta.checkpoint.writeStatsAsJson": "true", "io.unitycatalog.tableId": v["table-id"],
			})
			a.same("suggested-properties", v["suggested-properties"], object{
				"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": nil, "delta.enableRowTracking": "true",
				"delta.rowTracking.materializedRowIdColumnName": nil, "delta.rowTracking.materializedRowCommitVersionColumnName": nil,
				"delta.randomizeFilePrefixes": "true", "delta.parquet.compression.codec": "zstd",
			})
		})
		a.run("010/twice", func(a *api) {
			name := a.fresh()
			v, w := a.stage(name), a.stage(name)
			if v["table-id"] == w["table-id"] || v["location"] == w["location"] {
				a.Errorf("two stagings are one: %v", v)
			}
			a.ok("POST", t1, body(createBody(name, w)))
			a.ok("POST", t1, body(createBody(name+"b", v)))
		})
		a.run("011/taken", func(a *api) {
			m := a.table()
			a.fails("POST", staging, body(object{"name": m.path[len(t1)+1:]}), 409, exists)
		})
		a.run("012/no name", func(a *api) {
			for _, b := range []string{`{}`, `{"name":null}`, `{"name":""}`, `{"name":"  "}`, `{"name":1}`, `{"Name":"x"}`} {
				a.fails("POST", staging, b, 400, badInput, "name")
			}
		})
		a.run("013/bad names", func(a *api) {
			for _, n := range badNames {
				a.fails("POST", staging, body(object{"name": n}), 400, badValue, "name")
				a.fails("POST", t1, body(edited(externalBody("x"), put(n, "name"))), 400, badValue, "name")
			}
		})
		a.run("014/good names", func(a *api) {
			for _, n := range goodNames {
				m := a.managed(n, nil)
				m.load()
				a.ok("HEAD", t1+"/"+percent(n), "")
			}
			a.fails("HEAD", t1+"/upper", "", 404, "")
		})
		a.run("015/unknown parents", func(a *api) {
			a.fails("POST", delta+"/catalogs/nope/schemas/s1/staging-tables", `{"name":"x"}`, 404, noCatalog, "nope")
			a.fails("POST", delta+"/catalogs/c1/schemas/nope/staging-tables", `{"name":"x"}`, 404, noSchema, "nope")
			a.fails("POST", delta+"/catalogs/nope/schemas/s1/staging-tables", `{"name":"a.b"}`, 400, badValue, "name")
		})
		a.run("016/bad bodies", func(a *api) {
			for _, b := range []string{"", "null", "[]", "{", `"x"`, "1", "{} {}"} {
				a.fails("POST", staging, b, 400, badInput)
			}
			a.refusedAs(a.serve("POST", staging, `{"name":"x"}`, "Content-Type", "text/plain"), "text/plain", 400, badInput, "text/plain")
		})
		a.run("017/credentials", func(a *api) {
			v := a.stage(a.fresh())
			path := func(id any) string { return fmt.Sprint(delta, "/staging-tables/", id, "/credentials") }
			id := v["table-id"].(string)
			a.vended(a.ok("GET", path(id), ""), v["location"], "READ_WRITE")
			a.vended(a.ok("GET", path(strings.ToUpper(id)), ""), v["location"], "READ_WRITE")
			for _, bad := range []string{"zz", strings.ReplaceAll(id, "-", ""), id + "0", "%7B" + id + "%7D", "urn:uuid:" + id} {
				a.fails("GET", path(bad), "", 400, badInput)
			}
			a.fails("GET", path(absentID), "", 404, noTable)
			a.fails("GET", path(a.external().id), "", 404, noTable)
			catalog := a.ok("GET", unity+"/catalogs/c1", "")["id"]
			a.fails("GET", path(catalog), "", 404, noTable)
		})
		a.run("018/credentials of what it became", func(a *api) {
			m := a.table()
			path := delta + "/staging-tables/" + m.id + "/credentials"
			a.vended(a.ok("GET", path, ""), m.location, "READ_WRITE")
			a.ok("POST", m.path+"/rename", `{"new-name":"renamed018"}`)
			a.vended(a.ok("GET", path, ""), m.location, "READ_WRITE")
			a.ok("DELETE", t1+"/renamed018", "")
			a.fails("GET", path, "", 404, noTable)
		})
	})
}

// percent encodes each byte that is no letter or digit, as some clients do.
func percent(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
