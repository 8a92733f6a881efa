package history_test

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// A bent store hands out bent transactions. Each of the functions may be nil.
type bent struct {
	storage.Store
	view   func(tx storage.ReadTx) storage.ReadTx
	update func(tx storage.Tx) storage.Tx
	lose   func(w *watcher) bool // an Update that is acknowledged and not done
}

var errLost = errors.New("lost")

func (b bent) View(ctx context.Context, fn func(tx storage.ReadTx) error) error {
	return b.Store.View(ctx, func(tx storage.ReadTx) error {
		if b.view != nil {
			tx = b.view(tx)
		}
		return fn(tx)
	})
}

func (b bent) Update(ctx context.Context, fn func(tx storage.Tx) error) error {
	err := b.Store.Update(ctx, func(tx storage.Tx) error {
		if b.update != nil {
			tx = b.update(tx)
		}
		w := &watcher{Tx: tx}
		err := fn(w)
		if err == nil && b.lose != nil && b.lose(w) {
			return errLost
		}
		return err
	})
	if errors.Is(err, errLost) {
		return nil
	}
	return err
}

// A watcher sees what an Update is about.
type watcher struct {
	storage.Tx
	commits, drops, renames bool
}

func (w *watcher) Replace(ctx context.Context, old, new storage.Object) error {
	w.renames = w.renames || old.Kind == types.KindTable && old.Name != new.Name
	return w.Tx.Replace(ctx, old, new)
}

func (w *watcher) Delete(ctx context.Context, old storage.Object) error {
	w.drops = w.drops || old.Kind == types.KindTable
	return w.Tx.Delete(ctx, old)
}

func (w *watcher) WriteLog(ctx context.Context, id types.ID, old storage.Log, d storage.LogDelta) error {
	w.commits = w.commits || d.Add != nil
	return w.Tx.WriteLog(ctx, id, old, d)
}

func losesCommits(s storage.Store, d *dice) storage.Store {
	return bent{Store: s, lose: func(w *watcher) bool { return w.commits && d.IntN(20) == 0 }}
}

func losesDrops(s storage.Store, _ *dice) storage.Store {
	return bent{Store: s, lose: func(w *watcher) bool { return w.drops }}
}

func losesRenames(s storage.Store, d *dice) storage.Store {
	return bent{Store: s, lose: func(w *watcher) bool { return w.renames && d.IntN(2) == 0 }}
}

// A bentRead changes what Lookup finds at tables.
type bentRead struct {
	storage.ReadTx
	lookup func(path string, n *storage.Node)
}

func (b bentRead) Lookup(ctx context.Context, path []storage.Step, w storage.Want) ([]storage.Node, error) {
	nodes, err := b.ReadTx.Lookup(ctx, path, w)
	bendTable(nodes, path, w, b.lookup)
	return nodes, err
}

func bendTable(nodes []storage.Node, path []storage.Step, w storage.Want, lookup func(path string, n *storage.Node)) {
	if len(nodes) != len(path)+1 || nodes[len(path)].Kind != types.KindTable || !w.Log {
		return
	}
	names := make([]string, len(path))
	for i, s := range path {
		names[i] = s.Name
	}
	lookup(strings.Join(names, "."), &nodes[len(path)])
}

// A past keeps what was seen of each table, now and then.
type past struct {
	mu   sync.Mutex
	seen map[string]storage.Node
}

// exchange returns what was kept, of the table with this ID, and keeps n instead if keep says so.
func (p *past) exchange(path string, n storage.Node, keep bool) (storage.Node, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	old, ok := p.seen[path]
	if keep || !ok {
		if p.seen == nil {
			p.seen = map[string]storage.Node{}
		}
		p.seen[path] = n
	}
	return old, ok && old.ID == n.ID
}

func staleViews(s storage.Store, d *dice) storage.Store {
	var p past
	return bent{Store: s, view: func(tx storage.ReadTx) storage.ReadTx {
		return bentRead{tx, func(path string, n *storage.Node) {
			if old, ok := p.exchange(path, *n, d.IntN(5) == 0); ok && d.IntN(20) == 0 {
				*n = old
			}
		}}
	}}
}

func tornViews(s storage.Store, d *dice) storage.Store {
	var p past
	return bent{Store: s, view: func(tx storage.ReadTx) storage.ReadTx {
		return bentRead{tx, func(path string, n *storage.Node) {
			if old, ok := p.exchange(path, *n, d.IntN(5) == 0); ok && d.IntN(20) == 0 {
				n.Log = old.Log
			}
		}}
	}}
}

// A bentTx changes what an Update reads of tables, and what it writes.
type bentTx struct {
	storage.Tx
	lookup  func(path string, n *storage.Node)
	replace func(old, new storage.Object) (storage.Object, bool)
	log     func(d storage.LogDelta) (storage.LogDelta, bool)
	table   *storage.Object // as read last
	also    bool            // a commit alone touches the object
	wrote   bool
}

func (b *bentTx) Lookup(ctx context.Context, path []storage.Step, w storage.Want) ([]storage.Node, error) {
	nodes, err := b.Tx.Lookup(ctx, path, w)
	bendTable(nodes, path, w, func(path string, n *storage.Node) {
		b.table = new(n.Object)
		if b.lookup != nil {
			b.lookup(path, n)
		}
	})
	return nodes, err
}

func (b *bentTx) Replace(ctx context.Context, old, new storage.Object) error {
	b.wrote = true
	if b.replace != nil && b.table != nil {
		var ok bool
		if new, ok = b.replace(*b.table, new); !ok {
			return nil
		}
		old = *b.table
	}
	return b.Tx.Replace(ctx, old, new)
}

func (b *bentTx) WriteLog(ctx context.Context, id types.ID, old storage.Log, d storage.LogDelta) error {
	if b.log != nil {
		var ok bool
		if d, ok = b.log(d); !ok && b.wrote {
			return nil
		}
	}
	if b.also && !b.wrote && d.Add != nil {
		o := *b.table
		o.Revision++
		if err := b.Tx.Replace(ctx, *b.table, o); err != nil {
			return err
		}
	}
	return b.Tx.WriteLog(ctx, id, old, d)
}

// onUpdates is s with its updates bent.
func onUpdates(s storage.Store, bend func(b *bentTx)) storage.Store {
	return bent{Store: s, update: func(tx storage.Tx) storage.Tx {
		b := &bentTx{Tx: tx}
		bend(b)
		return b
	}}
}

func halfUpdates(s storage.Store, _ *dice) storage.Store {
	return onUpdates(s, func(b *bentTx) {
		b.log = func(d storage.LogDelta) (storage.LogDelta, bool) { return d, d.Add == nil }
	})
}

func otherHalfUpdates(s storage.Store, d *dice) storage.Store {
	return onUpdates(s, func(b *bentTx) {
		b.replace = func(_, new storage.Object) (storage.Object, bool) { return new, d.IntN(5) > 0 }
	})
}

func forgetsFiles(s storage.Store, _ *dice) storage.Store {
	return onUpdates(s, func(b *bentTx) {
		b.lookup = func(_ string, n *storage.Node) {
			if a := n.Log.Asked; a != nil && a.Version <= n.Log.Backfilled {
				a.File = "forgotten"
			}
		}
	})
}

func backfillsMore(s storage.Store, d *dice) storage.Store {
	return onUpdates(s, func(b *bentTx) {
		b.log = func(l storage.LogDelta) (storage.LogDelta, bool) {
			if d.IntN(5) == 0 {
				l.Backfilled = min(l.Backfilled+1, l.Last)
			}
			return l, true
		}
	})
}

func movesETags(s storage.Store, d *dice) storage.Store {
	return onUpdates(s, func(b *bentTx) { b.also = d.IntN(10) == 0 })
}

// stillETags shows every other revision as the one before it.
func stillETags(s storage.Store, _ *dice) storage.Store {
	still := func(_ string, n *storage.Node) { n.Revision = (n.Revision + 1) / 2 }
	b := onUpdates(s, func(b *bentTx) {
		b.lookup = still
		b.replace = func(real, new storage.Object) (storage.Object, bool) {
			new.Revision = real.Revision + 1
			return new, true
		}
	}).(bent)
	b.view = func(tx storage.ReadTx) storage.ReadTx { return bentRead{tx, still} }
	return b
}
