package auth_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/server/auth"
	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/storage/memory"
	"github.com/leveelake/catalog/storage/sqlite"
	"github.com/leveelake/catalog/types"
)

// A setup is a catalog with one token of ann, and its method.
type setup struct {
	clock   *clock
	catalog *catalog.Catalog
	token   types.IssuedToken
	keys    catalog.Keys
	*auth.IssuedTokens
}

func keysOf(t testing.TB, lines ...string) catalog.Keys {
	t.Helper()
	k, err := catalog.ParseKeys(strings.Join(lines, "\n"))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func (s *setup) method(t testing.TB, keys catalog.Keys) *auth.IssuedTokens {
	t.Helper()
	m, err := auth.Tokens(s.catalog, keys, options(s.clock))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (s *setup) create(t testing.TB, req types.CreateToken) types.IssuedToken {
	t.Helper()
	got, err := s.catalog.CreateToken(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func onStores(t *testing.T, f func(*testing.T, *setup)) {
	for name, open := range map[string]func(*testing.T) storage.Store{
		"memory": func(*testing.T) storage.Store { return memory.New() },
		"sqlite": func(t *testing.T) storage.Store {
			s, err := sqlite.Open(filepath.Join(t.TempDir(), "levee.db"))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { s.Close() })
			return s
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := &setup{clock: newClock(), keys: keysOf(t, catalog.NewKey())}
			c, err := catalog.New(catalog.Config{Store: open(t), Logger: quiet(), Now: s.clock.Now, Keys: s.keys})
			if err != nil {
				t.Fatal(err)
			}
			s.catalog = c
			s.token = s.create(t, types.CreateToken{Principal: "ann", Groups: []string{"g1", "g2"}})
			s.IssuedTokens = s.method(t, s.keys)
			f(t, s)
		})
	}
}

// post asks m for a token.
func post(t testing.TB, m *auth.IssuedTokens, form url.Values, change func(*http.Request)) (int, map[string]any, http.Header) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/oauth2/token", strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	m.TokenEndpoint().ServeHTTP(w, r)
	var body map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil {
		t.Fatal(err)
	}
	if w.Header().Get("Cache-Control") != "no-store" || w.Header().Get("Content-Type") != "application/json" {
		t.Errorf("headers %v", w.Header())
	}
	return w.Code, body, w.Header()
}

func credentials(id, secret string) url.Values {
	return url.Values{"grant_type": {"client_credentials"}, "client_id": {id}, "client_secret": {secret}}
}

// exchange gets a short-lived token for k.
func exchange(t testing.TB, m *auth.IssuedTokens, k types.IssuedToken) string {
	t.Helper()
	status, body, _ := post(t, m, credentials(k.Principal, string(k.Secret)), nil)
	text, _ := body["access_token"].(string)
	if status != http.StatusOK || text == "" || body["token_type"] != "Bearer" {
		t.Fatalf("%d %v", status, body)
	}
	return text
}

func TestIssuedTokens(t *testing.T) {
	onStores(t, func(t *testing.T, s *setup) {
		secret := string(s.token.Secret)
		short := exchange(t, s.IssuedTokens, s.token)
		for _, token := range []string{secret, short} {
			if groups := accepted(t, s, token, "ann"); !slices.Equal(groups, []string{"g1", "g2"}) {
				t.Errorf("groups %q", groups)
			}
		}
		for _, bad := range []string{
			"x", secret + "x", secret[:len(secret)-1], short + "x", short[1:], string(s.token.ID), string(s.token.ID) + ".", strings.ToUpper(secret),
		} {
			refused(t, s, bad, types.NotAuthorized)
		}
		// The payload is not to be changed, not by a bit.
		parts := strings.Split(short, ".")
		payload, _ := base64.RawURLEncoding.DecodeString(parts[1])
		changed := strings.Replace(string(payload), "ann", "bob", 1)
		refused(t, s, parts[0]+"."+base64.RawURLEncoding.EncodeToString([]byte(changed))+"."+parts[2], types.NotAuthorized)

		if err := s.catalog.RevokeToken(t.Context(), s.token.ID); err != nil {
			t.Fatal(err)
		}
		refused(t, s, secret, types.NotAuthorized)
		refused(t, s, short, types.NotAuthorized)
		again := s.create(t, types.CreateToken{Principal: "ann"})
		refused(t, s, short, types.NotAuthorized)
		accepted(t, s, string(again.Secret), "ann")
	})
}

func TestShortTokensEnd(t *testing.T) {
	onStores(t, func(t *testing.T, s *setup) {
		short := exchange(t, s.IssuedTokens, s.token)
		s.clock.add(time.Hour + 59*time.Second) // clocks may be a minute apart
		accepted(t, s, short, "ann")
		s.clock.add(2 * time.Second)
		refused(t, s, short, types.NotAuthorized)
		accepted(t, s, string(s.token.Secret), "ann")

		brief := s.create(t, types.CreateToken{Principal: "bob", Lifetime: 90 * time.Second})
		status, body, _ := post(t, s.IssuedTokens, credentials("bob", string(brief.Secret)), nil)
		if status != http.StatusOK || body["expires_in"] != 90.0 {
			t.Fatalf("%d %v", status, body)
		}
		short = body["access_token"].(string)
		accepted(t, s, short, "bob")
		s.clock.add(90 * time.Second) // no minute more than the token itself
		refused(t, s, short, types.NotAuthorized)
		refused(t, s, string(brief.Secret), types.NotAuthorized)
		if status, body, _ := post(t, s.IssuedTokens, credentials("bob", string(brief.Secret)), nil); status != 401 || body["error"] != "invalid_client" {
			t.Errorf("%d %v", status, body)
		}
	})
}

func TestKeyRotation(t *testing.T) {
	onStores(t, func(t *testing.T, s *setup) {
		a, b := catalog.NewKey(), catalog.NewKey()
		old, rotated, newest, none := s.method(t, keysOf(t, a)), s.method(t, keysOf(t, b, a)), s.method(t, keysOf(t, b)), s.method(t, catalog.Keys{})
		byOld, byNew := exchange(t, old, s.token), exchange(t, rotated, s.token)
		accepted(t, old, byOld, "ann")
		accepted(t, rotated, byOld, "ann")
		refused(t, newest, byOld, types.NotAuthorized)
		refused(t, old, byNew, types.NotAuthorized)
		accepted(t, rotated, byNew, "ann")
		accepted(t, newest, byNew, "ann")
		refused(t, none, byNew, types.NotAuthorized)
		accepted(t, none, string(s.token.Secret), "ann")
		if status, body, _ := post(t, none, credentials("ann", string(s.token.Secret)), nil); status != 400 || body["error"] != "unsupported_grant_type" {
			t.Errorf("without keys: %d %v", status, body)
		}
	})
}

// TestForgedShortTokens: tokens that have the right form, of which some even have a right signature.
func TestForgedShortTokens(t *testing.T) {
	onStores(t, func(t *testing.T, s *setup) {
		private := ed25519.NewKeyFromSeed(s.keys.Derive("issued tokens")[0])
		kid := s.keys.Fingerprints()[0]
		ours := keyPair(private, kid)
		stranger := keyPair(ed25519.NewKeyFromSeed(s.keys.Derive("something else")[0]), kid)
		claims := func(changes ...any) map[string]any {
			p := &provider{Server: &httptest.Server{URL: "levee"}}
			return p.claims(s.clock, append([]any{"aud", "levee", "token_id", s.token.ID}, changes...)...)
		}
		accepted(t, s, ours.token(t, jose.EdDSA, claims()), "ann")
		accepted(t, s, ours.token(t, jose.EdDSA, claims("sub", "boss")), "ann") // only the token counts
		soon := s.clock.Now().Add(50 * time.Second).Unix()
		accepted(t, s, ours.token(t, jose.EdDSA, claims("nbf", soon)), "ann")

		public := []byte(private.Public().(ed25519.PublicKey))
		payload, err := json.Marshal(claims())
		if err != nil {
			t.Fatal(err)
		}
		hmac := signer{private: public, public: jose.JSONWebKey{KeyID: kid}}
		noKID := keyPair(private, "")
		for name, token := range map[string]string{
			"another's key":    stranger.token(t, jose.EdDSA, claims()),
			"no kid":           noKID.token(t, jose.EdDSA, claims()),
			"kid of another":   keyPair(private, "0123456789abcdef").token(t, jose.EdDSA, claims()),
			"public as secret": hmac.token(t, jose.HS256, claims()),
			"rsa":              rsaKey(t, kid).token(t, jose.RS256, claims()),
			"none":             unsigned(`{"alg":"none","kid":"`+kid+`"}`, string(payload), ""),
			"None":             unsigned(`{"alg":"None","kid":"`+kid+`"}`, string(payload), ""),
			"no alg":           unsigned(`{"kid":"`+kid+`"}`, string(payload), ""),
			"expired":          ours.token(t, jose.EdDSA, claims("exp", s.clock.Now().Add(-61*time.Second).Unix())),
			"never expires":    ours.token(t, jose.EdDSA, claims("exp", nil)),
			"expiry is text":   ours.token(t, jose.EdDSA, claims("exp", "tomorrow")),
			"not yet":          ours.token(t, jose.EdDSA, claims("nbf", s.clock.Now().Add(2*time.Minute).Unix())),
			"aud":              ours.token(t, jose.EdDSA, claims("aud", "other")),
			"no aud":           ours.token(t, jose.EdDSA, claims("aud", nil)),
			"iss":              ours.token(t, jose.EdDSA, claims("iss", "Levee")),
			"no token":         ours.token(t, jose.EdDSA, claims("token_id", nil)),
			"token of others":  ours.token(t, jose.EdDSA, claims("token_id", "00000000-0000-0000-0000-000000000000")),
			"TOKEN_ID":         ours.token(t, jose.EdDSA, claims("token_id", nil, "TOKEN_ID", s.token.ID)),
			"crit":             ours.token(t, jose.EdDSA, claims(), "crit", []string{"x"}, "x", 1),
			"crit b64":         ours.token(t, jose.EdDSA, claims(), "crit", []string{"b64"}),
			"twice":            ours.token(t, jose.EdDSA, strings.Replace(string(payload), `{`, `{"sub":"x",`, 1)),
			"own key":          stranger.token(t, jose.EdDSA, claims(), "jwk", stranger.public),
			"logout":           ours.token(t, jose.EdDSA, claims(), "typ", "logout+jwt"),
		} {
			t.Run(name, func(t *testing.T) { refused(t, s, token, types.NotAuthorized) })
		}
	})
}

func TestTokenEndpoint(t *testing.T) {
	onStores(t, func(t *testing.T, s *setup) {
		secret := string(s.token.Secret)
		grant := url.Values{"grant_type": {"client_credentials"}}
		odd := s.create(t, types.CreateToken{Principal: "a b:c+d%"})
		basic := func(id, secret string) func(*http.Request) {
			return func(r *http.Request) { r.SetBasicAuth(id, secret) }
		}
		with := func(more ...string) url.Values {
			v := credentials("ann", secret)
			for i := 0; i < len(more); i += 2 {
				v.Add(more[i], more[i+1])
			}
			return v
		}
		for name, tt := range map[string]struct {
			form   url.Values
			change func(*http.Request)
			status int
			code   string
		}{
			"form":              {with(), nil, 200, ""},
			"by ID":             {credentials(string(s.token.ID), secret), nil, 200, ""},
			"scope":             {with("scope", "all"), nil, 200, ""},
			"basic":             {grant, basic("ann", secret), 200, ""},
			"basic, encoded":    {grant, basic(url.QueryEscape(odd.Principal), string(odd.Secret)), 200, ""},
			"basic and same id": {url.Values{"grant_type": {"client_credentials"}, "client_id": {"ann"}}, basic("ann", secret), 200, ""},
			"charset": {with(), func(r *http.Request) {
				r.Header.Set("Content-Type", "application/x-www-form-urlencoded; charset=UTF-8")
			}, 200, ""},
			"odd, in the form":   {credentials(odd.Principal, string(odd.Secret)), nil, 200, ""},
			"basic and other id": {url.Values{"grant_type": {"client_credentials"}, "client_id": {"bob"}}, basic("ann", secret), 400, "invalid_request"},
			"basic and form":     {with(), basic("ann", secret), 400, "invalid_request"},
			"bearer":             {with(), func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+secret) }, 400, "invalid_request"},
			"basic twice": {grant, func(r *http.Request) {
				r.SetBasicAuth("ann", secret)
				r.Header.Add("Authorization", r.Header.Get("Authorization"))
			}, 400, "invalid_request"},
			"basic, bad escape": {grant, basic("ann%", secret), 400, "invalid_request"},
			"other client":      {credentials("bob", secret), nil, 401, "invalid_client"},
			"wrong secret":      {credentials("ann", secret+"x"), nil, 401, "invalid_client"},
			"secret of another": {credentials("ann", string(odd.Secret)), nil, 401, "invalid_client"},
			"short secret":      {credentials("ann", strings.SplitN(secret, ".", 2)[1]), nil, 401, "invalid_client"},
			"no credentials":    {grant, nil, 401, "invalid_client"},
			"no id":             {credentials("", secret), nil, 401, "invalid_client"},
			"basic, wrong":      {grant, basic("ann", "x"), 401, "invalid_client"},
			"no grant":          {url.Values{"client_id": {"ann"}, "client_secret": {secret}}, nil, 400, "invalid_request"},
			"other grant":       {url.Values{"grant_type": {"password"}, "client_id": {"ann"}, "client_secret": {secret}}, nil, 400, "unsupported_grant_type"},
			"twice":             {with("client_id", "ann"), nil, 400, "invalid_request"},
			"scope twice":       {with("scope", "a", "scope", "b"), nil, 400, "invalid_request"},
			"in the URL":        {with(), func(r *http.Request) { r.URL.RawQuery = "client_id=ann" }, 400, "invalid_request"},
			"json":              {with(), func(r *http.Request) { r.Header.Set("Content-Type", "application/json") }, 400, "invalid_request"},
			"no type":           {with(), func(r *http.Request) { r.Header.Del("Content-Type") }, 400, "invalid_request"},
			"long":              {with("x", strings.Repeat("x", 64<<10)), nil, 400, "invalid_request"},
			"get":               {with(), func(r *http.Request) { r.Method = http.MethodGet }, 405, "invalid_request"},
		} {
			t.Run(name, func(t *testing.T) {
				status, body, header := post(t, s.IssuedTokens, tt.form, tt.change)
				code, _ := body["error"].(string)
				if status != tt.status || code != tt.code {
					t.Fatalf("%d %v", status, body)
				}
				if (status == 401) != strings.HasPrefix(header.Get("WWW-Authenticate"), "Basic") {
					t.Errorf("WWW-Authenticate %q", header.Get("WWW-Authenticate"))
				}
				if text, ok := body["access_token"].(string); ok {
					who := "ann"
					if strings.Contains(name, "encoded") || strings.Contains(name, "odd") {
						who = odd.Principal
					}
					accepted(t, s, text, who)
					if body["expires_in"] != 3600.0 {
						t.Errorf("%v", body)
					}
				}
			})
		}
	})
}

// TestTokenEndpointFault: a store that cannot be reached says nothing of the client.
func TestTokenEndpointFault(t *testing.T) {
	s, err := sqlite.Open(filepath.Join(t.TempDir(), "levee.db"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := catalog.New(catalog.Config{Store: s, Logger: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	k, err := c.CreateToken(t.Context(), types.CreateToken{Principal: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	m, err := auth.Tokens(c, keysOf(t, catalog.NewKey()), options(newClock()))
	if err != nil {
		t.Fatal(err)
	}
	short := exchange(t, m, k)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if status, body, _ := post(t, m, credentials("ann", string(k.Secret)), nil); status != 503 || body["error"] != "temporarily_unavailable" {
		t.Errorf("%d %v", status, body)
	}
	refused(t, m, short, types.Unavailable)
	refused(t, m, string(k.Secret), types.Unavailable)
}

func TestIssuedInParallel(t *testing.T) {
	onStores(t, func(t *testing.T, s *setup) {
		var wait sync.WaitGroup
		for range 8 {
			wait.Go(func() {
				for range 20 {
					accepted(t, s, exchange(t, s.IssuedTokens, s.token), "ann")
				}
			})
		}
		wait.Wait()
	})
}
