package catalog

import (
	"context"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// A tokenCursor is what a page token of [Catalog.ListTokens] holds.
type tokenCursor struct {
	Of     string `json:"of,omitempty"` // whose list it is, "" for that of all
	Client string `json:"c"`            // the principal of the last item
	After  string `json:"a"`            // its ID
}

// ListTokens returns a page of the tokens of a principal, or of all ("" for principal), ordered by principal and
// ID, and the token of the next page, "" after the last. Expired tokens are among them until they are revoked.
//
// Errors: InvalidParameterValue (page), PermissionDenied.
func (c *Catalog) ListTokens(ctx context.Context, principal string, page types.Page) ([]types.Token, string, error) {
	at := tokenCursor{Of: principal, Client: principal}
	if err := at.decode(page.Token); err != nil {
		return nil, "", err
	}
	size, err := pageSize(page)
	if err != nil {
		return nil, "", err
	}
	out, err := view(ctx, c, func(tx storage.ReadTx) ([]types.Token, error) {
		if err := c.adminOnly(ctx, tx); err != nil {
			return nil, err
		}
		return c.tokensFrom(ctx, tx, at, size+1)
	})
	if err != nil || len(out) <= size {
		return out, "", err
	}
	out = out[:size]
	at.Client, at.After = out[size-1].Principal, string(out[size-1].ID)
	return out, encodeCursor(at), nil
}

// tokensFrom returns at most limit tokens from at on: the rest of the client where at is, then other clients one
// by one.
func (c *Catalog) tokensFrom(ctx context.Context, tx storage.ReadTx, at tokenCursor, limit int) ([]types.Token, error) {
	out := []types.Token{}
	collect := func(client storage.Object, after string) error {
		nodes, err := tx.List(ctx, storage.ListQuery{Parent: client.ID, Kind: types.KindToken, After: after, Limit: limit - len(out)}, storage.Want{})
		for _, n := range nodes {
			b, err := decodeToken(n.Object)
			if c.leftOut(ctx, err) {
				continue
			}
			if err != nil {
				return err
			}
			out = append(out, publicToken(client.Name, n.Object, b))
		}
		return err
	}
	path := clientPath(at.Client)
	chain, err := tx.Lookup(ctx, path, storage.Want{})
	if err != nil || len(chain) == 0 { // no metastore, no tokens
		return out, err
	}
	if len(chain) > len(path) {
		if err := collect(last(chain), at.After); err != nil {
			return nil, err
		}
	}
	for at.Of == "" && len(out) < limit {
		q := storage.ListQuery{Parent: chain[0].ID, Kind: kindClient, After: at.Client, Limit: limit}
		clients, err := tx.List(ctx, q, storage.Want{})
		if err != nil {
			return nil, err
		}
		for _, n := range clients {
			if len(out) == limit { // a limit of 0 would be none
				break
			}
			if err := collect(n.Object, ""); err != nil {
				return nil, err
			}
			at.Client = n.Name
		}
		if len(clients) < q.Limit {
			break
		}
	}
	return out, nil
}

// decode reads where token says to go on. A token of another list is refused.
func (t *tokenCursor) decode(token string) error {
	if token == "" {
		return nil
	}
	var got tokenCursor
	if !decodeCursor(token, &got) || got.Of != t.Of || t.Of != "" && got.Client != t.Of {
		return errOtherList()
	}
	*t = got
	return nil
}
