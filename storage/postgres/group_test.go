package postgres

import (
	"context"
	"errors"
	"fmt"
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
			} else {
				d.Last = l.Last
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
	grants := storage.Want{Beside: []storage.Step{{Kind: "grant", Name: "alice"}, {Kind: "grant", Name: "bob"}}}
	r := newRival(t, u)
	for round := range int64(3) {
		v := round + 1
		for _, id := range append(ids, "deep") { // into memory
			if _, err := storage.View(bg, s, func(tx storage.ReadTx) (any, error) {
				return tx.Get(bg, id, storage.Want{Log: true, Beside: grants.Beside})
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

// TestTake: one group is not more than a statement should carry, by number or by size, but at least one.
func TestTake(t *testing.T) {
	cs := &commits{}
	for _, size := range []int{bytesMost / 2, bytesMost / 4, bytesMost / 2, 2 * bytesMost, 1} {
		cs.waiting = append(cs.waiting, &commit{delta: storage.LogDelta{Add: &storage.Commit{Data: make([]byte, size)}}})
	}
	for range groupMost + 1 {
		cs.waiting = append(cs.waiting, &commit{})
	}
	for i, want := range []int{2, 1, 1, groupMost, 2, 0} {
		if got := len(cs.take()); got != want {
			t.Errorf("group %d has %d commits, want %d", i, got, want)
		}
	}
	if cs.slots != 1 {
		t.Errorf("%d slots", cs.slots)
	}
}
