package catalog

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"slices"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// A listing asks for a page of the children of a path.
type listing struct {
	path   []storage.Step
	kind   types.Kind
	act    Action // children on which it is not allowed are left out
	filter string // which of the children are listed, if not all
	page   types.Page
	want   storage.Want

	// begin, if not nil, reads what all items need; parent is whose children are listed.
	begin func(tx storage.ReadTx, parent storage.Object) error
}

const (
	defaultPage = 100
	maxPage     = 10_000
	mostAtOnce  = 1000 // children that are read at once, unless a page has more
)

// A pageToken is what a page token holds: where the list goes on, and which list it is.
type pageToken struct {
	Parent types.ID   `json:"p"`
	Kind   types.Kind `json:"k"`
	Filter string     `json:"f,omitempty"`
	After  string     `json:"a"`
}

// pageSize is the most items that a page has.
func pageSize(p types.Page) (int, error) {
	switch {
	case p.Size < 0:
		return 0, types.InvalidParameterValue.Errorf("the page size is %d; it must not be negative", p.Size)
	case p.Size == 0:
		return defaultPage, nil
	}
	return min(p.Size, maxPage), nil
}

// listPage returns one page of items, in byte order of their names. Children that item leaves out
// (false) take no place in the page, and there is a next token only if there is a next item.
func listPage[T any](ctx context.Context, c *Catalog, l listing, item func(storage.ReadTx, storage.Node) (T, bool, error)) ([]T, string, error) {
	size, err := pageSize(l.page)
	if err != nil {
		return nil, "", err
	}
	type page struct {
		items []T
		next  string
	}
	p, err := view(ctx, c, func(tx storage.ReadTx) (page, error) {
		p := page{items: []T{}}
		chain, err := tx.Lookup(ctx, l.path, c.withGrants(ctx, storage.Want{}))
		if err == nil {
			err = c.checkHidden(ctx, tx, append(slices.Clip(l.path), storage.Step{Kind: l.kind}), chain)
		}
		switch {
		case err != nil:
			return p, err
		case len(chain) == 0 && len(l.path) == 0:
			return p, nil // no metastore yet: no catalogs
		case len(chain) <= len(l.path):
			return p, missing(l.path, chain)
		}
		at := pageToken{Parent: last(chain).ID, Kind: l.kind, Filter: l.filter}
		if err := at.decode(l.page.Token); err != nil {
			return p, err
		}
		if l.begin != nil {
			if err := l.begin(tx, last(chain)); err != nil {
				return p, err
			}
		}
		visible, err := c.visible(ctx, tx, l.act, chain)
		if err != nil {
			return p, err
		}
		after, lastShown := at.After, at.After // a token tells no name that the caller may not see
		// Where much is left out, a page is filled by few long reads instead of many short ones.
		for limit := size + 1; ; limit = min(2*limit, max(size+1, mostAtOnce)) {
			q := storage.ListQuery{Parent: at.Parent, Kind: l.kind, After: after, Limit: limit}
			children, err := tx.List(ctx, q, c.withGrants(ctx, l.want))
			if err != nil {
				return p, err
			}
			for _, n := range children {
				after = n.Name
				ok, err := visible(n)
				var out T
				if err == nil && ok {
					out, ok, err = item(tx, n)
				}
				if c.leftOut(ctx, err) {
					continue
				}
				if err != nil {
					return p, err
				}
				if ok && len(p.items) == size {
					at.After = lastShown
					p.next, err = at.encode()
					return p, err
				}
				if ok {
					p.items = append(p.items, out)
					lastShown = n.Name
				}
			}
			if len(children) < q.Limit {
				return p, nil
			}
		}
	})
	return p.items, p.next, err
}

// visible tells which children of the last of chain the caller may see in a list. What the rule needs of
// the chain is decoded once.
func (c *Catalog) visible(ctx context.Context, tx storage.ReadTx, act Action, chain []storage.Node) (func(storage.Node) (bool, error), error) {
	if c.authorizer == nil {
		return func(storage.Node) (bool, error) { return true, nil }, nil
	}
	levels, err := c.levels(tx, chain)
	if err != nil {
		return nil, err
	}
	return func(n storage.Node) (bool, error) {
		l, err := c.level(tx, n)
		if err != nil {
			return false, err
		}
		return c.authorizer.Allows(ctx, accessOf(ctx, act, append(slices.Clip(levels), l))), nil
	}, nil
}

// decode reads where token says to go on. A token of another list is refused.
func (t *pageToken) decode(token string) error {
	if token == "" {
		return nil
	}
	var got pageToken
	data, err := base64.RawURLEncoding.DecodeString(token)
	if err == nil {
		err = json.Unmarshal(data, &got)
	}
	if err != nil || got.Parent != t.Parent || got.Kind != t.Kind || got.Filter != t.Filter {
		return types.InvalidParameterValue.Errorf("the page token is not one of this list")
	}
	t.After = got.After
	return nil
}

func (t *pageToken) encode() (string, error) {
	data, err := json.Marshal(t)
	return base64.RawURLEncoding.EncodeToString(data), err
}
