package storagetest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// claim inserts or moves an object to a location where nothing may overlap.
func (e *env) claim(s storage.Store, location string, write func(tx storage.Tx) error) error {
	return e.retry(s, func(tx storage.Tx) error {
		objects, err := tx.Overlap(e.ctx, location, []types.Kind{kindTable, kindStaging}, 1)
		if err != nil {
			return err
		}
		if len(objects) > 0 {
			return errLost
		}
		return write(tx)
	})
}

// testRaceOverlap: locations at four depths of one chain, two writers for each, and two
// at siblings whose names begin the same: one of the chain wins, and the siblings do.
func testRaceOverlap(e *env) {
	_, s, _ := e.branch("main")
	for r := range e.rounds(20) {
		chain := []string{"/a", "/a/b", "/a/b/c", "/a/b/c/d", "/a", "/a/b", "/a/b/c", "/a/b/c/d", "/ab", "/a-b"}
		errs := e.race(len(chain), func(i int, store storage.Store) error {
			o := at(object(kindTable, s.ID, fmt.Sprint(r, ".", i)), fmt.Sprintf("s3://b%d%s", r, chain[i]))
			return e.claim(store, o.Location, func(tx storage.Tx) error { return tx.Insert(e.ctx, o) })
		})
		won := e.winners(errs, errLost)
		if len(won) != 3 || won[1] != 8 || won[2] != 9 {
			e.Fatalf("round %d: %v won, want one of 0–7, and 8 and 9", r, won)
		}
	}
}

// testRaceOverlapMove: the same with objects that are there and get their location.
func testRaceOverlapMove(e *env) {
	_, s, _ := e.branch("main")
	for r := range e.rounds(10) {
		base := fmt.Sprintf("s3://b%d/a", r)
		var objects []storage.Object
		for i := range 6 {
			objects = append(objects, object(kindTable, s.ID, fmt.Sprint(r, ".", i)))
		}
		e.insert(objects...)
		errs := e.race(len(objects), func(i int, store storage.Store) error {
			new := at(next(objects[i], "moved"), base+strings.Repeat("/b", i/2))
			return e.retry(store, func(tx storage.Tx) error {
				return withNode(e.ctx, tx, new.ID, func(n storage.Node) error {
					found, err := tx.Overlap(e.ctx, new.Location, []types.Kind{kindTable}, 1)
					if err != nil {
						return err
					}
					if len(found) > 0 {
						return errLost
					}
					return tx.Replace(e.ctx, n.Object, new)
				})
			})
		})
		if won := e.winners(errs, errLost); len(won) != 1 {
			e.Fatalf("round %d: %v won", r, won)
		}
	}
}

// testRaceList: eight insert into a parent that they have seen empty.
func testRaceList(e *env) {
	c, _, _ := e.branch("main")
	for r := range e.rounds(20) {
		parent := e.child(kindSchema, c.ID, fmt.Sprint("s", r))
		won := e.winners(e.race(8, func(i int, s storage.Store) error {
			return e.retry(s, func(tx storage.Tx) error {
				if _, err := tx.Get(e.ctx, parent.ID, storage.Want{}); err != nil {
					return err
				}
				q := storage.ListQuery{Parent: parent.ID}
				if i%2 == 1 { // the range of a page is a range, too
					q.Kind, q.Limit = kindTable, 1
				}
				nodes, err := tx.List(e.ctx, q, storage.Want{})
				if err != nil {
					return err
				}
				if len(nodes) > 0 {
					return errLost
				}
				return tx.Insert(e.ctx, object(kindTable, parent.ID, fmt.Sprint(i)))
			})
		}), errLost)
		if left := e.list(storage.ListQuery{Parent: parent.ID}, storage.Want{}); len(won) != 1 || len(left) != 1 {
			e.Fatalf("round %d: %v won, there are %s", r, won, names(left))
		}
	}
}

// testRaceListMove: one drops a parent in whose range it sees nothing, while its children come
// into that range: by their kind, or by their name. Who comes first wins, and no child that
// moved is dropped.
func testRaceListMove(e *env) {
	c, _, _ := e.branch("main")
	for r := range e.rounds(30) {
		parent := e.child(kindSchema, c.ID, fmt.Sprint("s", r))
		byKind := r%2 == 0
		var movers []storage.Object
		for i := range 7 {
			movers = append(movers, object(kindTable, parent.ID, fmt.Sprint("z", i)))
			if byKind {
				movers[i].Kind, movers[i].Name = kindStaging, fmt.Sprint("a", i)
			}
		}
		e.insert(append(movers, object(kindTable, parent.ID, "m"))...)
		errs := e.race(8, func(i int, s storage.Store) error {
			if i > 0 { // before, while and after the other looks
				time.Sleep(rand.N(3 * time.Millisecond))
			}
			return e.retry(s, func(tx storage.Tx) error {
				if i == 0 {
					return e.dropUnlessMoved(tx, parent.ID)
				}
				return withNode(e.ctx, tx, movers[i-1].ID, func(n storage.Node) error {
					new := next(n.Object, "moved")
					new.Kind, new.Name = kindTable, fmt.Sprint("a", i-1)
					return tx.Replace(e.ctx, n.Object, new)
				})
			})
		})
		won := e.winners(errs, errLost, storage.ErrStale)
		there := e.list(storage.ListQuery{Parent: parent.ID}, storage.Want{})
		dropped := errs[0] == nil
		if dropped && (len(won) != 1 || len(there) != 0) || !dropped && (len(won) != 7 || len(there) != 8) {
			e.Fatalf("round %d: %v won, of the parent there are %s", r, won, names(there))
		}
	}
}

// dropUnlessMoved deletes a parent whose first table is still the one called m.
func (e *env) dropUnlessMoved(tx storage.Tx, parent types.ID) error {
	return withNode(e.ctx, tx, parent, func(n storage.Node) error {
		nodes, err := tx.List(e.ctx, storage.ListQuery{Parent: parent, Kind: kindTable, Limit: 1}, storage.Want{})
		if err != nil {
			return err
		}
		if len(nodes) != 1 || nodes[0].Name != "m" {
			return errLost
		}
		return tx.Delete(e.ctx, n.Object)
	})
}

// testRaceOneName: creates of and renames to one name.
func testRaceOneName(e *env) {
	_, s, _ := e.branch("main")
	for r := range e.rounds(20) {
		name := fmt.Sprint("wanted", r)
		var old []storage.Object
		for i := range 4 {
			old = append(old, object(kindTable, s.ID, fmt.Sprint(r, ".", i)))
		}
		e.insert(old...)
		won := e.winners(e.race(8, func(i int, store storage.Store) error {
			if i < len(old) {
				return e.retry(store, func(tx storage.Tx) error { return replace(e.ctx, tx, renamed(old[i], name)) })
			}
			return e.retry(store, func(tx storage.Tx) error { return tx.Insert(e.ctx, object(kindTable, s.ID, name)) })
		}), storage.ErrExists)
		if len(won) != 1 {
			e.Fatalf("round %d: %d winners", r, len(won))
		}
		if got := e.lookup(storage.Want{}, path("main", "schema", name)...); len(got) != 4 {
			e.Fatalf("round %d: the winner is not found", r)
		}
	}
}

// testRaceRoot: there is one root, though it has no parent to hold it.
func testRaceRoot(e *env) {
	for r := range e.rounds(10) {
		id := e.lookup(storage.Want{})[0].ID
		e.delete(id)
		won := e.winners(e.race(4, func(i int, s storage.Store) error {
			return e.retry(s, func(tx storage.Tx) error { return tx.Insert(e.ctx, object(kindRoot, "", fmt.Sprint("root ", i/2))) })
		}), storage.ErrExists)
		if got := e.lookup(storage.Want{}); len(won) != 1 || len(got) != 1 || got[0].Name != fmt.Sprint("root ", won[0]/2) {
			e.Fatalf("round %d: %v won, the root is %s", r, won, names(got))
		}
	}
}
