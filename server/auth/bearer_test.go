package auth_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/leveelake/catalog/server/auth"
	"github.com/leveelake/catalog/types"
)

// oneToken lets in "ann" with the token "s3cret-token".
func oneToken(t *testing.T) auth.Method {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(path, []byte(auth.HashToken("s3cret-token")+" ann\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := auth.File(path, options(newClock()))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestAuthorizationHeader(t *testing.T) {
	m := oneToken(t)
	for _, tt := range []struct {
		headers []string
		ok      bool
	}{
		{[]string{"Bearer s3cret-token"}, true},
		{[]string{"bearer s3cret-token"}, true},
		{[]string{"BEARER   s3cret-token  "}, true},
		{nil, false},
		{[]string{""}, false},
		{[]string{"Bearer"}, false},
		{[]string{"Bearer "}, false},
		{[]string{"Bearer ="}, false},
		{[]string{"s3cret-token"}, false},
		{[]string{"Bearer s3cret-token x"}, false},
		{[]string{"Bearer s3cret-token, Bearer s3cret-token"}, false},
		{[]string{"Bearer s3cret-token,"}, false},
		{[]string{"Bearer \"s3cret-token\""}, false},
		{[]string{"Bearer\ts3cret-token"}, false},
		{[]string{"Bearer s3cret=token"}, false},
		{[]string{"Bearer s3cret-token\xff"}, false},
		{[]string{"Bearer s3cret-tökén"}, false},
		{[]string{"Bearer s3cret-token\r\nX: y"}, false},
		{[]string{"Bearer s3cret-token", "Bearer s3cret-token"}, false},
		{[]string{"Bearer s3cret-token", ""}, false},
		{[]string{"Bearer other"}, false},
		{[]string{"Basic YW5uOnMzY3JldC10b2tlbg=="}, false},
		{[]string{"Token s3cret-token"}, false},
		{[]string{"Bearer " + strings.Repeat("x", 1<<20)}, false},
	} {
		r := request(t, tt.headers...)
		r.AddCookie(&http.Cookie{Name: "other", Value: "s3cret-token"})
		who, _, err := m.Authenticate(r)
		if tt.ok != (err == nil && who == "ann") {
			t.Errorf("%.60q: %q, %v", tt.headers, who, err)
		}
		if err == nil {
			continue
		}
		if !errors.Is(err, types.NotAuthorized) || strings.Contains(err.Error(), "cret-t") {
			t.Errorf("%.60q: %v", tt.headers, err)
		}
	}
	if _, _, err := m.Authenticate(request(t)); !strings.Contains(err.Error(), "Authorization: Bearer") {
		t.Errorf("no token: %v", err)
	}
}

// TestCookieOfAnotherOrigin: a browser that does not say Sec-Fetch-Site says Origin.
func TestCookieOfAnotherOrigin(t *testing.T) {
	m := oneToken(t)
	for _, tt := range []struct {
		method, origin string
		ok             bool
	}{
		{"POST", "", true}, {"POST", "http://example.com", true}, {"POST", "https://example.com", true}, {"GET", "https://evil.example", true}, {"HEAD", "null", true},
		{"POST", "https://evil.example", false}, {"DELETE", "http://example.com:8080", false}, {"PATCH", "http://sub.example.com", false}, {"POST", "null", false}, {"PUT", "x", false},
	} {
		r := request(t) // to example.com
		r.Method = tt.method
		r.AddCookie(&http.Cookie{Name: "UC_TOKEN", Value: "s3cret-token"})
		if tt.origin != "" {
			r.Header.Set("Origin", tt.origin)
		}
		if _, _, err := m.Authenticate(r); tt.ok != (err == nil) || err != nil && !errors.Is(err, types.NotAuthorized) {
			t.Errorf("%+v: %v", tt, err)
		}
		r.Header.Set("Authorization", "Bearer s3cret-token")
		if _, _, err := m.Authenticate(r); err != nil {
			t.Errorf("%+v, with a header that no browser sends by itself: %v", tt, err)
		}
	}
}

func TestCookie(t *testing.T) {
	m := oneToken(t)
	for _, tt := range []struct {
		method, site string
		cookies      []string
		header       string
		ok           bool
	}{
		{"GET", "", []string{"s3cret-token"}, "", true},
		{"GET", "cross-site", []string{"s3cret-token"}, "", true},
		{"HEAD", "cross-site", []string{"s3cret-token"}, "", true},
		{"OPTIONS", "cross-site", []string{"s3cret-token"}, "", true},
		{"POST", "", []string{"s3cret-token"}, "", true},
		{"POST", "none", []string{"s3cret-token"}, "", true},
		{"POST", "same-origin", []string{"s3cret-token"}, "", true},
		{"POST", "same-site", []string{"s3cret-token"}, "", false},
		{"POST", "cross-site", []string{"s3cret-token"}, "", false},
		{"DELETE", "cross-site", []string{"s3cret-token"}, "", false},
		{"PATCH", "Same-Origin", []string{"s3cret-token"}, "", false},
		{"get", "cross-site", []string{"s3cret-token"}, "", false},
		{"POST", "cross-site", nil, "Bearer s3cret-token", true}, // no browser sends that by itself
		{"GET", "", []string{"s3cret-token"}, "Basic x", false},
		{"GET", "", []string{"s3cret-token"}, "Bearer x", false},
		{"GET", "", []string{"wrong"}, "Bearer s3cret-token", true},
		{"GET", "", []string{"s3cret-token", "s3cret-token"}, "", false},
		{"GET", "", []string{""}, "", false},
		{"GET", "", []string{"s3cret token"}, "", false},
	} {
		r := request(t)
		r.Method = tt.method
		for _, c := range tt.cookies {
			r.AddCookie(&http.Cookie{Name: "UC_TOKEN", Value: c})
		}
		if tt.header != "" {
			r.Header.Set("Authorization", tt.header)
		}
		if tt.site != "" {
			r.Header.Set("Sec-Fetch-Site", tt.site)
		}
		who, _, err := m.Authenticate(r)
		if tt.ok != (err == nil && who == "ann") || err != nil && !errors.Is(err, types.NotAuthorized) {
			t.Errorf("%+v: %q, %v", tt, who, err)
		}
	}
}

// FuzzHeader: nothing that is not the token is let in, nothing panics, no error quotes what was sent.
func FuzzHeader(f *testing.F) {
	for _, seed := range []string{
		"Bearer s3cret-token", "Basic x", "Bearer " + unsigned(`{"alg":"none"}`, `{"iss":"https://x"}`, ""),
		"Bearer 00000000-0000-0000-0000-000000000000.abcdefghijkl", "Bearer " + unsigned(`{"alg":"EdDSA","crit":["x"]}`, `{"iss":"levee","iss":"levee"}`, "x"),
		"Bearer " + unsigned(`{"alg":"RS256","kid":"../../x"}`, `{"iss":"https://issuer.invalid"}`, "x"),
	} {
		f.Add(seed)
	}
	oidc, err := auth.OIDC([]auth.Issuer{{URL: "https://issuer.invalid", Audiences: []string{"a"}}}, auth.Options{Logger: quiet(), Transport: unreachable{}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, header string) {
		who, _, err := auth.Any(oneToken(t), oidc).Authenticate(request(t, header))
		if (err == nil) != (who == "ann") {
			t.Fatalf("%q, %v", who, err)
		}
		if scheme, token, _ := strings.Cut(header, " "); err == nil {
			if !strings.EqualFold(scheme, "bearer") || strings.Trim(token, " ") != "s3cret-token" {
				t.Fatalf("%q is let in", header)
			}
		} else {
			quotes(t, err, token)
		}
	})
}

type unreachable struct{}

func (unreachable) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("the network is down")
}
