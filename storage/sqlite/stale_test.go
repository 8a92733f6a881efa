package sqlite

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	lib "modernc.org/sqlite/lib"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// forgetAll empties the cache, so that the next reads come from the database.
func forgetAll(s *Store) {
	for n := range 10 {
		s.cache.Forget(id(n), id(tableN+n), id(1000+n))
	}
}

var everything = storage.Want{Log: true, Beside: []storage.Step{{Kind: "grant", Name: "alice"}}}

// load returns the table that lookedUp finds, as text, or says why not.
func load(t testing.TB, s storage.Store, name string) string {
	t.Helper()
	chain, err := storage.View(bg, s, func(tx storage.ReadTx) ([]storage.Node, error) {
		return tx.Lookup(bg, pathTo(name), everything)
	})
	if err != nil {
		t.Fatal(err)
	}
	return textOf(chain)
}

func pathTo(name string) []storage.Step {
	return []storage.Step{{Kind: "catalog", Name: "catalog"}, {Kind: "schema", Name: "schema"}, {Kind: "table", Name: name}}
}

func textOf(chain []storage.Node) string {
	if len(chain) < 4 {
		return fmt.Sprint(len(chain), " nodes")
	}
	n := chain[3]
	return fmt.Sprintf("%s %q, log %d/%d with %d commits, %d grants", n.Name, n.Body, n.Log.Revision, n.Log.Last, len(n.Log.Commits), len(n.Beside))
}

// Changes of the first table, each of which shows in what load returns.
var changes = map[string]func(tx storage.Tx, table storage.Node) error{
	"commit": func(tx storage.Tx, n storage.Node) error { _, err := commitTo(bg, tx, n.ID, *n.Log); return err },
	"body": func(tx storage.Tx, n storage.Node) error {
		o := n.Object
		o.Revision, o.Body = o.Revision+1, []byte("new")
		return tx.Replace(bg, n.Object, o)
	},
	"rename": func(tx storage.Tx, n storage.Node) error {
		o := n.Object
		o.Revision, o.Name = o.Revision+1, "renamed"
		return tx.Replace(bg, n.Object, o)
	},
	"delete": func(tx storage.Tx, n storage.Node) error { return tx.Delete(bg, n.Object) },
	"grant": func(tx storage.Tx, n storage.Node) error {
		return tx.Insert(bg, object(1000, "grant", n.ID, "alice"))
	},
}

func changing(change func(tx storage.Tx, table storage.Node) error) func(tx storage.Tx) error {
	return func(tx storage.Tx) error {
		chain, err := tx.Get(bg, id(tableN), storage.Want{Log: true})
		if err != nil {
			return err
		}
		return change(tx, chain[len(chain)-1])
	}
}

// A View whose snapshot is older than a change reads what is no more, and the cache does not take
// it; nor does it take what a View reads while the change is on its way.
func TestStalePut(t *testing.T) {
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			s := open1(t)
			table(t, s, 0, "old")
			old := load(t, s, "table0")
			again := func(what string) {
				t.Helper()
				if got := load(t, s, "table0"); got != old {
					t.Errorf("%s it is %s, want %s", what, got, old)
				}
			}
			forgetAll(s)
			began, release := make(chan struct{}), make(chan struct{})
			done := make(chan string)
			go func() {
				text, err := storage.View(bg, s, func(tx storage.ReadTx) (string, error) {
					if _, err := tx.List(bg, storage.ListQuery{}, storage.Want{}); err != nil {
						return "", err
					}
					close(began)
					<-release
					chain, err := tx.Lookup(bg, pathTo("table0"), everything)
					return textOf(chain), err
				})
				if err != nil {
					t.Error(err)
				}
				done <- text
			}()
			<-began
			b := newBatch(t, s)
			changed := b.add(bg, changing(change))
			b.add(bg, func(tx storage.Tx) error {
				again("in the middle of a batch")
				again("in the middle of a batch, after a read")
				forgetAll(s) // now the writer reads what is to be
				for range 2 {
					chain, err := tx.Lookup(bg, pathTo("table0"), everything)
					if err != nil || textOf(chain) == old {
						t.Errorf("a neighbour sees %s, %v", textOf(chain), err)
					}
				}
				again("after a neighbour has read it")
				return nil
			})
			b.run()
			if changed.err != nil {
				t.Fatal(changed.err)
			}
			after := load(t, s, "table0")
			if after == old {
				t.Errorf("after the change it is %s", old)
			}
			forgetAll(s)
			close(release)
			if got := <-done; got != old {
				t.Errorf("the View sees %s, want %s", got, old)
			}
			if got := load(t, s, "table0"); got != after {
				t.Errorf("after an old View has read it is %s, want %s", got, after)
			}
		})
	}
}

// What is not durable yet is seen by no View, and if it never will be, by none afterwards.
func TestNotBeforeDurable(t *testing.T) {
	for name, change := range changes {
		for _, fails := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s,fails=%t", name, fails), func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "levee.db")
				p := watch(t, path)
				s, err := Open(path)
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				plant(t, s)
				table(t, s, 0, "old")
				old := load(t, s, "table0")
				syncs := 0
				p.fail = func(op string) (int32, bool) {
					if op != "sync" {
						return 0, false
					}
					syncs++
					for _, forgotten := range []bool{false, true} {
						if forgotten && fails {
							break // what the cache holds shall fail
						}
						if forgotten {
							forgetAll(s)
						}
						if got := load(t, s, "table0"); got != old {
							t.Errorf("before the sync it is %s, want %s", got, old)
						}
					}
					if fails {
						return lib.SQLITE_IOERR_FSYNC, false
					}
					return 0, false
				}
				err = s.Update(bg, changing(change))
				p.fail = nil
				want := 1
				if fails {
					want = 2 // that of the seal fails, too
				}
				if syncs != want || errors.Is(err, types.CommitStateUnknown) != fails || !fails && err != nil {
					t.Fatalf("%d syncs, %v", syncs, err)
				}
				if got := load(t, s, "table0"); (got == old) != fails {
					t.Errorf("afterwards it is %s", got)
				}
			})
		}
	}
}
