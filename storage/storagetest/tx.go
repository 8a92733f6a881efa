package storagetest

import (
	"errors"
	"fmt"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

func txTests() []test {
	return []test{
		{"Nothing", testNothing},
		{"OwnError", testOwnError},
		{"Panic", testPanic},
		{"AllOrNone", testAllOrNone},
		{"Sticky", testSticky},
		{"OwnErrorFirst", testOwnErrorFirst},
		{"Order", testOrder},
		{"NotTwice", testNotTwice},
		{"Closed", testClosed},
	}
}

// A write is a write of each kind that the fixture of writes allows.
type write struct {
	name      string
	good, bad func(tx storage.Tx) error // bad fails with want
	want      error
}

// writes makes a branch and returns writes to it. Each reads nothing; the reads that
// they need are those of readAll.
func (e *env) writes() (writes []write, readAll func(tx storage.Tx) error) {
	c, s, t := e.branch("main")
	log := *e.log(t.ID, 0)
	u := e.child(kindTable, s.ID, "u")
	e.child(kindTable, s.ID, "taken")
	stale := u
	stale.Revision = 7
	writes = []write{
		{"Insert",
			func(tx storage.Tx) error { return tx.Insert(e.ctx, at(object(kindTable, s.ID, "new"), "s3://b/new")) },
			func(tx storage.Tx) error { return tx.Insert(e.ctx, object(kindTable, s.ID, "taken")) }, storage.ErrExists},
		{"Replace",
			func(tx storage.Tx) error { return tx.Replace(e.ctx, t, renamed(t, "renamed")) },
			func(tx storage.Tx) error { return tx.Replace(e.ctx, stale, next(stale, "")) }, storage.ErrStale},
		{"WriteLog",
			func(tx storage.Tx) error {
				return tx.WriteLog(e.ctx, t.ID, log, storage.LogDelta{Revision: 5, Last: 1, Add: commit(1)})
			},
			func(tx storage.Tx) error {
				return tx.WriteLog(e.ctx, t.ID, storage.Log{Revision: 4}, storage.LogDelta{Revision: 5, Last: 1, Add: commit(1)})
			}, storage.ErrStale},
		{"Delete",
			func(tx storage.Tx) error { return tx.Delete(e.ctx, u) },
			func(tx storage.Tx) error { return tx.Delete(e.ctx, stale) }, storage.ErrStale},
	}
	readAll = func(tx storage.Tx) error {
		for _, id := range []types.ID{c.ID, s.ID, t.ID, u.ID} {
			if _, err := tx.Get(e.ctx, id, storage.Want{Log: true}); err != nil {
				return err
			}
		}
		return nil
	}
	return writes, readAll
}

func testNothing(e *env) {
	e.branch("main")
	before := e.dump()
	ran := false
	e.update(func(storage.Tx) error { ran = true; return nil })
	if !ran {
		e.Error("Update did not run its function")
	}
	e.same("after an Update without writes", e.dump(), before)
}

func testOwnError(e *env) {
	writes, readAll := e.writes()
	before := e.dump()
	own := fmt.Errorf("own error: %w", errStop)
	check := func(what string, err error) {
		e.Helper()
		if err != own {
			e.Errorf("%s returned %v, not the error of its function as it is", what, err)
		}
		e.same("after "+what, e.dump(), before)
	}
	check("a View", e.store.View(e.ctx, func(storage.ReadTx) error { return own }))
	check("an Update without reads", e.try(func(storage.Tx) error { return own }))
	check("an Update that reads", e.try(func(tx storage.Tx) error {
		if err := readAll(tx); err != nil {
			return err
		}
		return own
	}))
	check("an Update that writes", e.try(func(tx storage.Tx) error {
		if err := readAll(tx); err != nil {
			return err
		}
		for _, w := range writes {
			if err := w.good(tx); err != nil {
				return err
			}
		}
		return own
	}))
}

func testPanic(e *env) {
	writes, readAll := e.writes()
	before := e.dump()
	value := &struct{ int }{1}
	check := func(what string, fn func()) {
		e.Helper()
		func() {
			defer func() {
				if r := recover(); r != any(value) {
					e.Errorf("%s: the caller recovered %v, not what its function panicked with", what, r)
				}
			}()
			fn()
		}()
		e.same("after a panic in "+what, e.dump(), before)
	}
	check("a View", func() { _ = e.store.View(e.ctx, func(storage.ReadTx) error { panic(value) }) })
	check("an Update that reads", func() {
		_ = e.store.Update(e.ctx, func(tx storage.Tx) error { _ = readAll(tx); panic(value) })
	})
	for _, w := range writes {
		check("an Update after "+w.name, func() {
			_ = e.store.Update(e.ctx, func(tx storage.Tx) error { _, _ = readAll(tx), w.good(tx); panic(value) })
		})
	}
	// The store goes on.
	e.update(func(tx storage.Tx) error { return firstError(readAll(tx), writes[0].good(tx)) })
}

// testAllOrNone: a bad write takes the good ones of its run with it, before and after.
func testAllOrNone(e *env) {
	writes, readAll := e.writes()
	for i, bad := range writes {
		e.refused(bad.want, "good, then bad "+bad.name, func(tx storage.Tx) error {
			if err := readAll(tx); err != nil {
				return err
			}
			for j, w := range writes {
				if j != i {
					_ = w.good(tx)
				}
			}
			return bad.bad(tx)
		})
	}
	e.update(func(tx storage.Tx) error {
		return firstError(readAll(tx), writes[0].good(tx), writes[1].good(tx), writes[2].good(tx), writes[3].good(tx))
	})
	if got := e.overlap("s3://b/new", 0, kindTable); len(got) != 1 {
		e.Error("a good Update did not insert")
	}
}

func testSticky(e *env) {
	writes, readAll := e.writes()
	for i, w := range writes {
		e.refused(w.want, "dropped error of "+w.name, func(tx storage.Tx) error {
			err := readAll(tx)
			_ = w.bad(tx)
			return err
		})
		e.refused(w.want, "dropped error of "+w.name+", then good writes", func(tx storage.Tx) error {
			err := readAll(tx)
			_ = w.bad(tx)
			for j, other := range writes {
				if j != i {
					_ = other.good(tx)
				}
			}
			return err
		})
	}
}

// testOwnErrorFirst: an error of fn is returned as it is, whatever a write said.
func testOwnErrorFirst(e *env) {
	writes, readAll := e.writes()
	for _, w := range writes {
		e.refused(errStop, "own error after bad "+w.name, func(tx storage.Tx) error {
			if err := readAll(tx); err != nil {
				return err
			}
			_ = w.bad(tx)
			return errStop
		})
	}
}

func testOrder(e *env) {
	writes, readAll := e.writes()
	reads := map[string]func(tx storage.Tx) error{
		"Lookup":  func(tx storage.Tx) error { _, err := tx.Lookup(e.ctx, path("main"), storage.Want{}); return err },
		"Get":     func(tx storage.Tx) error { _, err := tx.Get(e.ctx, e.root.ID, storage.Want{}); return err },
		"no Get":  func(tx storage.Tx) error { _, err := tx.Get(e.ctx, newID(), storage.Want{}); return err },
		"Overlap": func(tx storage.Tx) error { _, err := tx.Overlap(e.ctx, "s3://b", nil, 1); return err },
		"List": func(tx storage.Tx) error {
			_, err := tx.List(e.ctx, storage.ListQuery{Parent: e.root.ID}, storage.Want{})
			return err
		},
	}
	for _, w := range writes {
		for name, read := range reads {
			var got error
			e.refused(storage.ErrOrder, name+" after "+w.name, func(tx storage.Tx) error {
				if _, err := tx.Get(e.ctx, e.root.ID, storage.Want{}); err != nil {
					return err
				}
				if err := firstError(readAll(tx), w.good(tx)); err != nil {
					return err
				}
				got = read(tx)
				return got
			})
			if !errors.Is(got, storage.ErrOrder) {
				e.Errorf("%s after %s returned %v", name, w.name, got)
			}
		}
	}
}

// testNotTwice: however often fn runs, what it writes happens once.
func testNotTwice(e *env) {
	_, s, t := e.branch("main")
	for i := range int64(5) {
		e.update(func(tx storage.Tx) error {
			return withNode(e.ctx, tx, t.ID, func(n storage.Node) error {
				return firstError(
					tx.Replace(e.ctx, n.Object, next(n.Object, fmt.Sprint(n.Revision))),
					tx.WriteLog(e.ctx, t.ID, *n.Log, storage.LogDelta{Revision: n.Log.Revision + 1, Last: n.Log.Last + 1, Add: commit(n.Log.Last + 1)}),
					tx.Insert(e.ctx, object(kindTable, s.ID, fmt.Sprint("t", n.Revision))),
				)
			})
		})
		if n := e.node(t.ID); n.Revision != i+2 || n.Log.Revision != i+2 || n.Log.Last != i+1 || string(n.Body) != fmt.Sprint(i+1) {
			e.Errorf("after %d Updates: %s", i+1, textOfNode(n))
		}
	}
	if got := names(e.list(storage.ListQuery{Parent: s.ID}, storage.Want{})); got != "t1|t2|t3|t4|t5|table" {
		e.Errorf("tables: %s", got)
	}
}

func testClosed(e *env) {
	e.branch("main")
	for _, s := range e.all {
		if err := s.Close(); err != nil {
			e.Errorf("Close: %v", err)
		}
		if err := s.View(e.ctx, func(storage.ReadTx) error { e.Error("View runs"); return nil }); !errors.Is(err, storage.ErrClosed) {
			e.Errorf("View after Close returned %v", err)
		}
		if err := s.Update(e.ctx, func(storage.Tx) error { e.Error("Update runs"); return nil }); !errors.Is(err, storage.ErrClosed) {
			e.Errorf("Update after Close returned %v", err)
		}
	}
}
