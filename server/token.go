package server

import (
	"math"
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

func (s *Server) createToken(r *request) (any, error) {
	req, err := body[struct {
		Principal string   `json:"principal"`
		Groups    []string `json:"groups"`
		Comment   string   `json:"comment"`
		Lifetime  int64    `json:"lifetime_seconds"`
	}](r)
	if err != nil {
		return nil, err
	}
	if req.Lifetime < 0 || req.Lifetime > math.MaxInt64/int64(time.Second) {
		return nil, types.InvalidParameterValue.Errorf("lifetime_seconds is %d; it must be from 0, for a token that does not expire, to %d", req.Lifetime, math.MaxInt64/int64(time.Second))
	}
	t, err := s.catalog.CreateToken(r.Context(), types.CreateToken{
		Principal: req.Principal, Groups: req.Groups, Comment: req.Comment, Lifetime: time.Duration(req.Lifetime) * time.Second,
	})
	return struct {
		tokenInfo
		Value string `json:"token_value"` // here, and never again
	}{tokenInfoOf(t.Token), string(t.Secret)}, err
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
