package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/internal/pgtest"
	"github.com/leveelake/catalog/server"
	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/storage/memory"
	"github.com/leveelake/catalog/storage/postgres"
	"github.com/leveelake/catalog/storage/sqlite"
)

// stores are the stores that every test of the API runs on.
var stores = map[string]func(t testing.TB) storage.Store{
	"memory": func(testing.TB) storage.Store { return memory.New() },
	"sqlite": func(t testing.TB) storage.Store {
		s, err := sqlite.Open(t.TempDir() + "/catalog.db")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		return s
	},
	"postgres": func(t testing.TB) storage.Store {
		s, err := postgres.Open(t.Context(), pgtest.URL(t))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		return s
	},
}

const (
	unity = "/api/2.1/unity-catalog"
	delta = unity + "/delta/v1"
	s1    = delta + "/catalogs/c1/schemas/s1"
	t1    = s1 + "/tables"
)

// An api is a server under test with catalog c1, schema s1.
type api struct {
	testing.TB
	handler http.Handler
	log     *bytes.Buffer
}

// onEachStore runs fn on each store.
func onEachStore(t *testing.T, fn func(t *testing.T, a *api)) {
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fn(t, newAPI(t, open(t)))
		})
	}
}

func newAPI(t testing.TB, store storage.Store) *api {
	a := &api{TB: t, log: new(bytes.Buffer)}
	log := slog.New(slog.NewTextHandler(a.log, nil))
	c, err := catalog.New(catalog.Config{Store: store, ManagedRoot: "file:///managed", Logger: log, Keys: testKeys(t)})
	if err != nil {
		t.Fatal(err)
	}
	a.handler = validated(t, server.New(c, server.Config{Logger: log, MaxBody: 8 << 20}))
	a.ok("POST", unity+"/catalogs", `{"name":"c1"}`)
	a.ok("POST", unity+"/schemas", `{"name":"s1","catalog_name":"c1"}`)
	t.Cleanup(func() {
		if a.log.Len() > 0 {
			t.Errorf("the server logged:\n%s", a.log)
		}
	})
	return a
}

// testKeys are the keys of all servers of tests.
func testKeys(t testing.TB) catalog.Keys {
	t.Helper()
	keys, err := catalog.ParseKeys("levee-key-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// object is decoded JSON, its numbers kept as they are.
type object = map[string]any

// call sends a request and returns status and body.
func (a *api) call(method, path, body string) (int, []byte, http.Header) {
	a.Helper()
	r := httptest.NewRequest(method, "http://x"+path, strings.NewReader(body))
	w := httptest.NewRecorder()
	a.handler.ServeHTTP(w, r)
	res := w.Result()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		a.Fatal(err)
	}
	return res.StatusCode, data, res.Header
}

// ok sends a request that must succeed.
func (a *api) ok(method, path, body string) object {
	a.Helper()
	status, data, h := a.call(method, path, body)
	if status == http.StatusNoContent {
		if len(data) != 0 {
			a.Errorf("%s %s: 204 with body %q", method, path, data)
		}
		return nil
	}
	if status != http.StatusOK || h.Get("Content-Type") != "application/json" {
		a.Fatalf("%s %s %s: %d %s %s", method, path, body, status, h.Get("Content-Type"), data)
	}
	return a.decode(data)
}

func (a *api) decode(data []byte) object {
	a.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v object
	if err := d.Decode(&v); err != nil {
		a.Fatalf("%s: %v", data, err)
	}
	return v
}

// refused sends a request that must fail with this status and type, in the Delta API's shape.
func (a *api) refused(method, path, body string, status int, code string) string {
	a.Helper()
	got, data, h := a.call(method, path, body)
	short := body
	if len(short) > 300 {
		short = short[:300] + "…"
	}
	if got != status || h.Get("Content-Type") != "application/json" {
		a.Errorf("%s %s %s: got %d %s, want %d %s", method, path, short, got, data, status, code)
		return ""
	}
	if method == "HEAD" {
		return ""
	}
	v := a.decode(data)
	e, _ := v["error"].(object)
	message, _ := e["message"].(string)
	if e["type"] != code && code != "" || e["code"] != json.Number(fmt.Sprint(status)) || message == "" || len(v) != 1 || len(e) != 3 {
		a.Errorf("%s %s %s: %s, want type %s", method, path, short, data, code)
	}
	return message
}

// at walks decoded JSON.
func at(v any, path ...any) any {
	for _, p := range path {
		switch p := p.(type) {
		case string:
			v = v.(object)[p]
		case int:
			v = v.([]any)[p]
		}
	}
	return v
}

// body makes JSON.
func body(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// A tab is a managed table under test.
type tab struct {
	*api
	id, location, path string
}

// createBody is a valid managed create for a staging answer.
func createBody(name string, staged object) object {
	properties := object{}
	for k, v := range staged["required-properties"].(object) {
		properties[k] = v
	}
	return object{
		"name": name, "location": staged["location"], "table-type": "MANAGED",
		"columns": object{"type": "struct", "fields": []any{
			object{"name": "id", "type": "long", "nullable": false, "metadata": object{}},
			object{"name": "amount", "type": "double", "nullable": true, "metadata": object{}},
		}},
		"protocol": maps.Clone(staged["required-protocol"].(object)), "properties": properties, "last-commit-timestamp-ms": 1000,
	}
}

func (a *api) stage(name string) object {
	a.Helper()
	return a.ok("POST", s1+"/staging-tables", body(object{"name": name}))
}

// managed makes a managed table; edit, if not nil, changes the create request.
func (a *api) managed(name string, edit func(req object)) *tab {
	a.Helper()
	staged := a.stage(name)
	req := createBody(name, staged)
	if edit != nil {
		edit(req)
	}
	v := a.ok("POST", t1, body(req))
	return &tab{a, at(v, "metadata", "table-uuid").(string), at(v, "metadata", "location").(string), t1 + "/" + name}
}

// update is an update request with the assertion of the table's UUID.
func (t *tab) update(actions ...object) string {
	return body(object{"requirements": []any{object{"type": "assert-table-uuid", "uuid": t.id}}, "updates": actions})
}

func addCommit(version int64, file string) object {
	return object{"action": "add-commit", "commit": object{
		"version": version, "timestamp": 1000 + version, "file-name": file, "file-size": 10, "file-modification-timestamp": 2000,
	}}
}

func backfill(version int64) object {
	return object{"action": "set-latest-backfilled-version", "latest-published-version": version}
}

func (t *tab) commit(version int64, file string, more ...object) object {
	t.Helper()
	return t.ok("POST", t.path, t.update(append([]object{addCommit(version, file)}, more...)...))
}

// versions are the unbackfilled versions of a load answer.
func versions(v object) string {
	var out []string
	for _, c := range v["commits"].([]any) {
		out = append(out, fmt.Sprint(at(c, "version")))
	}
	return fmt.Sprintf("%s of %v", strings.Join(out, " "), v["latest-table-version"])
}
