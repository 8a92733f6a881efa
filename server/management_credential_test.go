package server_test

import (
	"strings"
	"testing"
)

// The secrets of these tests, which no answer may show.
const (
	accountKey   = "c2VjcmV0LWFjY291bnQta2V5"
	clientSecret = "secret-client-secret"
)

// hides runs fn, in which nothing that is answered or logged may show a secret.
func (a *api) hides(fn func(a *api)) {
	inner := &api{TB: a.TB, handler: a.handler, log: a.log}
	fn(inner)
	for _, path := range []string{"/credentials", unity + "/credentials"} {
		_, data, _ := a.call("GET", path, "")
		for _, secret := range []string{accountKey, clientSecret} {
			if strings.Contains(string(data), secret) || strings.Contains(a.log.String(), secret) {
				a.Errorf("%s shows a secret", path)
			}
		}
	}
}

func TestManagementCredentials(t *testing.T) {
	onEachStore(t, func(t *testing.T, a *api) {
		storageKey := func(name string) object {
			return object{"name": name, "purpose": 1, "azureStorageKey": object{"accountName": "acc", "accountKey": accountKey}}
		}
		a.run("059/storage key", func(a *api) {
			a.hides(func(a *api) {
				v := a.ok("POST", "/credentials", body(storageKey("k59")))
				a.onlyCase(v, "_")
				a.has(v, object{
					"name": "k59", "fullName": "k59", "purpose": 1, "azureStorageKey": object{"accountName": "acc", "accountKey": "***"}, "readOnly": false,
					"usedForManagedStorage": false, "clientSecret": nil,
				})
				if v["createdAt"] != v["updatedAt"] || v["createdAt"] == nil {
					a.Errorf("times are %v and %v", v["createdAt"], v["updatedAt"])
				}
				a.same("get", a.ok("GET", "/credentials/k59", ""), v)
				a.same("update", a.ok("PATCH", "/credentials/k59", body(object{"azureStorageKey": object{"accountName": "acc", "accountKey": accountKey}}))["azureStorageKey"], v["azureStorageKey"])
				u := a.ok("GET", unity+"/credentials/k59", "")
				a.onlyCase(u, upperCase)
				a.has(u, object{"purpose": "STORAGE", "id": v["id"], "azure_storage_key": object{"account_name": "acc", "account_key": "***"}})
				a.bad400("POST", "/credentials", body(edited(storageKey("bad"), put(accountKey+"\n", "azureStorageKey", "accountKey"))), "account_key")
			})
		})
		a.run("060/service principal", func(a *api) {
			a.hides(func(a *api) {
				req := object{"name": "k60", "purpose": 1, "azureServicePrincipal": object{"directoryId": "d", "applicationId": "a", "clientSecret": clientSecret}}
				a.has(a.ok("POST", "/credentials", body(req)), object{"azureServicePrincipal": object{"directoryId": "d", "applicationId": "a"}})
				for _, e := range []edit{cut("azureServicePrincipal", "clientSecret"), put("/x", "azureServicePrincipal", "federatedTokenFile"), cut("azureServicePrincipal", "directoryId")} {
					a.bad400("POST", "/credentials", body(edited(a.decode([]byte(body(req))), put("k60b", "name"), e)), "azure_service_principal")
				}
			})
		})
		a.run("061/what is none", func(a *api) {
			a.bad400("POST", "/credentials", `{"name":"k61","purpose":1}`, "identity")
			a.bad400("POST", "/credentials", body(edited(storageKey("k61"), put(object{"objectId": "o"}, "azureManagedIdentity"))), "identity")
			a.bad400("POST", "/credentials", body(edited(roleCredential("k61"), put(2, "purpose"), put(true, "readOnly"))), "read-only")
			a.bad400("POST", "/credentials", `{"name":"k61","purpose":1,"azureManagedIdentity":{}}`, "azure_managed_identity")
			a.bad400("POST", "/credentials", body(edited(storageKey("k61"), put(1, "azureStorageKey", "accountKey"))), "azureStorageKey.accountKey: want a string")
			a.has(a.ok("POST", "/credentials", `{"name":"k61","purpose":1,"azureManagedIdentity":{"objectId":"o"},"skipValidation":true}`), object{"azureManagedIdentity": object{"objectId": "o"}})
		})
		a.run("062/role", func(a *api) {
			a.fails("POST", unity+"/credentials", `{"name":"k62","aws_iam_role":{"role_arn":"arn:aws:iam::123456789012:role/a"}}`, 400, invalid, "purpose")
			v := a.ok("POST", unity+"/credentials", `{"name":"k62","purpose":"STORAGE","aws_iam_role":{"role_arn":"arn:aws:iam::123456789012:role/a","external_id":"mine"}}`)
			first, _ := at(v, "aws_iam_role", "external_id").(string)
			if !uuidForm.MatchString(first) || at(v, "aws_iam_role", "role_arn") != "arn:aws:iam::123456789012:role/a" {
				a.Errorf("the role is %v", v["aws_iam_role"])
			}
			v = a.ok("PATCH", unity+"/credentials/k62", `{"aws_iam_role":{"role_arn":"arn:aws:iam::123456789012:role/b"}}`)
			if id := at(v, "aws_iam_role", "external_id"); id == first || at(v, "aws_iam_role", "role_arn") != "arn:aws:iam::123456789012:role/b" {
				a.Errorf("the role is %v", v["aws_iam_role"])
			}
			v = a.ok("POST", unity+"/credentials", `{"name":"k62b","purpose":"STORAGE","aws_access_key":{"access_key_id":"AK","secret_access_key":"`+clientSecret+`"}}`)
			a.same("key", v["aws_access_key"], object{"access_key_id": "AK"})
			v = a.ok("POST", "/credentials", `{"name":"k62c","purpose":1,"gcpServiceAccountKey":{"email":"e@x","privateKeyId":"i","privateKey":"`+clientSecret+`"}}`)
			a.same("key", v["gcpServiceAccountKey"], object{"email": "e@x", "privateKeyId": "i"})
		})
		a.run("063/list", func(a *api) {
			a.ok("POST", "/credentials", body(edited(roleCredential("k63"), put("service", "purpose"))))
			for query, want := range map[string]bool{"purpose=2": true, "purpose=SERVICE": true, "purpose=service": true} {
				got, _ := names(a.ok("GET", "/credentials?"+query, ""), "credentials", "name", "nextPageToken")
				a.same(query, len(got) == 1 && got[0] == "k63", want)
			}
			all, _ := names(a.ok("GET", "/credentials", ""), "credentials", "name", "nextPageToken")
			for _, query := range []string{"purpose=0", "purpose="} {
				got, _ := names(a.ok("GET", "/credentials?"+query, ""), "credentials", "name", "nextPageToken")
				a.same(query, got, all)
			}
			got, _ := names(a.ok("GET", "/credentials?purpose=1", ""), "credentials", "name", "nextPageToken")
			a.same("of storage", len(got), len(all)-1)
			for _, purpose := range []string{"9", "-1", "X"} {
				a.bad400("GET", "/credentials?purpose="+purpose, "", "purpose")
			}
		})
		a.run("064/update", func(a *api) {
			a.hides(func(a *api) {
				a.ok("POST", "/credentials", body(storageKey("k64")))
				shown := object{"accountName": "acc", "accountKey": "***"}
				a.has(a.ok("PATCH", "/credentials/k64", `{"comment":"n","owner":"o"}`), object{"comment": "n", "owner": "o", "azureStorageKey": shown})
				a.has(a.ok("PATCH", "/credentials/k64", `{"azureStorageKey":{"accountName":"acc","accountKey":"***"}}`), object{"comment": "n", "azureStorageKey": shown})
				a.bad400("PATCH", "/credentials/k64", `{"name":"k59"}`, "k59")
				v := a.ok("GET", "/credentials/k64", "")
				a.same("nothing", a.ok("PATCH", "/credentials/k64", `{"name":"k64"}`), v)
			})
		})
		a.run("065/update what is used", func(a *api) {
			credential := a.credential()
			location := a.location("s3://l65/x", credential)
			role := `"awsIamRole":{"roleArn":"arn:aws:iam::123456789012:role/other"}`
			a.rpc("PATCH", "/credentials/"+credential, `{`+role+`}`, 400, 9, precondition)
			a.rpc("PATCH", "/credentials/"+credential, `{"readOnly":true}`, 400, 9, precondition)
			a.ok("PATCH", "/credentials/"+credential, `{`+role+`,"force":true}`)
			a.ok("PATCH", "/credentials/"+credential, `{"newName":"k65"}`)
			a.has(a.ok("GET", "/external-locations/"+location, ""), object{"credentialName": "k65"})
			a.rpc("PATCH", "/credentials/k65", `{"newName":"k64"}`, 409, 6, "STORAGE_CREDENTIAL_ALREADY_EXISTS")
		})
		a.run("066/delete", func(a *api) {
			credential := a.credential()
			location := a.location("s3://l66/x", credential)
			a.bad400("DELETE", "/credentials/"+credential, "")
			a.fails("DELETE", unity+"/credentials/"+credential, "", 400, invalid)
			a.ok("DELETE", unity+"/credentials/"+credential+"?force=true", "")
			if v := a.ok("GET", "/external-locations/"+location, ""); v["credentialName"] == credential {
				a.Errorf("the credential is still %v", v["credentialName"])
			}
			a.fails("POST", unity+"/temporary-path-credentials", `{"url":"s3://l66/x/y","operation":"PATH_READ"}`, 400, precondition, "s3://l66/x/y")
			a.rpc("DELETE", "/credentials/"+credential, "", 404, 5, "NOT_FOUND")
		})
		a.run("067/missing and twice", func(a *api) {
			a.rpc("GET", "/credentials/nope", "", 404, 5, "NOT_FOUND", "nope")
			a.fails("GET", unity+"/credentials/nope", "", 404, "NOT_FOUND", "nope")
			a.rpc("PATCH", "/credentials/nope", "{}", 404, 5, "NOT_FOUND")
			a.rpc("POST", "/credentials", body(roleCredential("k59")), 409, 6, "STORAGE_CREDENTIAL_ALREADY_EXISTS")
			a.fails("POST", unity+"/credentials", body(roleCredential("k59")), 409, "STORAGE_CREDENTIAL_ALREADY_EXISTS")
		})
		a.run("validate", func(a *api) {
			for _, mount := range []string{"", unity} {
				v := a.ok("POST", mount+"/validate-credentials", `{"credential_name":"k59","url":"s3://x/y"}`)
				a.same("result", at(v, "results", 0, "result"), "SKIP")
				a.fails("POST", mount+"/validate-credentials", `{"credentialName":"nope"}`, 404, "NOT_FOUND")
				a.fails("POST", mount+"/validate-credentials", `{"credentialName":"k59","externalLocationName":"nope"}`, 404, "NOT_FOUND")
				a.fails("POST", mount+"/validate-credentials", `{}`, 400, invalid)
			}
		})
	})
}
