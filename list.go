package catalog

import (
	"context"
	"encoding/base64"
	"encoding/json"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// A listing asks for a page of the children of a path.
type listing struct {
	path   []storage.Step
	kind   types.Kind
	filter string // which of the children are listed, if not all
	page   types.Page
	want   storage.Want
}

const (
	defaultPage = 100
	maxPage     = 10_000
)

// A pageToken is what a page token holds: where the list goes on, and which list it is.
type pageToken struct {
	Parent types.ID   `json:"p"`
	Kind   types.Kind `json:"k"`
	Filter string     `json:"f,omitempty"`
	After  string     `json:"a"`
}

// listPage returns one page of items, in byte order of their names. Children that item leaves out
// (false) take no place in the page, and there is a next token only if there is a next item.
func listPage[T any](ctx context.Context, c *Catalog, l listing, item func(storage.ReadTx, storage.Node) (T, bool, error)) ([]T, string, error) {
	size := l.page.Size
	switch {
	case size < 0:
		return nil, "", types.InvalidParameterValue.Errorf("the page size is %d; it must not be negative", size)
	case size == 0:
		size = defaultPage
	case size > maxPage:
		size = maxPage
	}
	type page struct {
		items []T
		next  string
	}
	p, err := view(ctx, c, func(tx storage.ReadTx) (page, error) {
		p := page{items: []T{}}
		chain, err := tx.Lookup(ctx, l.path, storage.Want{})
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
		for {
			q := storage.ListQuery{Parent: at.Parent, Kind: l.kind, After: at.After, Limit: size + 1}
			children, err := tx.List(ctx, q, l.want)
			if err != nil {
				return p, err
			}
			for _, n := range children {
				out, ok, err := item(tx, n)
				if err != nil {
					return p, err
				}
				if ok && len(p.items) == size {
					p.next, err = at.encode()
					return p, err
				}
				if ok {
					p.items = append(p.items, out)
				}
				at.After = n.Name
			}
			if len(children) < q.Limit {
				return p, nil
			}
		}
	})
	return p.items, p.next, err
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
