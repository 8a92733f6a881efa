package auth_test

import (
	"bytes"
	"crypto/rsa"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/server"
	"github.com/leveelake/catalog/server/auth"
	"github.com/leveelake/catalog/storage/memory"
	"github.com/leveelake/catalog/types"
)

func asked(t testing.TB, p *provider, keys, all int) {
	t.Helper()
	if k, a := p.fetches(); k != keys || a != all {
		t.Errorf("the keys were asked for %d times, not %d; there were %d requests, not %d", k, keys, a, all)
	}
}

func TestNothingIsAskedForStrangers(t *testing.T) {
	k := rsaKey(t, "k")
	p, c := newProvider(t, k.public), newClock()
	m := newOIDC(t, c, auth.Issuer{URL: p.URL})
	for _, token := range []string{
		"opaque", k.token(t, jose.RS256, p.claims(c, "iss", p.URL+"/")), k.token(t, jose.RS256, p.claims(c, "iss", "http://127.0.0.1:1")),
		unsigned(`{"alg":"none"}`, `{"iss":"`+p.URL+`"}`, ""), unsigned(`{"alg":"HS256"}`, `{"iss":"`+p.URL+`"}`, "x"),
		unsigned(`{"alg":"RS256"}`, `{"iss":"`+p.URL+`","iss":"x"}`, "x"), unsigned(`{"alg":"RS256","crit":["x"]}`, `{"iss":"`+p.URL+`"}`, "x"),
		k.token(t, jose.RS256, p.claims(c, "x", strings.Repeat("x", 20_000))),
	} {
		refused(t, m, token, types.NotAuthorized)
	}
	asked(t, p, 0, 0)
	accepted(t, m, k.token(t, jose.RS256, p.claims(c)), "ann")
	asked(t, p, 1, 2)
	for range 10 {
		accepted(t, m, k.token(t, jose.RS256, p.claims(c)), "ann")
	}
	asked(t, p, 1, 2)
}

func TestRotation(t *testing.T) {
	k1, k2 := rsaKey(t, "1"), rsaKey(t, "2")
	p, c := newProvider(t, k1.public), newClock()
	m := newOIDC(t, c, auth.Issuer{URL: p.URL})
	first, second := k1.token(t, jose.RS256, p.claims(c, "exp", c.Now().Add(9*time.Hour).Unix())), k2.token(t, jose.RS256, p.claims(c))
	accepted(t, m, first, "ann")
	refused(t, m, second, types.NotAuthorized) // within the pause nobody is asked
	asked(t, p, 1, 2)

	p.set(func() { p.keys = []any{k1.public, k2.public} })
	c.add(10 * time.Second)
	accepted(t, m, second, "ann")
	asked(t, p, 2, 3)

	// A key that is withdrawn ends within the hour.
	p.set(func() { p.keys = []any{k2.public} })
	c.add(59 * time.Minute)
	accepted(t, m, first, "ann")
	c.add(2 * time.Minute)
	refused(t, m, first, types.NotAuthorized)
	accepted(t, m, k2.token(t, jose.RS256, p.claims(c)), "ann")
	asked(t, p, 3, 4)
}

// TestStorm: tokens with keys that nobody knows make one request in 10 seconds.
func TestStorm(t *testing.T) {
	k, stranger := rsaKey(t, "k"), rsaKey(t, "x")
	p, c := newProvider(t, k.public), newClock()
	m := newOIDC(t, c, auth.Issuer{URL: p.URL})
	good := k.token(t, jose.RS256, p.claims(c))
	accepted(t, m, good, "ann")
	storm := func() {
		var wait sync.WaitGroup
		for _, kid := range []string{"", "k", "x", "y", "z", "../k", "K"} {
			stranger.public.KeyID = kid
			token := stranger.token(t, jose.RS256, p.claims(c))
			wait.Go(func() {
				for range 20 {
					refused(t, m, token, types.NotAuthorized)
					accepted(t, m, good, "ann")
				}
			})
		}
		wait.Wait()
	}
	storm()
	asked(t, p, 1, 2)
	for i := range 3 {
		c.add(10 * time.Second)
		storm()
		asked(t, p, 2+i, 3+i)
	}
}

func TestIssuerDown(t *testing.T) {
	k, unknown := rsaKey(t, "k"), rsaKey(t, "new")
	p, c := newProvider(t, k.public), newClock()
	p.down = true
	m := newOIDC(t, c, auth.Issuer{URL: p.URL})
	token := k.token(t, jose.RS256, p.claims(c, "exp", c.Now().Add(9*time.Hour).Unix()))
	for range 5 {
		refused(t, m, token, types.Unavailable)
	}
	asked(t, p, 0, 1)
	p.set(func() { p.down = false })
	refused(t, m, token, types.Unavailable) // the pause
	c.add(10 * time.Second)
	accepted(t, m, token, "ann")

	p.set(func() { p.down = true })
	for range 4 {
		c.add(time.Hour + time.Second) // as often as the keys should be fetched again
		accepted(t, m, token, "ann")
	}
	refused(t, m, unknown.token(t, jose.RS256, p.claims(c)), types.Unavailable) // it may be a new key
	forged := keyPair(unknown.private.(*rsa.PrivateKey), "k").token(t, jose.RS256, p.claims(c))
	refused(t, m, forged, types.NotAuthorized) // that key is known
	p.set(func() { p.down = false })
	c.add(10 * time.Second)
	refused(t, m, unknown.token(t, jose.RS256, p.claims(c)), types.NotAuthorized)
	p.Close()
	accepted(t, m, token, "ann")
}

// TestKeysWithdrawn: an issuer that has no key any more is believed.
func TestKeysWithdrawn(t *testing.T) {
	k, encrypts := rsaKey(t, "k"), rsaKey(t, "e")
	encrypts.public.Use = "enc"
	for _, left := range [][]any{{}, {encrypts.public}} {
		p, c := newProvider(t, k.public), newClock()
		m := newOIDC(t, c, auth.Issuer{URL: p.URL})
		token := k.token(t, jose.RS256, p.claims(c, "exp", c.Now().Add(9*time.Hour).Unix()))
		accepted(t, m, token, "ann")
		p.set(func() { p.keys = left })
		c.add(time.Hour + time.Second)
		for range 3 {
			refused(t, m, token, types.NotAuthorized)
			c.add(10 * time.Second)
		}
		p.set(func() { p.keys = []any{k.public} })
		accepted(t, m, token, "ann")
	}
}

// TestKeysGrowOld: while an issuer is down its keys count for a day, and no longer.
func TestKeysGrowOld(t *testing.T) {
	k := rsaKey(t, "k")
	p, c := newProvider(t, k.public), newClock()
	m := newOIDC(t, c, auth.Issuer{URL: p.URL})
	token := k.token(t, jose.RS256, p.claims(c, "exp", c.Now().Add(99*time.Hour).Unix()))
	accepted(t, m, token, "ann")
	p.set(func() { p.down = true })
	c.add(24 * time.Hour)
	accepted(t, m, token, "ann")
	c.add(time.Second)
	refused(t, m, token, types.Unavailable)
	c.add(time.Hour)
	refused(t, m, token, types.Unavailable)
	p.set(func() { p.down = false })
	c.add(10 * time.Second)
	accepted(t, m, token, "ann")
}

// TestIssuerDownIsLoggedOnce: of an issuer that is down the log of a server has one line in ten seconds, however many
// requests fail for it.
func TestIssuerDownIsLoggedOnce(t *testing.T) {
	k := rsaKey(t, "k")
	p, c, log := newProvider(t, k.public), newClock(), &bytes.Buffer{}
	p.down = true
	o := options(c)
	o.Logger = slog.New(slog.NewTextHandler(log, nil))
	m, err := auth.OIDC([]auth.Issuer{{URL: p.URL, Audiences: []string{"levee-test"}}}, o)
	if err != nil {
		t.Fatal(err)
	}
	cat, err := catalog.New(catalog.Config{Store: memory.New()})
	if err != nil {
		t.Fatal(err)
	}
	s := server.New(cat, server.Config{Logger: o.Logger, Auth: m})
	token := k.token(t, jose.RS256, p.claims(c))
	for i := range 3 {
		for range 20 {
			w := httptest.NewRecorder()
			s.ServeHTTP(w, request(t, "Bearer "+token))
			if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
				t.Errorf("%d %v", w.Code, w.Header())
			}
		}
		c.add(10 * time.Second)
		if got := log.String(); strings.Count(got, "level=ERROR") != i+1 || strings.Count(got, "\n") != i+1 || !strings.Contains(got, "500 Internal") {
			t.Errorf("after %d times 10 s the log is\n%s", i, got)
		}
	}
}

// TestKeysMove: where keys are is discovered again once they are not where they were.
func TestKeysMove(t *testing.T) {
	k1, k2 := rsaKey(t, "1"), rsaKey(t, "2")
	p, other, c := newProvider(t), newProvider(t, k1.public), newClock()
	p.jwks = other.URL + "/keys"
	m := newOIDC(t, c, auth.Issuer{URL: p.URL})
	accepted(t, m, k1.token(t, jose.RS256, p.claims(c)), "ann")
	other.set(func() { other.down = true })
	p.set(func() { p.jwks, p.keys = "", []any{k2.public} })
	c.add(10 * time.Second)
	refused(t, m, k2.token(t, jose.RS256, p.claims(c)), types.Unavailable)
	c.add(10 * time.Second)
	accepted(t, m, k2.token(t, jose.RS256, p.claims(c)), "ann")
}

// TestNoWayDown: an issuer that is asked with TLS does not lead to keys without.
func TestNoWayDown(t *testing.T) {
	k := rsaKey(t, "k")
	plain := newProvider(t, k.public)
	for _, tt := range []struct {
		jwks string
		want types.Code
	}{{"", ""}, {plain.URL + "/keys", types.Unavailable}} {
		p, c := &provider{keys: []any{k.public}, jwks: tt.jwks}, newClock()
		p.Server = httptest.NewTLSServer(p)
		defer p.Close()
		o := options(c)
		o.Transport = p.Client().Transport
		m, err := auth.OIDC([]auth.Issuer{{URL: p.URL, Audiences: []string{"levee-test"}}}, o)
		if err != nil {
			t.Fatal(err)
		}
		refused(t, m, k.token(t, jose.RS256, p.claims(c)), tt.want)
	}
	asked(t, plain, 0, 0)
}

// TestIssuerHangs: an issuer that does not answer keeps nobody waiting whose key is known, and others no longer than
// they want to.
func TestIssuerHangs(t *testing.T) {
	k, unknown := rsaKey(t, "k"), rsaKey(t, "new")
	p, c := newProvider(t, k.public), newClock()
	m := newOIDC(t, c, auth.Issuer{URL: p.URL})
	good := k.token(t, jose.RS256, p.claims(c))
	accepted(t, m, good, "ann")
	p.set(func() { p.hang = make(chan struct{}) })
	c.add(10 * time.Second)
	r := request(t, "Bearer "+unknown.token(t, jose.RS256, p.claims(c)))
	ctx, cancel := contextOf(r, 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	if _, _, err := m.Authenticate(ctx); types.CodeOf(err) != types.Unavailable {
		t.Error(err)
	}
	accepted(t, m, good, "ann")
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
	close(p.hang)
}

func TestWhereKeysComeFrom(t *testing.T) {
	k := rsaKey(t, "k")
	other := newProvider(t, k.public)
	for name, tt := range map[string]struct {
		set func(p *provider)
		ok  bool
	}{
		"elsewhere":            {func(p *provider) { p.jwks = other.URL + "/keys" }, true},
		"redirect, same host":  {func(p *provider) { p.redirect = "/keys2" }, false}, // there is nothing
		"redirect, other host": {func(p *provider) { p.redirect = other.URL + "/keys" }, false},
		"redirect for ever":    {func(p *provider) { p.redirect = "/keys" }, false},
		"a file":               {func(p *provider) { p.jwks = "file:///etc/passwd" }, false},
		"without encryption":   {func(p *provider) { p.jwks = "http://192.0.2.1/keys" }, false},
		"nowhere":              {func(p *provider) { p.jwks = "x" }, false},
		"no list":              {func(p *provider) { p.keys = nil }, false},
		"too long":             {func(p *provider) { p.keys = []any{k.public, strings.Repeat("x", 1<<20)} }, false},
		"issuer of another": {func(p *provider) {
			p.Config.Handler = http.HandlerFunc(other.ServeHTTP)
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			p, c := newProvider(t, k.public), newClock()
			tt.set(p)
			m := newOIDC(t, c, auth.Issuer{URL: p.URL})
			token := k.token(t, jose.RS256, p.claims(c))
			if tt.ok {
				accepted(t, m, token, "ann")
			} else {
				refused(t, m, token, types.Unavailable)
			}
		})
	}
}
