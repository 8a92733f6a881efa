package storagetest

import (
	"fmt"
	"slices"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

func logTests() []test {
	return []test{
		{"None", testNoLog},
		{"Commits", testCommits},
		{"Asked", testAsked},
		{"Forget", testForget},
		{"ForgetAny", testForgetAny},
		{"Far", testFar},
		{"Bounded", testBounded},
		{"List", testListLogs},
		{"Apart", testLogApart},
		{"Stale", testLogStale},
		{"Gone", testLogGone},
		{"Wrong", testLogWrong},
	}
}

// commit is version v as the suite writes it.
func commit(v int64) *storage.Commit {
	return &storage.Commit{Version: v, File: fmt.Sprintf("%020d.é_%%.json", v), Data: fmt.Appendf(nil, "data of %d", v)}
}

// commits adds versions up to last, each in an Update of its own, with backfilled at
// the end. The log's revision is last+1.
func (e *env) commits(id types.ID, last, backfilled int64) {
	e.Helper()
	for v := int64(1); v <= last; v++ {
		e.writeLog(id, storage.LogDelta{Revision: v + 1, Last: v, Backfilled: min(backfilled, v), State: fmt.Appendf(nil, "state %d", v), Add: commit(v)})
	}
}

func (e *env) log(id types.ID, version int64) *storage.Log {
	e.Helper()
	nodes := e.get(id, storage.Want{Log: true, Version: version})
	return nodes[len(nodes)-1].Log
}

func wantLog(revision, last, backfilled int64, state string, asked int64) string {
	l := &storage.Log{Revision: revision, Last: last, Backfilled: backfilled, State: []byte(state)}
	for v := backfilled + 1; v <= last; v++ {
		l.Commits = append(l.Commits, *commit(v))
	}
	if asked != 0 {
		l.Asked = commit(asked)
	}
	return textOfLog(l)
}

func testNoLog(e *env) {
	_, s, _ := e.branch("main")
	o := e.child(kindTable, s.ID, "without")
	for _, n := range e.get(o.ID, storage.Want{Version: 3}) {
		if n.Log != nil {
			e.Errorf("%s has a log that nobody wanted", n.Name)
		}
	}
	nodes := e.get(o.ID, storage.Want{Log: true, Version: 3})
	for _, n := range nodes[:3] {
		if n.Log != nil {
			e.Errorf("%s has a log, but is not the last of the chain", n.Name)
		}
	}
	e.same("the log of an object that has none", textOfLog(nodes[3].Log), textOfLog(&storage.Log{}))
	// The last of a short chain is a last one, too.
	nodes = e.lookup(storage.Want{Log: true}, path("main", "schema", "missing")...)
	e.same("the log of the last of a short chain", textOfLog(nodes[2].Log), textOfLog(&storage.Log{}))
}

func testCommits(e *env) {
	_, _, t := e.branch("main")
	e.same("new log", textOfLog(e.log(t.ID, 0)), wantLog(1, 0, 0, "", 0))
	e.commits(t.ID, 12, 3)
	e.same("after commits", textOfLog(e.log(t.ID, 0)), wantLog(13, 12, 3, "state 12", 0))
	e.writeLog(t.ID, storage.LogDelta{Revision: 20, Last: 12, Backfilled: 11, State: []byte("backfilled")})
	e.same("after backfill", textOfLog(e.log(t.ID, 0)), wantLog(20, 12, 11, "backfilled", 0))
	e.writeLog(t.ID, storage.LogDelta{Revision: 21, Last: 12, Backfilled: 12})
	e.same("after all is backfilled", textOfLog(e.log(t.ID, 0)), wantLog(21, 12, 12, "", 0))
	e.writeLog(t.ID, storage.LogDelta{Revision: 22, Last: 13, Backfilled: 12, Add: commit(13)})
	e.same("after another commit", textOfLog(e.log(t.ID, 0)), wantLog(22, 13, 12, "", 0))
}

func testAsked(e *env) {
	_, _, t := e.branch("main")
	e.commits(t.ID, 6, 4)
	for v := int64(1); v <= 6; v++ {
		e.same(fmt.Sprint("asked for ", v), textOfLog(e.log(t.ID, v)), wantLog(7, 6, 4, "state 6", v))
	}
	for _, v := range []int64{0, 7, 1 << 60} {
		e.same(fmt.Sprint("asked for ", v), textOfLog(e.log(t.ID, v)), wantLog(7, 6, 4, "state 6", 0))
	}
}

// testForget: up to Forget the store may forget, beyond it must not.
func testForget(e *env) {
	_, _, t := e.branch("main")
	e.commits(t.ID, 9, 7)
	e.writeLog(t.ID, storage.LogDelta{Revision: 11, Last: 9, Backfilled: 7, State: []byte("s"), Forget: 4})
	for v := int64(5); v <= 9; v++ {
		e.same(fmt.Sprint("asked for ", v), textOfLog(e.log(t.ID, v)), wantLog(11, 9, 7, "s", v))
	}
	for v := int64(1); v <= 4; v++ {
		if c := e.log(t.ID, v).Asked; c != nil {
			e.same(fmt.Sprint("forgotten or not, ", v), textOfCommit(*c), textOfCommit(*commit(v)))
		}
	}
	// Forget is not a state of the log: a later, lower one takes nothing more.
	e.writeLog(t.ID, storage.LogDelta{Revision: 12, Last: 10, Backfilled: 8, State: []byte("s"), Forget: 2, Add: commit(10)})
	for v := int64(5); v <= 10; v++ {
		e.same(fmt.Sprint("then asked for ", v), textOfLog(e.log(t.ID, v)), wantLog(12, 10, 8, "s", v))
	}
}

// testBounded: a read of a log with a long memory brings none of it but Asked.
func testBounded(e *env) {
	_, _, t := e.branch("main")
	n := int64(e.rounds(100))
	e.commits(t.ID, n, n-2)
	e.same("the log", textOfLog(e.log(t.ID, 7)), wantLog(n+1, n, n-2, fmt.Sprint("state ", n), 7))
}

func testListLogs(e *env) {
	_, s, t := e.branch("main")
	e.insert(object(kindTable, s.ID, "a"), object(kindTable, s.ID, "z"))
	z := e.lookup(storage.Want{}, path("main", "schema", "z")...)[3]
	e.commits(t.ID, 3, 2)
	e.commits(z.ID, 5, 1)
	nodes := e.list(storage.ListQuery{Parent: s.ID, Kind: kindTable}, storage.Want{Log: true, Version: 2})
	if names(nodes) != "a|table|z" {
		e.Fatalf("listed %s", names(nodes))
	}
	e.same("a", textOfLog(nodes[0].Log), textOfLog(&storage.Log{}))
	e.same("table", textOfLog(nodes[1].Log), wantLog(4, 3, 2, "state 3", 2))
	e.same("z", textOfLog(nodes[2].Log), wantLog(6, 5, 1, "state 5", 2))
	for _, n := range e.list(storage.ListQuery{Parent: s.ID, Kind: kindTable}, storage.Want{}) {
		if n.Log != nil {
			e.Errorf("%s: a log that nobody wanted", n.Name)
		}
	}
}

// testLogApart: a commit leaves the object alone, and the object the log.
func testLogApart(e *env) {
	_, s, t := e.branch("main")
	other := e.child(kindTable, s.ID, "other")
	e.commits(other.ID, 2, 0)
	object := textOfObject(e.node(t.ID).Object)
	e.commits(t.ID, 4, 1)
	e.same("the object after commits", textOfObject(e.node(t.ID).Object), object)
	log := textOfLog(e.node(t.ID).Log)
	e.replace(renamed(t, "renamed"))
	e.same("the log after a rename", textOfLog(e.node(t.ID).Log), log)
	e.same("the log of another", textOfLog(e.node(other.ID).Log), wantLog(3, 2, 0, "state 2", 0))
}

func testLogStale(e *env) {
	_, s, t := e.branch("main")
	without := e.child(kindTable, s.ID, "without")
	e.commits(t.ID, 3, 0)
	stale := func(what string, id types.ID, old storage.Log) {
		e.Helper()
		e.refused(storage.ErrStale, what, func(tx storage.Tx) error {
			return withNode(e.ctx, tx, id, func(storage.Node) error {
				return tx.WriteLog(e.ctx, id, old, storage.LogDelta{Revision: old.Revision + 9, Last: 4, Add: commit(4)})
			})
		})
	}
	stale("revision before", t.ID, storage.Log{Revision: 3, Last: 2})
	stale("revision to come", t.ID, storage.Log{Revision: 5, Last: 3})
	stale("made a second time", t.ID, storage.Log{})
	stale("no log there", without.ID, storage.Log{Revision: 1})
}

func testLogGone(e *env) {
	c, _, t := e.branch("main")
	write := func(id types.ID, old storage.Log) func(tx storage.Tx) error {
		return func(tx storage.Tx) error {
			return tx.WriteLog(e.ctx, id, old, storage.LogDelta{Revision: old.Revision + 1})
		}
	}
	e.refused(storage.ErrStale, "log of no object", write(newID(), storage.Log{}))
	log := *e.log(t.ID, 0)
	e.delete(c.ID)
	e.refused(storage.ErrStale, "log of a deleted object", write(t.ID, log))
	e.refused(storage.ErrStale, "new log of a deleted object", write(t.ID, storage.Log{}))
	// Another object of the same name does not inherit it.
	_, _, again := e.branch("main")
	if l := e.log(again.ID, 1); l.Revision != 1 || !slices.Equal([]int64{l.Last, l.Backfilled}, []int64{0, 0}) || l.Asked != nil {
		e.Errorf("the new table has the log %s", textOfLog(l))
	}
}
