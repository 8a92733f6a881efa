package sqlite

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// Reads of one View are of one instant, whether or not the cache could answer each.
func TestViewIsOneInstant(t *testing.T) {
	s := open1(t)
	table(t, s, 0, "old")
	table(t, s, 1, "old")
	load(t, s, "table0")
	load(t, s, "table1")
	runs := 0
	err := s.View(bg, func(tx storage.ReadTx) error {
		runs++
		a, err := tx.Lookup(bg, pathTo("table0"), everything)
		if err != nil {
			return err
		}
		if runs == 1 {
			for n := range 2 {
				update(t, s, func(tx storage.Tx) error { _, err := commit(bg, tx, id(tableN+n)); return err })
			}
			load(t, s, "table1") // and the cache knows
		}
		b, err := tx.Lookup(bg, pathTo("table1"), everything)
		if runs == 1 && err == nil {
			t.Error("a read of another instant has not failed")
		}
		if err != nil {
			panic(err) // is no better than to return it
		}
		if a[3].Log.Last != b[3].Log.Last {
			t.Errorf("a View sees %d and %d commits", a[3].Log.Last, b[3].Log.Last)
		}
		return nil
	})
	if err != nil || runs != 2 {
		t.Errorf("%d runs, %v", runs, err)
	}
}

// A run of a View that begins with an answer of the cache goes on with the database if nothing has changed
// in between: then a fn that ends the test when a read fails, does not.
func TestViewRunsOnce(t *testing.T) {
	s := open1(t)
	table(t, s, 0, "old")
	update(t, s, func(tx storage.Tx) error {
		return tx.Insert(bg, object(1000, "grant", id(tableN), "alice"))
	})
	load(t, s, "table0")
	hits, runs, returned := 0, 0, false
	done := make(chan struct{})
	go func() {
		defer close(done)
		err := s.View(bg, func(tx storage.ReadTx) error {
			runs++
			asked := []storage.Step{{Kind: "grant", Name: "alice"}}
			for range 3 {
				chain, err := tx.Lookup(bg, pathTo("table0"), storage.Want{Log: true, Beside: asked})
				if err != nil {
					runtime.Goexit() // as t.Fatal
				}
				if tx.(*view).reader.conn == nil {
					hits++
				}
				chain[0], asked[0].Name = storage.Node{}, "bob" // they are the caller's
			}
			return nil
		})
		returned = err == nil
	}()
	<-done
	if hits != 1 || runs != 1 || !returned {
		t.Errorf("%d answers of the cache, %d runs, returned %t", hits, runs, returned)
	}
}

// What was absent when the cache was asked, and is there in the snapshot, makes another run.
func TestViewOfAbsent(t *testing.T) {
	s := open1(t)
	n := table(t, s, 0, "old")
	load(t, s, "table0")
	var seen []int
	err := s.View(bg, func(tx storage.ReadTx) error {
		seen = append(seen, 0)
		for i := range 2 {
			chain, err := tx.Get(bg, n, everything)
			if err != nil {
				return err
			}
			seen[len(seen)-1] += len(chain[3].Beside)
			if i == 0 && len(seen) == 1 {
				update(t, s, func(tx storage.Tx) error { return tx.Insert(bg, object(1000, "grant", n, "alice")) })
			}
		}
		return nil
	})
	if err != nil || !slices.Equal(seen, []int{0, 2}) {
		t.Errorf("the runs saw %v grants, %v", seen, err)
	}
}

// A caller that passes a log with fewer commits than he has read changes nothing by it.
func TestLogOfCaller(t *testing.T) {
	s := open1(t)
	n := table(t, s, 0, "")
	for range 3 {
		update(t, s, func(tx storage.Tx) error { _, err := commit(bg, tx, n); return err })
	}
	get(t, s, n) // now the cache knows all that get wants
	update(t, s, func(tx storage.Tx) error {
		chain, err := tx.Get(bg, n, storage.Want{Log: true})
		if err != nil {
			return err
		}
		l := *chain[3].Log
		l.Commits, l.Last, l.Backfilled = l.Commits[1:], 3, 0
		return tx.WriteLog(bg, n, l, storage.LogDelta{Revision: l.Revision + 1, Last: 3, State: []byte("new")})
	})
	cached := get(t, s, n)
	forgetAll(s)
	if d := cmp.Diff(get(t, s, n), cached); d != "" {
		t.Error(d)
	}
	if len(cached[3].Log.Commits) != 3 {
		t.Errorf("%d commits", len(cached[3].Log.Commits))
	}
}

func get(t testing.TB, s storage.Store, id types.ID) []storage.Node {
	t.Helper()
	chain, err := storage.View(bg, s, func(tx storage.ReadTx) ([]storage.Node, error) { return tx.Get(bg, id, everything) })
	if err != nil {
		t.Fatal(err)
	}
	return chain
}

// What a caller does to that which he passed changes nothing.
func TestMemoryOfCaller(t *testing.T) {
	s := open1(t)
	o := object(tableN, types.KindTable, id(schemaN), "table0")
	o.Body = []byte("body")
	state, data := []byte("state"), []byte("data")
	update(t, s, func(tx storage.Tx) error {
		err := errors.Join(tx.Insert(bg, o), tx.WriteLog(bg, o.ID, storage.Log{}, storage.LogDelta{
			Revision: 1, Last: 1, State: state, Add: &storage.Commit{Version: 1, File: "f", Data: data}}))
		o.Body[0], state[0], data[0] = '-', '-', '-'
		return err
	})
	update(t, s, func(tx storage.Tx) error {
		chain, err := tx.Get(bg, o.ID, storage.Want{Log: true})
		if err != nil {
			return err
		}
		new := chain[3].Object
		new.Revision++
		new.Body = []byte("body")
		err = tx.Replace(bg, chain[3].Object, new)
		new.Body[0] = '-'
		return err
	})
	want := ""
	for range 3 {
		chain := get(t, s, o.ID)
		n := chain[3]
		text := fmt.Sprintf("%s %s %s", n.Body, n.Log.State, n.Log.Commits[0].Data)
		if want = "body state data"; text != want {
			t.Errorf("%s, want %s", text, want)
		}
	}
}
