package auth

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"
	josejson "github.com/go-jose/go-jose/v4/json"
	"github.com/go-jose/go-jose/v4/jwt"
)

// An Issuer is an identity provider that speaks OpenID Connect, and how its tokens are read.
type Issuer struct {
	// URL is what its tokens have as iss, to the letter. It begins with https://, but for one on this machine.
	URL string

	// Audiences are what its tokens may be for, of which one is enough: at least one, else tokens that were given to other
	// applications would be accepted.
	Audiences []string

	// PrincipalClaim is the claim that names the principal; "" means sub. An email counts if the token says by
	// email_verified that it is verified.
	PrincipalClaim string

	// TrustEmail has an email count, too, if the token says nothing of its being verified: for an issuer that lets nobody choose it.
	TrustEmail bool

	// GroupsClaim is the claim with the groups, a list of texts or one text; "" means groups.
	GroupsClaim string

	// Prefix is put before the names of principals and groups. Two issuers must not have the same, and a name that
	// begins with the longer prefix of another issuer is that one's alone: no issuer speaks for names of another. It has
	// 100 bytes at most.
	Prefix string
}

// algorithms are those that OIDC accepts: the ones with public keys. With any other, who knows the public key
// could make tokens.
var algorithms = []string{
	oidc.RS256, oidc.RS384, oidc.RS512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.EdDSA,
}

// OIDC is the method of the tokens that identity providers sign. It makes no request before the first token of an
// issuer, and never one because of a token of somebody else.
func OIDC(issuers []Issuer, opts Options) (*Issuers, error) {
	out := &Issuers{opts: opts.complete()}
	client := newClient(out.opts.Transport)
	for _, i := range issuers {
		if err := i.check(); err != nil {
			return nil, fmt.Errorf("issuer %q: %w", i.URL, err)
		}
		for _, other := range out.list {
			if other.URL == i.URL {
				return nil, fmt.Errorf("issuer %q is there twice", i.URL)
			}
			if other.Prefix == i.Prefix {
				return nil, fmt.Errorf("issuers %q and %q have the same prefix %q, so that both would speak for the same names", other.URL, i.URL, i.Prefix)
			}
		}
		if i.PrincipalClaim == "" {
			i.PrincipalClaim = "sub"
		}
		if i.GroupsClaim == "" {
			i.GroupsClaim = "groups"
		}
		i.Audiences = slices.Clone(i.Audiences)
		out.list = append(out.list, &issuer{Issuer: i, keys: &keySource{issuer: i.URL, client: client, opts: out.opts}})
	}
	return out, nil
}

const maxPrefix = 100 // bytes: room for names

// check refuses what would let in nobody, or others than it seems to.
func (i Issuer) check() error {
	u, err := url.Parse(i.URL)
	if err != nil || !secure(u) || u.User != nil || strings.ContainsAny(i.URL, "?#") || !plain(i.URL) || strings.Contains(i.URL, " ") {
		return errors.New("the URL must begin with https://, or be of this machine, and have no user, query, fragment and blanks")
	}
	if port, err := strconv.ParseUint(u.Port(), 10, 16); (err != nil || port == 0) && u.Host != u.Hostname() && u.Host != "["+u.Hostname()+"]" {
		return errors.New("the port in the URL is none")
	}
	if len(i.Audiences) == 0 || slices.Contains(i.Audiences, "") {
		return errors.New("the audience is missing")
	}
	if len(i.Prefix) > maxPrefix {
		return fmt.Errorf("the prefix has %d bytes; the limit is %d", len(i.Prefix), maxPrefix)
	}
	for _, text := range append([]string{i.PrincipalClaim, i.GroupsClaim, i.Prefix}, i.Audiences...) {
		if !plain(text) {
			return fmt.Errorf("%q has blanks around it, or control or invisible characters, or is not UTF-8", text)
		}
	}
	return nil
}

// plain reports whether text is what it looks like.
func plain(text string) bool { return visible(text) && strings.TrimSpace(text) == text }

// secure reports whether what comes from u comes from there.
func secure(u *url.URL) bool {
	if u.Scheme == "http" {
		ip := net.ParseIP(u.Hostname())
		return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
	}
	return u.Scheme == "https" && u.Hostname() != ""
}

// Issuers are identity providers; see [OIDC].
type Issuers struct {
	list []*issuer
	opts Options
}

type issuer struct {
	Issuer
	keys *keySource
}

// Authenticate lets in who shows a token of one of the issuers.
func (s *Issuers) Authenticate(r *http.Request) (string, []string, error) { return authenticate(s, r) }

func (s *Issuers) responsible(t token) bool { return s.of(t) != nil }

func (s *Issuers) of(t token) *issuer {
	for _, i := range s.list {
		if t.jwt != nil && t.jwt.issuer == i.URL {
			return i
		}
	}
	return nil
}

func (s *Issuers) check(ctx context.Context, t token) (string, []string, error) {
	i := s.of(t)
	if i == nil {
		return "", nil, refused("the token is not of an issuer that is accepted here")
	}
	if err := t.jwt.checkHeader(algorithms); err != nil {
		return "", nil, err
	}
	payload, err := i.verify(ctx, t.text)
	if err != nil {
		return "", nil, err
	}
	// go-oidc reads names without regard to case, and of two it takes the last. An issuer may let people set
	// claims of their own, so all that counts is read again, to the letter.
	var standard jwt.Claims
	var claims map[string]any
	if josejson.Unmarshal(payload, &standard) != nil || josejson.Unmarshal(payload, &claims) != nil {
		return "", nil, refused("the claims of the token are malformed")
	}
	if err := checkClaims(standard, i.URL, i.Audiences, s.opts.Now()); err != nil {
		return "", nil, err
	}
	return s.names(i, claims)
}

// names are the principal and the groups that claims tell.
func (s *Issuers) names(i *issuer, claims map[string]any) (string, []string, error) {
	text, _ := claims[i.PrincipalClaim].(string)
	if text == "" {
		return "", nil, refused("the claim %q of the token does not name a principal", i.PrincipalClaim)
	}
	if i.PrincipalClaim == "email" {
		verified, said := claims["email_verified"]
		if trusted := i.TrustEmail && !said; !trusted && verified != true && verified != "true" {
			return "", nil, refused("the token does not say that the email in it is verified")
		}
	}
	principal := i.Prefix + text
	if !s.owns(i, principal) {
		return "", nil, refused("the claim %q of the token is no name that this issuer may give", i.PrincipalClaim)
	}
	var groups []string
	add := func(v any) {
		if g, ok := v.(string); ok && g != "" && s.owns(i, i.Prefix+g) {
			groups = append(groups, i.Prefix+g)
		}
	}
	if list, ok := claims[i.GroupsClaim].([]any); ok {
		for _, g := range list {
			add(g)
		}
	} else {
		add(claims[i.GroupsClaim])
	}
	return principal, groups, nil
}

// owns reports whether name is one that i may give: valid, and not with the longer prefix of another issuer.
func (s *Issuers) owns(i *issuer, name string) bool {
	return validName(name) && !slices.ContainsFunc(s.list, func(o *issuer) bool {
		return len(o.Prefix) > len(i.Prefix) && strings.HasPrefix(name, o.Prefix)
	})
}

// verify returns the payload of text if one of i's keys has signed it.
func (i *issuer) verify(ctx context.Context, text string) ([]byte, error) {
	once := &keysOnce{source: i.keys}
	config := &oidc.Config{SupportedSigningAlgs: algorithms, SkipClientIDCheck: true, SkipExpiryCheck: true} // checkClaims does
	_, err := oidc.NewVerifier(i.URL, once, config).Verify(ctx, text)
	switch {
	case once.err != nil:
		return nil, once.err
	case err != nil || once.payload == nil:
		return nil, refused("the token is malformed") // err may quote it
	}
	return once.payload, nil
}

// keysOnce keeps what became of one verification, of which go-oidc tells the text alone.
type keysOnce struct {
	source  *keySource
	payload []byte
	err     error
}

func (k *keysOnce) VerifySignature(ctx context.Context, text string) ([]byte, error) {
	var list []jose.SignatureAlgorithm
	for _, a := range algorithms {
		list = append(list, jose.SignatureAlgorithm(a))
	}
	signed, err := jose.ParseSignedCompact(text, list)
	if err != nil || len(signed.Signatures) != 1 {
		return nil, errors.New("malformed")
	}
	k.payload, k.err = k.source.verify(ctx, signed)
	return k.payload, k.err
}
