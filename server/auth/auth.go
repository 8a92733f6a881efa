// Package auth tells who makes a request: it takes the bearer token of the request and finds whose it is. Tokens
// come from a file ([File]), from the catalog itself ([Tokens]) or from identity providers ([OIDC]); [Any] has
// each token judged by the one of them that is responsible for its kind.
//
// Refusals are types.NotAuthorized. Neither they nor the log ever hold text of a token.
package auth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"net/http"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/leveelake/catalog/types"
)

// Options are what the methods of this package need from around them. Zero fields mean what their comments say.
type Options struct {
	// Now is the clock; nil means time.Now.
	Now func() time.Time

	// Logger gets what goes wrong behind the requests. nil means slog.Default.
	Logger *slog.Logger

	// Transport makes the requests to identity providers. nil means one of net/http's usual kind.
	Transport http.RoundTripper
}

func (o Options) complete() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.Transport == nil {
		o.Transport = newTransport()
	}
	return o
}

// A Method lets in who shows tokens of one kind, or of several. Methods may be used from many goroutines.
type Method interface {
	// Authenticate returns who makes r, and of which groups that principal is a member.
	//
	// Errors: NotAuthorized, Unavailable (who could tell cannot be reached; nothing is said of the token).
	Authenticate(r *http.Request) (principal string, groups []string, err error)

	// responsible reports whether the method, and no other, is to judge t.
	responsible(t token) bool

	// check judges t.
	check(ctx context.Context, t token) (principal string, groups []string, err error)
}

// Any is the method of several. A token is judged by the first that is responsible for its kind, and after a
// refusal no other is asked. Those of [File] take what is of no other kind, wherever they are in the list.
func Any(methods ...Method) Method {
	var a anyOf
	for _, m := range methods {
		if _, ok := m.(*FileTokens); ok {
			a.files = append(a.files, m)
		} else {
			a.rest = append(a.rest, m)
		}
	}
	return a
}

type anyOf struct{ rest, files []Method }

func (a anyOf) Authenticate(r *http.Request) (string, []string, error) { return authenticate(a, r) }

func (a anyOf) pick(t token) Method {
	for _, list := range [][]Method{a.rest, a.files} {
		for _, m := range list {
			if m.responsible(t) {
				return m
			}
		}
	}
	return nil
}

func (a anyOf) responsible(t token) bool { return a.pick(t) != nil }

func (a anyOf) check(ctx context.Context, t token) (string, []string, error) {
	m := a.pick(t)
	if m == nil {
		return "", nil, refused("the token is of no kind that is accepted here")
	}
	return m.check(ctx, t)
}

// authenticate is Authenticate of all methods.
func authenticate(m Method, r *http.Request) (string, []string, error) {
	text, err := bearer(r)
	if err != nil {
		return "", nil, err
	}
	return m.check(r.Context(), newToken(text))
}

// HashToken is what a file of tokens has in the place of a token: its SHA-256 in hexadecimal digits.
func HashToken(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

func refused(format string, args ...any) error { return types.NotAuthorized.Errorf(format, args...) }

// validName reports whether name can be a principal's or a group's.
func validName(name string) bool {
	return strings.TrimSpace(name) != "" && len(name) <= 255 && visible(name)
}

// visible reports whether all of text can be seen, so that no two texts look the same for what is hidden in one of them.
func visible(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool {
		return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
	})
}
