package main

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/internal/pgtest"
)

// TestReplicas: servers on one PostgreSQL are one catalog, and it is there after all have stopped.
func TestReplicas(t *testing.T) {
	url, root := pgtest.URL(t), "file://"+filepath.ToSlash(t.TempDir())
	start := func(args ...string) *process {
		return serve(t, append(args, "--data", t.TempDir(), "--store", url, "--managed-root", root)...)
	}
	config := func(p *process) {
		t.Helper()
		res, err := http.Get(p.url + "/api/2.1/unity-catalog/delta/v1/config?catalog=main&protocol-versions=1.0")
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if body, _ := io.ReadAll(res.Body); res.StatusCode != http.StatusOK {
			t.Errorf("config: %d %s", res.StatusCode, body)
		}
	}
	first, second := start("--catalog", "main"), start("--catalog", "main")
	config(first)
	config(second)
	first.stop(t)
	config(second)
	second.stop(t)
	third := start()
	config(third)
	third.stop(t)
}

// TestPostgresErrors: a database that will not do is told in one line, without the password.
func TestPostgresErrors(t *testing.T) {
	s := pgtest.Shared(t)
	s.Exec(t, "CREATE SCHEMA foreign_program", "CREATE TABLE foreign_program.orders (id int)", "GRANT ALL ON SCHEMA foreign_program TO PUBLIC",
		"CREATE SCHEMA locked")
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	free.Close()
	good := pgtest.URL(t)
	at := "127.0.0.1:" + strconv.Itoa(s.Port())
	with := func(parameter string) string {
		sep := "?"
		if strings.Contains(good, "?") {
			sep = "&"
		}
		return good + sep + parameter
	}
	for name, test := range map[string]struct{ url, says string }{
		"not a URL":           {"postgres://u:sec%zzret@h/d", "--store"},
		"nobody there":        {"postgres://levee:s3cret@" + free.Addr().String() + "/levee", free.Addr().String()},
		"unknown host":        {"postgres://levee:s3cret@host.invalid/levee", "host.invalid"},
		"wrong password":      {"postgres://levee:s3cret@" + at + "/levee", at},
		"unknown database":    {strings.Replace(good, "/levee", "/nothing", 1), "nothing"},
		"pool of 0":           {with("pool_max_conns=0"), "pool_max_conns"},
		"pool of no number":   {with("pool_max_conns=many"), "pool_max_conns"},
		"another program's":   {s.DSN("levee", "", "search_path=foreign_program"), at},
		"rights are missing":  {s.DSN("levee", "", "search_path=locked"), at},
		"a schema to be made": {s.DSN("levee", "", "search_path=nowhere"), at},
	} {
		t.Run(name, func(t *testing.T) {
			text := refused(t, test.says, "--store", test.url)
			for _, secret := range []string{s.Password(), "s3cret", "sec%zz", "zzret"} {
				if strings.Contains(text, secret) {
					t.Errorf("a password is in %q", text)
				}
			}
		})
	}
}

// TestTokensOfReplicas: of servers on one PostgreSQL, each lets in by tokens that another has made, and by none that another has ended.
func TestTokensOfReplicas(t *testing.T) {
	url, key, data := pgtest.URL(t), catalog.NewKey(), t.TempDir()
	if out, err := levee("token", "create", "--principal", "me", "--store", url).CombinedOutput(); err == nil || !strings.Contains(string(out), "no catalog") {
		t.Errorf("a token of no catalog: %v, %s", err, out)
	}
	start := func(args ...string) *process {
		return serve(t, append(args, "--store", url, "--managed-root", "s3://lake/managed", "--key", key)...)
	}
	a, b := start("--data", data, "--admin", "me"), start("--data", t.TempDir(), "--auth")
	me := text(t, filepath.Join(data, "admin.token"))
	b.ok(t, me, "token", "list")
	alice := strings.TrimSpace(a.ok(t, me, "token", "create", "--principal", "alice"))
	b.ok(t, alice, "catalogs", "list")
	short := func(at *process) string {
		res, err := http.PostForm(at.url+"/oauth2/token", map[string][]string{"grant_type": {"client_credentials"}, "client_id": {"alice"}, "client_secret": {alice}})
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		var granted struct {
			Token string `json:"access_token"`
		}
		if err := json.NewDecoder(res.Body).Decode(&granted); err != nil || granted.Token == "" {
			t.Fatalf("%s: %v", res.Status, err)
		}
		return granted.Token
	}
	traded := short(a)
	b.ok(t, traded, "catalogs", "list")
	a.ok(t, short(b), "catalogs", "list")
	id, _, _ := strings.Cut(alice, ".")
	b.ok(t, me, "token", "revoke", id)
	for _, p := range []*process{a, b} {
		for _, token := range []string{alice, traded} {
			p.fails(t, token, "UNAUTHENTICATED", "token create", "catalogs", "list")
		}
	}
	a.stop(t)
	b.stop(t)
	if out, err := levee("token", "list", "--store", url).CombinedOutput(); err != nil || !strings.Contains(string(out), "me") {
		t.Errorf("the tokens in the store: %v, %s", err, out)
	}
}
