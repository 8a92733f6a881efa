package storagetest

import (
	"fmt"
	"math"

	"github.com/leveelake/catalog/storage"
)

// These tests prove that a log takes all numbers that the contract allows, however large, and no others.

// testForgetAny: Forget may be any number, and takes nothing that is not backfilled.
func testForgetAny(e *env) {
	_, s, _ := e.branch("main")
	forgets := []int64{math.MinInt64, math.MinInt64 + 6, math.MinInt64 + 63, -1000, -1, 0, 1 << 62, math.MaxInt64}
	var tables []storage.Object
	for i, forget := range forgets {
		t := e.child(kindTable, s.ID, fmt.Sprint("table ", i))
		for v := int64(1); v <= 5; v++ {
			e.writeLog(t.ID, storage.LogDelta{Revision: v, Last: v, Backfilled: min(v, 2), Forget: forget, Add: commit(v)})
		}
		tables = append(tables, t)
	}
	e.twice(func(when string) {
		for i, forget := range forgets {
			for v := int64(1); v <= 5; v++ {
				if forget > 0 && v <= 2 {
					continue // it may be forgotten
				}
				e.same(fmt.Sprintf("Forget %d, asked for %d%s", forget, v, when), textOfLog(e.log(tables[i].ID, v)), wantLog(5, 5, 2, "", v))
			}
		}
	})
}

// testFar: versions may be as far as numbers go.
func testFar(e *env) {
	_, s, _ := e.branch("main")
	const far = math.MaxInt64
	backfilled := []int64{0, far - 1, far}
	var tables []storage.Object
	for i, b := range backfilled {
		t := e.child(kindTable, s.ID, fmt.Sprint("table ", i))
		e.writeLog(t.ID, storage.LogDelta{Revision: far - 1, Last: far, Backfilled: b, Add: commit(far)})
		e.writeLog(t.ID, storage.LogDelta{Revision: far, Last: far, Backfilled: b, Forget: far - 1})
		tables = append(tables, t)
	}
	e.twice(func(when string) {
		for i, b := range backfilled {
			l := &storage.Log{Revision: far, Last: far, Backfilled: b, Asked: commit(far)}
			if b < far {
				l.Commits = []storage.Commit{*commit(far)}
			}
			e.same(fmt.Sprintf("backfilled %d%s", b, when), textOfLog(e.log(tables[i].ID, far)), textOfLog(l))
		}
	})
}

// twice checks now and, if the store is durable, once it has been closed and opened again.
func (e *env) twice(check func(when string)) {
	check("")
	if e.b.Durable {
		e.reopen()
		check(", opened again")
	}
}

// testLogWrong: numbers that would make no log are refused, and not as a conflict.
func testLogWrong(e *env) {
	_, _, t := e.branch("main")
	e.commits(t.ID, 5, 3)
	before := e.dump()
	for what, d := range map[string]storage.LogDelta{
		"Last goes down":              {Last: 4, Backfilled: 3},
		"Last goes down to nothing":   {},
		"Last is negative":            {Last: math.MinInt64, Backfilled: math.MinInt64},
		"Backfilled is negative":      {Last: 5, Backfilled: -1},
		"Backfilled is beyond Last":   {Last: 5, Backfilled: 6},
		"Revision does not go up":     {Revision: -6, Last: 5, Backfilled: 3},
		"Add is a version again":      {Last: 5, Backfilled: 3, Add: commit(5)},
		"Add is a version below Last": {Last: 6, Backfilled: 3, Add: commit(4)},
		"Add is a version above Last": {Last: 6, Backfilled: 3, Add: commit(7)},
		"Add is the first of none":    {Last: 5, Backfilled: 3, Add: commit(math.MinInt64)},
	} {
		d.Revision += 7
		err := e.try(func(tx storage.Tx) error {
			return withNode(e.ctx, tx, t.ID, func(n storage.Node) error { return tx.WriteLog(e.ctx, t.ID, *n.Log, d) })
		})
		if err == nil || class(err) != err {
			e.Errorf("%s: Update returned %v", what, err)
		}
		e.same(what+": the state afterwards", e.dump(), before)
	}
}
