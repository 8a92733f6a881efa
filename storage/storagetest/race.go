package storagetest

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

func raceTests() []test {
	return []test{
		{"OneWinnerPerVersion", testOneWinnerPerVersion},
		{"SameCommit", testSameCommit},
		{"OneRevision", testOneRevision},
		{"Counter", testCounter},
		{"SkewObjects", testSkewObjects},
		{"SkewObjectAndLog", testSkewObjectAndLog},
		{"Overlap", testRaceOverlap},
		{"OverlapMove", testRaceOverlapMove},
		{"List", testRaceList},
		{"ListMove", testRaceListMove},
		{"OneName", testRaceOneName},
		{"Root", testRaceRoot},
	}
}

// errLost is what a transaction of a race returns when it sees that it came too late.
var errLost = errors.New("storagetest: lost the race")

// testOneWinnerPerVersion: eight writers want each version, half of them with a change
// of the object. One gets it, and the answers agree with what is stored.
func testOneWinnerPerVersion(e *env) {
	_, _, t := e.branch("main")
	const writers = 8
	revision := int64(1)
	for v := int64(1); v <= int64(e.rounds(20)); v++ {
		errs := e.race(writers, func(i int, s storage.Store) error {
			file := fmt.Sprintf("%d.writer-%d.json", v, i)
			return e.retry(s, func(tx storage.Tx) error {
				return withNode(e.ctx, tx, t.ID, func(n storage.Node) error {
					if n.Log.Last != v-1 {
						return errLost
					}
					if i%2 == 1 {
						if err := tx.Replace(e.ctx, n.Object, next(n.Object, file)); err != nil {
							return err
						}
					}
					return tx.WriteLog(e.ctx, t.ID, *n.Log, storage.LogDelta{Revision: n.Log.Revision + 1, Last: v,
						Backfilled: max(0, v-3), Add: &storage.Commit{Version: v, File: file}})
				})
			})
		})
		won := e.winners(errs, errLost)
		if len(won) != 1 {
			e.Fatalf("version %d: %d winners", v, len(won))
		}
		if won[0]%2 == 1 {
			revision++
		}
		nodes := e.get(t.ID, storage.Want{Log: true, Version: v})
		n := nodes[len(nodes)-1]
		want := fmt.Sprintf("%d.writer-%d.json", v, won[0])
		if n.Log.Last != v || n.Log.Revision != v+1 || n.Log.Asked == nil || n.Log.Asked.File != want || n.Revision != revision {
			e.Fatalf("version %d was won with %s, object revision %d; stored is %s", v, want, revision, textOfNode(n))
		}
	}
}

// testSameCommit: the same commit sent four times is made once, and all four see it.
func testSameCommit(e *env) {
	_, _, t := e.branch("main")
	for v := int64(1); v <= int64(e.rounds(20)); v++ {
		errs := e.race(4, func(_ int, s storage.Store) error {
			return e.retry(s, func(tx storage.Tx) error {
				nodes, err := tx.Get(e.ctx, t.ID, storage.Want{Log: true, Version: v})
				if err != nil {
					return err
				}
				log := nodes[len(nodes)-1].Log
				if log.Asked != nil && log.Asked.File == commit(v).File {
					return nil
				}
				return tx.WriteLog(e.ctx, t.ID, *log, storage.LogDelta{Revision: log.Revision + 1, Last: v, Backfilled: v - 1, Add: commit(v)})
			})
		})
		if won := e.winners(errs); len(won) != 4 {
			e.Fatalf("version %d: only %d of the same four", v, len(won))
		}
		e.same("the log", textOfLog(e.log(t.ID, v)), wantLog(v+1, v, v-1, "", v))
	}
}

// testOneRevision: of eight who assert the same revision, one may replace it.
func testOneRevision(e *env) {
	_, _, t := e.branch("main")
	for r := int64(1); r <= int64(e.rounds(10)); r++ {
		errs := e.race(8, func(i int, s storage.Store) error {
			return e.retry(s, func(tx storage.Tx) error {
				return withNode(e.ctx, tx, t.ID, func(n storage.Node) error {
					if n.Revision != r {
						return errLost
					}
					return tx.Replace(e.ctx, n.Object, next(n.Object, fmt.Sprint(i)))
				})
			})
		})
		won := e.winners(errs, errLost)
		if n := e.node(t.ID); len(won) != 1 || n.Revision != r+1 || string(n.Body) != fmt.Sprint(won[0]) {
			e.Fatalf("revision %d was replaced by %v, stored is %s", r, won, textOfNode(n))
		}
	}
}

// testCounter: no Update is lost, on one object or on several at once.
func testCounter(e *env) {
	_, s, _ := e.branch("main")
	var ids []types.ID
	for _, name := range []string{"a", "b"} {
		o := object(kindTable, s.ID, name)
		o.Body = []byte("0")
		e.insert(o)
		ids = append(ids, o.ID)
	}
	count := func(ctx context.Context, tx storage.Tx, ids ...types.ID) error {
		var nodes []storage.Node
		for _, id := range ids {
			if err := withNode(ctx, tx, id, func(n storage.Node) error { nodes = append(nodes, n); return nil }); err != nil {
				return err
			}
		}
		for _, n := range nodes {
			i, err := strconv.Atoi(string(n.Body))
			if err := firstError(err, tx.Replace(ctx, n.Object, next(n.Object, strconv.Itoa(i+1)))); err != nil {
				return err
			}
		}
		return nil
	}
	which := [][]types.ID{{ids[0]}, {ids[1]}, {ids[0], ids[1]}, {ids[1], ids[0]}}
	rounds := e.rounds(20)
	e.winners(e.race(8, func(i int, s storage.Store) error {
		for range rounds {
			err := e.retry(s, func(tx storage.Tx) error { return count(e.ctx, tx, which[i%len(which)]...) })
			if err != nil {
				return err
			}
		}
		return nil
	}))
	for _, id := range ids {
		if got, want := string(e.node(id).Body), strconv.Itoa(6*rounds); got != want {
			e.Errorf("counted to %s, want %s", got, want)
		}
	}
}

// testSkewObjects: two read both of two objects, and each takes one if both are free.
func testSkewObjects(e *env) {
	_, s, _ := e.branch("main")
	for r := range e.rounds(30) {
		both := []storage.Object{e.child(kindTable, s.ID, fmt.Sprint("a", r)), e.child(kindTable, s.ID, fmt.Sprint("b", r))}
		won := e.winners(e.race(2, func(i int, s storage.Store) error {
			return e.retry(s, func(tx storage.Tx) error {
				return withNode(e.ctx, tx, both[i].ID, func(mine storage.Node) error {
					return withNode(e.ctx, tx, both[1-i].ID, func(other storage.Node) error {
						if mine.Revision != 1 || other.Revision != 1 {
							return errLost
						}
						return tx.Replace(e.ctx, mine.Object, next(mine.Object, "taken"))
					})
				})
			})
		}), errLost)
		if len(won) != 1 {
			e.Fatalf("round %d: %d winners", r, len(won))
		}
	}
}

// testSkewObjectAndLog: one replaces the object having read the log, the other writes
// the log having read the object. They write different things, and yet one must lose.
func testSkewObjectAndLog(e *env) {
	_, s, _ := e.branch("main")
	for r := range e.rounds(30) {
		o := e.child(kindTable, s.ID, fmt.Sprint("t", r))
		e.writeLog(o.ID, storage.LogDelta{Revision: 1})
		won := e.winners(e.race(4, func(i int, s storage.Store) error {
			return e.retry(s, func(tx storage.Tx) error {
				return withNode(e.ctx, tx, o.ID, func(n storage.Node) error {
					if n.Revision != 1 || n.Log.Last != 0 {
						return errLost
					}
					if i%2 == 0 {
						return tx.Replace(e.ctx, n.Object, next(n.Object, "changed"))
					}
					return tx.WriteLog(e.ctx, o.ID, *n.Log, storage.LogDelta{Revision: 2, Last: 1, Add: commit(1)})
				})
			})
		}), errLost)
		if n := e.node(o.ID); len(won) != 1 || n.Revision+n.Log.Revision != 3 {
			e.Fatalf("round %d: won by %v, stored is %s", r, won, textOfNode(n))
		}
	}
}
