package server_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/credentials"
	"github.com/leveelake/catalog/server"
	"github.com/leveelake/catalog/storage/memory"
	"github.com/leveelake/catalog/types"
)

// TestLocalOnly: a server without authentication answers no web page of another site.
func TestLocalOnly(t *testing.T) {
	c, err := catalog.New(catalog.Config{Store: memory.New()})
	if err != nil {
		t.Fatal(err)
	}
	h := server.New(c, server.Config{}).LocalOnly()
	for name, test := range map[string]struct {
		host   string
		header http.Header
		want   int
	}{
		"a client":              {"127.0.0.1:8080", nil, 200},
		"by name":               {"localhost:8080", nil, 200},
		"without a port":        {"localhost", nil, 200},
		"IPv6":                  {"[::1]:8080", nil, 200},
		"IPv6 without a port":   {"[::1]", nil, 200},
		"a page of this host":   {"localhost:8080", http.Header{"Sec-Fetch-Site": {"same-origin"}}, 200},
		"a page of another":     {"localhost:8080", http.Header{"Sec-Fetch-Site": {"cross-site"}}, 403},
		"an older browser":      {"localhost:8080", http.Header{"Origin": {"https://evil.example"}}, 403},
		"a name that points us": {"evil.example:8080", nil, 403},
		"an address of ours":    {"192.168.1.7:8080", nil, 403},
		"a lookalike":           {"localhost.evil.example", nil, 403},
		"a proxy":               {"127.0.0.1:8080", http.Header{"X-Forwarded-For": {"192.0.2.1"}}, 403},
		"a proxy, by RFC 7239":  {"localhost:8080", http.Header{"Forwarded": {"for=192.0.2.1"}}, 403},
		"a proxy, with a host":  {"localhost:8080", http.Header{"X-Forwarded-Host": {"catalog.example"}}, 403},
		"a proxy, the address":  {"localhost:8080", http.Header{"X-Real-Ip": {"192.0.2.1"}}, 403},
		"a proxy of nobody":     {"localhost:8080", http.Header{"X-Forwarded-For": {""}}, 403},
	} {
		r := httptest.NewRequest("POST", "http://x"+unity+"/catalogs", strings.NewReader(`{"name":"x"}`))
		r.Host = test.host
		for k, v := range test.header {
			r.Header[k] = v
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		got := w.Code
		if got == http.StatusConflict { // made by another row
			got = 200
		}
		if got != test.want || got == 403 && !strings.Contains(w.Body.String(), `"PERMISSION_DENIED"`) {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
}

// TestBareCode: an error may be a code and nothing else.
func TestBareCode(t *testing.T) {
	for _, code := range []types.Code{types.NotImplemented, types.PermissionDenied, types.TooManyRequests, types.CommitStateUnknown, types.Internal, types.FailedPrecondition, types.Unavailable} {
		c, err := catalog.New(catalog.Config{Store: memory.New(), Vendor: credentials.VendorFunc(func(context.Context, credentials.Request) (types.Credential, error) {
			return types.Credential{}, code
		})})
		if err != nil {
			t.Fatal(err)
		}
		a := &api{TB: t, handler: server.New(c, server.Config{Logger: slog.New(slog.DiscardHandler)})}
		want := string(code)
		switch code {
		case types.FailedPrecondition:
			want = string(types.InvalidParameterValue)
		case types.Unavailable:
			want = string(types.Internal)
		}
		a.refused("GET", delta+"/temporary-path-credentials?location=s3://b/x&operation=READ", "", code.Status(), want)
	}
}

// TestHeadVendsNothing: HEAD is no GET.
func TestHeadVendsNothing(t *testing.T) {
	onEachStore(t, func(t *testing.T, a *api) {
		status, _, h := a.call("HEAD", delta+"/temporary-path-credentials?location=file:///x&operation=READ", "")
		if status != http.StatusMethodNotAllowed || h.Get("Allow") != "GET" {
			t.Errorf("%d, Allow %q", status, h.Get("Allow"))
		}
	})
}

// TestOpenAPIServed: the server shows the document that it is held to.
func TestOpenAPIServed(t *testing.T) {
	onEachStore(t, func(t *testing.T, a *api) {
		status, data, h := a.call("GET", strings.TrimSuffix(delta, "/v1")+"/openapi.yaml", "")
		if status != 200 || h.Get("Content-Type") != "application/yaml" || !strings.HasPrefix(string(data), "openapi: 3.1") {
			t.Errorf("%d %s %.40s", status, h.Get("Content-Type"), data)
		}
	})
}
