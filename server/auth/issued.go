package auth

import (
	"context"
	"crypto/ed25519"
	"net/http"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/google/uuid"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/types"
)

const (
	ourName   = "levee" // issuer and audience of what the token endpoint signs; no issuer of OIDC has such a URL
	lifetime  = time.Hour
	leeway    = time.Minute // that clocks may be apart
	signedFor = "issued tokens"
)

// Tokens is the method of the tokens that c makes: their secrets, as [catalog.Catalog.CreateToken] returns them, and the short-lived
// ones which the token endpoint gives for such a secret. The latter are signed with a key made of the newest
// of keys; what the older ones signed is accepted. Without keys there is no token endpoint.
func Tokens(c *catalog.Catalog, keys catalog.Keys, opts Options) (*IssuedTokens, error) {
	t := &IssuedTokens{catalog: c, opts: opts.complete(), public: map[string]ed25519.PublicKey{}}
	names := keys.Fingerprints()
	for i, seed := range keys.Derive(signedFor) {
		private := ed25519.NewKeyFromSeed(seed)
		t.public[names[i]] = private.Public().(ed25519.PublicKey)
		if i > 0 {
			continue
		}
		key := jose.JSONWebKey{Key: private, KeyID: names[i], Algorithm: string(jose.EdDSA)}
		signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.EdDSA, Key: key}, (&jose.SignerOptions{}).WithType("JWT"))
		if err != nil {
			return nil, err
		}
		t.signer = signer
	}
	return t, nil
}

// IssuedTokens are the tokens that a catalog makes; see [Tokens].
type IssuedTokens struct {
	catalog *catalog.Catalog
	opts    Options
	signer  jose.Signer // nil without keys
	public  map[string]ed25519.PublicKey
}

// issuedClaims is what a short-lived token says.
type issuedClaims struct {
	jwt.Claims
	Token types.ID `json:"token_id"` // what it was given for, and ends with
}

// Authenticate lets in who shows the secret of a token, or a short-lived token.
func (t *IssuedTokens) Authenticate(r *http.Request) (string, []string, error) {
	return authenticate(t, r)
}

func (t *IssuedTokens) responsible(k token) bool {
	return k.jwt != nil && k.jwt.issuer == ourName || k.jwt == nil && k.issued()
}

func (t *IssuedTokens) check(ctx context.Context, k token) (string, []string, error) {
	if !t.responsible(k) {
		return "", nil, refused("the token is none of this server")
	}
	live, err := t.live(ctx, k)
	if err != nil {
		return "", nil, err
	}
	return live.Principal, live.Groups, nil
}

func (t *IssuedTokens) live(ctx context.Context, k token) (types.Token, error) {
	if k.jwt == nil {
		return t.catalog.CheckToken(ctx, k.text)
	}
	id, err := t.verify(k)
	if err != nil {
		return types.Token{}, err
	}
	return t.catalog.LiveToken(ctx, id)
}

// verify returns which token a short-lived one was given for.
func (t *IssuedTokens) verify(k token) (types.ID, error) {
	if err := k.jwt.checkHeader([]string{string(jose.EdDSA)}); err != nil {
		return "", err
	}
	kid, _ := k.jwt.header["kid"].(string)
	public, ok := t.public[kid]
	if !ok {
		return "", refused("the token is signed with a key that this server does not have")
	}
	signed, err := jwt.ParseSigned(k.text, []jose.SignatureAlgorithm{jose.EdDSA})
	if err != nil {
		return "", refused("the token is malformed")
	}
	var claims issuedClaims
	if err := signed.Claims(public, &claims); err != nil {
		return "", refused("the signature of the token is wrong")
	}
	return claims.Token, checkClaims(claims.Claims, ourName, []string{ourName}, t.opts.Now())
}

// checkClaims checks the claims of a JWT whose signature is right.
func checkClaims(c jwt.Claims, issuer string, audiences []string, now time.Time) error {
	if c.Expiry == nil {
		return refused("the token has no time of expiry")
	}
	switch err := c.ValidateWithLeeway(jwt.Expected{Issuer: issuer, AnyAudience: audiences, Time: now}, leeway); err {
	case nil:
		return nil
	case jwt.ErrExpired:
		return refused("the token is expired; get a new one")
	case jwt.ErrNotValidYet, jwt.ErrIssuedInTheFuture:
		return refused("the token is not valid yet")
	case jwt.ErrInvalidAudience:
		return refused("the token is for another audience than %q", audiences)
	default:
		return refused("the token is of another issuer")
	}
}

// sign makes a short-lived token for k, and says how long it lives: never longer than k.
func (t *IssuedTokens) sign(k types.Token) (string, time.Duration, error) {
	now := t.opts.Now().Truncate(time.Second) // as JWTs tell the time
	expires := now.Add(lifetime)
	if !k.Expires.IsZero() && k.Expires.Before(expires) {
		expires = k.Expires.Truncate(time.Second)
	}
	text, err := jwt.Signed(t.signer).Claims(issuedClaims{
		Claims: jwt.Claims{
			Issuer: ourName, Subject: k.Principal, Audience: jwt.Audience{ourName}, ID: uuid.NewString(),
			IssuedAt: jwt.NewNumericDate(now), Expiry: jwt.NewNumericDate(expires),
		},
		Token: k.ID,
	}).Serialize()
	return text, expires.Sub(now), err
}
