package sqlite

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/leveelake/catalog/storage"
)

// Every statement that reads searches an index, and sorts nothing.
func TestPlans(t *testing.T) {
	s := open1(t)
	for q, text := range queries {
		if !strings.HasPrefix(text, "SELECT") && !strings.HasPrefix(text, "UPDATE") && !strings.HasPrefix(text, "DELETE") {
			continue
		}
		all := plan(t, s, text)
		want := map[query]string{
			qRoot:      "(parent=?)",
			qChild:     "(parent=? AND kind=? AND name=?)",
			qList:      "(parent=? AND kind=?)",
			qListAfter: "(parent=? AND kind=? AND name>?)",
			qListAll:   "(parent=?)",
			qBeside:    "(parent=? AND (kind,name)>(?,?) AND (kind,name)<(?,?))",
			qLocated:   "COVERING INDEX object_location (location=?)",
			qBeneath:   "COVERING INDEX object_location (location>? AND location<?)",
			qCommits:   "(log=? AND version>? AND version<?)",
			qVersion:   "(log=? AND version=?)",
			qOldest:    "(log=?)",
			qForget:    "(log=? AND version<?)",
			qLastBatch: "SCAN journal", // backwards, by its key, and of one row
			qJournal:   "SCAN journal", // all of it, when the store is opened
		}[query(q)]
		scan := strings.Contains(all, "SCAN") && !strings.HasPrefix(want, "SCAN")
		if !strings.Contains(all, want) || strings.Contains(all, "TEMP B-TREE") || scan {
			t.Errorf("%s\n\tgoes by %s\n\twant %s", text, all, want)
		}
	}
}

// plan returns how SQLite goes about a statement.
func plan(t *testing.T, s *Store, text string) string {
	t.Helper()
	var steps []string
	update(t, s, func(storage.Tx) error {
		stmt, _, err := s.writer.conn.PrepareTransient("EXPLAIN QUERY PLAN " + text)
		if err != nil {
			return err
		}
		defer stmt.Finalize()
		for {
			ok, err := stmt.Step()
			if !ok {
				return err
			}
			steps = append(steps, stmt.ColumnText(3))
		}
	})
	return strings.Join(steps, "; ")
}

// A Delete leaves nothing of what was beneath.
func TestNothingLeft(t *testing.T) {
	s := open1(t)
	for n := range 20 {
		table(t, s, n, strings.Repeat("x", 5000))
		update(t, s, func(tx storage.Tx) error { _, err := commit(t.Context(), tx, id(tableN+n)); return err })
		update(t, s, func(tx storage.Tx) error {
			return tx.Insert(t.Context(), object(1000+n, "grant", id(tableN+n), "somebody"))
		})
	}
	update(t, s, func(tx storage.Tx) error {
		nodes, err := tx.Get(t.Context(), id(catalogN), storage.Want{})
		if err != nil {
			return err
		}
		return tx.Delete(t.Context(), nodes[1].Object)
	})
	for what, want := range map[string]int64{"object": 1, "log": 0, `"commit"`: 0} {
		if got := count(t, s, what); got != want {
			t.Errorf("%d rows in %s, want %d", got, what, want)
		}
	}
}

// Forgetting is bounded, goes on the next time, and never touches what is not backfilled.
func TestForget(t *testing.T) {
	s := open1(t)
	n := table(t, s, 0, "")
	const versions = 3 * forgetMost
	for range versions {
		update(t, s, func(tx storage.Tx) error { _, err := commit(t.Context(), tx, n); return err })
	}
	if got := count(t, s, `"commit"`); got != versions {
		t.Fatalf("%d versions, want %d", got, versions)
	}
	forget := func(upTo int64) {
		t.Helper()
		update(t, s, func(tx storage.Tx) error {
			nodes, err := tx.Get(t.Context(), n, storage.Want{Log: true})
			if err != nil {
				return err
			}
			l := *nodes[len(nodes)-1].Log
			return tx.WriteLog(t.Context(), n, l, storage.LogDelta{Revision: l.Revision + 1, Last: l.Last, Backfilled: l.Backfilled, Forget: upTo})
		})
	}
	for _, step := range []struct{ upTo, left int64 }{
		{forgetFrom - 1, versions},                      // too few to be worth it
		{versions, versions - forgetMost},               // at most so many
		{forgetMost + 100, versions - forgetMost - 100}, // a part
		{versions, versions - 2*forgetMost - 100},
		{versions, 5}, // not backfilled
		{versions, 5},
	} {
		forget(step.upTo)
		if got := count(t, s, `"commit"`); got != step.left {
			t.Errorf("after Forget %d: %d versions, want %d", step.upTo, got, step.left)
		}
	}
}

var bg = context.Background()

// frames returns the length of the WAL, by a connection of its own.
func frames(t *testing.T, s *Store) int64 {
	t.Helper()
	c, err := connect(s.path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	return (&writer{conn: c}).frames()
}

// While a View holds its snapshot the WAL grows and Updates go on; afterwards it begins anew.
func TestLongView(t *testing.T) {
	s := open1(t)
	n := table(t, s, 0, "")
	body := func(i int) string { return strings.Repeat(string(rune('a'+i%26)), 400_000) }
	err := s.View(t.Context(), func(tx storage.ReadTx) error {
		if _, err := tx.Lookup(t.Context(), nil, storage.Want{}); err != nil {
			return err
		}
		for i := range 200 { // about 20,000 pages
			update(t, s, func(tx storage.Tx) error {
				nodes, err := tx.Get(t.Context(), n, storage.Want{})
				if err != nil {
					return err
				}
				old := nodes[len(nodes)-1].Object
				o := old
				o.Revision, o.Body = int64(i)+2, []byte(body(i))
				return tx.Replace(t.Context(), old, o)
			})
		}
		nodes, err := tx.Get(t.Context(), n, storage.Want{})
		if err == nil && nodes[len(nodes)-1].Revision != 1 {
			t.Error("the View sees what came after its first read")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	before := frames(t, s)
	for i := range 30 {
		table(t, s, 1+i, body(i))
	}
	if after := frames(t, s); after > before/4 {
		t.Errorf("the WAL has %d frames, before it had %d", after, before)
	}
	if i, err := os.Stat(s.path); err != nil || i.Size() < 1_000_000 {
		t.Errorf("the file has %d bytes, %v", i.Size(), err)
	}
}
