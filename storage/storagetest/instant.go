package storagetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/leveelake/catalog/storage"
)

func instantTests() []test {
	return []test{
		{"ViewSeesOneInstant", testViewSeesOneInstant},
		{"ViewWaitsForNoUpdate", testViewWaitsForNoUpdate},
		{"UpdateWaitsForNoView", testUpdateWaitsForNoView},
		{"ViewSeesWhatIsDone", testViewSeesWhatIsDone},
		{"ReadersAmongWriters", testReadersAmongWriters},
		{"ErrorOfOneInstant", testErrorOfOneInstant},
		{"ReadOnlyUpdate", testReadOnlyUpdate},
	}
}

// A pair is two objects, and a log of the first, that always change together.
type pair struct{ a, b storage.Object }

func (e *env) pair() pair {
	e.Helper()
	_, s, t := e.branch("main")
	return pair{t, e.child(kindTable, s.ID, "b")}
}

// change changes both.
func (p pair) change(ctx context.Context, tx storage.Tx) error {
	return withNode(ctx, tx, p.a.ID, func(a storage.Node) error {
		return withNode(ctx, tx, p.b.ID, func(b storage.Node) error {
			return firstError(
				tx.Replace(ctx, a.Object, next(a.Object, "")),
				tx.Replace(ctx, b.Object, next(b.Object, "")),
				tx.WriteLog(ctx, a.ID, *a.Log, storage.LogDelta{Revision: a.Log.Revision + 1}),
			)
		})
	})
}

// torn says what of the pair is not of one instant; between is called between the reads.
func (p pair) torn(ctx context.Context, tx storage.ReadTx, between func() bool) (string, error) {
	var text string
	err := withNode(ctx, tx, p.a.ID, func(a storage.Node) error {
		between()
		return withNode(ctx, tx, p.b.ID, func(b storage.Node) error {
			if a.Revision != b.Revision || a.Log.Revision != a.Revision {
				text = fmt.Sprintf("revisions %d and %d, log %d", a.Revision, b.Revision, a.Log.Revision)
			}
			return nil
		})
	})
	return text, err
}

func testViewSeesOneInstant(e *env) {
	p := e.pair()
	for range 3 { // before and after any caches are warm
		write, done := e.beside(func() error {
			return e.try(func(tx storage.Tx) error { return p.change(e.ctx, tx) })
		}, false)
		torn := view(e, func(tx storage.ReadTx) (string, error) { return p.torn(e.ctx, tx, write) })
		if torn != "" {
			e.Errorf("a View read %s", torn)
		}
		if err := done(); err != nil {
			e.Fatalf("Update beside a View: %v", err)
		}
	}
}

func testViewWaitsForNoUpdate(e *env) {
	p := e.pair()
	before := e.dump()
	release := e.hold(func(tx storage.Tx) error { return p.change(e.ctx, tx) })
	ctx, cancel := context.WithTimeout(e.ctx, e.patience)
	defer cancel()
	for _, s := range e.all {
		err := s.View(ctx, func(tx storage.ReadTx) error {
			return withNode(ctx, tx, p.a.ID, func(n storage.Node) error {
				if n.Revision != 1 {
					return fmt.Errorf("read revision %d, which is not there yet", n.Revision)
				}
				return nil
			})
		})
		if err != nil {
			e.Errorf("View during an Update: %v", err)
			break // the next would wait as long
		}
	}
	if !e.Failed() {
		e.same("during an Update", e.dump(), before)
	}
	if err := release(); err != nil {
		e.Errorf("Update: %v", err)
	}
	if n := e.node(p.a.ID); n.Revision != 2 {
		e.Errorf("after the Update the revision is %d", n.Revision)
	}
}

func testUpdateWaitsForNoView(e *env) {
	p := e.pair()
	reading, end, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	var once sync.Once
	go func() {
		done <- e.store.View(e.ctx, func(tx storage.ReadTx) error {
			torn, err := p.torn(e.ctx, tx, func() bool { once.Do(func() { close(reading) }); <-end; return true })
			if torn != "" {
				err = errors.New(torn)
			}
			return err
		})
	}()
	<-reading
	ctx, cancel := context.WithTimeout(e.ctx, e.patience)
	defer cancel()
	for _, s := range e.all {
		if err := s.Update(ctx, func(tx storage.Tx) error { return p.change(ctx, tx) }); err != nil {
			e.Errorf("Update during a View: %v", err)
			break
		}
	}
	close(end)
	if err := <-done; err != nil {
		e.Errorf("View: %v", err)
	}
}

// testViewSeesWhatIsDone: what an Update has answered is seen by every later View,
// on every store of the same data, and by every later Update.
func testViewSeesWhatIsDone(e *env) {
	p := e.pair()
	for i := range int64(20) {
		writer := e.all[int(i)%len(e.all)]
		if err := e.retry(writer, func(tx storage.Tx) error { return p.change(e.ctx, tx) }); err != nil {
			e.Fatalf("Update: %v", err)
		}
		for _, s := range e.all {
			n, err := storage.View(e.ctx, s, func(tx storage.ReadTx) (n storage.Node, err error) {
				err = withNode(e.ctx, tx, p.a.ID, func(a storage.Node) error { n = a; return nil })
				return n, err
			})
			if err != nil || n.Revision != i+2 || n.Log.Revision != i+2 {
				e.Fatalf("after Update %d: %s, error %v", i, textOfNode(n), err)
			}
		}
	}
}

// testReadersAmongWriters: two write until each of four readers has read often enough.
func testReadersAmongWriters(e *env) {
	p := e.pair()
	enough := int64(e.rounds(50))
	var changes, reading atomic.Int64
	reading.Store(4)
	errs := e.race(6, func(i int, s storage.Store) error {
		if i < 2 {
			for reading.Load() > 0 {
				if err := e.retry(s, func(tx storage.Tx) error { return p.change(e.ctx, tx) }); err != nil {
					return err
				}
				changes.Add(1)
			}
			return nil
		}
		defer reading.Add(-1)
		for range enough {
			err := s.View(e.ctx, func(tx storage.ReadTx) error {
				if i < 4 {
					return p.check(e.ctx, tx)
				}
				return p.checkList(e.ctx, tx)
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	e.winners(errs)
	if n := e.node(p.a.ID); n.Revision != changes.Load()+1 {
		e.Errorf("after %d changes the revision is %d", changes.Load(), n.Revision)
	}
}

func (p pair) check(ctx context.Context, tx storage.ReadTx) error {
	torn, err := p.torn(ctx, tx, func() bool { return true })
	if torn != "" {
		return errors.New(torn)
	}
	return err
}

// checkList reads the pair in one List, and once more.
func (p pair) checkList(ctx context.Context, tx storage.ReadTx) error {
	var first string
	for range 2 {
		nodes, err := tx.List(ctx, storage.ListQuery{Parent: p.a.Parent, Kind: kindTable}, storage.Want{Log: true})
		if err != nil {
			return err
		}
		if len(nodes) != 2 || nodes[0].Revision != nodes[1].Revision || nodes[1].Log.Revision != nodes[1].Revision {
			return fmt.Errorf("listed a pair of different instants: %s", textOfNodes(nodes))
		}
		text := textOfNodes(nodes)
		if first != "" && text != first {
			return fmt.Errorf("one View listed first %s then %s", first, text)
		}
		first = text
	}
	return nil
}

// testErrorOfOneInstant: an Update does not return an error that its function made of
// reads of two instants.
func testErrorOfOneInstant(e *env) {
	p := e.pair()
	for range 3 {
		write, done := e.beside(func() error {
			return e.try(func(tx storage.Tx) error { return p.change(e.ctx, tx) })
		}, true)
		err := e.try(func(tx storage.Tx) error {
			torn, err := p.torn(e.ctx, tx, write)
			if err == nil && torn != "" {
				err = fmt.Errorf("%w: %s", errStop, torn)
			}
			return err
		})
		if err != nil {
			e.Errorf("Update returned %v", err)
		}
		if err := done(); err != nil {
			e.Fatalf("the other Update: %v", err)
		}
	}
}

// testReadOnlyUpdate: an Update that writes nothing promises one instant, too.
func testReadOnlyUpdate(e *env) {
	p := e.pair()
	for range 3 {
		write, done := e.beside(func() error {
			return e.try(func(tx storage.Tx) error { return p.change(e.ctx, tx) })
		}, true)
		var torn string
		e.update(func(tx storage.Tx) (err error) {
			torn, err = p.torn(e.ctx, tx, write)
			return err
		})
		if torn != "" {
			e.Errorf("an Update without writes read %s", torn)
		}
		if err := done(); err != nil {
			e.Fatalf("the other Update: %v", err)
		}
	}
}
