package auth_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/leveelake/catalog/server"
	"github.com/leveelake/catalog/server/auth"
	"github.com/leveelake/catalog/types"
)

// What this package makes is what a server takes.
var _ server.Authenticator = auth.Method(nil)

func contextOf(r *http.Request, d time.Duration) (*http.Request, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(r.Context(), d)
	return r.WithContext(ctx), cancel
}

// TestAny: each token is judged by one method, whatever the others say.
func TestAny(t *testing.T) {
	onStores(t, func(t *testing.T, s *setup) {
		k := rsaKey(t, "k")
		p := newProvider(t, k.public)
		oidc := newOIDC(t, s.clock, auth.Issuer{URL: p.URL, Prefix: "corp:"})
		byIssuer, short, secret := k.token(t, jose.RS256, p.claims(s.clock)), exchange(t, s.IssuedTokens, s.token), string(s.token.Secret)
		stranger := k.token(t, jose.RS256, p.claims(s.clock, "iss", "https://issuer.invalid"))
		expired := k.token(t, jose.RS256, p.claims(s.clock, "exp", 1))
		revoked := s.create(t, types.CreateToken{Principal: "eve"})
		if err := s.catalog.RevokeToken(t.Context(), revoked.ID); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "tokens")
		var lines string
		for _, token := range []string{"static", byIssuer, short, secret, expired, string(revoked.Secret), stranger} {
			lines += auth.HashToken(token) + " file\n"
		}
		if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := auth.File(path, options(s.clock))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []auth.Method{auth.Any(file, s.IssuedTokens, oidc), auth.Any(oidc, s.IssuedTokens, file), auth.Any(auth.Any(oidc, s), file)} {
			accepted(t, m, "static", "file")
			accepted(t, m, byIssuer, "corp:ann")
			accepted(t, m, short, "ann")
			accepted(t, m, secret, "ann")
			accepted(t, m, stranger, "file") // nobody else's, and it is listed
			refused(t, m, expired, types.NotAuthorized)
			refused(t, m, string(revoked.Secret), types.NotAuthorized)
			refused(t, m, "other", types.NotAuthorized)
		}
		only := auth.Any(oidc, s.IssuedTokens)
		refused(t, only, "static", types.NotAuthorized)
		refused(t, only, stranger, types.NotAuthorized)
		refused(t, auth.Any(), "static", types.NotAuthorized)
		refused(t, oidc, secret, types.NotAuthorized)
		refused(t, s, byIssuer, types.NotAuthorized)
	})
}
