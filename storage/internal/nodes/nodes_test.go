package nodes

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/storage/memory"
	"github.com/leveelake/catalog/types"
)

// A world is a store whose every write a cache is told of, and whose reads it is given, as the one
// owner of a database would do it.
type world struct {
	*testing.T
	rng   *rand.Rand
	store *memory.Store
	cache *Cache
	ids   int
	hits  int
}

var same = cmpopts.EquateEmpty()

func (w *world) id() types.ID {
	w.ids++
	return types.ID(fmt.Sprintf("%08d-0000-4000-8000-000000000000", w.ids))
}

func (w *world) path() []storage.Step {
	kinds := []types.Kind{"catalog", "schema", "table"}
	path := make([]storage.Step, w.rng.IntN(4))
	for i := range path {
		path[i] = storage.Step{Kind: kinds[i], Name: string(rune('a' + w.rng.IntN(3)))}
	}
	return path
}

func (w *world) want() storage.Want {
	want := storage.Want{Log: w.rng.IntN(2) == 0}
	if want.Log {
		want.Version = int64(w.rng.IntN(8))
	}
	if w.rng.IntN(3) == 0 {
		asked := []storage.Step{{Kind: "grant", Name: "z"}, {Kind: "grant", Name: "x"}, {Kind: "columns", Name: "x"}, {Kind: "grant", Name: "y"}, {Kind: "grant", Name: "x"}}
		w.rng.Shuffle(len(asked), func(i, j int) { asked[i], asked[j] = asked[j], asked[i] })
		want.Beside = asked[:1+w.rng.IntN(len(asked))]
	}
	return want
}

// read reads something from the store, and compares it with what the cache says of it.
func (w *world) read(tx storage.ReadTx, pending bool) []storage.Node {
	ctx, path, want := w.Context(), w.path(), w.want()
	mark := w.cache.Mark()
	chain, err := tx.Lookup(ctx, path, want)
	if err != nil {
		w.Fatal(err)
	}
	got, ok := w.cache.Lookup(path, want, pending)
	if ok {
		w.hits++
		if d := cmp.Diff(chain, got, same); d != "" {
			w.Fatalf("Lookup(%v, %+v), pending %v: %s", path, want, pending, d)
		}
	}
	if len(chain) == 0 {
		return nil
	}
	id := chain[len(chain)-1].ID
	byID, err := tx.Get(ctx, id, want)
	if err != nil {
		w.Fatal(err)
	}
	if got, ok := w.cache.Get(id, want, pending); ok {
		if d := cmp.Diff(byID, got, same); d != "" {
			w.Fatalf("Get(%s, %+v), pending %v: %s", id, want, pending, d)
		}
	}
	if len(chain) == len(path)+1 {
		w.cache.Put(mark, chain, want)
	}
	return chain
}

// update changes something, and returns what it was.
func (w *world) update(tx storage.Tx) []Change {
	ctx := w.Context()
	chain := w.read(tx, true)
	if chain == nil {
		return nil
	}
	n := chain[len(chain)-1]
	if n.Log == nil || w.rng.IntN(3) == 0 {
		nodes, err := tx.Get(ctx, n.ID, storage.Want{Log: true})
		if err != nil {
			w.Fatal(err)
		}
		n = nodes[len(nodes)-1]
	}
	kinds := []types.Kind{"catalog", "schema", "table", "grant"}
	old := n.Object
	switch w.rng.IntN(6) {
	case 0, 1:
		kind := kinds[min(len(chain)-1, 3)]
		switch w.rng.IntN(6) {
		case 0, 1:
			kind = "grant"
		case 2:
			kind = "columns"
		}
		name := string(rune('a' + w.rng.IntN(3)))
		if kind == "grant" || kind == "columns" {
			name = string(rune('x' + w.rng.IntN(3)))
		}
		new := storage.Object{ID: w.id(), Kind: kind, Parent: old.ID, Name: name, Revision: 1, Body: []byte("new")}
		if tx.Insert(ctx, new) != nil {
			return nil
		}
		return []Change{{New: &new}}
	case 2:
		new := old
		new.Revision++
		new.Body = fmt.Appendf(nil, "body %d", w.rng.Int())
		if old.Parent != "" && w.rng.IntN(2) == 0 {
			new.Name = string(rune('a' + w.rng.IntN(3)))
		}
		if tx.Replace(ctx, old, new) != nil {
			return nil
		}
		return []Change{{Old: &old, New: &new}}
	case 3:
		if old.Parent == "" || tx.Delete(ctx, old) != nil {
			return nil
		}
		return []Change{{Old: &old}}
	default:
		d := storage.LogDelta{Revision: n.Log.Revision + 1, Last: n.Log.Last, Backfilled: n.Log.Backfilled, State: fmt.Appendf(nil, "state %d", w.rng.Int())}
		switch w.rng.IntN(8) {
		case 0: // odd, but allowed
			d.Last += 2
		case 1:
			d.Backfilled = max(0, d.Backfilled-1)
		default:
			d.Last++
			d.Add = &storage.Commit{Version: d.Last, File: fmt.Sprint("file ", d.Last), Data: []byte("data")}
			d.Backfilled += int64(w.rng.IntN(2))
		}
		if d.Backfilled > d.Last || tx.WriteLog(ctx, old.ID, *n.Log, d) != nil {
			return nil
		}
		return []Change{{ID: old.ID, Log: After(*n.Log, d)}}
	}
}

// errUndone ends an update that comes to nothing.
type errUndone struct{ error }

// TestExact: told of every write in time, a cache of any size knows what the store has and nothing
// else, before a write is settled, and after it was undone.
func TestExact(t *testing.T) {
	for seed := range uint64(40) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			w := &world{T: t, rng: rand.New(rand.NewPCG(seed, 7)), store: memory.New(), cache: New([]int{1 << 20, 8000, 3000, 0}[seed%4])}
			ctx := t.Context()
			root := storage.Object{ID: w.id(), Kind: "metastore", Name: "root", Revision: 1}
			if err := w.store.Update(ctx, func(tx storage.Tx) error { return tx.Insert(ctx, root) }); err != nil {
				t.Fatal(err)
			}
			for range 400 {
				w.step(ctx)
			}
			if seed%4 == 0 && w.hits < 100 {
				t.Errorf("the cache knew only %d times", w.hits)
			}
			if w.cache.size > w.cache.limit || len(w.cache.ring) != len(w.cache.byID) {
				t.Errorf("%d bytes of %d, %d entries, %d in the ring", w.cache.size, w.cache.limit, len(w.cache.byID), len(w.cache.ring))
			}
			sum := 0
			for _, e := range w.cache.byID {
				sum += e.size
				if e.size != e.weight() {
					t.Errorf("%s is taken for %d bytes and has %d", e.object.ID, e.size, e.weight())
				}
			}
			if sum != w.cache.size {
				t.Errorf("the entries have %d bytes, the cache says %d", sum, w.cache.size)
			}
		})
	}
}

// step is one Update, with Views before it is settled and after.
func (w *world) step(ctx context.Context) {
	view := func() {
		_ = w.store.View(ctx, func(tx storage.ReadTx) error {
			w.read(tx, false)
			return nil
		})
	}
	stale := w.cache.Mark()
	var old []storage.Node
	path, want := w.path(), w.want()
	_ = w.store.View(ctx, func(tx storage.ReadTx) (err error) {
		old, err = tx.Lookup(ctx, path, want)
		return err
	})
	var changes []Change
	undo := w.rng.IntN(4) == 0
	err := w.store.Update(ctx, func(tx storage.Tx) error {
		changes = w.update(tx)
		if changes == nil {
			return errUndone{}
		}
		w.cache.Hold(changes)
		view() // nobody sees it yet: the store does not, and the cache must not
		if len(old) == len(path)+1 {
			w.cache.Put(stale, old, want)
		}
		if undo {
			return errUndone{}
		}
		return nil
	})
	w.cache.Settle(changes, err == nil)
	if len(old) == len(path)+1 {
		w.cache.Put(stale, old, want) // a read that was overtaken
	}
	view()
	view()
}

// TestPutLate: what was read before a write is not taken afterwards, whatever was forgotten in between.
func TestPutLate(t *testing.T) {
	c := New(1 << 20)
	root := storage.Object{ID: "r", Revision: 1}
	child := storage.Object{ID: "c", Parent: "r", Kind: "k", Name: "n", Revision: 1}
	path := []storage.Step{{Kind: "k", Name: "n"}}
	chain := []storage.Node{{Object: root}, {Object: child}}
	known := func() bool {
		_, ok := c.Lookup(path, storage.Want{}, false)
		return ok
	}
	mark := c.Mark()
	c.Put(mark, chain, storage.Want{})
	if !known() {
		t.Fatal("what was put is not known")
	}
	c.Apply([]Change{{Old: &child}})
	c.Put(mark, chain, storage.Want{})
	if known() {
		t.Error("a deleted object is back")
	}
	c.Put(c.Mark(), chain, storage.Want{})
	if !known() {
		t.Error("what was read since is not taken")
	}
	c.Forget("c")
	if known() {
		t.Error("what was forgotten is known")
	}
	newer := child
	newer.Revision, newer.Body = 3, []byte("newer")
	c.Put(c.Mark(), []storage.Node{{Object: root}, {Object: newer}}, storage.Want{})
	c.Put(c.Mark(), chain, storage.Want{})
	if got, _ := c.Lookup(path, storage.Want{}, false); len(got) != 2 || got[1].Revision != 3 {
		t.Errorf("an older revision has taken the place of a newer one: %v", got)
	}
}

// TestCallers: what a reader may change of what went in and came out is not the cache's.
func TestCallers(t *testing.T) {
	c := New(1 << 20)
	chain := func() []storage.Node {
		return []storage.Node{{
			Object: storage.Object{ID: "r", Revision: 1, Body: []byte("body")},
			Log:    &storage.Log{Revision: 1, Last: 1, State: []byte("state"), Commits: []storage.Commit{{Version: 1, Data: []byte("data")}}},
		}}
	}
	want := storage.Want{Log: true, Version: 1}
	scribble := func(n storage.Node) {
		if n.Log.Asked != nil {
			n.Log.Asked.File = "other"
		}
		n.Log.Commits = append(n.Log.Commits, storage.Commit{Version: 9})
		n.Log.Last = 9
	}
	put := chain()
	c.Put(c.Mark(), put, want)
	scribble(put[0])
	for range 2 {
		got, ok := c.Lookup(nil, want, false)
		expected := chain()
		expected[0].Log.Asked = &expected[0].Log.Commits[0]
		if d := cmp.Diff(expected, got); !ok || d != "" {
			t.Fatal(d)
		}
		scribble(got[0])
	}
}

// TestClock: what is used now takes the place of what was used once, though each put pushes out one.
func TestClock(t *testing.T) {
	const fit, hot = 100, 50
	c := New(fit * (entryOverhead + 1))
	use := func(i int) bool {
		o := storage.Object{ID: types.ID(fmt.Sprint(i)), Kind: "k", Revision: 1, Body: []byte("x")}
		_, ok := c.Get(o.ID, storage.Want{}, false)
		if !ok {
			c.Put(c.Mark(), []storage.Node{{Object: o}}, storage.Want{})
		}
		return ok
	}
	for i := range 10 * fit {
		use(-i - 1)
	}
	hits := 0
	for range 10 {
		for i := range hot {
			if use(i) {
				hits++
			}
		}
	}
	if hits < 8*hot {
		t.Errorf("of %d uses of %d objects %d were known", 10*hot, hot, hits)
	}
}
