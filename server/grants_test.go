package server_test

import (
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/server"
	"github.com/leveelake/catalog/server/auth"
	"github.com/leveelake/catalog/storage/memory"
	"github.com/leveelake/catalog/types"
)

// TestGrantsOverHTTP (101): asking for grants and changing them is answered, never a fault.
func TestGrantsOverHTTP(t *testing.T) {
	w := newWorld(t, stores["memory"](t), []clause{{"USE CATALOG", "c", ""}, {"USE SCHEMA", "s", ""}})
	change := func(principal, add, remove string) string {
		return body(object{"changes": []any{object{"principal": principal, "add": strings.Fields(add), "remove": strings.Fields(remove)}}})
	}
	for _, try := range []struct {
		who, method, path, body string
		want                    int
	}{
		{"ann", "GET", "table/{c}.{s}.{x}", "", 200},
		{"root", "GET", "table/{c}.{s}.{x}", "", 200},
		{"joe", "GET", "table/{c}.{s}.{x}", "", 403},
		{"eve", "GET", "table/{c}.{s}.{x}", "", 404},
		{"joe", "GET", "catalog/{c}", "", 200},
		{"eve", "GET", "catalog/{c}", "", 403},
		{"ann", "GET", "table/{c}.{s}.nope", "", 404},
		{"ann", "GET", "schema/{c}.nope", "", 404},
		{"ann", "GET", "catalog/nope", "", 404},
		{"ann", "GET", "credential/nope", "", 404},
		{"ann", "GET", "external_location/nope", "", 404},
		{"ann", "GET", "external-location/{l}", "", 200},
		{"ann", "GET", "storage_credential/{k}", "", 200},
		{"ann", "GET", "TABLE/{c}.{s}.{x}", "", 200},
		{"ann", "GET", "metastore/whatever", "", 200},
		{"ann", "GET", "table/{c}.{s}.{x}?principal=nobody", "", 200},
		{"ann", "GET", "table/{c}.{s}.{x}?principal=", "", 200},
		{"ann", "GET", "table/{c}.{s}", "", 400},
		{"ann", "GET", "catalog/{c}.{s}", "", 400},
		{"ann", "GET", "nothing/{c}", "", 400},
		{"ann", "PATCH", "table/{c}.{s}.{x}", change("nobody", "SELECT", ""), 200},
		{"ann", "PATCH", "table/{c}.{s}.{x}", change("nobody", "", "MODIFY"), 200},
		{"joe", "PATCH", "table/{c}.{s}.{x}", change("joe", "SELECT", ""), 403},
		{"eve", "PATCH", "table/{c}.{s}.{x}", change("eve", "SELECT", ""), 404},
		{"eve", "PATCH", "metastore/M", change("eve", "MANAGE", ""), 403},
		{"ann", "PATCH", "table/{c}.{s}.nope", change("joe", "SELECT", ""), 404},
		{"ann", "PATCH", "table/{c}.{s}.{x}", change("joe", "FLY", ""), 400},
		{"ann", "PATCH", "table/{c}.{s}.{x}", change("joe", "use_catalog", ""), 400},
		{"ann", "PATCH", "table/{c}.{s}.{x}", change("joe", "SELECT", "SELECT"), 400},
		{"ann", "PATCH", "table/{c}.{s}.{x}", change("", "SELECT", ""), 400},
		{"ann", "PATCH", "catalog/{c}", change("joe", "use_schema", ""), 200},
		{"ann", "PATCH", "table/{c}.{s}.{x}", "", 400},
		{"ann", "PATCH", "table/{c}.{s}.{x}", `{"changes":{}}`, 400},
		{"ann", "PATCH", "table/{c}.{s}.{x}", `{"changes":[null]}`, 400},
		{"ann", "PATCH", "table/{c}.{s}.{x}", `{"changes":[{"principal":"joe","add":[1]}]}`, 400},
		{"ann", "PATCH", "table/{c}.{s}.{x}", `{"changes":[]}`, 200},
		{"ann", "PATCH", "table/{c}.{s}.{x}", `{}`, 200},
	} {
		if status, _, data := w.send(try.who, try.method, unity+"/permissions/"+try.path, try.body); status != try.want {
			t.Errorf("%s: %s %s %s: %d %s, want %d", try.who, try.method, try.path, try.body, status, data, try.want)
		}
		if try.method == "GET" {
			if status, _, data := w.send(try.who, "GET", unity+"/effective-permissions/"+try.path, ""); status != try.want {
				t.Errorf("%s: effective %s: %d %s, want %d", try.who, try.path, status, data, try.want)
			}
		}
	}
	// Who does not grant sees of the grants those that are the caller's own.
	w.grant("ann", "catalog/{c}", "zoe", "CREATE SCHEMA")
	if _, _, data := w.send("joe", "GET", unity+"/permissions/catalog/{c}", ""); strings.Contains(data, "zoe") || !strings.Contains(data, "joe") {
		t.Errorf("joe sees %s", data)
	}
	if _, _, data := w.send("joe", "GET", unity+"/permissions/catalog/{c}?principal=zoe", ""); strings.Contains(data, "CREATE") {
		t.Errorf("of zoe, joe sees %s", data)
	}
	if _, _, data := w.send("ann", "GET", unity+"/permissions/catalog/{c}", ""); !strings.Contains(data, `"CREATE SCHEMA"`) {
		t.Errorf("ann sees %s", data)
	}
}

// TestTakenByHidden (102): in a schema that one may use, a name that is taken is told as taken, whoever has
// it: as a look at it is refused, and not as if it were missing. In another schema nothing is told.
func TestTakenByHidden(t *testing.T) {
	w := newWorld(t, stores["memory"](t), []clause{{"USE CATALOG", "c", ""}, {"USE SCHEMA", "s", ""}, {"CREATE TABLE", "s", ""}})
	mine := body(edited(externalBody("mine"), put("file:///my/x", "location")))
	w.must("joe", "POST", deltaTables, mine)
	for _, try := range []struct {
		method, path, body string
		want               int
	}{
		{"GET", "/thesch/tables/xtab", "", 403}, {"GET", "/thesch/tables/nope", "", 404},
		{"POST", "/thesch/tables/mine/rename", `{"new-name":"xtab"}`, 409},
		{"POST", "/thesch/tables/xtab/rename", `{"new-name":"xtab"}`, 403},
		{"POST", "/thesch/tables/xtab/rename", `{"new-name":"free"}`, 403},
		{"POST", "/thesch/tables/nope/rename", `{"new-name":"xtab"}`, 404},
		{"POST", "/thesch/tables", strings.ReplaceAll(strings.ReplaceAll(mine, `"mine"`, `"xtab"`), "/my/x", "/my/y"), 409},
		{"POST", "/sch2/tables", strings.ReplaceAll(mine, "/my/x", "/my/y"), 404},
		{"POST", "/thesch/staging-tables", `{"name":"xtab"}`, 409},
		{"POST", "/sch2/staging-tables", `{"name":"xtab"}`, 404},
	} {
		if status, _, data := w.send("joe", try.method, delta+"/catalogs/thecat/schemas"+try.path, try.body); status != try.want {
			t.Errorf("%s %s %s: %d %s, want %d", try.method, try.path, try.body, status, data, try.want)
		}
	}
}

// TestManage (103): who may MANAGE a schema passes on rights to a table in it, and drops it.
func TestManage(t *testing.T) {
	w := newWorld(t, stores["memory"](t), []clause{{"USE CATALOG", "c", "g"}, {"USE SCHEMA", "s", "g"}, {"MANAGE", "s", "g"}})
	w.grant("ann", "catalog/{c}", "svc-1234@app", "USE CATALOG")
	read := func(want int) {
		t.Helper()
		if status, _, data := w.send("svc-1234@app", "GET", deltaTables+"/{m}/credentials?operation=READ", ""); status != want {
			t.Errorf("got %d %s, want %d", status, data, want)
		}
	}
	read(404)
	w.grant(joe, "schema/{c}.{s}", "svc-1234@app", "USE SCHEMA")
	read(403)
	w.grant(joe, "table/{c}.{s}.{m}", "svc-1234@app", "SELECT")
	read(200)
	w.change(joe, "table/{c}.{s}.{m}", "remove", "svc-1234@app", []string{"SELECT"})
	read(403)
	if status, _, _ := w.send(joe, "PATCH", unity+"/permissions/catalog/{c}", `{"changes":[{"principal":"joe","add":["MANAGE"]}]}`); status != 403 {
		t.Errorf("MANAGE on what is above: %d", status)
	}
	w.must(joe, "DELETE", deltaTables+"/{m}", "")
	read(404)
}

// TestWhoIsAsked (104): who is not known is asked for a token, as the real methods say it; who is known and may not, is not.
func TestWhoIsAsked(t *testing.T) {
	now := time.Now()
	c, err := catalog.New(catalog.Config{Store: memory.New(), Authorizer: catalog.Grants{}, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	quiet := slog.New(slog.DiscardHandler)
	file := t.TempDir() + "/tokens"
	text := "joes-token-of-some-length"
	if err := os.WriteFile(file, []byte(auth.HashToken(text)+" joe\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	opts := auth.Options{Now: func() time.Time { return now }, Logger: quiet}
	listed, err := auth.File(file, opts)
	if err != nil {
		t.Fatal(err)
	}
	issued, err := auth.Tokens(c, catalog.Keys{}, opts)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{TB: t, handler: server.New(c, server.Config{Logger: quiet, Auth: auth.Any(listed, issued)})}
	w.admin(c, "root")
	issue := func(lifetime time.Duration) types.IssuedToken {
		token, err := c.CreateToken(catalog.WithPrincipal(t.Context(), "root"), types.CreateToken{Principal: "sue", Lifetime: lifetime})
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	good, short, gone := issue(0), issue(time.Second), issue(0)
	now = now.Add(time.Minute)
	if err := c.RevokeToken(catalog.WithPrincipal(t.Context(), "root"), gone.ID); err != nil {
		t.Fatal(err)
	}
	for _, try := range []struct {
		name    string
		headers []string
		want    int
		ask     string
	}{
		{"no token", nil, 401, `Bearer realm="levee"`},
		{"listed", []string{"Bearer " + text}, 403, ""},
		{"issued", []string{"Bearer " + string(good.Secret)}, 403, ""},
		{"lower case", []string{"bearer " + text}, 403, ""},
		{"expired", []string{"Bearer " + string(short.Secret)}, 401, "invalid_token"},
		{"revoked", []string{"Bearer " + string(gone.Secret)}, 401, "invalid_token"},
		{"unknown", []string{"Bearer other"}, 401, "invalid_token"},
		{"nothing behind Bearer", []string{"Bearer"}, 401, "Bearer"},
		{"blank behind Bearer", []string{"Bearer "}, 401, "Bearer"},
		{"two words", []string{"Bearer " + text + " " + text}, 401, "invalid_token"},
		{"in quotes", []string{`Bearer "` + text + `"`}, 401, "invalid_token"},
		{"Basic", []string{"Basic am9lOng="}, 401, "Bearer"},
		{"no scheme", []string{text}, 401, "Bearer"},
		{"twice", []string{"Bearer " + text, "Bearer " + text}, 401, "invalid_token"},
		{"one good, one bad", []string{"Bearer " + text, "Bearer other"}, 401, "invalid_token"},
		{"a part of it", []string{"Bearer " + text[:5]}, 401, "invalid_token"},
	} {
		for _, path := range []string{"GET " + unity + "/tokens", "POST " + unity + "/catalogs", "POST /catalogs", "POST /credentials"} {
			method, path, _ := strings.Cut(path, " ")
			r := httptest.NewRequest(method, "http://x"+path, strings.NewReader(`{"name":"n","purpose":1,"aws_iam_role":{"role_arn":"arn:aws:iam::123456789012:role/r"}}`))
			r.Header["Authorization"] = try.headers
			rec := httptest.NewRecorder()
			w.handler.ServeHTTP(rec, r)
			ask := rec.Header().Get("WWW-Authenticate")
			if rec.Code != try.want || !strings.Contains(ask, try.ask) || (ask == "") != (try.ask == "") {
				t.Errorf("%s: %s %s: %d, WWW-Authenticate: %s", try.name, method, path, rec.Code, ask)
			}
			if strings.Contains(fmt.Sprint(rec.Header(), rec.Body), text[:5]) && try.want == 401 {
				t.Errorf("%s: the answer has the token: %s", try.name, rec.Body)
			}
		}
	}
}
