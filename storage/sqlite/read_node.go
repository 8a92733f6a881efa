package sqlite

import (
	"context"
	"slices"

	engine "zombiezen.com/go/sqlite"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/storage/internal/nodes"
	"github.com/leveelake/catalog/types"
)

// chain returns the nodes of a chain; the log comes with the last.
func (r *reader) chain(ctx context.Context, rows []row, w storage.Want) ([]storage.Node, error) {
	w.Beside = nodes.Ordered(w.Beside)
	out := make([]storage.Node, len(rows))
	for i, o := range rows {
		n, err := r.node(ctx, o, w, w.Log && i == len(rows)-1)
		if err != nil {
			return nil, r.fault(err)
		}
		out[i] = n
		r.lastID, r.lastKey = o.ID, o.key
	}
	return out, nil
}

// node returns o with what w wants. What is beside it, w wants in order.
func (r *reader) node(ctx context.Context, o row, w storage.Want, withLog bool) (n storage.Node, err error) {
	if err := ctx.Err(); err != nil { // a long list is many nodes
		return n, err
	}
	n.Object = o.Object
	if withLog {
		if n.Log, err = r.log(o.ID, o.key, w.Version); err != nil {
			return n, err
		}
	}
	if len(w.Beside) > 0 {
		n.Beside, err = r.beside(o, w.Beside)
	}
	return n, err
}

// child returns the child of the object key with this kind and name.
func (r *reader) child(key int64, k types.Kind, name string) (row, bool, error) {
	return r.one(qChild, func(s *engine.Stmt) {
		s.BindInt64(1, key)
		s.BindText(2, string(k))
		s.BindText(3, name)
	})
}

// beside returns the children of o that these steps, which are in order, lead to. It goes along the index
// from the first of them to the last, and where it meets a child that is none of them, it searches
// anew. So steps that lead nowhere cost next to nothing, and children that nobody asked for do not
// cost more than a search for each step.
func (r *reader) beside(o row, steps []storage.Step) (out []storage.Object, err error) {
	for len(steps) > 0 && err == nil {
		out, steps, err = r.besideFrom(o, steps, out)
	}
	return out, err
}

// besideFrom searches for the first of steps, and goes on for as long as what it meets is one of them. It
// appends that to out, and returns which steps are left.
func (r *reader) besideFrom(o row, steps []storage.Step, out []storage.Object) ([]storage.Object, []storage.Step, error) {
	s, err := r.get(qBeside)
	if err != nil {
		return nil, nil, err
	}
	defer s.Reset()
	first, last := steps[0], steps[len(steps)-1]
	s.BindInt64(1, o.key)
	s.BindText(2, string(first.Kind))
	s.BindText(3, first.Name)
	s.BindText(4, string(last.Kind))
	s.BindText(5, last.Name)
	for len(steps) > 0 {
		ok, err := s.Step()
		if !ok {
			return out, nil, err
		}
		at := storage.Step{Kind: types.Kind(s.ColumnText(2)), Name: s.ColumnText(3)}
		for len(steps) > 0 && before(steps[0], at) { // it is not there
			steps = steps[1:]
		}
		if len(steps) == 0 || steps[0] != at {
			return out, steps, nil
		}
		child := scan(s, qBeside).Object
		child.Parent = o.ID
		out, steps = append(out, child), steps[1:]
	}
	return out, nil, nil
}

// before says whether a comes before b in the index.
func before(a, b storage.Step) bool {
	return a.Kind < b.Kind || a.Kind == b.Kind && a.Name < b.Name
}

// children returns what q asks for.
func (r *reader) children(ctx context.Context, q storage.ListQuery) ([]row, error) {
	var parent int64
	if q.Parent != "" {
		key, err := r.key(q.Parent)
		if err != nil || key == 0 {
			return nil, err
		}
		parent = key
	}
	which := qListAll
	if q.Kind != "" {
		which = qList
		if q.After != "" { // else a child without a name would be missed
			which = qListAfter
		}
	}
	s, err := r.get(which)
	if err != nil {
		return nil, err
	}
	defer s.Reset()
	if parent == 0 {
		s.BindNull(1)
	} else {
		s.BindInt64(1, parent)
	}
	if which != qListAll {
		limit := int64(q.Limit)
		if limit <= 0 {
			limit = -1 // none
		}
		s.BindText(2, string(q.Kind))
		s.BindInt64(3, limit)
	}
	if which == qListAfter {
		s.BindText(4, q.After)
	}
	var out []row
	for {
		if len(out)%256 == 255 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		ok, err := s.Step()
		if err != nil {
			return nil, err
		}
		if !ok {
			return out, nil
		}
		o := scan(s, which)
		o.Parent = q.Parent
		out = append(out, o)
	}
}

// located returns the keys that q finds, of these kinds, at most limit (-1: all). Rows
// of other kinds are passed over in the index.
func (r *reader) located(ctx context.Context, q query, locations []string, kinds []types.Kind, limit int) ([]int64, error) {
	s, err := r.get(q)
	if err != nil {
		return nil, err
	}
	defer s.Reset()
	for i, l := range locations {
		s.BindText(i+1, l)
	}
	var out []int64
	for n := 0; len(out) != limit; n++ {
		if n%256 == 255 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		ok, err := s.Step()
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		if slices.Contains(kinds, types.Kind(s.ColumnText(1))) {
			out = append(out, s.ColumnInt64(0))
		}
	}
	return out, nil
}

// key returns the key of an object, 0 if there is none.
func (r *reader) key(id types.ID) (int64, error) {
	s, err := r.get(qKey)
	if err != nil {
		return 0, err
	}
	defer s.Reset()
	s.BindText(1, string(id))
	ok, err := s.Step()
	if !ok {
		return 0, err
	}
	return s.ColumnInt64(0), nil
}
