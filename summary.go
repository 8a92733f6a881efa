package catalog

import (
	"context"
	"slices"
	"strings"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// schemasAtOnce bounds the schemas that are searched for one page of summaries, each of which is a read.
const schemasAtOnce = 1000

// ListTableSummaries returns a page of the tables of a whole catalog that the caller may see, by schema and name, and
// the token of the next page, "" after the last. A page may be shorter than asked for, and still have a next one, where
// there are many schemas without such tables.
//
// Errors: InvalidParameterValue (page), NoSuchCatalog.
func (c *Catalog) ListTableSummaries(ctx context.Context, catalog string, patterns types.TablePatterns, page types.Page) ([]types.TableListing, string, error) {
	size, err := pageSize(page)
	if err != nil {
		return nil, "", err
	}
	s := search{c: c, schema: newLike(patterns.Schema), table: newLike(patterns.Table), size: size}
	path := catalogPath(catalog)
	type result struct {
		items []types.TableListing
		next  string
	}
	r, err := view(ctx, c, func(tx storage.ReadTx) (result, error) {
		s := s // a View may run again
		chain, on, err := c.inside(ctx, tx, path)
		if err != nil {
			return result{}, err
		}
		s.at = pageToken{Parent: last(chain).ID, Kind: types.KindTable, Filter: plainFilter(patterns)}
		if err := s.at.decode(page.Token); err != nil {
			return result{}, err
		}
		s.items = []types.TableListing{}
		more, err := s.catalog(ctx, tx, chain, on)
		if err != nil || !more {
			return result{items: s.items}, err
		}
		return result{s.items, encodeCursor(s.at)}, nil
	})
	return r.items, r.next, err
}

// plainFilter is patterns as a page token has them.
func plainFilter(p types.TablePatterns) string { return string(plainJSON(p)) }

// A search fills a page of summaries.
type search struct {
	c             *Catalog
	schema, table like
	size          int
	items         []types.TableListing
	at            pageToken // its After is schema.table, or schema. at the end of a schema
}

// catalog searches the catalog at the end of chain, and reports whether there is more.
func (s *search) catalog(ctx context.Context, tx storage.ReadTx, chain []storage.Node, on []Level) (more bool, err error) {
	begin, after, _ := strings.Cut(s.at.After, ".")
	q := storage.ListQuery{Parent: last(chain).ID, Kind: types.KindSchema, Limit: firstAtOnce}
	if begin != "" { // List goes on after a name, and names begin with more than this one's beginning
		q.After = begin[:len(begin)-1]
	}
	for searched := 0; ; {
		schemas, err := tx.List(ctx, q, s.c.withGrants(ctx, storage.Want{}))
		if err != nil {
			return false, err
		}
		for _, n := range schemas {
			q.After = n.Name
			inSchema, err := s.usable(ctx, tx, on, n, begin)
			if err != nil {
				return false, err
			}
			if inSchema == nil {
				continue
			}
			if searched++; searched > schemasAtOnce {
				return true, nil
			}
			from := ""
			if n.Name == begin {
				from = after
			}
			if more, err := s.tables(ctx, tx, append(slices.Clip(chain), n), inSchema, from); err != nil || more {
				return more, err
			}
			s.at.After = n.Name + "." + endOfSchema
		}
		if len(schemas) < q.Limit {
			return false, nil
		}
		q.Limit = nextLimit(q.Limit, schemas)
	}
}

// usable is the chain down to a schema that is to be searched; nil for one that is not.
func (s *search) usable(ctx context.Context, tx storage.ReadTx, on []Level, n storage.Node, begin string) ([]Level, error) {
	if n.Name < begin || !s.schema.matches(n.Name) {
		return nil, nil
	}
	l, err := s.c.level(ctx, tx, n)
	if s.c.leftOut(ctx, err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	on = append(slices.Clip(on), l)
	if ok, err := s.c.allows(ctx, ActUseSchema, on); err != nil || !ok {
		return nil, err
	}
	return on, nil
}

// endOfSchema is after all names of tables in byte order.
const endOfSchema = "~"

// tables searches the schema at the end of chain after a name, and reports whether there is more than fits.
func (s *search) tables(ctx context.Context, tx storage.ReadTx, chain []storage.Node, on []Level, after string) (more bool, err error) {
	in := schemaOf(chain)
	visible := s.c.visible(ctx, tx, ActGetTable, on)
	for limit := min(s.size-len(s.items)+1, firstAtOnce); ; {
		q := storage.ListQuery{Parent: last(chain).ID, Kind: types.KindTable, After: after, Limit: limit}
		nodes, err := tx.List(ctx, q, s.c.withGrants(ctx, storage.Want{}))
		if err != nil {
			return false, err
		}
		for _, n := range nodes {
			after = n.Name
			ok := s.table.matches(n.Name)
			if ok {
				ok, err = visible(n)
			}
			var t *table
			if err == nil && ok {
				t, err = s.c.table(n)
			}
			if s.c.leftOut(ctx, err) {
				continue
			}
			if err != nil {
				return false, err
			}
			if ok && len(s.items) == s.size {
				return true, nil
			}
			if ok {
				s.items = append(s.items, types.TableListing{Name: in.Table(n.Name), Type: t.record.Type})
				s.at.After = in.Schema + "." + n.Name // a token tells no name that the caller may not see
			}
		}
		if len(nodes) < q.Limit {
			return false, nil
		}
		limit = nextLimit(limit, nodes)
	}
}
