package main

import (
	"context"
	"encoding/json"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/types"
)

// storeTokens are the tokens of a store that this process has opened. Whoever can do that needs no token.
type storeTokens struct{ catalog *catalog.Catalog }

// tokenInfo is a token in the words of the server.
type tokenInfo struct {
	ID        types.ID `json:"token_id"`
	Principal string   `json:"principal"`
	Groups    []string `json:"groups"`
	Comment   string   `json:"comment,omitempty"`
	CreatedAt int64    `json:"created_at"`
	CreatedBy *string  `json:"created_by"`
	ExpiresAt *int64   `json:"expires_at"`
}

func tokenInfoOf(t types.Token) tokenInfo {
	info := tokenInfo{ID: t.ID, Principal: t.Principal, Groups: append([]string{}, t.Groups...), Comment: t.Comment, CreatedAt: t.Created.UnixMilli()}
	if t.CreatedBy != "" {
		info.CreatedBy = &t.CreatedBy
	}
	if !t.Expires.IsZero() {
		info.ExpiresAt = new(t.Expires.UnixMilli())
	}
	return info
}

func (s storeTokens) create(ctx context.Context, req types.CreateToken) (json.RawMessage, error) {
	t, err := s.catalog.CreateToken(ctx, req)
	if err != nil {
		return nil, err
	}
	return json.Marshal(struct {
		tokenInfo
		Value string `json:"token_value"`
	}{tokenInfoOf(t.Token), string(t.Secret)})
}

func (s storeTokens) list(ctx context.Context, principal string) (json.RawMessage, error) {
	all := []tokenInfo{}
	for page := (types.Page{}); ; {
		list, next, err := s.catalog.ListTokens(ctx, principal, page)
		if err != nil {
			return nil, err
		}
		for _, t := range list {
			all = append(all, tokenInfoOf(t))
		}
		if next == "" {
			return json.Marshal(map[string]any{"tokens": all})
		}
		page.Token = next
	}
}

func (s storeTokens) revoke(ctx context.Context, text string) (json.RawMessage, error) {
	id, err := types.ParseID(text)
	if err != nil {
		return nil, err
	}
	return nil, s.catalog.RevokeToken(ctx, id)
}
