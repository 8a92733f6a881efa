package auth_test

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/leveelake/catalog/server/auth"
	"github.com/leveelake/catalog/types"
)

func newOIDC(t testing.TB, c *clock, issuers ...auth.Issuer) *auth.Issuers {
	t.Helper()
	for i := range issuers {
		if issuers[i].Audiences == nil {
			issuers[i].Audiences = []string{"levee-test"}
		}
	}
	m, err := auth.OIDC(issuers, options(c))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestAlgorithms(t *testing.T) {
	r := rsaKey(t, "r")
	_, edPrivate, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	ed := keyPair(edPrivate, "ed")
	keys := []any{r.public, ed.public}
	by := map[jose.SignatureAlgorithm]signer{
		jose.RS256: r, jose.RS384: r, jose.RS512: r, jose.PS256: r, jose.PS384: r, jose.PS512: r, jose.EdDSA: ed,
	}
	for alg, curve := range map[jose.SignatureAlgorithm]elliptic.Curve{jose.ES256: elliptic.P256(), jose.ES384: elliptic.P384(), jose.ES512: elliptic.P521()} {
		private, err := ecdsa.GenerateKey(curve, rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		by[alg] = keyPair(private, string(alg))
		keys = append(keys, by[alg].public)
	}
	secret := []byte(strings.Repeat("s", 64))
	bound := rsaKey(t, "bound")
	bound.public.Algorithm = "RS256"
	encrypts := rsaKey(t, "encrypts")
	encrypts.public.Use = "enc"
	short, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		t.Fatal(err)
	}
	weak := keyPair(short, "weak")
	keys = append(keys, jose.JSONWebKey{Key: secret, KeyID: "oct"}, bound.public, encrypts.public, weak.public,
		json.RawMessage(`{"kty":"OKP","crv":"Ed448","x":"AA"}`), json.RawMessage(`{"kty":"NEW"}`), json.RawMessage(`7`))
	p, c := newProvider(t, keys...), newClock()
	m := newOIDC(t, c, auth.Issuer{URL: p.URL})
	claims := p.claims(c)
	for alg, k := range by {
		accepted(t, m, k.token(t, alg, claims), "ann")
	}
	accepted(t, m, bound.token(t, jose.RS256, claims), "ann")

	payload, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(r.public.Key)
	if err != nil {
		t.Fatal(err)
	}
	for name, token := range map[string]string{
		"none":               unsigned(`{"alg":"none","kid":"r"}`, string(payload), ""),
		"nOnE":               unsigned(`{"alg":"nOnE","kid":"r"}`, string(payload), ""),
		"empty":              unsigned(`{"alg":"","kid":"r"}`, string(payload), ""),
		"number":             unsigned(`{"alg":5,"kid":"r"}`, string(payload), ""),
		"oct":                signer{secret, jose.JSONWebKey{KeyID: "oct"}}.token(t, jose.HS256, claims),
		"oct, 512":           signer{secret, jose.JSONWebKey{KeyID: "oct"}}.token(t, jose.HS512, claims),
		"public key, PEM":    signer{pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}), r.public}.token(t, jose.HS256, claims),
		"public key, DER":    signer{der, r.public}.token(t, jose.HS256, claims),
		"key of another alg": bound.token(t, jose.PS256, claims),
		"for encryption":     encrypts.token(t, jose.RS256, claims),
		"weak":               weak.token(t, jose.RS256, claims),
		"no signature":       unsigned(`{"alg":"RS256","kid":"r"}`, string(payload), ""),
	} {
		t.Run(name, func(t *testing.T) { refused(t, m, token, types.NotAuthorized) })
	}
}

func TestClaims(t *testing.T) {
	k := rsaKey(t, "k")
	p, c := newProvider(t, k.public), newClock()
	m := newOIDC(t, c, auth.Issuer{URL: p.URL, Audiences: []string{"levee-test", "other"}})
	now := func(d time.Duration) int64 { return c.Now().Add(d).Unix() }
	for name, tt := range map[string]struct {
		changes []any
		want    string // principal and groups; "" if refused
	}{
		"plain":              {nil, "ann []"},
		"one of audiences":   {[]any{"aud", []string{"x", "other"}}, "ann []"},
		"nbf within leeway":  {[]any{"nbf", now(50 * time.Second)}, "ann []"},
		"exp within leeway":  {[]any{"exp", now(-50 * time.Second)}, "ann []"},
		"no iat":             {[]any{"iat", nil}, "ann []"},
		"groups":             {[]any{"groups", []any{"a", "b"}}, "ann [a b]"},
		"one group":          {[]any{"groups", "a"}, "ann [a]"},
		"groups of any kind": {[]any{"groups", []any{"a", 1, nil, []any{"x"}, map[string]any{}, "", " ", "b\n", strings.Repeat("x", 256), "c"}}, "ann [a c]"},
		"groups, an object":  {[]any{"groups", map[string]any{"a": 1}}, "ann []"},
		"Groups":             {[]any{"Groups", []any{"admins"}}, "ann []"},
		"groups elsewhere":   {[]any{"_claim_names", map[string]any{"groups": "s"}, "_claim_sources", map[string]any{"s": map[string]any{"endpoint": "https://x.invalid"}}}, "ann []"},

		"aud":             {[]any{"aud", "x"}, ""},
		"aud, prefix":     {[]any{"aud", "levee"}, ""},
		"aud, case":       {[]any{"aud", "Levee-Test"}, ""},
		"auds":            {[]any{"aud", []string{"x", "y"}}, ""},
		"aud, empty":      {[]any{"aud", []string{}}, ""},
		"aud, missing":    {[]any{"aud", nil}, ""},
		"aud, number":     {[]any{"aud", 1}, ""},
		"AUD":             {[]any{"aud", "x", "AUD", "levee-test"}, ""},
		"expired":         {[]any{"exp", now(-61 * time.Second)}, ""},
		"EXP":             {[]any{"exp", now(-61 * time.Second), "EXP", now(time.Hour)}, ""},
		"exp, missing":    {[]any{"exp", nil}, ""},
		"exp, text":       {[]any{"exp", "1"}, ""},
		"exp, negative":   {[]any{"exp", -1}, ""},
		"exp, overflow":   {[]any{"exp", 1e300}, ""},
		"nbf":             {[]any{"nbf", now(61 * time.Second)}, ""},
		"nbf, overflow":   {[]any{"nbf", 9.3e18}, ""},
		"iat":             {[]any{"iat", now(time.Hour)}, ""},
		"sub, missing":    {[]any{"sub", nil}, ""},
		"SUB":             {[]any{"sub", nil, "SUB", "ann"}, ""},
		"sub, empty":      {[]any{"sub", ""}, ""},
		"sub, blank":      {[]any{"sub", "  "}, ""},
		"sub, number":     {[]any{"sub", 7}, ""},
		"sub, list":       {[]any{"sub", []string{"ann"}}, ""},
		"sub, control":    {[]any{"sub", "ann\x00"}, ""},
		"sub, C1":         {[]any{"sub", "ann\u0085"}, ""},
		"sub, no width":   {[]any{"sub", "ann\u200b"}, ""},
		"sub, bidi":       {[]any{"sub", "\u202enna"}, ""},
		"sub, isolate":    {[]any{"sub", "a\u2066nn"}, ""},
		"sub, line":       {[]any{"sub", "a\u2028nn"}, ""},
		"sub, paragraph":  {[]any{"sub", "a\u2029nn"}, ""},
		"sub, mark":       {[]any{"sub", "\ufeffann"}, ""},
		"sub, tag":        {[]any{"sub", "ann\U000e0041"}, ""},
		"sub, soft":       {[]any{"sub", "a\u00adnn"}, ""},
		"sub, accents":    {[]any{"sub", "änn 한"}, "änn 한 []"},
		"groups, hidden":  {[]any{"groups", []any{"a\u200b", "b\u202e", "\u2028c", "d"}}, "ann [d]"},
		"sub, too long":   {[]any{"sub", strings.Repeat("x", 256)}, ""},
		"iss, other":      {[]any{"iss", "https://issuer.invalid"}, ""},
		"iss, slash":      {[]any{"iss", p.URL + "/"}, ""},
		"iss, upper":      {[]any{"iss", strings.ToUpper(p.URL)}, ""},
		"iss, list":       {[]any{"iss", []string{p.URL}}, ""},
		"iss, missing":    {[]any{"iss", nil}, ""},
		"iss, ISS":        {[]any{"ISS", "https://x"}, "ann []"}, // means nothing
		"wide":            {[]any{"x", strings.Repeat("x", 11<<10)}, "ann []"},
		"too long by far": {[]any{"x", strings.Repeat("x", 13<<10)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			who, groups, err := show(t, m, k.token(t, jose.RS256, p.claims(c, tt.changes...)))
			if name == "iss, ISS" && err != nil { // go-oidc takes it for iss: a refusal is as good
				return
			}
			if err != nil {
				who = ""
			} else {
				who = fmt.Sprint(who, " ", groups)
			}
			if who != tt.want || (err != nil && types.CodeOf(err) != types.NotAuthorized) {
				t.Errorf("%q instead of %q: %v", who, tt.want, err)
			}
		})
	}
}

func TestHeaders(t *testing.T) {
	k, stranger := rsaKey(t, "k"), rsaKey(t, "k")
	p, c := newProvider(t, k.public), newClock()
	evil := newProvider(t, stranger.public)
	m := newOIDC(t, c, auth.Issuer{URL: p.URL})
	claims := p.claims(c)
	for _, typ := range []string{"JWT", "jwt", "at+jwt", "application/at+jwt"} {
		accepted(t, m, k.token(t, jose.RS256, claims, "typ", typ), "ann")
	}
	text := func(changed string) string { return k.token(t, jose.RS256, changed) }
	payload, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	for name, token := range map[string]string{
		"crit":            k.token(t, jose.RS256, claims, "crit", []string{"x"}, "x", 1),
		"crit, empty":     k.token(t, jose.RS256, claims, "crit", []string{}),
		"crit, b64":       k.token(t, jose.RS256, claims, "crit", []string{"b64"}),
		"typ, logout":     k.token(t, jose.RS256, claims, "typ", "logout+jwt"),
		"typ, number":     k.token(t, jose.RS256, claims, "typ", 1),
		"jwk":             stranger.token(t, jose.RS256, claims, "jwk", stranger.public),
		"jku":             stranger.token(t, jose.RS256, claims, "jku", evil.URL+"/keys"),
		"x5u":             stranger.token(t, jose.RS256, claims, "x5u", evil.URL+"/keys"),
		"kid, path":       keyPair(stranger.private.(*rsa.PrivateKey), "../../../dev/null").token(t, jose.RS256, claims),
		"kid, URL":        keyPair(stranger.private.(*rsa.PrivateKey), evil.URL+"/keys").token(t, jose.RS256, claims),
		"kid, SQL":        keyPair(stranger.private.(*rsa.PrivateKey), "x' UNION SELECT 'x").token(t, jose.RS256, claims),
		"kid, none":       keyPair(stranger.private.(*rsa.PrivateKey), "").token(t, jose.RS256, claims),
		"kid, of another": stranger.token(t, jose.RS256, claims),
		"claims twice":    text(strings.Replace(string(payload), "{", `{"sub":"boss",`, 1)),
		"deep twice":      text(strings.Replace(string(payload), "{", `{"x":{"a":1,"a":2},`, 1)),
		"no object":       text(`[1]`),
		"no JSON":         text(`x`),
		"null":            text(`null`),
		"rest":            text(string(payload) + "{}"),
		"header twice":    unsigned(`{"alg":"RS256","alg":"none","kid":"k"}`, string(payload), "x"),
		"nested deep":     unsigned(`{"alg":"RS256","kid":"k"}`, strings.Repeat("[", 10_000), "x"),
		"four parts":      k.token(t, jose.RS256, claims) + ".x",
		"two parts":       strings.TrimSuffix(unsigned(`{"alg":"RS256"}`, string(payload), ""), "."),
	} {
		t.Run(name, func(t *testing.T) { refused(t, m, token, types.NotAuthorized) })
	}
	accepted(t, m, keyPair(k.private.(*rsa.PrivateKey), "").token(t, jose.RS256, claims), "ann") // no kid: any key
	if _, all := evil.fetches(); all != 0 {
		t.Errorf("a token made the server ask a stranger: %q", evil.asked)
	}
}

func TestPrincipalClaim(t *testing.T) {
	k := rsaKey(t, "k")
	p, c := newProvider(t, k.public), newClock()
	m := newOIDC(t, c, auth.Issuer{URL: p.URL, PrincipalClaim: "email", GroupsClaim: "https://x/roles", Prefix: "corp:"})
	for name, tt := range map[string]struct {
		changes []any
		want    string
	}{
		"verified":         {[]any{"email_verified", true}, "corp:ann@x"},
		"verified, text":   {[]any{"email_verified", "true"}, "corp:ann@x"},
		"nothing said":     {nil, ""},
		"EMAIL_VERIFIED":   {[]any{"EMAIL_VERIFIED", true}, ""},
		"not verified":     {[]any{"email_verified", false}, ""},
		"verified, 1":      {[]any{"email_verified", 1}, ""},
		"verified, null":   {[]any{"email_verified", json.RawMessage("null")}, ""},
		"without an email": {[]any{"email", nil}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			token := k.token(t, jose.RS256, p.claims(c, append([]any{"email", "ann@x", "groups", "no", "https://x/roles", []string{"r"}}, tt.changes...)...))
			if tt.want == "" {
				refused(t, m, token, types.NotAuthorized)
			} else if groups := accepted(t, m, token, tt.want); !slices.Equal(groups, []string{"corp:r"}) {
				t.Errorf("groups %q", groups)
			}
		})
	}
}

// TestTrustEmail: an issuer may be trusted where it says nothing, never against what it says.
func TestTrustEmail(t *testing.T) {
	k := rsaKey(t, "k")
	p, c := newProvider(t, k.public), newClock()
	m := newOIDC(t, c, auth.Issuer{URL: p.URL, PrincipalClaim: "email", TrustEmail: true})
	for verified, ok := range map[any]bool{nil: true, true: true, "true": true, false: false, "false": false, 1: false, "": false} {
		token := k.token(t, jose.RS256, p.claims(c, "email", "ann@x", "email_verified", verified))
		if ok {
			accepted(t, m, token, "ann@x")
		} else {
			refused(t, m, token, types.NotAuthorized)
		}
	}
	refused(t, m, k.token(t, jose.RS256, p.claims(c, "email", "ann@x", "email_verified", json.RawMessage("null"))), types.NotAuthorized)
}

// TestTwoIssuers: each speaks for its own names.
func TestTwoIssuers(t *testing.T) {
	k1, k2 := rsaKey(t, "k"), rsaKey(t, "k")
	p1, p2, c := newProvider(t, k1.public), newProvider(t, k2.public), newClock()
	m := newOIDC(t, c, auth.Issuer{URL: p1.URL, Audiences: []string{"one"}}, auth.Issuer{URL: p2.URL, Audiences: []string{"two"}, Prefix: "gh:"})
	accepted(t, m, k1.token(t, jose.RS256, p1.claims(c, "aud", "one")), "ann")
	accepted(t, m, k2.token(t, jose.RS256, p2.claims(c, "aud", "two")), "gh:ann")
	accepted(t, m, k2.token(t, jose.RS256, p2.claims(c, "aud", "two", "sub", "gh:ann")), "gh:gh:ann")
	for _, token := range []string{
		k1.token(t, jose.RS256, p1.claims(c, "aud", "two")),
		k2.token(t, jose.RS256, p2.claims(c, "aud", "one")),
		k2.token(t, jose.RS256, p1.claims(c, "aud", "one")), // signed by the other
		k1.token(t, jose.RS256, p2.claims(c, "aud", "two")),
		k1.token(t, jose.RS256, p1.claims(c, "aud", "one", "sub", "gh:ann")), // a name of the other
	} {
		refused(t, m, token, types.NotAuthorized)
	}
	groups := accepted(t, m, k1.token(t, jose.RS256, p1.claims(c, "aud", "one", "groups", []string{"gh:admins", "admins"})), "ann")
	if !slices.Equal(groups, []string{"admins"}) {
		t.Errorf("groups %q", groups)
	}
}

func TestIssuerConfig(t *testing.T) {
	good := auth.Issuer{URL: "https://a.example", Audiences: []string{"x"}}
	with := func(f func(*auth.Issuer)) auth.Issuer { i := good; f(&i); return i }
	audience := func(text string) []auth.Issuer {
		return []auth.Issuer{with(func(i *auth.Issuer) { i.Audiences = []string{"x", text} })}
	}
	prefix := func(text string) []auth.Issuer { return []auth.Issuer{with(func(i *auth.Issuer) { i.Prefix = text })} }
	at := func(url string) []auth.Issuer { return []auth.Issuer{with(func(i *auth.Issuer) { i.URL = url })} }
	for _, bad := range [][]auth.Issuer{
		at(""), at("a.example"), at("http://a.example"), at("ftp://a.example"), at("https://"), at("https://u:p@a.example"), at("https://a.example?x=1"),
		at("https://a.example#x"), at("https://a.example?"), at("http://127.0.0.1.evil.example"), at("http://localhost.evil.example"), at("://"), at("levee"),
		{with(func(i *auth.Issuer) { i.Audiences = nil })}, {with(func(i *auth.Issuer) { i.Audiences = []string{"x", ""} })},
		{good, good}, {good, with(func(i *auth.Issuer) { i.URL = "https://b.example" })},
		{good, with(func(i *auth.Issuer) { i.Prefix = "x" })},
		at("https://a.example:0"), at("https://a.example:65536"), at("https://a.example:"), at("https://[::1]:99999"), at("https://a.example/ "), at(" https://a.example"),
		at("https://a.example/x y"), at("https://a.example/\u200b"), at("https://a.example/\xff"), at("https://a.example/\n"), at("https://a.example/\u0085"), at("https://a.example/\u202e"),
		audience(" "), audience("x "), audience(" x"), audience("x\n"), audience("x\xff"), audience("x\u200b"), audience("\u00a0x"),
		prefix("corp: "), prefix(" corp:"), prefix("corp\x00:"), prefix("corp\xff:"), prefix("corp\u202e:"), prefix(" "), prefix(strings.Repeat("x", 101)),
		{with(func(i *auth.Issuer) { i.PrincipalClaim = "email " })}, {with(func(i *auth.Issuer) { i.GroupsClaim = "gr\u200boups" })},
	} {
		if _, err := auth.OIDC(bad, auth.Options{}); err == nil {
			t.Errorf("%+v: accepted", bad)
		}
	}
	for _, fine := range [][]auth.Issuer{
		nil, {good}, at("https://a.example/tenant/v2.0"), at("https://a.example/"), at("http://localhost:8080"), at("http://127.0.0.1:1"), at("http://[::1]:1/x"), at("https://a.example:65535"), at("https://[::1]"),
		prefix(strings.Repeat("x", 100)), prefix("corp team:"), audience("api://x y"),
		{good, with(func(i *auth.Issuer) { i.URL, i.Prefix = "https://b.example", "b:" })},
	} {
		if _, err := auth.OIDC(fine, auth.Options{}); err != nil {
			t.Error(err)
		}
	}
}
