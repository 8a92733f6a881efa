package server_test

import (
	"strings"
	"testing"
)

func TestUnityPermissions(t *testing.T) {
	onEachStore(t, func(t *testing.T, a *api) {
		credential := a.credential()
		location := a.location("s3://granted/x", credential)
		a.ok("POST", unity+"/tables", body(unityTable("granted")))
		grant := func(a *api, path string, privileges ...any) object {
			a.Helper()
			return a.ok("PATCH", unity+"/permissions/"+path, body(object{"changes": []any{object{"principal": "ann", "add": privileges}}}))
		}
		assigned := func(privileges ...any) object {
			return object{"privilege_assignments": []any{object{"principal": "ann", "privileges": privileges}}}
		}
		a.run("grant on each type", func(a *api) {
			for path, privilege := range map[string]string{
				"metastore/x": "CREATE_CATALOG", "catalog/c1": "USE_CATALOG", "schema/c1.s1": "USE SCHEMA", "schema/c1%1Fs1": "use_schema",
				"table/c1.s1.granted": "select", "TABLE/c1.s1.granted": "SELECT", "external_location/" + location: "READ_FILES", "external-location/" + location: "READ FILES",
				"credential/" + credential: "CREATE_EXTERNAL_LOCATION", "storage_credential/" + credential: "CREATE EXTERNAL LOCATION",
			} {
				want := assigned(strings.ReplaceAll(strings.ToUpper(privilege), "_", " "))
				a.same(path, grant(a, path, privilege), want)
				a.same(path, a.ok("GET", unity+"/permissions/"+path, ""), want)
				a.same(path, a.ok("GET", unity+"/permissions/"+path+"?principal=ann", ""), want)
				if v := a.ok("GET", unity+"/permissions/"+path+"?principal=bob", ""); len(v["privilege_assignments"].([]any)) != 0 {
					a.Errorf("%s: bob has %v", path, v)
				}
			}
		})
		a.run("effective", func(a *api) {
			grant(a, "catalog/c1", "MODIFY")
			v := a.ok("GET", unity+"/effective-permissions/table/c1.s1.granted?principal=ann", "")
			var own, inherited bool
			for _, p := range at(v, "privilege_assignments", 0, "privileges").([]any) {
				p := p.(object)
				switch p["privilege"] {
				case "SELECT":
					own = p["inherited_from_type"] == nil && p["inherited_from_name"] == nil
				case "MODIFY":
					inherited = p["inherited_from_type"] == "CATALOG" && p["inherited_from_name"] == "c1"
				}
			}
			if at(v, "privilege_assignments", 0, "principal") != "ann" || !own || !inherited {
				a.Errorf("ann has %v", v)
			}
		})
		a.run("revoke", func(a *api) {
			grant(a, "schema/c1.s1", "SELECT", "MODIFY")
			v := a.ok("PATCH", unity+"/permissions/schema/c1.s1", `{"changes":[{"principal":"ann","add":[],"remove":["USE_SCHEMA","MODIFY"]}]}`)
			a.same("left", v, assigned("SELECT"))
		})
		a.run("refused", func(a *api) {
			for path, code := range map[string]string{
				"catalog/nope": "CATALOG_NOT_FOUND", "schema/c1.nope": "SCHEMA_NOT_FOUND", "table/c1.s1.nope": "TABLE_NOT_FOUND", "table/c1.nope.t": "SCHEMA_NOT_FOUND",
				"credential/nope": "NOT_FOUND", "external_location/nope": "NOT_FOUND",
			} {
				a.fails("GET", unity+"/permissions/"+path, "", 404, code)
				a.fails("PATCH", unity+"/permissions/"+path, `{"changes":[]}`, 404, code)
			}
			for _, path := range []string{"table/c1.s1", "schema/s1", "catalog/a.b", "nonsense/x", "staging-table/x", "token/x"} {
				a.fails("GET", unity+"/permissions/"+path, "", 400, invalid)
				a.fails("GET", unity+"/effective-permissions/"+path, "", 400, invalid)
			}
			for _, path := range []string{"function/c1.s1.f", "volume/c1.s1.v", "registered_model/c1.s1.m"} {
				a.fails("GET", unity+"/permissions/"+path, "", 501, "UNIMPLEMENTED")
				a.fails("PATCH", unity+"/permissions/"+path, `{}`, 501, "UNIMPLEMENTED")
			}
			for _, b := range []string{`{"changes":[{"principal":"","add":["SELECT"]}]}`, `{"changes":[{"principal":"ann","add":["FLY"]}]}`, `{"changes":[{"principal":"ann","add":"SELECT"}]}`, `{"changes":{}}`, `[]`} {
				a.fails("PATCH", unity+"/permissions/table/c1.s1.granted", b, 400, invalid)
			}
			a.fails("PATCH", unity+"/permissions/table/c1.s1.granted", `{"changes":[{"principal":"ann","add":["CREATE SCHEMA"]}]}`, 400, invalid)
			a.rpc("GET", "/permissions/catalog/c1", "", 404, 5, "NOT_FOUND") // not of the root mount
		})
	})
}

func TestUnityTokens(t *testing.T) {
	onEachStore(t, func(t *testing.T, a *api) {
		tokens := unity + "/tokens"
		a.run("life", func(a *api) {
			v := a.ok("POST", tokens, `{"principal":"ann","groups":["g"],"comment":"c","lifetime_seconds":3600}`)
			id, _ := v["token_id"].(string)
			value, _ := v["token_value"].(string)
			if !uuidForm.MatchString(id) || !strings.HasPrefix(value, id+".") {
				a.Fatalf("the token is %v", v)
			}
			a.has(v, object{"principal": "ann", "groups": []any{"g"}, "comment": "c", "created_by": nil})
			if v["created_at"] == nil || v["expires_at"] == nil {
				a.Errorf("the token is %v", v)
			}
			forever := a.ok("POST", tokens, `{"principal":"bob"}`)
			a.has(forever, object{"groups": []any{}, "expires_at": nil})
			delete(v, "token_value")
			a.same("of ann", a.ok("GET", tokens+"?principal=ann", ""), object{"tokens": []any{v}})
			all := a.ok("GET", tokens, "")["tokens"].([]any)
			a.same("all", len(all), 2)
			first := a.ok("GET", tokens+"?max_results=1", "")
			second := a.ok("GET", tokens+"?max_results=1&page_token="+first["next_page_token"].(string), "")
			a.same("pages", []any{at(first, "tokens", 0), at(second, "tokens", 0), second["next_page_token"]}, []any{all[0], all[1], nil})
			a.same("revoke", a.ok("DELETE", tokens+"/"+id, ""), object{})
			a.fails("DELETE", tokens+"/"+id, "", 404, "NOT_FOUND")
			a.same("of ann", a.ok("GET", tokens+"?principal=ann", ""), object{"tokens": []any{}})
		})
		a.run("refused", func(a *api) {
			for _, b := range []string{`{}`, `{"principal":""}`, `{"principal":1}`, `{"principal":"a","groups":"g"}`, `{"principal":"a","groups":[null]}`} {
				a.fails("POST", tokens, b, 400, invalid)
			}
			for _, n := range []string{"-1", "9223372036854775807", "1.5", `"x"`, "9223372037"} {
				a.fails("POST", tokens, `{"principal":"a","lifetime_seconds":`+n+`}`, 400, invalid, "lifetime_seconds")
			}
			a.fails("DELETE", tokens+"/x", "", 400, invalid, "token_id")
			a.fails("DELETE", tokens+"/"+absentID, "", 404, "NOT_FOUND")
		})
	})
}

func TestUnityPathCredentials(t *testing.T) {
	onEachStore(t, func(t *testing.T, a *api) {
		path := unity + "/temporary-path-credentials"
		for _, op := range []string{"PATH_READ", "PATH_READ_WRITE", "PATH_CREATE_TABLE"} {
			v := a.ok("POST", path, body(object{"url": "file:///elsewhere/x", "operation": op}))
			if u, _ := v["url"].(string); strings.TrimSuffix(u, "/") != "file:///elsewhere/x" || v["expiration_time"] == nil || len(v) != 2 {
				a.Errorf("credentials are %v", v)
			}
		}
		for _, op := range []any{"READ", "", nil, 1} {
			a.fails("POST", path, body(object{"url": "file:///elsewhere/x", "operation": op}), 400, invalid, "operation")
		}
		a.fails("POST", path, `{"operation":"PATH_READ"}`, 400, invalid, "url")
		a.fails("POST", path, `{"operation":"PATH_READ","url":"s3a://b/x"}`, 400, invalid)
		a.fails("POST", path, `{"operation":"PATH_READ","url":"s3://b/x"}`, 501, "UNIMPLEMENTED") // there is no vendor
	})
}
