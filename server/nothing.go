package server

import (
	"net/http"
	"slices"
	"strings"

	"github.com/leveelake/catalog/types"
)

// What is answered where there is no endpoint, or none of a catalog.

// methodError is a request whose path exists, but not for its method.
type methodError struct {
	err   *types.Error
	allow []string
}

func (e *methodError) Error() string { return e.err.Error() }
func (e *methodError) Unwrap() error { return e.err }

func wrongMethod(allow []string) endpoint {
	slices.Sort(allow)
	return func(r *request) (any, error) {
		err := types.BadRequest.Errorf("method %s is not allowed here; allowed are %s", r.Method, strings.Join(allow, ", "))
		return nil, &methodError{err, allow}
	}
}

func unknownPath(r *request) (any, error) {
	return nil, types.NotFound.Errorf("there is nothing at %s", r.URL.EscapedPath())
}

func notImplemented(what string) endpoint {
	return func(*request) (any, error) {
		return nil, types.NotImplemented.Errorf("%s are not part of this catalog", what)
	}
}

// A raw is a result that is its own JSON.
type raw string

func (r raw) AppendJSON(dst []byte) []byte { return append(dst, r...) }

// noneOf is the empty list of what is not part of this catalog; clients ask for it when they start.
func noneOf(what, list string) endpoint {
	return func(r *request) (any, error) {
		if r.Method == http.MethodGet {
			return raw(`{"` + list + `":[]}`), nil
		}
		return notImplemented(what)(r)
	}
}
