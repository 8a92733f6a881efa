package cli_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leveelake/catalog/internal/cli"
)

// client is one of a server that answers every request with handler.
func client(t *testing.T, token string, handler http.HandlerFunc) *cli.Client {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	c, err := cli.New(cli.Config{Server: s.URL + "/", Token: token})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestNew is about servers that no token is shown to.
func TestNew(t *testing.T) {
	for _, tt := range []struct {
		cli.Config
		says string // "": it is allowed
	}{
		{cli.Config{Server: "http://127.0.0.1:8080", Token: "t"}, ""},
		{cli.Config{Server: "http://localhost/uc/", Token: "t"}, ""},
		{cli.Config{Server: "http://[::1]:1", Token: "t"}, ""},
		{cli.Config{Server: "https://catalog.example", Token: "t"}, ""},
		{cli.Config{Server: "http://catalog.example"}, ""},
		{cli.Config{Server: "http://catalog.example", Token: "t"}, "--insecure-http"},
		{cli.Config{Server: "http://127.0.0.1.example", Token: "t"}, "--insecure-http"},
		{cli.Config{Server: "http://catalog.example", Token: "t", InsecureHTTP: true}, ""},
		{cli.Config{Server: "127.0.0.1:8080"}, "want a URL like"},
		{cli.Config{Server: "ftp://h"}, "want a URL like"},
		{cli.Config{Server: "http://me:secret@h"}, "want a URL like"},
		{cli.Config{Server: "http://h?x=y"}, "want a URL like"},
		{cli.Config{Server: "http://h?"}, "want a URL like"},
		{cli.Config{Server: "http://h#"}, "want a URL like"},
		{cli.Config{Server: "http://h/#x"}, "want a URL like"},
		{cli.Config{Server: ""}, "want a URL like"},
		{cli.Config{Server: "http://127.0.0.1", Token: "a b"}, "blanks"},
		{cli.Config{Server: "http://127.0.0.1", Token: "a\nX-Other: b"}, "blanks"},
	} {
		switch _, err := cli.New(tt.Config); {
		case tt.says == "" && err != nil, tt.says != "" && (err == nil || !strings.Contains(err.Error(), tt.says)):
			t.Errorf("%+v: %v, want %q", tt.Config, err, tt.says)
		}
	}
}

// TestRefusals: each is a line with the server's words, and a line that says what to do.
func TestRefusals(t *testing.T) {
	unity := func(code string) string { return fmt.Sprintf(`{"error_code":%q,"message":"so it is"}`, code) }
	for _, tt := range []struct {
		status           int
		body, says, next string
	}{
		{401, unity("UNAUTHENTICATED"), "so it is (UNAUTHENTICATED)", "LEVEE_TOKEN"},
		{403, unity("PERMISSION_DENIED"), "so it is (PERMISSION_DENIED)", "its owner, or an admin, can grant it, by levee grants add; see docs/rights.md"},
		{404, unity("CATALOG_NOT_FOUND"), "CATALOG_NOT_FOUND", "levee catalogs list"},
		{404, unity("SCHEMA_NOT_FOUND"), "SCHEMA_NOT_FOUND", "levee schemas list"},
		{404, `{"error":{"message":"gone","type":"NoSuchTableException","code":404}}`, "gone (NoSuchTableException)", "levee tables list"},
		{404, unity("NOT_FOUND"), "NOT_FOUND", "list"},
		{404, "<html>", "no answer of a Unity Catalog server", "--server"},
		{409, unity("CATALOG_ALREADY_EXISTS"), "CATALOG_ALREADY_EXISTS", "another name"},
		{400, unity("INVALID_ARGUMENT"), "so it is", "--help"},
		{400, unity("FAILED_PRECONDITION"), "so it is", "--force"},
		{429, unity("RESOURCE_EXHAUSTED"), "so it is", "try again"},
		{503, unity("INTERNAL"), "so it is", "try again"},
		{500, unity("INTERNAL"), "so it is", "log"},
		{501, unity("UNIMPLEMENTED"), "so it is", "--help"},
		{502, "", "502 Bad Gateway", "--server"},
		{302, "", `"/elsewhere"`, "--server"},
		{200, "hello", "no answer of a Unity Catalog server", "--server"},
		{200, "[]", "no answer of a Unity Catalog server", "--server"},
		{400, `{"error_code":"X","message":"\u001b[2Jgone\nlevee: all is well"}`, `\x1b[2Jgone\nlevee`, "--help"},
	} {
		c := client(t, "", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(tt.status)
			fmt.Fprint(w, tt.body)
		})
		_, _, err := c.Do(t.Context(), http.MethodGet, "/catalogs", nil, nil)
		e, ok := errors.AsType[*cli.Error](err)
		if !ok || !strings.Contains(e.Error(), tt.says) || !strings.Contains(e.Next(), tt.next) || strings.ContainsAny(e.Error()+e.Next(), "\n\x1b") {
			t.Errorf("%d %s: %v; want %q and %q", tt.status, tt.body, err, tt.says, tt.next)
		}
	}
	c, err := cli.New(cli.Config{Server: "http://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = c.Do(t.Context(), http.MethodGet, "/catalogs", nil, nil)
	if e, ok := errors.AsType[*cli.Error](err); !ok || !strings.Contains(e.Error(), "http://127.0.0.1:1: dial tcp") || !strings.Contains(e.Next(), "levee serve") {
		t.Errorf("nobody there: %v", err)
	}
}

// TestTokenHints: what is said of tokens is said of nothing else.
func TestTokenHints(t *testing.T) {
	for _, tt := range []struct {
		status             int
		method, path, next string
	}{
		{400, http.MethodDelete, "/tokens/x", "levee token list"},
		{404, http.MethodDelete, "/tokens/x", "levee token list"},
		{403, http.MethodDelete, "/tokens/x", "admin"},
		{403, http.MethodGet, "/tokens", "admin"},
		{403, http.MethodPost, "/tokens", "admin"},
		{400, http.MethodPost, "/tokens", "--help"},
		{503, http.MethodDelete, "/tokens/x", "try again"},
		{403, http.MethodGet, "/catalogs/tokens", "levee grants add"},
		{400, http.MethodDelete, "/catalogs/tokens", "--force"},
	} {
		c := client(t, "", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(tt.status)
			fmt.Fprint(w, `{"error_code":"X","message":"no"}`)
		})
		_, _, err := c.Do(t.Context(), tt.method, tt.path, nil, nil)
		if e, ok := errors.AsType[*cli.Error](err); !ok || !strings.Contains(e.Next(), tt.next) || strings.Contains(tt.path, "/tokens/") && strings.Contains(e.Next(), "--force") {
			t.Errorf("%+v: %v", tt, e.Next())
		}
	}
}

// TestHidden: who shows a token may be kept from what is not found.
func TestHidden(t *testing.T) {
	for _, token := range []string{"", "t"} {
		for _, code := range []string{"CATALOG_NOT_FOUND", "SCHEMA_NOT_FOUND"} {
			c := client(t, token, func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(http.StatusNotFound)
				fmt.Fprintf(w, `{"error_code":%q,"message":"no"}`, code)
			})
			_, _, err := c.Do(t.Context(), http.MethodGet, "/catalogs/x", nil, nil)
			if e, ok := errors.AsType[*cli.Error](err); !ok || strings.Contains(e.Next(), "USE CATALOG") != (token != "") {
				t.Errorf("%q, %s: %v", token, code, e.Next())
			}
		}
	}
}

// TestToken: it goes to the server itself, and neither to a proxy nor to where a redirect leads.
func TestToken(t *testing.T) {
	var others []string
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { others = append(others, r.URL.String()) }))
	defer other.Close()
	t.Setenv("HTTP_PROXY", other.URL)
	t.Setenv("http_proxy", other.URL)
	shown := ""
	c := client(t, "secret", func(w http.ResponseWriter, r *http.Request) {
		shown = r.Header.Get("Authorization")
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	})
	if _, _, err := c.Do(t.Context(), http.MethodGet, "/catalogs", nil, nil); err == nil {
		t.Error("a redirect was followed")
	}
	if shown != "Bearer secret" || len(others) > 0 {
		t.Errorf("shown %q, and to others: %v", shown, others)
	}
}

// TestList follows pages.
func TestList(t *testing.T) {
	var asked []string
	c := client(t, "", func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Query().Get("page_token"))
		fmt.Fprint(w, map[string]string{
			"":    `{"things":[{"n":1},{"n":2}],"next_page_token":"a b"}`,
			"a b": `{"things":[],"next_page_token":"c"}`,
			"c":   `{"next_page_token":null,"things":[{"n":3}]}`,
		}[r.URL.Query().Get("page_token")])
	})
	got, err := c.List(t.Context(), "/things", "things", url.Values{"of": {"x"}})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(`{"things":[{"n":1},{"n":2},{"n":3}]}`, string(got)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"", "a b", "c"}, asked); d != "" {
		t.Error(d)
	}
	endless := client(t, "", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, `{"things":[],"next_page_token":"x"}`) })
	if _, err := endless.List(t.Context(), "/things", "things", nil); err == nil {
		t.Error("the same page was asked for again and again")
	}
	pages := 0
	endless = client(t, "", func(w http.ResponseWriter, r *http.Request) {
		pages++
		fmt.Fprintf(w, `{"things":[],"next_page_token":"%d"}`, pages)
	})
	if _, err := endless.List(t.Context(), "/things", "things", nil); err == nil || pages != 10_000 {
		t.Errorf("after %d pages: %v", pages, err)
	}
}

// TestPath: a name is one segment, whatever is in it.
func TestPath(t *testing.T) {
	for _, name := range []string{"a", "a b", "a/b", "../x", "..", ".", "a?b#c", "100%", "%2F", "ä\x1f"} {
		got := ""
		c := client(t, "", func(w http.ResponseWriter, r *http.Request) { got = r.URL.EscapedPath() })
		if _, _, err := c.Do(t.Context(), http.MethodGet, cli.Path("catalogs", name), nil, nil); err != nil {
			t.Error(err)
		}
		escaped, ok := strings.CutPrefix(got, cli.Prefix+"/catalogs/")
		back, err := url.PathUnescape(escaped)
		if !ok || err != nil || back != name || strings.Contains(escaped, "/") {
			t.Errorf("%q is %q on the wire", name, got)
		}
	}
}
