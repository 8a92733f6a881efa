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
	firstAtOnce = 100  // children that are read at first, …
	mostAtOnce  = 1000 // … and at most at once

	maxPageBytes = 256 << 20 // of stored objects; a page that would have more is shorter
	bytesAtOnce  = 32 << 20  // of stored objects, about, that are read at once
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
		chain, on, err := c.inside(ctx, tx, l.path)
		if err != nil || len(chain) == 0 {
			return p, err
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
		visible := c.visible(ctx, tx, l.act, on)
		after, lastShown := at.After, at.After // a token tells no name that the caller may not see
		bytes := 0
		// Where much is left out, a page is filled by few long reads instead of many short ones.
		for limit := min(size+1, firstAtOnce); ; {
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
				// What a page holds is bounded, however long comments and columns are.
				if ok && (len(p.items) == size || bytes > maxPageBytes && len(p.items) > 0) {
					at.After = lastShown
					p.next = encodeCursor(at)
					return p, nil
				}
				if ok {
					p.items = append(p.items, out)
					bytes += sizeOf(n)
					lastShown = n.Name
				}
			}
			if len(children) < q.Limit {
				return p, nil
			}
			limit = nextLimit(limit, children)
		}
	})
	return p.items, p.next, err
}

func sizeOf(n storage.Node) int {
	size := len(n.Body)
	for _, o := range n.Beside {
		size += len(o.Body)
	}
	return size
}

// nextLimit is how many children are read at once after these, of which there were limit: more if they are small.
func nextLimit(limit int, children []storage.Node) int {
	all := 1
	for _, n := range children {
		all += sizeOf(n)
	}
	fit := bytesAtOnce / (all/limit + 1)
	return max(1, min(2*limit, mostAtOnce, fit))
}

// visible tells which children of the end of a chain the caller may see in a list.
func (c *Catalog) visible(ctx context.Context, tx storage.ReadTx, act Action, on []Level) func(storage.Node) (bool, error) {
	if c.authorizer == nil {
		return func(storage.Node) (bool, error) { return true, nil }
	}
	return func(n storage.Node) (bool, error) {
		l, err := c.level(ctx, tx, n)
		if err != nil {
			return false, err
		}
		return c.allows(ctx, act, append(slices.Clip(on), l))
	}
}

// decode reads where token says to go on. A token of another list is refused.
func (t *pageToken) decode(token string) error {
	if token == "" {
		return nil
	}
	var got pageToken
	if !decodeCursor(token, &got) || got.Parent != t.Parent || got.Kind != t.Kind || got.Filter != t.Filter {
		return errOtherList()
	}
	t.After = got.After
	return nil
}

func errOtherList() error {
	return types.InvalidParameterValue.Errorf("the page token is not one of this list")
}

// decodeCursor reads what encodeCursor has made, and reports whether it could.
func decodeCursor(token string, into any) bool {
	data, err := base64.RawURLEncoding.DecodeString(token)
	return err == nil && json.Unmarshal(data, into) == nil
}

// encodeCursor makes a page token of where a list goes on.
func encodeCursor(v any) string { return base64.RawURLEncoding.EncodeToString(plainJSON(v)) }
