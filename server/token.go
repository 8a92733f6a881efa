package server

import (
	"io"
	"math"
	"reflect"
	"slices"
	"time"

	"github.com/leveelake/catalog/types"
)

// Tokens: an API of our own, in the style of the Unity Catalog REST API.

type tokenInfo struct {
	ID        types.ID `json:"token_id"`
	Principal string   `json:"principal"`
	Groups    []string `json:"groups"`
	Comment   string   `json:"comment,omitempty"`
	CreatedAt int64    `json:"created_at"`
	CreatedBy *string  `json:"created_by"`
	ExpiresAt *int64   `json:"expires_at"` // null: it does not
}

func tokenInfoOf(t types.Token) tokenInfo {
	info := tokenInfo{
		ID: t.ID, Principal: t.Principal, Groups: t.Groups, Comment: t.Comment,
		CreatedAt: unixMillis(t.Created), CreatedBy: orNull(t.CreatedBy),
	}
	if !t.Expires.IsZero() {
		info.ExpiresAt = new(unixMillis(t.Expires))
	}
	return info
}

type tokenRequest struct {
	Principal string   `json:"principal"`
	Groups    []string `json:"groups"`
	Comment   string   `json:"comment"`
	Lifetime  *int64   `json:"lifetime_seconds"` // nil: it does not expire
}

// decodeTokenRequest refuses members that it does not know: one that was misspelt might have been to shorten the token's life.
func (r *request) decodeTokenRequest() (req tokenRequest, err error) {
	data, err := io.ReadAll(r.Body)
	if err != nil {
		return req, unreadable(err)
	}
	if err := r.face.codec.decode(data, &req); err != nil {
		return req, err
	}
	known := fieldsOf(reflect.TypeFor[tokenRequest]())
	data, _ = types.CheckJSON(data) // as decode has
	for name := range types.Members(data) {
		if !slices.ContainsFunc(known, func(f field) bool { return name == f.snake || name == f.camel }) {
			return req, types.InvalidParameterValue.Errorf("%q is nothing that a token has", clip(name))
		}
	}
	return req, nil
}

func (s *Server) createToken(r *request) (any, error) {
	req, err := r.decodeTokenRequest()
	if err != nil {
		return nil, err
	}
	const longest = math.MaxInt64 / int64(time.Second)
	lifetime := time.Duration(0)
	if l := req.Lifetime; l != nil {
		if *l < 1 || *l > longest {
			return nil, types.InvalidParameterValue.Errorf("lifetime_seconds is %d; it must be from 1 to %d, or absent for a token that does not expire", *l, longest)
		}
		lifetime = time.Duration(*l) * time.Second
	}
	t, err := s.catalog.CreateToken(r.Context(), types.CreateToken{Principal: req.Principal, Groups: req.Groups, Comment: req.Comment, Lifetime: lifetime})
	if err != nil {
		return nil, err
	}
	return struct {
		tokenInfo
		Value string `json:"token_value"` // here, and never again
	}{tokenInfoOf(t.Token), string(t.Secret)}, nil
}

func (s *Server) listTokens(r *request) (any, error) {
	p := r.params()
	principal, page := p.text("principal"), p.page(mostListed)
	if p.err != nil {
		return nil, p.err
	}
	list, next, err := s.catalog.ListTokens(r.Context(), principal, page)
	return struct {
		Tokens []tokenInfo `json:"tokens"`
		Next   string      `json:"next_page_token,omitempty"`
	}{each(list, tokenInfoOf), next}, err
}

func (s *Server) revokeToken(r *request) (any, error) {
	id, err := idOf("token_id", r.PathValue("token_id"))
	if err != nil {
		return nil, err
	}
	return done(s.catalog.RevokeToken(r.Context(), id))
}
