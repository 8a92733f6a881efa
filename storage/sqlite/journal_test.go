package sqlite

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// What the journal has of an object that is deleted goes with it.
func TestJournalOfDeleted(t *testing.T) {
	s := open1(t)
	a, b := table(t, s, 0, ""), table(t, s, 1, "")
	remove := func(tx storage.Tx, n types.ID) (storage.Node, error) {
		chain, err := tx.Get(bg, n, storage.Want{Log: true})
		if err != nil {
			return storage.Node{}, err
		}
		return chain[3], tx.Delete(bg, chain[3].Object)
	}
	err := s.Update(bg, func(tx storage.Tx) error {
		n, err := remove(tx, a)
		if err != nil {
			return err
		}
		_, _ = commitTo(bg, tx, a, *n.Log)
		return nil
	})
	if !errors.Is(err, storage.ErrStale) {
		t.Errorf("WriteLog after Delete: %v", err)
	}
	update(t, s, func(tx storage.Tx) error { _, err := remove(tx, a); return err })
	update(t, s, func(tx storage.Tx) error {
		chain, err := tx.Get(bg, b, storage.Want{Log: true})
		if err != nil {
			return err
		}
		if _, err := commitTo(bg, tx, b, *chain[3].Log); err != nil {
			return err
		}
		return tx.Delete(bg, chain[3].Object)
	})
	err = s.Update(bg, func(tx storage.Tx) error {
		return tx.WriteLog(bg, b, storage.Log{Revision: 2}, storage.LogDelta{Revision: 3})
	})
	if !errors.Is(err, storage.ErrStale) {
		t.Errorf("WriteLog of what is deleted: %v", err)
	}
	c := object(500, types.KindTable, id(schemaN), "table0") // SQLite gives it the key of one that is gone
	update(t, s, func(tx storage.Tx) error { return tx.Insert(bg, c) })
	if l := get(t, s, c.ID)[3].Log; l.Revision != 0 {
		t.Errorf("a new table has a log of revision %d", l.Revision)
	}
	for what, want := range map[string]int64{"log": 0, `"commit"`: 0, "journal": 0, "object": 4} {
		if got := count(t, s, what); got != want {
			t.Errorf("%d rows in %s, want %d", got, what, want)
		}
	}
}

// A journal that cannot move to the tables is written on, up to a point; then Updates of logs are
// refused until it can.
func TestJournalThatCannotMove(t *testing.T) {
	s := open1(t)
	n := table(t, s, 0, "")
	script := func(sql string) {
		t.Helper()
		update(t, s, func(storage.Tx) error { return sqlitex.ExecuteScript(s.writer.conn.Conn, sql, nil) })
	}
	script(`CREATE TRIGGER stop BEFORE INSERT ON log BEGIN SELECT RAISE(ABORT, 'no'); END`)
	big := make([]byte, 600_000)
	versions, err := int64(0), error(nil)
	write := func() error {
		return s.Update(bg, func(tx storage.Tx) error {
			chain, err := tx.Get(bg, n, storage.Want{Log: true})
			if err != nil {
				return err
			}
			l := *chain[3].Log
			return tx.WriteLog(bg, n, l, storage.LogDelta{Revision: l.Revision + 1, Last: l.Last + 1, Backfilled: l.Last + 1,
				Add: &storage.Commit{Version: l.Last + 1, File: "file", Data: big}})
		})
	}
	for versions = 0; versions < 100; versions++ {
		if err = write(); err != nil {
			break
		}
	}
	if most := int64(foldMost / len(big)); versions < most || versions > most+2 || err == nil || errors.Is(err, types.CommitStateUnknown) {
		t.Fatalf("%d versions, then %v", versions, err)
	}
	if v := last(t, s, n); v != versions {
		t.Errorf("the last version is %d, want %d", v, versions)
	}
	update(t, s, insert(1, func() error { return nil })) // objects have no part in it
	script(`DROP TRIGGER stop`)
	update(t, s, func(storage.Tx) error { return nil })
	if err := write(); err != nil {
		t.Error(err)
	}
	if got := count(t, s, `"commit"`); got != versions+1 {
		t.Errorf("%d commits, want %d", got, versions+1)
	}
}

// A store opens with the journal that another has left, and goes on with it.
func TestJournalLeft(t *testing.T) {
	path := filepath.Join(t.TempDir(), "levee.db")
	p := watch(t, path)
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	plant(t, s)
	n := table(t, s, 0, "")
	for range 7 {
		update(t, s, func(tx storage.Tx) error { _, err := commit(bg, tx, n); return err })
	}
	want := get(t, s, n)
	for range 3 { // the crash of a crash
		to := filepath.Join(t.TempDir(), "levee.db")
		left := p.cut(nil)
		p = watch(t, to)
		if err := restore(to, left); err != nil {
			t.Fatal(err)
		}
		if s, err = Open(to); err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if d := cmp.Diff(want, get(t, s, n)); d != "" {
			t.Error(d)
		}
		update(t, s, func(tx storage.Tx) error { _, err := commit(bg, tx, n); return err })
		want = get(t, s, n)
	}
	for v := int64(1); v <= 10; v++ {
		if l := askAll(t, s, n, v)["view"]; l.Asked == nil {
			t.Errorf("version %d is gone", v)
		}
	}
	if got := count(t, s, `"commit"`); got != 10 {
		t.Errorf("%d commits, want 10", got)
	}
}

func TestEntries(t *testing.T) {
	entries := []entry{
		{log: storage.Log{Revision: 1}},
		{log: storage.Log{Revision: 1 << 60, Last: 9, Backfilled: 8, State: []byte("state")}, forgettable: 7,
			add: &storage.Commit{Version: 9, File: "é", Data: []byte{0, 255}}},
		{log: storage.Log{Revision: -1, Last: 1}, add: &storage.Commit{Version: 1}},
	}
	var blob []byte
	var ends []int
	for i, e := range entries {
		blob = appendEntry(blob, id(i), e)
		ends = append(ends, len(blob))
	}
	for cut := range len(blob) + 1 {
		d := decoder{left: blob[:cut]}
		i := 0
		for len(d.left) > 0 {
			n, e, err := d.entry()
			if err != nil {
				break
			}
			if d := cmp.Diff(fmt.Sprintf("%+v %+v", entries[i].log, entries[i].add), fmt.Sprintf("%+v %+v", e.log, e.add)); n != id(i) || d != "" && e.add == nil || e.forgettable != entries[i].forgettable {
				t.Errorf("entry %d: %s %s", i, n, d)
			}
			i++
		}
		want := 0
		for want < len(ends) && ends[want] <= cut {
			want++
		}
		if i != want {
			t.Errorf("the first %d bytes have %d entries, want %d", cut, i, want)
		}
	}
}

// A journal that cannot be read is damage.
func TestJournalDamaged(t *testing.T) {
	s := open1(t)
	table(t, s, 0, "")
	moveJournal(t, s)
	number(t, s, `INSERT INTO journal (batch, entries) VALUES (1000, x'05616263')`)
	s.journal.Store(newJournal(1000)) // which is not cleared on closing
	path := s.path
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	refused(t, path, ErrDamaged)
}

// A file from before there was a journal opens, with all that is in it.
func TestFromBeforeJournal(t *testing.T) {
	first, err := migrations.ReadFile("migrations/0001_tree.sql")
	if err != nil {
		t.Fatal(err)
	}
	path := database(t, string(first)+fmt.Sprintf(`;
		INSERT INTO object (key, id, parent, kind, name, revision, created, updated, body) VALUES
			(1, '%s', NULL, 'metastore', 'root', 1, 0, 0, x''), (2, '%s', 1, 'catalog', 'catalog', 1, 0, 0, x''),
			(3, '%s', 2, 'schema', 'schema', 1, 0, 0, x''), (4, '%s', 3, 'table', 'table0', 1, 0, 0, x'61');
		INSERT INTO log VALUES (4, 7, 2, 1, x'62');
		INSERT INTO "commit" VALUES (4, 1, 'one', x'63'), (4, 2, 'two', x'64');
		PRAGMA application_id = %d; PRAGMA user_version = 1`, id(rootN), id(catalogN), id(schemaN), id(tableN), applicationID))
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	want := storage.Log{Revision: 7, Last: 2, Backfilled: 1, State: []byte("b"),
		Commits: []storage.Commit{{Version: 2, File: "two", Data: []byte("d")}}, Asked: &storage.Commit{Version: 1, File: "one", Data: []byte("c")}}
	for what, l := range askAll(t, s, id(tableN), 1) {
		if d := cmp.Diff(want, *l); d != "" {
			t.Errorf("%s: %s", what, d)
		}
	}
}
