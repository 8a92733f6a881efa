package server_test

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/server"
	"github.com/leveelake/catalog/storage/memory"
	"github.com/leveelake/catalog/types"
)

// TestTokenRequest: what a new token is to be is taken to the letter, and its secret stays in no cache.
func TestTokenRequest(t *testing.T) {
	onEachStore(t, func(t *testing.T, a *api) {
		tokens := unity + "/tokens"
		for _, body := range []string{
			`{"principal":"a"}`, `{"principal":"a","lifetime_seconds":null}`, `{"principal":"a","lifetime_seconds":1}`, `{"principal":"a","lifetimeSeconds":1}`,
			`{"principal":"a","lifetime_seconds":9223372036}`,
		} {
			res := a.serve("POST", tokens, body)
			if res.StatusCode != 200 || res.Header.Get("Cache-Control") != "no-store" || res.Header.Get("Content-Type") != "application/json" {
				t.Errorf("%s: %d %v", body, res.StatusCode, res.Header)
			}
		}
		had := len(a.ok("GET", tokens, "")["tokens"].([]any))
		for body, place := range map[string]string{
			`{"principal":"a","lifetime_seconds":0}`:                  "lifetime_seconds",
			`{"principal":"a","lifetime_seconds":-1}`:                 "lifetime_seconds",
			`{"principal":"a","lifetimeSeconds":0}`:                   "lifetime_seconds",
			`{"principal":"a","lifetime":60}`:                         "lifetime",
			`{"principal":"a","lifetime_second":60}`:                  "lifetime_second",
			`{"principal":"a","Lifetime_seconds":60}`:                 "Lifetime_seconds",
			`{"principal":"a","expires_at":1}`:                        "expires_at",
			`{"principal":"a","x":null}`:                              "x",
			`{"principal":"a","` + strings.Repeat("y", 5000) + `":1}`: "yyy",
		} {
			a.fails("POST", tokens, body, 400, invalid, place)
		}
		a.same("tokens", len(a.ok("GET", tokens, "")["tokens"].([]any)), had)
	})
}

// unavailable is an Authenticator that cannot tell, for a reason or for one that it has logged.
type unavailable struct{ cause error }

func (u unavailable) Authenticate(*http.Request) (string, []string, error) {
	return "", nil, types.Unavailable.Errorf("who you are cannot be found out now").Because(u.cause)
}

// TestAuthenticatorUnavailable: a fault of authentication is logged, but not what the Authenticator has logged.
func TestAuthenticatorUnavailable(t *testing.T) {
	for cause, lines := range map[error]int{nil: 0, errors.New("the store is away"): 1} {
		var log bytes.Buffer
		c, err := catalog.New(catalog.Config{Store: memory.New()})
		if err != nil {
			t.Fatal(err)
		}
		a := &api{TB: t, handler: server.New(c, server.Config{Auth: unavailable{cause}, Logger: slog.New(slog.NewTextHandler(&log, nil))})}
		res := a.serve("GET", unity+"/catalogs", "")
		if res.StatusCode != 503 || res.Header.Get("Retry-After") == "" || strings.Count(log.String(), "\n") != lines || lines > 0 && !strings.Contains(log.String(), cause.Error()) {
			t.Errorf("%v: %d %v, the log is %q", cause, res.StatusCode, res.Header, log.String())
		}
	}
}
