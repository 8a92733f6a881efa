package sqlite

import (
	"slices"
	"testing"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// askAll returns the log of a table as a View, a View without a cache, a list and an Update see it
// when they ask for a version.
func askAll(t *testing.T, s *Store, n types.ID, version int64) map[string]*storage.Log {
	t.Helper()
	w := storage.Want{Log: true, Version: version}
	logs := make(map[string]*storage.Log)
	last := func(what string, chain []storage.Node, err error) {
		if err != nil || len(chain) == 0 {
			t.Fatal(len(chain), err)
		}
		logs[what] = chain[len(chain)-1].Log
	}
	update(t, s, func(tx storage.Tx) error {
		chain, err := tx.Get(bg, n, w)
		last("update", chain, err)
		return nil
	})
	for _, what := range []string{"view", "view from the database", "list"} {
		if what != "view" {
			forgetAll(s)
		}
		err := s.View(bg, func(tx storage.ReadTx) (err error) {
			var chain []storage.Node
			if what == "list" {
				chain, err = tx.List(bg, storage.ListQuery{Parent: id(schemaN)}, w)
			} else {
				chain, err = tx.Get(bg, n, w)
			}
			last(what, chain, err)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	update(t, s, func(tx storage.Tx) error {
		chain, err := tx.Get(bg, n, w)
		last("update from the database", chain, err)
		return nil
	})
	return logs
}

// A log that is partly in its tables and partly in the journal reads as one.
func TestLogInTwoPlaces(t *testing.T) {
	s := open1(t)
	n := table(t, s, 0, "")
	check := func(when string, last, forgotten int64) {
		t.Helper()
		for v := int64(1); v <= last+1; v++ {
			for what, l := range askAll(t, s, n, v) {
				var versions []int64
				for _, c := range l.Commits {
					versions = append(versions, c.Version)
				}
				want := []int64{}
				for i := max(1, last-4); i <= last; i++ {
					want = append(want, i)
				}
				if l.Last != last || !slices.Equal(versions, want) {
					t.Errorf("%s, %s: last version %d, commits %v, want %v", when, what, l.Last, versions, want)
				}
				if there := v <= last; l.Asked == nil && there && v > forgotten || l.Asked != nil && (!there || l.Asked.Version != v || len(l.Asked.Data) != 80) {
					t.Errorf("%s, %s: asked for %d, got %v", when, what, v, l.Asked)
				}
			}
		}
	}
	commits := func(count int) {
		for range count {
			update(t, s, func(tx storage.Tx) error { _, err := commit(bg, tx, n); return err })
		}
	}
	commits(10)
	check("in the journal", 10, 0)
	moveJournal(t, s)
	check("in the tables", 10, 0)
	commits(2)
	check("in both", 12, 0)
	update(t, s, func(tx storage.Tx) error {
		chain, err := tx.Get(bg, n, storage.Want{Log: true})
		if err != nil {
			return err
		}
		l := *chain[3].Log
		return tx.WriteLog(bg, n, l, storage.LogDelta{Revision: l.Revision + 1, Last: l.Last, Backfilled: l.Backfilled, Forget: 3})
	})
	check("forgotten in the journal", 12, 3)
	moveJournal(t, s)
	check("in the tables again", 12, 3)
	commits(20)
	check("more in the journal", 32, 3)

	// A version that is there already is refused, wherever it is.
	for _, v := range []int64{5, 12, 30} {
		err := s.Update(bg, func(tx storage.Tx) error {
			chain, err := tx.Get(bg, n, storage.Want{Log: true})
			if err != nil {
				return err
			}
			l := *chain[3].Log
			return tx.WriteLog(bg, n, l, storage.LogDelta{Revision: l.Revision + 1, Last: v, Add: &storage.Commit{Version: v, File: "again"}})
		})
		if err == nil {
			t.Errorf("version %d was added again", v)
		}
	}
	check("after refusals", 32, 3)
}

// What was forgotten stays so, and what was not is there: moving the journal changes no answer.
func TestForgottenOnce(t *testing.T) {
	s := open1(t)
	n := table(t, s, 0, "")
	for range 10 {
		update(t, s, func(tx storage.Tx) error { _, err := commit(bg, tx, n); return err })
	}
	moveJournal(t, s)
	update(t, s, func(tx storage.Tx) error {
		chain, err := tx.Get(bg, n, storage.Want{Log: true})
		if err != nil {
			return err
		}
		l := *chain[3].Log
		return tx.WriteLog(bg, n, l, storage.LogDelta{Revision: l.Revision + 1, Last: l.Last, Backfilled: l.Backfilled, Forget: 4})
	})
	before := askAll(t, s, n, 3)
	moveJournal(t, s)
	for what, l := range askAll(t, s, n, 3) {
		if was := before[what].Asked; (l.Asked == nil) != (was == nil) {
			t.Errorf("%s: %v, and when the journal had moved %v", what, was, l.Asked)
		}
	}
}

// A version that is in the journal and in the table, which no store of today writes, keeps nothing from moving.
func TestVersionInTwoPlaces(t *testing.T) {
	s := open1(t)
	n, other := table(t, s, 0, ""), table(t, s, 1, "")
	moveJournal(t, s)
	for _, n := range []types.ID{n, other} {
		update(t, s, func(tx storage.Tx) error { _, err := commit(bg, tx, n); return err })
	}
	number(t, s, `INSERT INTO "commit" SELECT key, 1, 'old', x'' FROM object WHERE name = 'table0'`)
	moveJournal(t, s)
	for _, n := range []types.ID{n, other} {
		for what, l := range askAll(t, s, n, 1) {
			if l.Asked == nil || len(l.Asked.Data) != 80 || len(l.Commits) != 1 {
				t.Errorf("%s: it has %v", what, l)
			}
		}
	}
}

// A run may read and write more logs than one looks through.
func TestManyLogs(t *testing.T) {
	s := open1(t)
	const logs = 20
	for n := range logs {
		table(t, s, n, "")
	}
	for round := range int64(2) {
		update(t, s, func(tx storage.Tx) error {
			var read [logs]storage.Log
			for n := range read {
				chain, err := tx.Get(bg, id(tableN+n), storage.Want{Log: true})
				if err != nil {
					return err
				}
				read[n] = *chain[3].Log
			}
			for n, l := range read {
				if v, err := commitTo(bg, tx, id(tableN+n), l); err != nil || v != round+1 {
					t.Errorf("table %d: version %d, %v", n, v, err)
				}
			}
			return nil
		})
	}
	for n := range logs {
		if l := get(t, s, id(tableN+n))[3].Log; l.Last != 2 || len(l.Commits) != 2 {
			t.Errorf("table %d: %v", n, l)
		}
	}
}
