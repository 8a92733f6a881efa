package memory

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// errOver is the answer to the use of a transaction after its fn has returned.
var errOver = errors.New("memory: the transaction is over")

// A reader reads one state. It is the whole of a View, and the reading half of an Update.
type reader struct {
	state *state
	over  bool
}

func (r *reader) Lookup(ctx context.Context, path []storage.Step, w storage.Want) ([]storage.Node, error) {
	if err := r.ready(ctx); err != nil {
		return nil, err
	}
	o, ok := r.state.root()
	var chain []*storage.Object
	for ok {
		chain = append(chain, o)
		if len(path) == 0 {
			break
		}
		var id types.ID
		if id, ok = r.state.children.get(place{o.ID, path[0].Kind, path[0].Name}); ok {
			o, ok = r.state.objects.get(id)
		}
		path = path[1:]
	}
	return r.state.chain(chain, w), nil
}

func (r *reader) Get(ctx context.Context, id types.ID, w storage.Want) ([]storage.Node, error) {
	if err := r.ready(ctx); err != nil {
		return nil, err
	}
	var chain []*storage.Object
	for o, ok := r.state.objects.get(id); ok; o, ok = r.state.objects.get(o.Parent) {
		chain = append(chain, o)
	}
	slices.Reverse(chain)
	return r.state.chain(chain, w), nil
}

func (r *reader) List(ctx context.Context, q storage.ListQuery, w storage.Want) ([]storage.Node, error) {
	if err := r.ready(ctx); err != nil {
		return nil, err
	}
	start := place{q.Parent, q.Kind, q.After}
	if q.Kind == "" {
		start.name, q.Limit = "", 0
	}
	w = sorted(w)
	var out []storage.Node
	for p, id := range r.state.children.from(start) {
		if p.parent != q.Parent || q.Kind != "" && p.kind != q.Kind || q.Limit > 0 && len(out) == q.Limit {
			break
		}
		if q.Kind != "" && q.After != "" && p.name == q.After {
			continue
		}
		o, _ := r.state.objects.get(id)
		out = append(out, r.state.node(o, w, w.Log))
	}
	return out, nil
}

func (r *reader) Overlap(ctx context.Context, location string, kinds []types.Kind, below int) ([]storage.Object, error) {
	if err := r.ready(ctx); err != nil {
		return nil, err
	}
	var out []storage.Object
	add := func(s spot) bool {
		o, _ := r.state.objects.get(s.id)
		if !slices.Contains(kinds, o.Kind) {
			return false
		}
		out = append(out, *o)
		return true
	}
	for _, l := range storage.Prefixes(location) {
		for s := range r.state.located.from(spot{location: l}) {
			if s.location != l {
				break
			}
			add(s)
		}
	}
	after, before := storage.Below(location)
	for s := range r.state.located.from(spot{location: after}) {
		if below <= 0 || s.location >= before {
			break
		}
		if s.location != after && add(s) {
			below--
		}
	}
	return out, nil
}

func (r *reader) ready(ctx context.Context) error {
	if r.over {
		return errOver
	}
	return ctx.Err()
}

// chain returns the objects of a chain with what w wants.
func (s *state) chain(chain []*storage.Object, w storage.Want) []storage.Node {
	w = sorted(w)
	out := make([]storage.Node, len(chain))
	for i, o := range chain {
		out[i] = s.node(o, w, w.Log && i == len(chain)-1)
	}
	return out
}

func (s *state) node(o *storage.Object, w storage.Want, withLog bool) storage.Node {
	n := storage.Node{Object: *o}
	if withLog {
		l, _ := s.logs.get(o.ID)
		n.Log = l.read(w.Version)
	}
	for _, step := range w.Beside {
		if id, ok := s.children.get(place{o.ID, step.Kind, step.Name}); ok {
			child, _ := s.objects.get(id)
			n.Beside = append(n.Beside, *child)
		}
	}
	return n
}

// sorted is w with Beside in the order of the answer, each once.
func sorted(w storage.Want) storage.Want {
	if len(w.Beside) > 1 {
		w.Beside = slices.Clone(w.Beside) // it is the caller's
		slices.SortFunc(w.Beside, func(a, b storage.Step) int {
			return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
		})
		w.Beside = slices.Compact(w.Beside)
	}
	return w
}
