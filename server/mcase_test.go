package server_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/leveelake/catalog/storage"
)

// What the tests of the management API share. Paths without a prefix are those of the root mount.

// rpc sends a request that the root mount must refuse with this status, number and reason ("" for any).
func (a *api) rpc(method, path, body string, status, code int, reason string, places ...string) {
	a.Helper()
	res := a.serve(method, path, body)
	if reason == "" {
		reason = strings.Join(reasons, "|")
	}
	var v struct {
		Code    int              `json:"code"`
		Message string           `json:"message"`
		Details []map[string]any `json:"details"`
	}
	data := make([]byte, 1<<16)
	n, _ := res.Body.Read(data)
	if err := json.Unmarshal(data[:n], &v); err != nil || v.Code != code || res.StatusCode != status || v.Message == "" || len(v.Details) == 0 ||
		res.Header.Get("Content-Type") != "application/json" || !slices.Contains(strings.Split(reason, "|"), fmt.Sprint(v.Details[0]["reason"])) {
		a.Errorf("%s %s %.300s: got %d %.500s, want %d with code %d", method, path, body, res.StatusCode, data[:n], status, code)
	}
	for _, p := range places {
		if !strings.Contains(v.Message, p) {
			a.Errorf("%s %s %.300s: the message %q does not name %q", method, path, body, v.Message, p)
		}
	}
}

var reasons = []string{
	invalid, precondition, "NOT_FOUND", "CATALOG_NOT_FOUND", "SCHEMA_NOT_FOUND", "TABLE_NOT_FOUND", "CATALOG_ALREADY_EXISTS", "SCHEMA_ALREADY_EXISTS",
	"TABLE_ALREADY_EXISTS", "STORAGE_CREDENTIAL_ALREADY_EXISTS", "EXTERNAL_LOCATION_ALREADY_EXISTS", "UNIMPLEMENTED",
}

// bad400 is a refusal of bad input by the root mount.
func (a *api) bad400(method, path, body string, places ...string) {
	a.Helper()
	a.rpc(method, path, body, 400, 3, invalid, places...)
}

// space makes a catalog with schema s1, both of no storage root.
func (a *api) space() string {
	a.Helper()
	c := "space" + strconv.FormatInt(serial.Add(1), 10)
	a.ok("POST", "/catalogs", body(object{"name": c}))
	a.ok("POST", "/schemas", body(object{"name": "s1", "catalogName": c}))
	return c
}

// tableIn registers an external table.
func (a *api) tableIn(catalog, schema, name string, edits ...edit) object {
	a.Helper()
	return a.ok("POST", "/tables", body(edited(rootTable(catalog, schema, name), edits...)))
}

// rootTable is a valid create request of the root mount.
func rootTable(catalog, schema, name string) object {
	return object{
		"name": name, "catalogName": catalog, "schemaName": schema, "tableType": 2, "dataSourceFormat": 1,
		"storageLocation": "s3://" + catalog + "/" + schema + "/" + name, "columns": []any{object{"name": "id", "typeText": "bigint"}},
	}
}

// credential makes a storage credential of a fresh name, which has no secret.
func (a *api) credential(edits ...edit) string {
	a.Helper()
	return a.ok("POST", "/credentials", body(edited(roleCredential(a.fresh()), edits...)))["name"].(string)
}

func roleCredential(name string) object {
	return object{"name": name, "purpose": 1, "awsIamRole": object{"roleArn": "arn:aws:iam::123456789012:role/levee"}}
}

// location makes an external location of a fresh name.
func (a *api) location(url, credential string, edits ...edit) string {
	a.Helper()
	return a.ok("POST", "/external-locations", body(edited(object{"name": a.fresh(), "url": url, "credentialName": credential, "readOnly": false}, edits...)))["name"].(string)
}

// names are the members of this name of a list, and the token of the next page.
func names(v object, list, field, next string) ([]string, string) {
	var out []string
	for _, item := range v[list].([]any) {
		out = append(out, at(item, field).(string))
	}
	token, _ := v[next].(string)
	return out, token
}

// pagesOf reads all pages of a list of the root mount, whose path has a query.
func (a *api) pagesOf(path, list, field string, size int) (all []string, sizes []int) {
	a.Helper()
	for token := ""; ; {
		got, next := names(a.ok("GET", fmt.Sprint(path, "&maxResults=", size, "&pageToken=", token), ""), list, field, "nextPageToken")
		all, sizes = append(all, got...), append(sizes, len(got))
		if token = next; token == "" {
			return all, sizes
		}
	}
}

// onlyCase reports fields whose names are spelled as on the other mount.
func (a *api) onlyCase(v any, other string) {
	a.Helper()
	switch v := v.(type) {
	case object:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if strings.ContainsAny(k, other) {
				a.Errorf("%s is spelled as on the other mount", k)
			}
			if k != "properties" {
				a.onlyCase(v[k], other)
			}
		}
	case []any:
		for _, e := range v {
			a.onlyCase(e, other)
		}
	}
}

const upperCase = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

// onEachRestart runs fn on each store, with which it may make another server.
func onEachRestart(t *testing.T, fn func(t *testing.T, a *api, store storage.Store)) {
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := open(t)
			fn(t, newAPI(t, store), store)
		})
	}
}
