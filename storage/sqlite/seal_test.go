package sqlite

import (
	"errors"
	"path/filepath"
	"testing"

	lib "modernc.org/sqlite/lib"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// A batch that failed, but is whole on the disk, is sealed or in doubt. What is told of it while the
// store is open is what Open finds after a power cut.
func TestSeal(t *testing.T) {
	const (
		none      = iota
		write     // the seal cannot be written
		sync      // … or not be synced
		persisted // … or it is durable, but that cannot be told
	)
	for name, seal := range map[string]int{"good": none, "write": write, "sync": sync, "persisted": persisted} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "levee.db")
			p := watch(t, path)
			s, err := Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			plant(t, s)
			n := table(t, s, 0, "")
			update(t, s, commitOf(n))
			syncs := 0
			p.fail = func(op string) (int32, bool) {
				if op == "write" && syncs > 0 && seal == write {
					return lib.SQLITE_IOERR_WRITE, false
				}
				if op != "sync" {
					return 0, false
				}
				if syncs++; syncs == 1 {
					return lib.SQLITE_IOERR_FSYNC, true
				}
				switch seal {
				case sync:
					return lib.SQLITE_IOERR_FSYNC, false
				case persisted:
					return lib.SQLITE_IOERR_FSYNC, true
				}
				return 0, false
			}
			err = s.Update(bg, commitOf(n))
			if err == nil || errors.Is(err, types.CommitStateUnknown) != (seal != none) {
				t.Errorf("Update: %v", err)
			}
			after := func() int64 { return lastAfterCut(t, p, n) }
			if seal == none {
				if v := last(t, s, n); v != 1 {
					t.Errorf("it is at version %d", v)
				}
				if v := after(); v != 1 {
					t.Errorf("after a power cut it is at version %d: what was sealed is back", v)
				}
				return
			}
			if v := after(); (v == 2) != (seal != persisted) {
				t.Errorf("after a power cut it is at version %d: the test proves nothing", v)
			}
			ran := false
			for range 2 {
				update := s.Update(bg, func(storage.Tx) error { ran = true; return nil })
				view := s.View(bg, func(storage.ReadTx) error { ran = true; return nil })
				if !errors.Is(update, storage.ErrUnavailable) || !errors.Is(view, storage.ErrUnavailable) || ran {
					t.Errorf("in doubt: Update %v, View %v, one of them ran: %v", update, view, ran)
				}
			}
			p.fail = nil
			if v := last(t, s, n); v != 1 { // a View resolves it
				t.Errorf("it is at version %d", v)
			}
			if v := after(); v != 1 {
				t.Errorf("after a View a power cut brings version %d", v)
			}
			update(t, s, commitOf(n))
			moveJournal(t, s) // the seal is no entry
			update(t, s, commitOf(n))
			if v, w := last(t, s, n), after(); v != 3 || w != 3 {
				t.Errorf("two commits later it is at version %d, after a power cut at %d", v, w)
			}
		})
	}
}

// A store that is closed in doubt is at rest afterwards.
func TestSealOnClose(t *testing.T) {
	path := filepath.Join(t.TempDir(), "levee.db")
	p := watch(t, path)
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	plant(t, s)
	p.fail = func(op string) (int32, bool) {
		if op == "sync" {
			return lib.SQLITE_IOERR_FSYNC, true
		}
		return 0, false
	}
	if err := s.Update(bg, insert(1, func() error { return nil })); !errors.Is(err, types.CommitStateUnknown) {
		t.Fatal(err)
	}
	p.fail = nil
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err = Open(path); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got := tables(t, s); got != "" {
		t.Errorf("there is %s", got)
	}
}

func commitOf(n types.ID) func(tx storage.Tx) error {
	return func(tx storage.Tx) error { _, err := commit(bg, tx, n); return err }
}

// lastAfterCut returns the last version of a table that a power cut now would leave.
func lastAfterCut(t *testing.T, p *probe, n types.ID) int64 {
	t.Helper()
	path := filepath.Join(t.TempDir(), "levee.db")
	if err := restore(path, p.cut(nil)); err != nil {
		t.Fatal(err)
	}
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	return last(t, s, n)
}
