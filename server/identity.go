package server

import (
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"net/http"

	"github.com/google/uuid"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/types"
)

// An Authenticator finds out who makes a request: the name of a principal and of the groups that
// it is a member of. Its error is one of [types.NotAuthorized] if the request does not prove
// that it is anybody. One of [types.Unavailable] without a cause is not logged as a fault: then the Authenticator
// has logged the cause, once for all the requests that it concerns.
type Authenticator interface {
	Authenticate(r *http.Request) (principal string, groups []string, err error)
}

// authenticated is r made by who it proves to be.
func (s *Server) authenticated(r *http.Request) (*http.Request, error) {
	principal, groups, err := s.auth.Authenticate(r)
	if err == nil && principal == "" {
		err = types.NotAuthorized.Errorf("the request does not tell who makes it")
	}
	if e, ok := errors.AsType[*types.Error](err); ok && e.Code == types.Unavailable && e.Err == nil {
		err = logged{err}
	}
	if err != nil {
		return r, err
	}
	return r.WithContext(catalog.WithPrincipal(r.Context(), principal, groups...)), nil
}

// A logged error is one that the log has been told of.
type logged struct{ error }

func (l logged) Unwrap() error { return l.error }

// challenge asks for a token (RFC 6750, section 3), or for another if there was something that may be one.
func challenge(h http.Header, r *http.Request) {
	ask := `Bearer realm="levee"`
	if r.Header.Get("Authorization") != "" || r.Header.Get("Cookie") != "" {
		ask += `, error="invalid_token"`
	}
	h.Set("WWW-Authenticate", ask)
}

// requestIDHeader has the ID of a request, which its client may choose.
const requestIDHeader = "X-Request-Id"

// identified is r's context with its ID, which the answer tells.
func identified(h http.Header, r *http.Request) context.Context {
	id := ""
	if given := r.Header[requestIDHeader]; len(given) > 0 && printable(given[0]) {
		id = given[0]
	} else {
		id = newRequestID()
	}
	h[requestIDHeader] = []string{id}
	return catalog.WithRequestID(r.Context(), id)
}

// printable tells of 1 to 128 characters of ASCII that are no blanks.
func printable(id string) bool {
	for i := range len(id) {
		if id[i] <= ' ' || id[i] > '~' {
			return false
		}
	}
	return 0 < len(id) && len(id) <= 128
}

// newRequestID makes a UUID of which only is asked that no other request has it: it costs no system call.
func newRequestID() string {
	var u uuid.UUID
	binary.NativeEndian.PutUint64(u[:8], rand.Uint64())
	binary.NativeEndian.PutUint64(u[8:], rand.Uint64())
	u[6], u[8] = u[6]&0x0f|0x40, u[8]&0x3f|0x80 // version 4
	return u.String()
}
