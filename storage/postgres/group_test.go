package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/leveelake/catalog/internal/pgtest"
	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// grouped runs dos so that all of their commits are in one group.
func grouped(t *testing.T, s *Store, dos ...func() error) []error {
	t.Helper()
	s.commits.mu.Lock()
	was := s.commits.slots
	s.commits.slots = 0
	s.commits.mu.Unlock()
	errs := make([]error, len(dos))
	var wg sync.WaitGroup
	for i, do := range dos {
		wg.Go(func() { errs[i] = do() })
	}
	for range 2000 {
		s.commits.mu.Lock()
		n := len(s.commits.waiting)
		s.commits.mu.Unlock()
		if n == len(dos) {
			break
		}
		time.Sleep(time.Millisecond)
	}
	s.commits.mu.Lock()
	s.commits.slots = was - 1
	s.commits.mu.Unlock()
	s.commits.next()
	wg.Wait()
	return errs
}

// adds commits to a table what d says beside the revision.
func adds(s *Store, id types.ID, w storage.Want, d storage.LogDelta) func() error {
	return func() error {
		return s.Update(bg, func(tx storage.Tx) error {
			w := w
			w.Log = true
			chain, err := tx.Get(bg, id, w)
			if err != nil {
				return err
			}
			d := d
			l := *chain[len(chain)-1].Log
			if d.Revision = l.Revision + 1; d.Add != nil {
				d.Last = d.Add.Version
			}
			return tx.WriteLog(bg, id, l, d)
		})
	}
}

// TestGroup: commits to many tables in one statement, of which one is bad, one is locked, one's
// object has changed, and one's ancestor.
func TestGroup(t *testing.T) {
	u := pgtest.URL(t)
	s, other := open1(t, u), open1(t, u)
	plant(t, s)
	ids := tables(t, s, 20)
	insert(t, s, storage.Object{ID: "deep", Kind: "grant", Parent: ids[5], Name: "deep", Revision: 1})
	if err := s.Update(bg, func(tx storage.Tx) error {
		return tx.WriteLog(bg, "deep", storage.Log{}, storage.LogDelta{Revision: 1})
	}); err != nil {
		t.Fatal(err)
	}
	grants := storage.Want{Beside: "grant", Names: []string{"alice", "bob"}}
	r := newRival(t, u)
	for round := range int64(3) {
		v := round + 1
		for _, id := range append(ids, "deep") { // into memory
			if _, err := storage.View(bg, s, func(tx storage.ReadTx) (any, error) {
				return tx.Get(bg, id, storage.Want{Log: true, Beside: grants.Beside, Names: grants.Names})
			}); err != nil {
				t.Fatal(err)
			}
		}
		bad := adds(s, ids[0], grants, storage.LogDelta{Backfilled: 0, Last: v, Add: &storage.Commit{Version: v, File: "f", Data: []byte("d")}})
		if round > 0 { // a version that is there
			bad = adds(s, ids[0], grants, storage.LogDelta{Add: &storage.Commit{Version: 1, File: "again"}})
		}
		var dos []func() error
		dos = append(dos, bad)
		for _, id := range append(ids[1:], "deep") {
			dos = append(dos, adds(s, id, grants, storage.LogDelta{Add: &storage.Commit{Version: v, File: fmt.Sprint(v), Data: []byte{byte(v)}}}))
		}
		r.do(`BEGIN`)
		r.do(`SELECT FROM log WHERE object = $1 FOR UPDATE`, string(ids[1]))
		if err := errors.Join(replaceTable(bg, other, ids[2]), replaceTable(bg, other, ids[5])); err != nil {
			t.Fatal(err)
		}
		if _, err := commitTo(bg, other, ids[3]); err != nil { // takes the version
			t.Fatal(err)
		}
		// The lock is released when all the others are done: they do not wait for it.
		var others sync.WaitGroup
		for i, do := range dos {
			if i != 1 {
				others.Add(1)
				dos[i] = func() error { defer others.Done(); return do() }
			}
		}
		released := make(chan struct{})
		start := time.Now()
		go func() {
			others.Wait()
			if took := time.Since(start); took > 4*time.Second { // less than lock_timeout
				t.Errorf("round %d: the others have waited for a lock: %v", round, took)
			}
			r.do(`COMMIT`)
			close(released)
		}()
		before := s.pool.Stat().AcquireCount()
		errs := grouped(t, s, dos...)
		<-released
		t.Logf("%d statements", s.pool.Stat().AcquireCount()-before)
		for i, err := range errs {
			switch {
			case i == 0 && round > 0, i == 3: // ids[3] has this version
				if err == nil || errors.Is(err, types.CommitStateUnknown) || errors.Is(err, storage.ErrStale) {
					t.Errorf("round %d: a bad commit got %v", round, err)
				}
			case err != nil:
				t.Errorf("round %d: commit %d: %v", round, i, err)
			}
		}
		for i, id := range append(ids, "deep") {
			n := get(t, s, id)
			l := n[len(n)-1].Log
			if want := v; i > 0 && i != 3 && l.Last != want {
				t.Errorf("round %d: table %d is at version %d", round, i, l.Last)
			}
		}
	}
}

func insert(t testing.TB, s *Store, objects ...storage.Object) {
	t.Helper()
	err := s.Update(bg, func(tx storage.Tx) error {
		for _, o := range objects {
			if err := tx.Insert(bg, o); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

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
	w := storage.Want{Beside: "grant", Names: []string{"alice"}}
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
			if err := adds(s, id, w, storage.LogDelta{Last: 9})(); err != nil { // into memory
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
					chain, err := tx.Get(bg, id, storage.Want{Log: true, Beside: w.Beside, Names: w.Names})
					if err != nil {
						return err
					}
					l := *chain[2].Log
					return tx.WriteLog(bg, id, l, storage.LogDelta{Revision: l.Revision + 1, Last: 9})
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
	w := storage.Want{Log: true, Beside: "grant", Names: []string{"alice", "bob"}}
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

// TestHot: many who write one table, in two stores, make one history of it.
func TestHot(t *testing.T) {
	u := pgtest.URL(t)
	stores := []*Store{open1(t, u), open1(t, u)}
	plant(t, stores[0])
	var wg sync.WaitGroup
	var mu sync.Mutex
	seen := make(map[int64]bool)
	const writers, each = 16, 25
	for w := range writers {
		wg.Go(func() {
			for range each {
				v, err := commitTo(context.Background(), stores[w%2], tableID)
				for errors.Is(err, storage.ErrConflict) {
					v, err = commitTo(context.Background(), stores[w%2], tableID)
				}
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				if seen[v] {
					t.Errorf("version %d twice", v)
				}
				seen[v] = true
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if l := get(t, stores[0], tableID)[2].Log; l.Last != writers*each || len(seen) != writers*each {
		t.Errorf("the log is at %d, %d were told", l.Last, len(seen))
	}
	if len(stores[0].lines.all)+len(stores[1].lines.all) != 0 {
		t.Error("there is a line that nobody is in")
	}
}

// TestForgets: what a log may forget goes in the end, in portions.
func TestForgets(t *testing.T) {
	u := pgtest.URL(t)
	s := open1(t, u)
	plant(t, s)
	for range 300 {
		if _, err := commitTo(bg, s, tableID); err != nil {
			t.Fatal(err)
		}
	}
	var n, first int64
	if err := s.pool.QueryRow(bg, `SELECT count(*), min(version) FROM "commit"`).Scan(&n, &first); err != nil {
		t.Fatal(err)
	}
	if n > 20+forgetEvery+3 || first > 280 {
		t.Errorf("it remembers %d versions from %d on", n, first)
	}
}
