package demo_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/internal/cli"
	"github.com/leveelake/catalog/internal/demo"
	"github.com/leveelake/catalog/server"
	"github.com/leveelake/catalog/storage/memory"
	"github.com/leveelake/catalog/types"
)

// serve starts a catalog whose managed tables go below root.
func serve(t *testing.T, root string) string {
	t.Helper()
	c, err := catalog.New(catalog.Config{Store: memory.New(), ManagedRoot: root})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(server.New(c, server.Config{}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestRun(t *testing.T) {
	dir := t.TempDir()
	url := serve(t, "file://"+filepath.ToSlash(dir))
	// Twice: the second finds the catalog, and makes a table of its own.
	for range 2 {
		out, err := play(t, url+"/", "", "demo")
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		for _, want := range []string{
			"latest version 0 | to be backfilled: nothing",
			"latest version 3 | to be backfilled: 1, 2, 3",
			"-> 409\n   CommitVersionConflictException: ",
			"latest version 3 | to be backfilled: 3",
			"-> 404",
		} {
			if !strings.Contains(out, want) {
				t.Errorf("the demo does not say %q:\n%s", want, out)
			}
		}
	}
	for pattern, want := range map[string]int{"*.json": 6, "_staged_commits/*": 6} {
		files, err := filepath.Glob(filepath.Join(dir, "__unitystorage/tables/*/_delta_log", pattern))
		if err != nil || len(files) != want {
			t.Errorf("%d files %s (%v) are left by two demos, want %d", len(files), pattern, err, want)
		}
	}
}

// play runs the demo on the server at url.
func play(t *testing.T, url, token, catalog string) (string, error) {
	t.Helper()
	var out strings.Builder
	api, err := cli.New(cli.Config{Server: url, Token: token})
	if err == nil {
		err = demo.Run(t.Context(), &out, api, catalog)
	}
	return out.String(), err
}

// TestRefused is about demos that cannot work and should say why.
func TestRefused(t *testing.T) {
	stranger := httptest.NewServer(http.NotFoundHandler())
	defer stranger.Close()
	for _, tt := range []struct{ name, url, catalog, want string }{
		{"cloud", serve(t, "s3://bucket/lake"), "demo", "file://"},
		{"bad name", serve(t, "s3://bucket/lake"), "a b", "INVALID_ARGUMENT"},
		{"no URL", "127.0.0.1:8080", "demo", "want a URL like http://127.0.0.1:8080"},
		{"no server", "http://127.0.0.1:1", "demo", "dial tcp"},
		{"another server", stranger.URL, "demo", "no answer of a Unity Catalog server"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := play(t, tt.url, "", tt.catalog)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %v, want one that says %q", err, tt.want)
			}
		})
	}
}

// TestForbidden: who may create neither the catalog nor the schema, but use them, sees the demo.
func TestForbidden(t *testing.T) {
	c, err := catalog.New(catalog.Config{Store: memory.New(), ManagedRoot: "file://" + filepath.ToSlash(t.TempDir())})
	if err != nil {
		t.Fatal(err)
	}
	whole := server.New(c, server.Config{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && (strings.HasSuffix(r.URL.Path, "/catalogs") || strings.HasSuffix(r.URL.Path, "/schemas")) {
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, `{"error_code":"PERMISSION_DENIED","message":"no"}`)
			return
		}
		whole.ServeHTTP(w, r)
	}))
	defer s.Close()
	if _, err := play(t, s.URL, "", "demo"); err == nil || !strings.Contains(err.Error(), "PERMISSION_DENIED") {
		t.Errorf("without a catalog: %v", err)
	}
	if _, err := c.CreateCatalog(t.Context(), types.CreateCatalog{Name: "demo"}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.CreateSchema(t.Context(), types.CreateSchema{Name: types.SchemaName{Catalog: "demo", Schema: "default"}}); err != nil {
		t.Fatal(err)
	}
	if out, err := play(t, s.URL, "", "demo"); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
