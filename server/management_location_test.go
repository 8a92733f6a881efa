package server_test

import (
	"testing"
)

func TestManagementLocations(t *testing.T) {
	onEachStore(t, func(t *testing.T, a *api) {
		credential := a.credential()
		locations := "/external-locations"
		req := func(name, url string, edits ...edit) string {
			return body(edited(object{"name": name, "url": url, "credentialName": credential, "readOnly": false}, edits...))
		}
		a.run("068/create", func(a *api) {
			v := a.ok("POST", locations, req("l68", "s3://b1/p/"))
			a.onlyCase(v, "_")
			a.has(v, object{
				"url": "s3://b1/p", "credentialName": credential, "credentialId": a.ok("GET", "/credentials/"+credential, "")["id"], "readOnly": false, "updatedAt": v["createdAt"],
			})
			if id, _ := v["externalLocationId"].(string); !uuidForm.MatchString(id) || v["id"] != nil || v["createdAt"] == nil {
				a.Errorf("the location is %v", v)
			}
			u := a.ok("GET", unity+"/external_locations/l68", "")
			a.onlyCase(u, upperCase)
			a.has(u, object{"id": v["externalLocationId"], "external_location_id": v["externalLocationId"], "read_only": false})
			a.same("get", a.ok("GET", "/external_locations/l68", ""), v)
			a.same("list", a.ok("GET", "/external_locations?includeBrowse=false", ""), object{"externalLocations": []any{v}})
			a.ok("POST", "/external_locations", req("l68b", "s3://b68/p", cut("readOnly")))
		})
		a.run("069/what is none", func(a *api) {
			a.bad400("POST", locations, req("l69", "", cut("url")), "url")
			a.bad400("POST", locations, req("l69", "s3://b69/x", cut("credentialName")), "credentialName")
			a.rpc("POST", locations, req("l69", "s3://b69/x", put("nope", "credentialName")), 404, 5, "NOT_FOUND", "nope")
			service := a.ok("POST", "/credentials", body(edited(roleCredential("service"), put("SERVICE", "purpose"))))
			a.bad400("POST", locations, req("l69", "s3://b69/x", put(service["name"], "credentialName")), "SERVICE")
		})
		a.run("070/overlaps", func(a *api) {
			for _, url := range []string{"s3://b1/p", "s3://b1/p/x", "s3://b1", "s3://b1/", "s3a://b1/q", "s3://b1/__unitystorage/x"} {
				a.bad400("POST", locations, req("l70", url), "url")
			}
			a.ok("POST", locations, req("l70", "s3://b1/pq"))
			a.rpc("POST", locations, req("l68", "s3://b70/x"), 409, 6, "EXTERNAL_LOCATION_ALREADY_EXISTS")
			a.fails("POST", unity+locations, req("l68", "s3://b70/x"), 409, "EXTERNAL_LOCATION_ALREADY_EXISTS")
		})
		a.run("071/update", func(a *api) {
			v := a.ok("GET", locations+"/l68", "")
			a.same("its own", a.ok("PATCH", locations+"/l68", `{"url":"s3://b1/p"}`), v)
			a.bad400("PATCH", locations+"/l68", `{"url":"s3://b1/pq/x"}`, "url")
			a.bad400("PATCH", locations+"/l68", `{"url":"s3://b1/p/__unitystorage"}`, "url")
			a.bad400("PATCH", locations+"/l68", `{"name":"l70"}`, "l70")
			a.has(a.ok("PATCH", locations+"/l68", `{"readOnly":true,"owner":"o","comment":"c","newName":"l71","skipValidation":true}`), object{
				"readOnly": true, "owner": "o", "comment": "c", "name": "l71", "externalLocationId": v["externalLocationId"], "createdAt": v["createdAt"],
			})
			a.has(a.ok("GET", unity+locations+"/l71", ""), object{"read_only": true, "owner": "o"})
			a.rpc("GET", locations+"/l68", "", 404, 5, "NOT_FOUND")
			a.rpc("PATCH", locations+"/l71", `{"newName":"l70"}`, 409, 6, "EXTERNAL_LOCATION_ALREADY_EXISTS")
		})
		a.run("072/delete", func(a *api) {
			a.ok("POST", locations, req("l72", "s3://b72/x"))
			a.tableIn("c1", "s1", "t72", put("s3://b72/x/t", "storageLocation"))
			a.has(a.ok("GET", "/tables/c1.s1.t72", ""), object{"storageCredentialName": credential})
			a.has(a.ok("GET", unity+"/tables/c1.s1.t72", ""), object{"storage_credential_name": nil})
			a.fails("DELETE", locations+"/l72", "", 400, invalid+"|"+precondition)
			a.ok("DELETE", locations+"/l72?force=true", "")
			a.has(a.ok("GET", "/tables/c1.s1.t72", ""), object{"storageCredentialName": nil})
			a.rpc("DELETE", locations+"/l72", "", 404, 5, "NOT_FOUND")
		})
		a.run("073/at once", func(a *api) {
			for range 5 {
				bucket := a.fresh()
				got := a.parallel(2, func(i int) (string, string, string) {
					return "POST", locations, req(a.fresh(), "s3://"+bucket+"/x"+[]string{"", "/y"}[i])
				})
				a.same("answers", got, map[string]int{"200": 1, "400 " + invalid: 1})
			}
		})
	})
}
