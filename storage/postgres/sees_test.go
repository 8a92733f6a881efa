package postgres

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/leveelake/catalog/internal/pgtest"
	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// TestSees: commits are refused whose object, ancestors or neighbours are not as they were seen,
// and no others; in a group and singly.
func TestSees(t *testing.T) {
	for name, send := range map[string]func(t *testing.T, s *Store, dos ...func() error) []error{"group": grouped, "single": func(_ *testing.T, _ *Store, dos ...func() error) (errs []error) {
		for _, do := range dos {
			errs = append(errs, do())
		}
		return errs
	}} {
		t.Run(name, func(t *testing.T) { testSees(t, send, name == "group") })
	}
}

func testSees(t *testing.T, send func(t *testing.T, s *Store, dos ...func() error) []error, atOnce bool) {
	u := pgtest.URL(t)
	s, other := open1(t, u), open1(t, u)
	plant(t, s)
	ids := tables(t, s, 3)
	w := storage.Want{Beside: []storage.Step{{Kind: "grant", Name: "alice"}}}
	grant := func(id, parent types.ID) func() error {
		return func() error {
			insert(t, other, storage.Object{ID: id, Kind: "grant", Parent: parent, Name: "alice", Revision: 1})
			return nil
		}
	}
	for _, c := range []struct {
		name   string
		change func() error
		again  []int // who runs a second time
	}{
		{"nothing", func() error { return nil }, nil},
		{"object", func() error { return replaceTable(bg, other, ids[1]) }, []int{1}},
		{"log", func() error { _, err := commitTo(bg, other, ids[1]); return err }, []int{1}},
		{"ancestor", func() error { return replaceTable(bg, other, catalogID) }, []int{0, 1, 2}},
		{"grant", grant("g", ids[1]), []int{1}},
		{"regrant", func() error { return replaceTable(bg, other, "g") }, []int{1}},
		{"grant above", grant("g2", catalogID), []int{0, 1, 2}},
		{"regrant above", func() error { return replaceTable(bg, other, "g2") }, []int{0, 1, 2}},
	} {
		for _, id := range ids {
			if err := adds(s, id, w, storage.LogDelta{})(); err != nil { // into memory
				t.Fatal(err)
			}
		}
		if err := c.change(); err != nil {
			t.Fatal(err)
		}
		if !atOnce && len(c.again) > 1 {
			c.again = c.again[:1] // from which the others profit
		}
		runs := make([]int, len(ids))
		var dos []func() error
		for i, id := range ids {
			dos = append(dos, func() error {
				return s.Update(bg, func(tx storage.Tx) error {
					runs[i]++
					chain, err := tx.Get(bg, id, storage.Want{Log: true, Beside: w.Beside})
					if err != nil {
						return err
					}
					l := *chain[2].Log
					return tx.WriteLog(bg, id, l, storage.LogDelta{Revision: l.Revision + 1, Last: l.Last})
				})
			})
		}
		for i, err := range send(t, s, dos...) {
			want := 1
			if slices.Contains(c.again, i) {
				want = 2
			}
			if err != nil || runs[i] < want || want == 1 && runs[i] > 1 {
				t.Errorf("%s: table %d: %d runs, want %d, error %v", c.name, i, runs[i], want, err)
			}
		}
	}
}

// TestViewSees: a View from memory sees what another store has just done, of every kind.
func TestViewSees(t *testing.T) {
	u := pgtest.URL(t)
	s, other := open1(t, u), open1(t, u)
	plant(t, s)
	insert(t, s, storage.Object{ID: "x", Kind: "table", Parent: catalogID, Name: "x", Revision: 1}) // has no log
	path := func(n string) []storage.Step {
		return []storage.Step{{Kind: "catalog", Name: "main"}, {Kind: "table", Name: n}}
	}
	w := storage.Want{Log: true, Beside: []storage.Step{{Kind: "grant", Name: "alice"}, {Kind: "grant", Name: "bob"}}}
	text := func(s *Store, n string) string {
		chain, err := storage.View(bg, s, func(tx storage.ReadTx) ([]storage.Node, error) { return tx.Lookup(bg, path(n), w) })
		if err != nil {
			t.Fatal(err)
		}
		out := ""
		for _, n := range chain {
			out += fmt.Sprint(n.ID, " ", n.Name, " ", n.Revision, " ", n.Beside, "; ")
			if n.Log != nil {
				out += fmt.Sprint("log ", n.Log.Revision, n.Log.Last, len(n.Log.Commits))
			}
		}
		return out
	}
	update := func(fn func(tx storage.Tx) error) {
		t.Helper()
		if err := other.Update(bg, fn); err != nil {
			t.Fatal(err)
		}
	}
	for i, change := range []func(){
		func() {},
		func() {
			insert(t, other, storage.Object{ID: "g", Kind: "grant", Parent: tableID, Name: "alice", Revision: 1})
		},
		func() {
			insert(t, other, storage.Object{ID: "h", Kind: "grant", Parent: rootID, Name: "bob", Revision: 1})
		},
		func() { _ = replaceTable(bg, other, "g") },
		func() {
			update(func(tx storage.Tx) error { return tx.Delete(bg, storage.Object{ID: "h", Revision: 1}) })
		},
		func() { _, _ = commitTo(bg, other, tableID) },
		func() { _ = replaceTable(bg, other, tableID) },
		func() { _ = replaceTable(bg, other, rootID) },
		func() {
			update(func(tx storage.Tx) error { return tx.WriteLog(bg, "x", storage.Log{}, storage.LogDelta{Revision: 1}) })
		},
		func() {
			update(func(tx storage.Tx) error { return tx.Delete(bg, storage.Object{ID: "x", Revision: 1}) })
		},
		func() {
			insert(t, other, storage.Object{ID: "y", Kind: "table", Parent: catalogID, Name: "x", Revision: 1})
		},
		func() {
			update(func(tx storage.Tx) error { return tx.Delete(bg, storage.Object{ID: catalogID, Revision: 1}) })
		},
	} {
		before := text(s, "table") + text(s, "x")
		change()
		direct := open1(t, u)
		now, want := text(s, "table")+text(s, "x"), text(direct, "table")+text(direct, "x")
		if now != want || i > 0 && now == before {
			t.Errorf("change %d: a View sees\n%s, want\n%s, before it saw\n%s", i, now, want, before)
		}
		direct.Close()
	}
}

// TestHeldMeanwhile: what an Update has checked does not change before it is done: here it waits, all
// checked, for a name that somebody else has inserted and not committed.
func TestHeldMeanwhile(t *testing.T) {
	for name, c := range map[string]struct {
		read   func(tx storage.ReadTx) error
		change func(tx storage.Tx) error
	}{
		"no log": {
			func(tx storage.ReadTx) error { _, err := tx.Get(bg, "x", storage.Want{Log: true}); return err },
			func(tx storage.Tx) error { return tx.WriteLog(bg, "x", storage.Log{}, storage.LogDelta{Revision: 1}) },
		},
		"kind": {
			func(tx storage.ReadTx) error {
				_, err := tx.Overlap(bg, "s3://b/x/y", []types.Kind{"table"}, 0)
				return err
			},
			func(tx storage.Tx) error {
				o := storage.Object{ID: "x", Kind: "staging", Parent: catalogID, Name: "x", Location: "s3://b/x", Revision: 1}
				n := o
				n.Kind, n.Revision = "table", 2
				return tx.Replace(bg, o, n)
			},
		},
		"replaced": {
			func(tx storage.ReadTx) error { _, err := tx.Get(bg, "x", storage.Want{}); return err },
			func(tx storage.Tx) error {
				o := storage.Object{ID: "x", Kind: "staging", Parent: catalogID, Name: "x", Location: "s3://b/x", Revision: 1}
				n := o
				n.Revision = 2
				return tx.Replace(bg, o, n)
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := pgtest.Shared(t)
			u := server.URL(t)
			s, other := open1(t, u), open1(t, u)
			plant(t, s)
			insert(t, s, storage.Object{ID: "x", Kind: "staging", Parent: catalogID, Name: "x", Location: "s3://b/x", Revision: 1})
			r := newRival(t, u)
			r.do(`BEGIN`)
			r.do(`INSERT INTO object (id, parent, depth, kind, name, revision, created, updated, body) VALUES ('r', $1, 1, 'catalog', 'new', 1, 0, 0, '')`, string(rootID))
			first, second := make(chan error, 1), make(chan error, 1)
			go func() {
				first <- s.Update(bg, func(tx storage.Tx) error {
					return errors.Join(c.read(tx), tx.Insert(bg, storage.Object{ID: "n", Kind: "catalog", Parent: rootID, Name: "new", Revision: 1}))
				})
			}()
			waitsIn(t, s, 1)
			go func() { second <- other.Update(bg, c.change) }()
			select {
			case err := <-second:
				t.Errorf("what was read has changed meanwhile: %v", err)
				second <- err
			case <-time.After(200 * time.Millisecond):
			}
			r.do(`ROLLBACK`)
			if err := errors.Join(<-first, <-second); err != nil {
				t.Error(err)
			}
		})
	}
}

// waitsIn waits until n connections of a store's own schema wait for others.
func waitsIn(t *testing.T, s *Store, n int) {
	t.Helper()
	for range 1000 {
		var waiting int
		if err := s.pool.QueryRow(bg, `SELECT count(DISTINCT l.pid) FROM pg_locks AS l JOIN pg_locks AS o ON o.pid = l.pid AND o.relation = to_regclass('object') WHERE NOT l.granted`).Scan(&waiting); err != nil {
			t.Fatal(err)
		}
		if waiting >= n {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatal("nobody waits")
}
