package auth

import (
	"encoding/base64"
	"slices"
	"strings"

	josejson "github.com/go-jose/go-jose/v4/json"

	"github.com/leveelake/catalog/types"
)

// A token is what a request shows, and what it looks like. Nothing of it is proven.
type token struct {
	text string
	jwt  *unverified // nil unless it is a well-formed JWT
}

// unverified is what a JWT says of itself: enough to know who is to judge it.
type unverified struct {
	header map[string]any
	issuer string
}

func newToken(text string) token { return token{text, peek(text)} }

// peek reads a JWT; nil if text is none. Names are compared exactly and none may be there twice, so that all
// who read the token understand the same.
func peek(text string) *unverified {
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		return nil
	}
	var u unverified
	var claims map[string]any
	if !decode(parts[0], &u.header) || !decode(parts[1], &claims) || u.header == nil {
		return nil
	}
	issuer, ok := claims["iss"].(string)
	if !ok {
		return nil
	}
	u.issuer = issuer
	return &u
}

func decode(part string, into any) bool {
	data, err := base64.RawURLEncoding.DecodeString(part)
	return err == nil && josejson.Unmarshal(data, into) == nil
}

// checkHeader refuses a JWT that is signed by another algorithm than one of algs, that wants more to be understood
// than this package does, or that is no token of access or identity (but, say, the notice of a logout, which has
// the same issuer and audience).
func (u *unverified) checkHeader(algs []string) error {
	alg, _ := u.header["alg"].(string)
	if !slices.Contains(algs, alg) {
		return refused("the token is signed by an algorithm that is not accepted; accepted are %s", strings.Join(algs, ", "))
	}
	for _, name := range []string{"crit", "b64"} {
		if _, ok := u.header[name]; ok {
			return refused("the token has the header parameter %q, which is not accepted", name)
		}
	}
	if typ, ok := u.header["typ"]; ok {
		text, _ := typ.(string)
		switch strings.TrimPrefix(strings.ToLower(text), "application/") {
		case "jwt", "at+jwt":
		default:
			return refused("the token is of another type than JWT and at+jwt")
		}
	}
	return nil
}

// issued reports whether t looks like the secret of a token that the catalog made: <ID>.<random text>.
func (t token) issued() bool {
	id, random, ok := strings.Cut(t.text, ".")
	_, err := types.ParseID(id)
	return ok && err == nil && !strings.Contains(random, ".")
}
