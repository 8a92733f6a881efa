package storagetest

import (
	"context"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/storage/memory"
	"github.com/leveelake/catalog/types"
)

// A bent store is a memory store in which something is wrong: each field that is not nil
// takes the place of what the store does right.
type bent struct {
	*memory.Store
	gate chan struct{} // holds one

	view   func(b *bent, ctx context.Context, fn func(tx storage.ReadTx) error) error
	update func(b *bent, ctx context.Context, fn func(tx storage.Tx) error) error
	close  func(b *bent) error

	ctx     func(ctx context.Context) context.Context
	nodes   func(nodes []storage.Node) []storage.Node // of any read
	objects func(objects []storage.Object) []storage.Object
	listed  func(nodes []storage.Node) []storage.Node
	query   func(q storage.ListQuery) storage.ListQuery
	want    func(w storage.Want) storage.Want
	path    func(path []storage.Step) []storage.Step
	overlap func(ctx context.Context, tx storage.ReadTx, location string, kinds []types.Kind, below int) ([]storage.Object, error)

	insert   func(b *bent, ctx context.Context, tx storage.Tx, o storage.Object) error
	replace  func(b *bent, ctx context.Context, tx storage.Tx, old, new storage.Object) error
	delete   func(b *bent, ctx context.Context, tx storage.Tx, old storage.Object) error
	writeLog func(b *bent, ctx context.Context, tx storage.Tx, id types.ID, old storage.Log, d storage.LogDelta) error
}

func (b *bent) bend(ctx context.Context) context.Context {
	if b.ctx != nil {
		return b.ctx(ctx)
	}
	return ctx
}

func (b *bent) Close() error {
	if b.close != nil {
		return b.close(b)
	}
	return b.Store.Close()
}

func (b *bent) View(ctx context.Context, fn func(tx storage.ReadTx) error) error {
	ctx = b.bend(ctx)
	bentFn := func(tx storage.ReadTx) error { return fn(bentTx{tx, nil, b}) }
	if b.view != nil {
		return b.view(b, ctx, bentFn)
	}
	return b.Store.View(ctx, bentFn)
}

func (b *bent) Update(ctx context.Context, fn func(tx storage.Tx) error) error {
	ctx = b.bend(ctx)
	bentFn := func(tx storage.Tx) error { return fn(bentTx{tx, tx, b}) }
	if b.update != nil {
		return b.update(b, ctx, bentFn)
	}
	return b.Store.Update(ctx, bentFn)
}

// alone runs fn when no other runs alone.
func (b *bent) alone(ctx context.Context, fn func() error) error {
	select {
	case b.gate <- struct{}{}:
		defer func() { <-b.gate }()
		return fn()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// node reads an object as the last Update left it, from within a transaction too.
func (b *bent) node(id types.ID) (storage.Node, bool) {
	ctx := context.Background()
	nodes, err := storage.View(ctx, b.Store, func(tx storage.ReadTx) ([]storage.Node, error) {
		return tx.Get(ctx, id, storage.Want{Log: true})
	})
	if err != nil || len(nodes) == 0 {
		return storage.Node{}, false
	}
	return nodes[len(nodes)-1], true
}

// children lists as the last Update left it, from within a transaction too.
func (b *bent) children(parent types.ID, kind types.Kind) []storage.Node {
	ctx := context.Background()
	nodes, _ := storage.View(ctx, b.Store, func(tx storage.ReadTx) ([]storage.Node, error) {
		return tx.List(ctx, storage.ListQuery{Parent: parent, Kind: kind}, storage.Want{})
	})
	return nodes
}

type bentTx struct {
	storage.ReadTx
	tx storage.Tx // nil in a View
	b  *bent
}

func (t bentTx) bend(w storage.Want) storage.Want {
	if t.b.want != nil {
		return t.b.want(w)
	}
	return w
}

func (t bentTx) read(nodes []storage.Node, err error) ([]storage.Node, error) {
	if t.b.nodes != nil && err == nil {
		nodes = t.b.nodes(nodes)
	}
	return nodes, err
}

func (t bentTx) Lookup(ctx context.Context, path []storage.Step, w storage.Want) ([]storage.Node, error) {
	if t.b.path != nil {
		path = t.b.path(path)
	}
	return t.read(t.ReadTx.Lookup(t.b.bend(ctx), path, t.bend(w)))
}

func (t bentTx) Get(ctx context.Context, id types.ID, w storage.Want) ([]storage.Node, error) {
	return t.read(t.ReadTx.Get(t.b.bend(ctx), id, t.bend(w)))
}

func (t bentTx) List(ctx context.Context, q storage.ListQuery, w storage.Want) ([]storage.Node, error) {
	if t.b.query != nil {
		q = t.b.query(q)
	}
	nodes, err := t.read(t.ReadTx.List(t.b.bend(ctx), q, t.bend(w)))
	if t.b.listed != nil && err == nil {
		nodes = t.b.listed(nodes)
	}
	return nodes, err
}

func (t bentTx) Overlap(ctx context.Context, location string, kinds []types.Kind, below int) ([]storage.Object, error) {
	if t.b.overlap != nil {
		return t.b.overlap(ctx, t.ReadTx, location, kinds, below)
	}
	objects, err := t.ReadTx.Overlap(t.b.bend(ctx), location, kinds, below)
	if t.b.objects != nil && err == nil {
		objects = t.b.objects(objects)
	}
	return objects, err
}

func (t bentTx) Insert(ctx context.Context, o storage.Object) error {
	if t.b.insert != nil {
		return t.b.insert(t.b, ctx, t.tx, o)
	}
	return t.tx.Insert(t.b.bend(ctx), o)
}

func (t bentTx) Replace(ctx context.Context, old, new storage.Object) error {
	if t.b.replace != nil {
		return t.b.replace(t.b, ctx, t.tx, old, new)
	}
	return t.tx.Replace(t.b.bend(ctx), old, new)
}

func (t bentTx) Delete(ctx context.Context, old storage.Object) error {
	if t.b.delete != nil {
		return t.b.delete(t.b, ctx, t.tx, old)
	}
	return t.tx.Delete(t.b.bend(ctx), old)
}

func (t bentTx) WriteLog(ctx context.Context, id types.ID, old storage.Log, d storage.LogDelta) error {
	if t.b.writeLog != nil {
		return t.b.writeLog(t.b, ctx, t.tx, id, old, d)
	}
	return t.tx.WriteLog(t.b.bend(ctx), id, old, d)
}
