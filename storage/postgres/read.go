package postgres

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/storage/internal/nodes"
	"github.com/leveelake/catalog/types"
)

// A source runs reads: a connection, or a snapshot on one.
type source interface {
	read(ctx context.Context, sql string, args ...any) (found, error)
}

// A reading is a read that has happened: what it brought, and what must be so for it
// to bring the same again.
type reading struct {
	nodes   []storage.Node
	objects []storage.Object // of an Overlap
	saw     saw
}

// storable tells whether a text can be stored at all; what cannot is not found.
func storable(text string) bool { return utf8.ValidString(text) && !strings.Contains(text, "\x00") }

// lookup is [storage.ReadTx.Lookup] on src.
func (s *Store) lookup(ctx context.Context, src source, path []storage.Step, w storage.Want) (reading, error) {
	for i, p := range path {
		if !storable(p.Name) || !storable(string(p.Kind)) {
			path = path[:i]
			break
		}
	}
	w = wanted(w)
	args := make([]any, 0, 2*len(path)+3)
	for _, p := range path {
		args = append(args, string(p.Kind), p.Name)
	}
	sh := shape{what: "lookup", depth: len(path), log: w.Log, asked: w.Log && w.Version != 0, beside: len(w.Beside) > 0}
	mark := s.cache.Mark()
	f, err := src.read(ctx, s.texts.of(sh), wantArgs(args, w)...)
	if err != nil {
		return reading{}, err
	}
	slices.SortFunc(f.objects, func(a, b object) int { return cmp.Compare(a.depth, b.depth) })
	nodes := f.nodes(w, true)
	if len(nodes) > 0 {
		s.cache.Put(mark, nodes, w)
	}
	return reading{nodes: nodes, saw: sawChain(nodes, w)}, nil
}

// getLevels is how deep most objects are at most: root, catalog, schema, table, and one below.
const getLevels = 5

// get is [storage.ReadTx.Get] on src.
func (s *Store) get(ctx context.Context, src source, id types.ID, w storage.Want) (reading, error) {
	if !storable(string(id)) {
		return reading{}, nil
	}
	w = wanted(w)
	sh := shape{what: "get", depth: getLevels, log: w.Log, asked: w.Log && w.Version != 0, beside: len(w.Beside) > 0}
	for {
		mark := s.cache.Mark()
		f, err := src.read(ctx, s.texts.of(sh), wantArgs([]any{string(id)}, w)...)
		if err != nil {
			return reading{}, err
		}
		slices.SortFunc(f.objects, func(a, b object) int { return cmp.Compare(a.depth, b.depth) })
		if len(f.objects) > 0 && f.objects[0].Parent != "" { // there is more above
			sh.depth *= 2
			continue
		}
		nodes := f.nodes(w, true)
		if len(nodes) > 0 {
			s.cache.Put(mark, nodes, w)
		}
		return reading{nodes: nodes, saw: sawChain(nodes, w)}, nil
	}
}

// list is [storage.ReadTx.List] on src.
func (s *Store) list(ctx context.Context, src source, q storage.ListQuery, w storage.Want) (reading, error) {
	if !storable(string(q.Parent)) || !storable(string(q.Kind)) {
		return reading{}, nil
	}
	if q.Kind != "" && !storable(q.After) {
		r, err := s.list(ctx, src, storableAfter(q), w)
		r.nodes = slices.DeleteFunc(r.nodes, func(n storage.Node) bool { return n.Name <= q.After })
		if q.Limit > 0 && len(r.nodes) > q.Limit {
			r.nodes = r.nodes[:q.Limit]
		}
		return r, err
	}
	w = wanted(w)
	sh := shape{what: "list", log: w.Log, asked: w.Log && w.Version != 0, beside: len(w.Beside) > 0,
		root: q.Parent == "", kind: q.Kind != "", after: q.Kind != "" && q.After != ""}
	var args []any
	if !sh.root {
		args = append(args, string(q.Parent))
	}
	if sh.kind {
		args = append(args, string(q.Kind))
		if sh.after {
			args = append(args, q.After)
		}
		var limit any // NULL: none
		if q.Limit > 0 {
			limit = q.Limit
		}
		args = append(args, limit)
	}
	f, err := src.read(ctx, s.texts.of(sh), wantArgs(args, w)...)
	if err != nil {
		return reading{}, err
	}
	slices.SortFunc(f.objects, func(a, b object) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})
	nodes := f.nodes(w, false)
	return reading{nodes: nodes, saw: sawList(q, nodes, f.objects, w)}, nil
}

// storableAfter is q with an After that can be sent: cut before what no stored name has. What it
// then finds too much is for the caller to drop.
func storableAfter(q storage.ListQuery) storage.ListQuery {
	q.After = strings.ToValidUTF8(q.After, "\x00") // so that the place is found
	q.After, _, _ = strings.Cut(q.After, "\x00")
	q.Limit = 0
	return q
}

// overlap is [storage.ReadTx.Overlap] on src.
func (s *Store) overlap(ctx context.Context, src source, location string, kinds []types.Kind, below int) (reading, error) {
	if !storable(location) {
		return reading{}, nil
	}
	var names []string
	for _, k := range kinds {
		if storable(string(k)) {
			names = append(names, string(k))
		}
	}
	after, before := storage.Below(location)
	f, err := src.read(ctx, sqlOverlap(), storage.Prefixes(location), names, after, before, max(0, below))
	if err != nil {
		return reading{}, err
	}
	byLocation := func(a, b object) int {
		return cmp.Or(cmp.Compare(a.Location, b.Location), cmp.Compare(a.ID, b.ID))
	}
	slices.SortFunc(f.objects, byLocation)
	slices.SortFunc(f.beside, byLocation)
	r := reading{saw: sawOverlap(location, names, below, f)}
	for _, o := range append(f.objects, f.beside...) {
		r.objects = append(r.objects, o.Object)
	}
	return r, nil
}

// wanted is w without what cannot be there, and with the rest of Beside in order, each once.
func wanted(w storage.Want) storage.Want {
	unstorable := func(s storage.Step) bool { return !storable(string(s.Kind)) || !storable(s.Name) }
	if slices.ContainsFunc(w.Beside, unstorable) {
		w.Beside = slices.DeleteFunc(slices.Clone(w.Beside), unstorable)
	}
	w.Beside = nodes.Ordered(w.Beside)
	return w
}

func wantArgs(args []any, w storage.Want) []any {
	if w.Log && w.Version != 0 {
		args = append(args, w.Version)
	}
	if len(w.Beside) > 0 {
		kinds, names := make([]string, len(w.Beside)), make([]string, len(w.Beside))
		for i, s := range w.Beside {
			kinds[i], names[i] = string(s.Kind), s.Name
		}
		args = append(args, kinds, names)
	}
	return args
}

// read runs a read on a connection of its own.
func (s *Store) read(ctx context.Context, sql string, args ...any) (found, error) {
	c, err := s.acquire(ctx)
	if err != nil {
		return found{}, err
	}
	defer c.Release()
	return readOn(ctx, c.Conn(), sql, args...)
}

func readOn(ctx context.Context, c *pgx.Conn, sql string, args ...any) (found, error) {
	rows, err := c.Query(ctx, sql, args...)
	if err != nil {
		return found{}, err
	}
	return scan(rows)
}
