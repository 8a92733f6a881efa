package storagetest

import (
	"errors"
	"fmt"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

func lifeTests() []test {
	return []test{
		{"Reopen", testReopen},
		{"SecondOwner", testSecondOwner},
		{"Apart", testApart},
		{"FailedNotPersisted", func(e *env) { testBreak(e, false) }},
		{"FailedButPersisted", func(e *env) { testBreak(e, true) }},
	}
}

// closeAll closes the stores, so that another Open of the same dir is the first.
func (e *env) closeAll() {
	e.Helper()
	for _, s := range e.all {
		if err := s.Close(); err != nil {
			e.Errorf("Close: %v", err)
		}
	}
}

func (e *env) reopen() {
	e.Helper()
	e.closeAll()
	e.store = e.open()
	e.all = []Store{e.store}
}

// testReopen: everything is there again, byte for byte, and the store goes on.
func testReopen(e *env) {
	if !e.b.Durable {
		e.Skip("not Durable")
	}
	_, s, t := e.branch("main")
	e.commits(t.ID, 7, 4)
	e.writeLog(t.ID, storage.LogDelta{Revision: 20, Last: 7, Backfilled: 5, State: []byte{0, 0xff}, Forget: 1})
	var objects []storage.Object
	for i, n := range awkward() {
		objects = append(objects, at(object(kindTable, s.ID, n), fmt.Sprintf("s3://b/%d/%s", i, n)))
	}
	objects[0].Body = make([]byte, 1<<20)
	e.insert(objects...)
	e.delete(objects[3].ID)
	e.replace(renamed(objects[4], "renamed"))
	want := e.dump()
	asked := textOfLog(e.log(t.ID, 3))
	for range 2 {
		e.reopen()
		e.same("after Open", e.dump(), want)
		e.same("log and memory", textOfLog(e.log(t.ID, 3)), asked)
		e.same("Overlap", textOfObjects(e.overlap(objects[5].Location, 0, kindTable)), textOfObject(objects[5])+"\n")
	}
	e.refused(storage.ErrExists, "taken name", e.insertOne(object(kindTable, s.ID, "renamed")))
	e.child(kindTable, s.ID, awkward()[3])
	e.delete(e.root.ID)
	e.reopen()
	e.same("after all is deleted", e.dump(), "")
}

func testSecondOwner(e *env) {
	if !e.b.Durable || e.b.Shared {
		e.Skip("Shared, or not Durable")
	}
	e.branch("main")
	want := e.dump()
	for range 2 { // the first refusal leaves nothing behind
		if second, err := e.b.Open(e, e.dir); err == nil {
			_ = second.Close()
			e.Fatal("a dir in use was opened a second time")
		}
		e.same("the owner, after a second Open", e.dump(), want)
	}
	e.branch("other")
	want = e.dump()
	e.reopen()
	e.same("after Close and Open", e.dump(), want)
}

// testApart: stores of different dirs have nothing in common.
func testApart(e *env) {
	e.branch("main")
	want := e.dump()
	other, err := e.b.Open(e, e.TempDir())
	if err != nil {
		e.Fatalf("Open of another dir: %v", err)
	}
	defer other.Close()
	e.same("another store", dump(e, other), "")
	err = e.retry(other, func(tx storage.Tx) error { return tx.Insert(e.ctx, object(kindRoot, "", "root")) })
	if err != nil {
		e.Errorf("Update of another store: %v", err)
	}
	e.same("the first store", e.dump(), want)
}

// testBreak: when a commit fails, the answer must not say more than is known.
func testBreak(e *env, persisted bool) {
	if e.b.Break == nil {
		e.Skip("no Break")
	}
	_, s, t := e.branch("main")
	before := e.dump()
	o := object(kindTable, s.ID, "o")
	e.b.Break(e, e.store, persisted)
	err := e.store.Update(e.ctx, func(tx storage.Tx) error {
		return withNode(e.ctx, tx, t.ID, func(n storage.Node) error {
			return firstError(tx.Insert(e.ctx, o),
				tx.WriteLog(e.ctx, n.ID, *n.Log, storage.LogDelta{Revision: 2, Last: 1, Add: commit(1)}))
		})
	})
	switch {
	case err == nil:
		e.Error("Update returned nil although its commit failed")
	case persisted && !errors.Is(err, types.CommitStateUnknown):
		e.Errorf("Update returned %v although it wrote", err)
	case errors.Is(err, storage.ErrConflict), errors.Is(err, storage.ErrExists), errors.Is(err, storage.ErrStale):
		e.Errorf("a failed commit is no %v", err)
	}
	if e.b.Durable {
		for _, s := range e.all {
			_ = s.Close() // it may fail, too
		}
		e.store = e.open()
		e.all = []Store{e.store}
	}
	if !persisted {
		e.same("after a commit that failed", e.dump(), before)
		return
	}
	if n := e.get(o.ID, storage.Want{}); len(n) == 0 || e.log(t.ID, 0).Last != 1 {
		e.Error("after a commit that failed when all was durable something is missing")
	}
}
