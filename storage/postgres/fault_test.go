package postgres

import (
	"context"
	"errors"
	"io"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/leveelake/catalog/internal/pgtest"
	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		severity, code, table string
		want                  verdict
	}{
		{"ERROR", stateChanged, "", changed}, {"ERROR", "40001", "", changed}, {"ERROR", "40P01", "", changed}, {"ERROR", "55P03", "", changed},
		{"ERROR", stateStale, "", stale}, {"ERROR", "23505", "log", stale}, {"ERROR", "23503", "object", orphaned},
		{"ERROR", "23505", "object", taken}, {"ERROR", "23505", "commit", repeated}, {"ERROR", "25006", "", unsent},
		{"ERROR", "53100", "", failed}, {"ERROR", "42501", "", failed}, {"ERROR", "57014", "", failed},
		{"FATAL", "57P01", "", unknown}, {"FATAL", "25P03", "", unknown}, {"PANIC", "53100", "", unknown}, {"FATAL", "40001", "", unknown},
	} {
		err := &pgconn.PgError{Severity: "translated", SeverityUnlocalized: c.severity, Code: c.code, TableName: c.table}
		if got := judge(err); got != c.want {
			t.Errorf("%s %s: %d, want %d", c.severity, c.code, got, c.want)
		}
	}
	for err, want := range map[error]verdict{
		io.ErrUnexpectedEOF: unknown, context.DeadlineExceeded: unknown,
		errUnsent{io.ErrUnexpectedEOF}: unsent, errUnsent{context.DeadlineExceeded}: unsent, errUnsent{errBusy}: failed, errNotReplicated: unknown,
		errUnsent{context.Canceled}: failed, errUnsent{errContradiction}: changed,
		errUnsent{&pgconn.PgError{Severity: "FATAL", Code: "57P03"}}: unsent, errUnsent{&pgconn.PgError{Severity: "FATAL", Code: "28P01"}}: failed,
	} {
		if got := judge(err); got != want {
			t.Errorf("%v: %d, want %d", err, got, want)
		}
	}
}

// TestIsBreak: connections are given away only if they are likely to be of no use.
func TestIsBreak(t *testing.T) {
	for _, code := range []string{"40001", "40P01", "55P03", "23505", "57014", "53300"} {
		if isBreak(&pgconn.PgError{Severity: "ERROR", Code: code}) {
			t.Errorf("%s is about a statement", code)
		}
	}
	for _, err := range []error{errBusy, errContradiction, errNotReplicated, errOutdated, &pgconn.ConnectError{}, errUnsent{&pgconn.ConnectError{}}, context.Canceled} {
		if isBreak(err) {
			t.Errorf("%v is about no connection that was there", err)
		}
	}
	for _, err := range []error{
		io.ErrUnexpectedEOF, errUnsent{io.EOF}, os.ErrDeadlineExceeded, &pgconn.PgError{Severity: "FATAL", Code: "57P01"},
		&pgconn.PgError{Severity: "ERROR", Code: "25006"}, &pgconn.PgError{Severity: "ERROR", Code: "26000"},
	} {
		if !isBreak(err) {
			t.Errorf("%v is the end of a connection", err)
		}
	}
}

// TestReadErrorDropped: a function that goes on after a read that failed has decided on something else than what
// is there: nothing of it happens, and it is told why.
func TestReadErrorDropped(t *testing.T) {
	s := open1(t, pgtest.URL(t))
	plant(t, s)
	path := make([]storage.Step, 400) // more than one statement can have
	var readErr error
	err := s.Update(bg, func(tx storage.Tx) error {
		_, readErr = tx.Lookup(bg, path, storage.Want{})
		_ = tx.Insert(bg, storage.Object{ID: "x", Kind: "grant", Parent: catalogID, Name: "x", Revision: 1})
		return nil
	})
	if readErr == nil || err == nil || err.Error() != readErr.Error() {
		t.Errorf("Update: %v, the read: %v", err, readErr)
	}
	if len(get(t, s, "x")) != 0 {
		t.Error("it was written")
	}
	own := errors.New("its own")
	if err := s.Update(bg, func(tx storage.Tx) error { _, _ = tx.Lookup(bg, path, storage.Want{}); return own }); !errors.Is(err, own) {
		t.Errorf("an error of the function's own: %v", err)
	}
	if err := s.View(bg, func(tx storage.ReadTx) error { _, _ = tx.Lookup(bg, path, storage.Want{}); return nil }); err == nil {
		t.Error("View of a read that failed succeeds")
	}
}

// TestLockTimeout: who waits for a lock in vain runs again; and if that does not help, it is a conflict.
func TestLockTimeout(t *testing.T) {
	server := pgtest.Start(t, "fsync=off")
	u := server.URL(t)
	plant(t, open1(t, u))
	s := set(t, u, "lock_timeout", "50")
	r := newRival(t, u)
	for name, way := range ways() {
		r.do(`BEGIN`)
		r.do(`SELECT FROM log WHERE object = $1 FOR UPDATE`, string(tableID))
		done := make(chan error, 1)
		c := &counted{Store: s}
		go func() { done <- way(bg, c) }()
		for c.runs.Load() < 3 {
			time.Sleep(time.Millisecond)
		}
		r.do(`COMMIT`)
		if err := <-done; err != nil {
			t.Errorf("%s: after the lock was free: %v", name, err)
		}
		r.do(`BEGIN`)
		r.do(`SELECT FROM log WHERE object = $1 FOR UPDATE`, string(tableID))
		s.patient = 300 * time.Millisecond
		if err := way(bg, s); !errors.Is(err, storage.ErrConflict) {
			t.Errorf("%s: while the lock is held: %v", name, err)
		}
		s.patient = patience
		r.do(`COMMIT`)
	}
}

// TestDeadlock: the store is the victim, and runs again.
func TestDeadlock(t *testing.T) {
	server := pgtest.Start(t, "fsync=off", "deadlock_timeout=100ms")
	u := server.URL(t)
	s := open1(t, u)
	plant(t, s)
	ids := tables(t, s, 2)
	if ids[0] > ids[1] {
		ids[0], ids[1] = ids[1], ids[0]
	}
	r := newRival(t, server.DSN("postgres", "", "search_path="+s.schema))
	r.do(`SET deadlock_timeout = '1min'`)
	r.do(`BEGIN`)
	r.do(`SELECT FROM object WHERE id = $1 FOR UPDATE`, string(ids[1]))
	c := &counted{Store: s}
	done := make(chan error, 1)
	go func() {
		done <- c.Update(bg, func(tx storage.Tx) error {
			for _, id := range ids {
				chain, err := tx.Get(bg, id, storage.Want{})
				if err != nil {
					return err
				}
				_ = chain
			}
			old := storage.Object{ID: ids[0], Kind: "table", Parent: catalogID, Name: "renamed", Revision: 1}
			changed := old
			changed.Revision = 2
			return tx.Replace(bg, old, changed)
		})
	}()
	r.waits(1) // it has the first and waits for the second
	r.do(`SELECT FROM object WHERE id = $1 FOR UPDATE`, string(ids[0]))
	r.do(`COMMIT`)
	if err := <-done; err != nil || c.runs.Load() < 2 {
		t.Errorf("%d runs, error %v", c.runs.Load(), err)
	}
}

// TestSerialization: where a connection came to be of another isolation all the same, its failures
// are met by another run, and never let two win.
func TestSerialization(t *testing.T) {
	server := pgtest.Start(t, "fsync=off")
	u := server.URL(t)
	plant(t, open1(t, u))
	s := set(t, u, "default_transaction_isolation", "repeatable read")
	r := newRival(t, u)
	for name, way := range ways() {
		r.do(`BEGIN`)
		r.do(`UPDATE log SET state = 'x' WHERE object = $1`, string(tableID))
		c := &counted{Store: s}
		done := make(chan error, 1)
		go func() { done <- way(bg, c) }()
		r.waits(1)
		r.do(`COMMIT`)
		if err := <-done; err != nil || c.runs.Load() < 2 {
			t.Errorf("%s: %d runs, error %v", name, c.runs.Load(), err)
		}
	}
}

// TestCollisions: what violates a constraint is told apart.
func TestCollisions(t *testing.T) {
	s := open1(t, pgtest.URL(t))
	plant(t, s)
	writeBoth(t, s)
	before := get(t, s, tableID)[2]
	for name, c := range map[string]struct {
		want error // nil: none of those on purpose
		fn   func(tx storage.Tx, chain []storage.Node) error
	}{
		"parent deleted in the run": {storage.ErrStale, func(tx storage.Tx, chain []storage.Node) error {
			_ = tx.Delete(bg, storage.Object{ID: catalogID, Revision: 1})
			return tx.Insert(bg, storage.Object{ID: "x", Kind: "grant", Parent: tableID, Name: "x", Revision: 1})
		}},
		"version twice": {nil, func(tx storage.Tx, chain []storage.Node) error {
			l := *chain[2].Log
			return tx.WriteLog(bg, tableID, l, storage.LogDelta{Revision: l.Revision + 1, Last: l.Last, Add: &storage.Commit{Version: 1}})
		}},
		"version twice, and more": {nil, func(tx storage.Tx, chain []storage.Node) error {
			l := *chain[2].Log
			_ = tx.Insert(bg, storage.Object{ID: "x", Kind: "grant", Parent: tableID, Name: "x", Revision: 1})
			return tx.WriteLog(bg, tableID, l, storage.LogDelta{Revision: l.Revision + 1, Last: l.Last, Add: &storage.Commit{Version: 1}})
		}},
		"its own parent": {storage.ErrStale, func(tx storage.Tx, chain []storage.Node) error {
			return tx.Insert(bg, storage.Object{ID: "x", Kind: "grant", Parent: "x", Name: "x", Revision: 1})
		}},
		"each other's parent": {storage.ErrStale, func(tx storage.Tx, chain []storage.Node) error {
			_ = tx.Insert(bg, storage.Object{ID: "x", Kind: "grant", Parent: "y", Name: "x", Revision: 1})
			return tx.Insert(bg, storage.Object{ID: "y", Kind: "grant", Parent: "x", Name: "y", Revision: 1})
		}},
		"ID taken": {storage.ErrExists, func(tx storage.Tx, chain []storage.Node) error {
			return tx.Insert(bg, storage.Object{ID: tableID, Kind: "grant", Parent: tableID, Name: "x", Revision: 1})
		}},
		"name with a zero byte": {nil, func(tx storage.Tx, chain []storage.Node) error {
			return tx.Insert(bg, storage.Object{ID: "x", Kind: "grant", Parent: tableID, Name: "a\x00b", Revision: 1})
		}},
	} {
		err := s.Update(bg, func(tx storage.Tx) error {
			chain, err := tx.Get(bg, tableID, storage.Want{Log: true})
			if err != nil {
				return err
			}
			return c.fn(tx, chain)
		})
		if err == nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		if c.want == nil && (errors.Is(err, storage.ErrStale) || errors.Is(err, storage.ErrExists) || errors.Is(err, storage.ErrConflict) || errors.Is(err, types.CommitStateUnknown)) {
			t.Errorf("%s: %v, which callers take for something else", name, err)
		}
		if now := get(t, s, tableID)[2]; now.Revision != before.Revision || now.Log.Revision != before.Log.Revision {
			t.Errorf("%s: something has happened", name)
		}
	}
}
