package storagetest

import (
	"errors"
	"fmt"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

func cascadeTests() []test {
	return []test{
		{"Delete", testCascade},
		{"ListedThenDropped", testListedThenDropped},
		{"Forced", testForced},
		{"DropRacesCommit", testDropRacesCommit},
		{"RenameRacesCommit", testRenameRacesCommit},
		{"Recreated", testRecreated},
		{"StagingOnce", testStagingOnce},
	}
}

// testCascade: Delete takes everything beneath, and nothing else.
func testCascade(e *env) {
	_, s, t := e.branch("main")
	e.branch("main2")
	e.grant(t.ID, "alice")
	other := e.child(kindSchema, s.Parent, "other")
	kept := e.child(kindTable, other.ID, "kept")
	want := e.dump()

	doomed := object(kindSchema, s.Parent, "doomed")
	table := at(object(kindTable, doomed.ID, "t"), "s3://b/t")
	deep := at(object(kindGrant, table.ID, "g"), "s3://b/g")
	e.insert(doomed, table, object(kindStaging, doomed.ID, "s"), deep)
	e.commits(table.ID, 3, 1)
	e.commits(doomed.ID, 1, 0)
	e.delete(doomed.ID)

	e.same("everything else", e.dump(), want)
	for _, o := range []storage.Object{doomed, table, deep} {
		if got := e.get(o.ID, storage.Want{Log: true}); len(got) != 0 {
			e.Errorf("Get still finds %s", names(got))
		}
		if got := e.list(storage.ListQuery{Parent: o.ID}, storage.Want{Log: true}); len(got) != 0 {
			e.Errorf("List still finds %s", names(got))
		}
	}
	if got := e.overlap("s3://b", 9, kindTable, kindGrant); len(got) != 0 {
		e.Errorf("Overlap still finds %s", textOfObjects(got))
	}
	// The names are free, and what takes them starts empty.
	again := e.child(kindSchema, s.Parent, "doomed")
	if got := e.list(storage.ListQuery{Parent: again.ID}, storage.Want{}); len(got) != 0 {
		e.Errorf("the new schema has %s", names(got))
	}
	e.delete(again.ID)
	e.same("after a delete of the new one", e.dump(), want)
	e.node(kept.ID)
}

// testListedThenDropped: one drops a parent that it saw empty, others insert into it.
// Either the drop wins and nobody inserts, or it does not.
func testListedThenDropped(e *env) {
	c, _, _ := e.branch("main")
	for r := range e.rounds(30) {
		parent := e.child(kindSchema, c.ID, fmt.Sprint("s", r))
		errs := e.race(4, func(i int, s storage.Store) error {
			return e.retry(s, func(tx storage.Tx) error {
				return withNode(e.ctx, tx, parent.ID, func(n storage.Node) error {
					if i > 0 {
						return tx.Insert(e.ctx, object(kindTable, parent.ID, fmt.Sprint(i)))
					}
					nodes, err := tx.List(e.ctx, storage.ListQuery{Parent: parent.ID}, storage.Want{})
					if err != nil {
						return err
					}
					if len(nodes) > 0 {
						return errLost
					}
					return tx.Delete(e.ctx, n.Object)
				})
			})
		})
		won := e.winners(errs, errLost, storage.ErrStale)
		there := e.list(storage.ListQuery{Parent: parent.ID}, storage.Want{})
		dropped := errs[0] == nil
		if dropped && (len(won) != 1 || len(there) != 0) || !dropped && (len(won) != 3 || len(there) != 3) {
			e.Fatalf("round %d: %v won, of the parent there are %s", r, won, names(there))
		}
	}
}

// testForced: one drops a catalog with all that is in it, others insert at every depth.
func testForced(e *env) {
	for r := range e.rounds(30) {
		c, s, t := e.branch(fmt.Sprint("c", r))
		parents := []types.ID{c.ID, s.ID, t.ID}
		var children []storage.Object
		for i := range 6 {
			o := object(kindGrant, parents[i%3], fmt.Sprint("new", i))
			children = append(children, at(o, fmt.Sprintf("s3://b%d/%d", r, i)))
		}
		errs := e.race(len(children)+1, func(i int, store storage.Store) error {
			if i == len(children) {
				return e.retry(store, func(tx storage.Tx) error { return remove(e.ctx, tx, c.ID) })
			}
			return e.retry(store, func(tx storage.Tx) error { return tx.Insert(e.ctx, children[i]) })
		})
		if e.winners(errs, storage.ErrStale); errs[len(children)] != nil {
			e.Fatalf("round %d: the drop failed: %v", r, errs[len(children)])
		}
		for _, o := range children {
			if got := e.get(o.ID, storage.Want{}); len(got) != 0 {
				e.Fatalf("round %d: an orphan: %s", r, names(got))
			}
		}
		if got := e.overlap(fmt.Sprintf("s3://b%d", r), 9, kindGrant); len(got) != 0 {
			e.Fatalf("round %d: Overlap finds an orphan: %s", r, textOfObjects(got))
		}
	}
}

// commitByName commits the next version to the table of this name, if it is the one
// with this ID.
func (e *env) commitByName(s storage.Store, name string, id types.ID) error {
	return e.retry(s, func(tx storage.Tx) error {
		nodes, err := tx.Lookup(e.ctx, path("main", "schema", name), storage.Want{Log: true})
		if err != nil {
			return err
		}
		if len(nodes) != 4 || nodes[3].ID != id {
			return errLost
		}
		log := *nodes[3].Log
		return tx.WriteLog(e.ctx, id, log, storage.LogDelta{Revision: log.Revision + 1, Last: log.Last + 1, Add: commit(log.Last + 1)})
	})
}

// raceCommits lets three commit to a table by its name until they are refused, which
// they are once do is done, and returns how many commits were accepted, in all. They
// stop at some number, for a store need not be fair to do.
func (e *env) raceCommits(name string, id types.ID, do func(s storage.Store) error) int64 {
	e.Helper()
	var accepted [4]int64
	errs := e.race(4, func(i int, s storage.Store) error {
		if i == 0 {
			for e.ctx.Err() == nil { // after a commit or two
				if n, err := storage.View(e.ctx, s, func(tx storage.ReadTx) ([]storage.Node, error) {
					return tx.Get(e.ctx, id, storage.Want{Log: true})
				}); err != nil || n[len(n)-1].Log.Last > 1 {
					break
				}
			}
			return do(s)
		}
		for accepted[i] < 30 {
			if err := e.commitByName(s, name, id); err != nil {
				return err
			}
			accepted[i]++
		}
		return errLost
	})
	if won := e.winners(errs, errLost, storage.ErrStale); len(won) != 1 || won[0] != 0 {
		e.Fatalf("not the drop or rename, but %v won", won)
	}
	return accepted[1] + accepted[2] + accepted[3]
}

func testDropRacesCommit(e *env) {
	_, s, _ := e.branch("main")
	for r := range e.rounds(10) {
		o := e.child(kindTable, s.ID, fmt.Sprint("t", r))
		e.raceCommits(o.Name, o.ID, func(s storage.Store) error {
			return e.retry(s, func(tx storage.Tx) error { return remove(e.ctx, tx, o.ID) })
		})
		if got := e.get(o.ID, storage.Want{}); len(got) != 0 {
			e.Fatalf("round %d: still there after the drop: %s", r, names(got))
		}
	}
}

// testRenameRacesCommit: what was accepted is in the log; under the old name nothing
// is accepted after the rename.
func testRenameRacesCommit(e *env) {
	_, s, _ := e.branch("main")
	for r := range e.rounds(10) {
		o := e.child(kindTable, s.ID, fmt.Sprint("t", r))
		var atRename int64
		accepted := e.raceCommits(o.Name, o.ID, func(s storage.Store) error {
			return e.retry(s, func(tx storage.Tx) error {
				return withNode(e.ctx, tx, o.ID, func(n storage.Node) error {
					atRename = n.Log.Last
					return tx.Replace(e.ctx, n.Object, renamed(n.Object, n.Name+" renamed"))
				})
			})
		})
		if last := e.log(o.ID, 0).Last; last != accepted || last != atRename {
			e.Fatalf("round %d: accepted %d, in the log %d, at the rename %d", r, accepted, last, atRename)
		}
	}
}

// testRecreated: a table is dropped and made again under its name; commits to the old
// one are not taken for the new.
func testRecreated(e *env) {
	_, s, _ := e.branch("main")
	for r := range e.rounds(10) {
		o := e.child(kindTable, s.ID, fmt.Sprint("t", r))
		again := object(kindTable, s.ID, o.Name)
		e.raceCommits(o.Name, o.ID, func(s storage.Store) error {
			return e.retry(s, func(tx storage.Tx) error {
				return withNode(e.ctx, tx, o.ID, func(n storage.Node) error {
					return firstError(tx.Delete(e.ctx, n.Object), tx.Insert(e.ctx, again))
				})
			})
		})
		e.same("the log of the new table", textOfLog(e.log(again.ID, 1)), textOfLog(&storage.Log{}))
	}
}

// testStagingOnce: two creates want the same staging table under different names.
func testStagingOnce(e *env) {
	_, s, _ := e.branch("main")
	for r := range e.rounds(20) {
		staged := e.child(kindStaging, s.ID, fmt.Sprint("staged", r))
		won := e.winners(e.race(2, func(i int, store storage.Store) error {
			return e.retry(store, func(tx storage.Tx) error {
				return withNode(e.ctx, tx, staged.ID, func(n storage.Node) error {
					if n.Kind != kindStaging {
						return errLost
					}
					table := renamed(n.Object, fmt.Sprint("t", r, ".", i))
					table.Kind = kindTable
					return firstError(tx.Replace(e.ctx, n.Object, table),
						tx.WriteLog(e.ctx, n.ID, storage.Log{}, storage.LogDelta{Revision: 1}))
				})
			})
		}), errLost)
		if len(won) != 1 {
			e.Fatalf("round %d: %d winners", r, len(won))
		}
		name := fmt.Sprint("t", r, ".", won[0])
		if got := e.lookup(storage.Want{}, path("main", "schema", name)...); len(got) != 4 || got[3].ID != staged.ID {
			e.Fatalf("round %d: the winner's name finds %s", r, names(got))
		}
		if err := e.try(func(tx storage.Tx) error { return tx.Replace(e.ctx, staged, next(staged, "")) }); !errors.Is(err, storage.ErrStale) {
			e.Fatalf("round %d: a third create got %v", r, err)
		}
	}
}
