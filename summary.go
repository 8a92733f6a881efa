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
		chain, err := tx.Lookup(ctx, path, c.withGrants(ctx, storage.Want{}))
		if err != nil {
			return result{}, err
		}
		if err := c.checkHidden(ctx, tx, append(slices.Clip(path), storage.Step{Kind: types.KindSchema}), chain); err != nil {
			return result{}, err
		}
		if len(chain) <= len(path) {
			return result{}, missing(path, chain)
		}
		s.at = pageToken{Parent: last(chain).ID, Kind: types.KindTable, Filter: plainFilter(patterns)}
		if err := s.at.decode(page.Token); err != nil {
			return result{}, err
		}
		s.items = []types.TableListing{}
		more, err := s.catalog(ctx, tx, chain)
		if err != nil || !more {
			return result{items: s.items}, err
		}
		next, err := s.at.encode()
		return result{s.items, next}, err
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
func (s *search) catalog(ctx context.Context, tx storage.ReadTx, chain []storage.Node) (more bool, err error) {
	inSchema, after, _ := strings.Cut(s.at.After, ".")
	schemas, err := s.schemas(ctx, tx, chain, inSchema)
	if err != nil {
		return false, err
	}
	searched := 0
	for _, n := range schemas {
		if !s.schema.matches(n.Name) {
			continue
		}
		ok, err := s.c.allows(ctx, tx, ActUseSchema, append(slices.Clip(chain), n))
		if err != nil {
			return false, err
		}
		if !ok {
			continue
		}
		if searched++; searched > schemasAtOnce {
			return true, nil
		}
		from := ""
		if n.Name == inSchema {
			from = after
		}
		if more, err := s.tables(ctx, tx, append(slices.Clip(chain), n), from); err != nil || more {
			return more, err
		}
		s.at.After = n.Name + "." + endOfSchema
	}
	return false, nil
}

// endOfSchema is after all names of tables in byte order.
const endOfSchema = "~"

// schemas are those of the catalog from one name on.
func (s *search) schemas(ctx context.Context, tx storage.ReadTx, chain []storage.Node, from string) ([]storage.Node, error) {
	q := storage.ListQuery{Parent: last(chain).ID, Kind: types.KindSchema}
	if from != "" { // List goes on after a name, and names begin with more than this one's beginning
		q.After = from[:len(from)-1]
	}
	nodes, err := tx.List(ctx, q, s.c.withGrants(ctx, storage.Want{}))
	return slices.DeleteFunc(nodes, func(n storage.Node) bool { return n.Name < from }), err
}

// tables searches the schema at the end of chain after a name, and reports whether there is more than fits.
func (s *search) tables(ctx context.Context, tx storage.ReadTx, chain []storage.Node, after string) (more bool, err error) {
	in := schemaOf(chain)
	visible, err := s.c.visible(ctx, tx, ActGetTable, chain)
	if err != nil {
		return false, err
	}
	for {
		q := storage.ListQuery{Parent: last(chain).ID, Kind: types.KindTable, After: after, Limit: max(s.size-len(s.items)+1, mostAtOnce)}
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
	}
}
