package server_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/server"
	"github.com/leveelake/catalog/storage/memory"
	"github.com/leveelake/catalog/types"
)

// by is an Authenticator that takes names for tokens.
type by map[string][]string // groups of names

func (b by) Authenticate(r *http.Request) (string, []string, error) {
	name, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	groups, known := b[name]
	if !ok || !known {
		return "", nil, types.NotAuthorized.Errorf("no such token")
	}
	return name, groups, nil
}

// guarded is a server that asks who one is, with a root mount below /uc.
func guarded(t *testing.T, auth server.Authenticator) (*api, *server.Server) {
	t.Helper()
	c, err := catalog.New(catalog.Config{Store: memory.New(), ManagedRoot: "file:///managed"})
	if err != nil {
		t.Fatal(err)
	}
	s := server.New(c, server.Config{
		Logger: slog.New(slog.DiscardHandler), Auth: auth, Prefix: "/uc",
		TokenEndpoint: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"access_token":"x"}`) }),
	})
	return &api{TB: t, handler: s}, s
}

// TestEveryRouteAsks: nothing but the token endpoint answers who shows no token, or a wrong one: no route
// with any method, and no path that is none.
func TestEveryRouteAsks(t *testing.T) {
	a, s := guarded(t, by{"ann": nil})
	paths := map[string]bool{
		"/": true, "/nope": true, "/uc": true, "/api": true, "/api/nope": true, unity: true, unity + "/": true, unity + "//catalogs": true, delta: true, "/catalogs": true,
		"/uc/catalogs/../catalogs": true, "/oauth2": true, "/oauth2/": true, "/oauth2/token/x": true,
	}
	patterns := s.Patterns()
	if len(patterns) < 200 {
		t.Errorf("there are %d patterns", len(patterns))
	}
	for _, p := range patterns {
		if _, path, ok := strings.Cut(p, " "); ok {
			p = path
		}
		paths[strings.NewReplacer("{", "", "...}", "", "}", "").Replace(p)] = true
	}
	for path := range paths {
		for _, method := range allMethods {
			if path == "/oauth2/token" && method == "POST" {
				continue
			}
			for token, want := range map[string]string{
				"":           `Bearer realm="levee"`,
				"Bearer bob": `Bearer realm="levee", error="invalid_token"`,
				"Basic YTpi": `Bearer realm="levee", error="invalid_token"`,
			} {
				res := a.serve(method, path, "{", "Authorization", token)
				if res.StatusCode != 401 || res.Header.Get("WWW-Authenticate") != want {
					t.Errorf("%s %s with %q: %d, WWW-Authenticate %s", method, path, token, res.StatusCode, res.Header.Get("WWW-Authenticate"))
				}
				if data, _ := io.ReadAll(res.Body); method != "HEAD" && !knows(data) {
					t.Errorf("%s %s: %s", method, path, data)
				}
			}
		}
	}
	if res := a.serve("POST", "/oauth2/token", ""); res.StatusCode != 200 {
		t.Errorf("the token endpoint: %d", res.StatusCode)
	}
	if res := a.serve("GET", unity+"/catalogs", "", "Cookie", "UC_TOKEN=x"); !strings.Contains(res.Header.Get("WWW-Authenticate"), "invalid_token") {
		t.Errorf("a cookie: %v", res.Header)
	}
	for path, code := range map[string]string{unity + "/catalogs": "UNAUTHENTICATED", "/uc/catalogs": "UNAUTHENTICATED", "/nope": "UNAUTHENTICATED", delta + "/config": string(types.NotAuthorized)} {
		a.refusedAs(a.serve("GET", path, ""), path, 401, code, "no such token")
	}
}

// TestAuthenticated: what is done is done by who the token is of.
func TestAuthenticated(t *testing.T) {
	a, _ := guarded(t, by{"ann": {"admins"}})
	res := a.serve("POST", "/uc/catalogs", `{"name":"c1"}`, "Authorization", "Bearer ann")
	data, _ := io.ReadAll(res.Body)
	if res.StatusCode != 200 {
		t.Fatalf("%d %s", res.StatusCode, data)
	}
	a.has(a.decode(data), object{"owner": "ann"})
	a.refusedAs(a.serve("GET", "/catalogs/c1", "", "Authorization", "Bearer ann"), "not below the prefix", 404, "NOT_FOUND")
	a.refusedAs(a.serve("PUT", "/uc/catalogs/c1", "", "Authorization", "Bearer ann"), "PUT", 405, invalid)
	res = a.serve("GET", "/uc/catalogs/c1/", "", "Authorization", "Bearer ann")
	if res.StatusCode != 200 {
		t.Errorf("below the prefix: %d", res.StatusCode)
	}
}

// anybody is an Authenticator that lets all in and tells of none.
type anybody struct{}

func (anybody) Authenticate(*http.Request) (string, []string, error) { return "", nil, nil }

// TestNobody: an Authenticator that says neither who nor no is not believed.
func TestNobody(t *testing.T) {
	a, _ := guarded(t, anybody{})
	a.refusedAs(a.serve("GET", "/uc/catalogs", ""), "nobody", 401, "UNAUTHENTICATED")
}

// TestRequestID: each answer has the ID of its request, which the client may choose.
func TestRequestID(t *testing.T) {
	onEachStore(t, func(t *testing.T, a *api) {
		for _, given := range []string{"x", "a-b_c.d/e", strings.Repeat("~", 128)} {
			if got := a.serve("GET", "/catalogs", "", "X-Request-Id", given).Header.Get("X-Request-Id"); got != given {
				t.Errorf("%q became %q", given, got)
			}
		}
		seen := map[string]bool{}
		for _, given := range []string{"", " ", "a b", "a\tb", "é", "a\x7f", strings.Repeat("x", 129)} {
			for _, path := range []string{"/catalogs", "/nope", unity + "/catalogs", t1, t1 + "/nope"} {
				got := a.serve("GET", path, "", "X-Request-Id", given).Header.Get("X-Request-Id")
				if !uuidForm.MatchString(got) || seen[got] {
					t.Errorf("%q became %q", given, got)
				}
				seen[got] = true
			}
		}
	})
}

// TestRequestIDInContext: what a request does is known by its ID.
func TestRequestIDInContext(t *testing.T) {
	var got string
	a, _ := guarded(t, looking{&got})
	r := httptest.NewRequest("GET", "http://x/uc/catalogs", nil)
	r.Header.Set("X-Request-Id", "one")
	a.handler.ServeHTTP(httptest.NewRecorder(), r)
	if got != "one" {
		t.Errorf("the ID is %q", got)
	}
}

// looking is an Authenticator that looks at the ID of a request.
type looking struct{ id *string }

func (s looking) Authenticate(r *http.Request) (string, []string, error) {
	*s.id = catalog.RequestID(r.Context())
	return "ann", nil, nil
}
