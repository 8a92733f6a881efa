package storagetest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// The kinds of the suite's objects. Stores know none.
const (
	kindRoot    types.Kind = "metastore"
	kindCatalog types.Kind = "catalog"
	kindSchema  types.Kind = "schema"
	kindTable   types.Kind = "table"
	kindStaging types.Kind = "staging-table"
	kindGrant   types.Kind = "grant"
	kindColumns types.Kind = "columns"
)

// errStop is an error that a function of the suite returns.
var errStop = errors.New("storagetest: stop")

// An env is what a test has: its TB, a store that holds only a root, and helpers that
// end the test when something fails. Goroutines of a test must not use those; they
// use retry.
type env struct {
	testing.TB
	b     Backend
	dir   string
	ctx   context.Context
	store Store          // the first of stores
	all   []Store        // as many as race with each other
	root  storage.Object // as inserted

	// patience is how long something may take that would take for ever if it were
	// broken; pause is for what is right to take longer. No result depends on
	// either, only how long a failure takes, and whether one is found.
	patience, pause time.Duration
	short           bool // heavy tests do less
}

func newEnv(t testing.TB, b Backend) *env {
	e := &env{TB: t, b: b, dir: t.TempDir(), ctx: t.Context(), patience: time.Minute, pause: 10 * time.Millisecond, short: testing.Short()}
	e.all = []Store{e.open()}
	if b.Shared {
		e.all = append(e.all, e.open())
	}
	e.store = e.all[0]
	e.root = object(kindRoot, "", "root")
	e.insert(e.root)
	return e
}

func (e *env) open() Store {
	e.Helper()
	s, err := e.b.Open(e, e.dir)
	if err != nil {
		e.Fatalf("Open: %v", err)
	}
	e.Cleanup(func() { _ = s.Close() }) // a test may have closed it
	return s
}

// newID makes a random UUID.
func newID() types.ID {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return uuid(b)
}

func uuid(b [16]byte) types.ID {
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return types.ID(fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:]))
}

// epoch is when the suite's objects were created.
func epoch() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, int(345*time.Millisecond), time.UTC) }

func object(k types.Kind, parent types.ID, name string) storage.Object {
	return storage.Object{ID: newID(), Kind: k, Parent: parent, Name: name, Revision: 1,
		Created: epoch(), Updated: epoch(), Body: []byte("body of " + name)}
}

func at(o storage.Object, location string) storage.Object {
	o.Location = location
	return o
}

// next is o as a Replace would change it.
func next(o storage.Object, body string) storage.Object {
	o.Revision++
	o.Updated = o.Updated.Add(time.Second)
	o.Body = []byte(body)
	return o
}

func renamed(o storage.Object, name string) storage.Object {
	n := next(o, string(o.Body))
	n.Name = name
	return n
}

// retry is Update of s until it is no conflict.
func (e *env) retry(s storage.Store, fn func(tx storage.Tx) error) error {
	for {
		err := s.Update(e.ctx, fn)
		if !errors.Is(err, storage.ErrConflict) || e.ctx.Err() != nil {
			return err
		}
	}
}

// try is Update of the store until it is no conflict.
func (e *env) try(fn func(tx storage.Tx) error) error { return e.retry(e.store, fn) }

func (e *env) update(fn func(tx storage.Tx) error) {
	e.Helper()
	if err := e.try(fn); err != nil {
		e.Fatalf("Update: %v", err)
	}
}

// refused checks that Update answers want and that nothing has happened.
func (e *env) refused(want error, what string, fn func(tx storage.Tx) error) {
	e.Helper()
	before := e.dump()
	if err := e.try(fn); !errors.Is(err, want) {
		e.Errorf("%s: Update returned %v, want %v", what, err, want)
	}
	e.same(what+": the state after a refusal", e.dump(), before)
}

func (e *env) insert(objects ...storage.Object) {
	e.Helper()
	e.update(func(tx storage.Tx) error {
		for _, o := range objects {
			if err := tx.Insert(e.ctx, o); err != nil {
				return err
			}
		}
		return nil
	})
}

// child inserts one object.
func (e *env) child(k types.Kind, parent types.ID, name string) storage.Object {
	e.Helper()
	o := object(k, parent, name)
	e.insert(o)
	return o
}

// branch inserts a catalog, a schema in it and a table in that, with a log.
func (e *env) branch(catalog string) (c, s, t storage.Object) {
	e.Helper()
	c = object(kindCatalog, e.root.ID, catalog)
	s = object(kindSchema, c.ID, "schema")
	t = object(kindTable, s.ID, "table")
	e.insert(c, s, t)
	e.update(func(tx storage.Tx) error {
		return withNode(e.ctx, tx, t.ID, func(n storage.Node) error {
			return tx.WriteLog(e.ctx, t.ID, *n.Log, storage.LogDelta{Revision: 1})
		})
	})
	return c, s, t
}

// replace replaces what is stored with new's ID.
func (e *env) replace(new storage.Object) {
	e.Helper()
	e.update(func(tx storage.Tx) error { return replace(e.ctx, tx, new) })
}

func (e *env) delete(id types.ID) {
	e.Helper()
	e.update(func(tx storage.Tx) error { return remove(e.ctx, tx, id) })
}

// writeLog writes d over the log of id as it is.
func (e *env) writeLog(id types.ID, d storage.LogDelta) {
	e.Helper()
	e.update(func(tx storage.Tx) error {
		return withNode(e.ctx, tx, id, func(n storage.Node) error { return tx.WriteLog(e.ctx, id, *n.Log, d) })
	})
}

// withNode reads the object with this ID and its log and gives it to fn; if there is
// none it returns ErrStale.
func withNode(ctx context.Context, tx storage.ReadTx, id types.ID, fn func(n storage.Node) error) error {
	nodes, err := tx.Get(ctx, id, storage.Want{Log: true})
	if err != nil {
		return err
	}
	if len(nodes) == 0 {
		return storage.ErrStale
	}
	return fn(nodes[len(nodes)-1])
}

func replace(ctx context.Context, tx storage.Tx, new storage.Object) error {
	return withNode(ctx, tx, new.ID, func(n storage.Node) error { return tx.Replace(ctx, n.Object, new) })
}

func remove(ctx context.Context, tx storage.Tx, id types.ID) error {
	return withNode(ctx, tx, id, func(n storage.Node) error { return tx.Delete(ctx, n.Object) })
}

// view reads one value.
func view[T any](e *env, fn func(tx storage.ReadTx) (T, error)) T {
	e.Helper()
	v, err := storage.View(e.ctx, e.store, fn)
	if err != nil {
		e.Fatalf("View: %v", err)
	}
	return v
}

func (e *env) get(id types.ID, w storage.Want) []storage.Node {
	e.Helper()
	return view(e, func(tx storage.ReadTx) ([]storage.Node, error) { return tx.Get(e.ctx, id, w) })
}

// node returns the object with this ID, which must exist, and its log.
func (e *env) node(id types.ID) storage.Node {
	e.Helper()
	nodes := e.get(id, storage.Want{Log: true})
	if len(nodes) == 0 {
		e.Fatalf("Get(%s) found nothing", id)
	}
	return nodes[len(nodes)-1]
}

func (e *env) lookup(w storage.Want, path ...storage.Step) []storage.Node {
	e.Helper()
	return view(e, func(tx storage.ReadTx) ([]storage.Node, error) { return tx.Lookup(e.ctx, path, w) })
}

func (e *env) list(q storage.ListQuery, w storage.Want) []storage.Node {
	e.Helper()
	return view(e, func(tx storage.ReadTx) ([]storage.Node, error) { return tx.List(e.ctx, q, w) })
}

func (e *env) overlap(location string, below int, kinds ...types.Kind) []storage.Object {
	e.Helper()
	return view(e, func(tx storage.ReadTx) ([]storage.Object, error) { return tx.Overlap(e.ctx, location, kinds, below) })
}

func path(names ...string) []storage.Step {
	kinds := []types.Kind{kindCatalog, kindSchema, kindTable, kindGrant}
	steps := make([]storage.Step, len(names))
	for i, n := range names {
		steps[i] = storage.Step{Kind: kinds[i], Name: n}
	}
	return steps
}
