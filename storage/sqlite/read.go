package sqlite

import (
	"context"
	"errors"
	"slices"

	engine "zombiezen.com/go/sqlite"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/storage/internal/nodes"
	"github.com/leveelake/catalog/types"
)

// errOver is the answer to the use of a transaction after its fn has returned.
var errOver = errors.New("sqlite: the transaction is over")

// A reader reads from the tables and the journal, in a transaction that others begin and end.
type reader struct {
	*conn
	journal *journal
	batch   int64 // the last that the transaction sees

	lastID  types.ID // the last of the last chain, and its key: most writes are about it
	lastKey int64    // 0: it came from the cache, which has no keys
}

// row is an object as it is stored.
type row struct {
	key    int64
	parent int64 // 0: none, or not asked for
	storage.Object
}

// byPath walks the path by one search a step.
func (r *reader) byPath(ctx context.Context, path []storage.Step, w storage.Want) ([]storage.Node, error) {
	chain := make([]row, 0, len(path)+1)
	o, ok, err := r.one(qRoot, nil)
	for ok && err == nil {
		if n := len(chain); n > 0 {
			o.Parent = chain[n-1].ID
		}
		chain = append(chain, o)
		if len(path) == 0 {
			break
		}
		key, next := o.key, path[0]
		path = path[1:]
		o, ok, err = r.child(key, next.Kind, next.Name)
	}
	if err != nil {
		return nil, r.fault(err)
	}
	return r.chain(ctx, chain, w)
}

// byID climbs from the object to the root.
func (r *reader) byID(ctx context.Context, id types.ID, w storage.Want) ([]storage.Node, error) {
	var chain []row
	o, ok, err := r.one(qByID, func(s *engine.Stmt) { s.BindText(1, string(id)) })
	for ok && err == nil {
		if n := len(chain); n > 0 {
			chain[n-1].Parent = o.ID
		}
		chain = append(chain, o)
		if o.parent == 0 {
			break
		}
		key := o.parent
		o, ok, err = r.one(qByKey, func(s *engine.Stmt) { s.BindInt64(1, key) })
	}
	if err != nil {
		return nil, r.fault(err)
	}
	slices.Reverse(chain)
	return r.chain(ctx, chain, w)
}

// childrenOf reads the children in the order of the index.
func (r *reader) childrenOf(ctx context.Context, q storage.ListQuery, w storage.Want) ([]storage.Node, error) {
	rows, err := r.children(ctx, q)
	if err != nil {
		return nil, r.fault(err)
	}
	w.Beside = nodes.Ordered(w.Beside)
	out := make([]storage.Node, 0, len(rows))
	for _, o := range rows {
		n, err := r.node(ctx, o, w, w.Log)
		if err != nil {
			return nil, r.fault(err)
		}
		out = append(out, n)
	}
	return out, nil
}

// near asks the index on locations once for each prefix, and once for all beneath.
func (r *reader) near(ctx context.Context, location string, kinds []types.Kind, below int) ([]storage.Object, error) {
	var keys []int64
	for _, l := range storage.Prefixes(location) {
		more, err := r.located(ctx, qLocated, []string{l}, kinds, -1)
		if err != nil {
			return nil, r.fault(err)
		}
		keys = append(keys, more...)
	}
	if below > 0 {
		after, before := storage.Below(location)
		more, err := r.located(ctx, qBeneath, []string{after, before}, kinds, below)
		if err != nil {
			return nil, r.fault(err)
		}
		keys = append(keys, more...)
	}
	out := make([]storage.Object, 0, len(keys))
	for _, key := range keys {
		o, _, err := r.one(qLocatedObject, func(s *engine.Stmt) { s.BindInt64(1, key) })
		if err != nil {
			return nil, r.fault(err)
		}
		out = append(out, o.Object)
	}
	return out, nil
}

// fault names the file in an error of SQLite; others, such as that of a context, pass as
// they are.
func (c *conn) fault(err error) error {
	if engine.ErrCode(err) == engine.ResultError {
		return err
	}
	return faultOf(c.path, err)
}

// scan reads the columns of the row at which s stands. q says what follows columns.
func scan(s *engine.Stmt, q query) row {
	o := row{key: s.ColumnInt64(0), Object: storage.Object{
		ID:       types.ID(s.ColumnText(1)),
		Kind:     types.Kind(s.ColumnText(2)),
		Name:     s.ColumnText(3),
		Location: s.ColumnText(4),
		Revision: s.ColumnInt64(5),
		Created:  ofMillis(s.ColumnInt64(6)),
		Updated:  ofMillis(s.ColumnInt64(7)),
		Body:     column(s, 8),
	}}
	switch q {
	case qByID, qByKey:
		o.parent = s.ColumnInt64(9)
	case qLocatedObject:
		o.Parent = types.ID(s.ColumnText(9))
	}
	return o
}

// one returns the one row of q, if there is one.
func (r *reader) one(q query, bind func(*engine.Stmt)) (o row, ok bool, err error) {
	s, err := r.get(q)
	if err != nil {
		return o, false, err
	}
	defer s.Reset()
	if bind != nil {
		bind(s)
	}
	if ok, err = s.Step(); ok {
		o = scan(s, q)
	}
	return o, ok, err
}
