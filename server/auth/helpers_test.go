package auth_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/leveelake/catalog/server/auth"
	"github.com/leveelake/catalog/types"
)

// A clock is moved by tests.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Now().Truncate(time.Second)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

func options(c *clock) auth.Options { return auth.Options{Now: c.Now, Logger: quiet()} }

// request is one with these Authorization headers.
func request(t testing.TB, headers ...string) *http.Request {
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	for _, h := range headers {
		r.Header.Add("Authorization", h)
	}
	return r
}

// show shows a token to m.
func show(t testing.TB, m auth.Method, token string) (string, []string, error) {
	t.Helper()
	principal, groups, err := m.Authenticate(request(t, "Bearer "+token))
	if err != nil {
		quotes(t, err, token)
		if principal != "" || groups != nil {
			t.Errorf("refused, but it is %q of %q", principal, groups)
		}
	} else if principal == "" {
		t.Error("it is nobody")
	}
	return principal, groups, err
}

// quotes fails if err, or anything it wraps, has a piece of token in it.
func quotes(t testing.TB, err error, token string) {
	t.Helper()
	for ; err != nil; err = errors.Unwrap(err) {
		for _, part := range strings.FieldsFunc(token, func(c rune) bool { return c == '.' }) {
			for i := 0; i+10 <= len(part); i += 5 {
				if strings.Contains(err.Error(), part[i:i+10]) {
					t.Errorf("the error quotes the token: %v", err)
				}
			}
		}
	}
}

func refused(t testing.TB, m auth.Method, token string, want types.Code) {
	t.Helper()
	if _, _, err := show(t, m, token); types.CodeOf(err) != want {
		t.Errorf("%v instead of %s", err, want)
	}
}

func accepted(t testing.TB, m auth.Method, token, want string) []string {
	t.Helper()
	got, groups, err := show(t, m, token)
	if err != nil || got != want {
		t.Errorf("it is %q, not %q: %v", got, want, err)
	}
	return groups
}

// A provider is an identity provider.
type provider struct {
	*httptest.Server
	mu       sync.Mutex
	keys     []any         // what its JWKS has
	down     bool          // answers 500
	jwks     string        // where its keys are said to be, if not at /keys
	redirect string        // where /keys leads to, if set
	hang     chan struct{} // until it is closed, if set, /keys does not answer
	asked    []string      // the paths of the requests
}

func newProvider(t testing.TB, keys ...any) *provider {
	p := &provider{keys: keys}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.asked = append(p.asked, r.URL.Path)
	keys, down, jwks, redirect, hang := p.keys, p.down, p.jwks, p.redirect, p.hang
	p.mu.Unlock()
	if jwks == "" {
		jwks = p.URL + "/keys"
	}
	switch {
	case down:
		w.WriteHeader(http.StatusInternalServerError)
	case r.URL.Path == "/.well-known/openid-configuration":
		_ = json.NewEncoder(w).Encode(map[string]any{"issuer": p.URL, "jwks_uri": jwks, "id_token_signing_alg_values_supported": []string{"RS256", "HS256", "none"}})
	case r.URL.Path == "/keys" && redirect != "":
		http.Redirect(w, r, redirect, http.StatusFound)
	case r.URL.Path == "/keys":
		if hang != nil {
			<-hang
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"keys": keys})
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func (p *provider) set(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
}

// fetches is how often the keys were asked for, and how many requests there were in all.
func (p *provider) fetches() (keys, all int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, path := range p.asked {
		if path == "/keys" {
			keys++
		}
	}
	return keys, len(p.asked)
}

// A signer is a key pair of a provider.
type signer struct {
	private any
	public  jose.JSONWebKey
}

// rsaKey makes RSA keys, of which a test needs several and which take their time.
func rsaKey(t testing.TB, kid string) signer {
	t.Helper()
	k, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return keyPair(k, kid)
}

func keyPair(k crypto.Signer, kid string) signer {
	return signer{k, jose.JSONWebKey{Key: k.Public(), KeyID: kid}}
}

// token signs claims.
func (s signer) token(t testing.TB, alg jose.SignatureAlgorithm, claims any, headers ...any) string {
	t.Helper()
	options := (&jose.SignerOptions{}).WithType("JWT")
	if s.public.KeyID != "" {
		options = options.WithHeader("kid", s.public.KeyID)
	}
	for i := 0; i < len(headers); i += 2 {
		options = options.WithHeader(jose.HeaderKey(headers[i].(string)), headers[i+1])
	}
	made, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: s.private}, options)
	if err != nil {
		t.Fatal(err)
	}
	if text, ok := claims.(string); ok {
		signed, err := made.Sign([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		compact, err := signed.CompactSerialize()
		if err != nil {
			t.Fatal(err)
		}
		return compact
	}
	compact, err := jwt.Signed(made).Claims(claims).Serialize()
	if err != nil {
		t.Fatal(err)
	}
	return compact
}

// claims of a token of p for the audience "levee-test" that lives for an hour, with changes; nil takes a claim away.
func (p *provider) claims(c *clock, changes ...any) map[string]any {
	out := map[string]any{"iss": p.URL, "sub": "ann", "aud": "levee-test", "exp": c.Now().Add(time.Hour).Unix(), "iat": c.Now().Unix()}
	for i := 0; i < len(changes); i += 2 {
		if name := changes[i].(string); changes[i+1] == nil {
			delete(out, name)
		} else {
			out[name] = changes[i+1]
		}
	}
	return out
}

// unsigned is a JWT with this header and payload, and a signature that is none.
func unsigned(header, payload, signature string) string {
	e := base64.RawURLEncoding
	return e.EncodeToString([]byte(header)) + "." + e.EncodeToString([]byte(payload)) + "." + e.EncodeToString([]byte(signature))
}
