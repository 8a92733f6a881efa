package postgres

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/leveelake/catalog/internal/pgtest"
	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// TestTerminated: the connection ends with FATAL while the writes are on their way.
func TestTerminated(t *testing.T) {
	server := pgtest.Start(t, "fsync=off")
	u := server.URL(t)
	s := open1(t, u)
	plant(t, s)
	r := newRival(t, server.DSN("postgres", "", "search_path="+s.schema))
	for name, way := range ways() {
		r.do(`BEGIN`)
		r.do(`SELECT FROM log WHERE object = $1 FOR UPDATE`, string(tableID))
		done := make(chan error, 1)
		go func() { done <- way(bg, s) }()
		r.waits(1)
		r.do(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND application_name = 'levee'`)
		if err := <-done; !errors.Is(err, types.CommitStateUnknown) {
			t.Errorf("%s: %v", name, err)
		}
		r.do(`COMMIT`)
		if err := way(bg, s); err != nil {
			t.Errorf("%s: afterwards: %v", name, err)
		}
	}
}

// TestCut: the connection breaks before or after the writes have arrived.
func TestCut(t *testing.T) {
	for name, way := range ways() {
		for _, mode := range []int32{before, after} {
			s, err := openBreakable(t, pgtest.URL(t))
			if err != nil {
				t.Fatal(err)
			}
			plant(t, s.Store)
			if err := way(bg, s); err != nil {
				t.Fatal(err)
			}
			was := get(t, s.Store, tableID)[2]
			s.cutter.mode.Store(mode)
			if err := way(bg, s); !errors.Is(err, types.CommitStateUnknown) || errors.Is(err, storage.ErrUnavailable) {
				t.Errorf("%s: %v", name, err)
			}
			if s.cutter.times.Load() != 1 {
				t.Errorf("%s: cut %d times", name, s.cutter.times.Load())
			}
			now := get(t, s.Store, tableID)[2]
			happened := now.Revision + now.Log.Revision - was.Revision - was.Log.Revision
			if want := int64(mode - before); happened != want {
				t.Errorf("%s: mode %d: %d changes", name, mode, happened)
			}
			if err := way(bg, s); err != nil {
				t.Errorf("%s: afterwards: %v", name, err)
			}
			s.Close()
		}
	}
}

// TestStandby: connections that turn out to be read-only are replaced.
func TestStandby(t *testing.T) {
	u := pgtest.URL(t)
	plant(t, open1(t, u))
	var standby atomic.Bool
	s, err := open(bg, u, func(c *pgxpool.Config) {
		c.BeforeConnect = func(_ context.Context, c *pgx.ConnConfig) error {
			if standby.Load() {
				c.RuntimeParams["default_transaction_read_only"] = "on"
			}
			return nil
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for name, way := range ways() {
		standby.Store(true)
		s.pool.Reset()
		c := &counted{Store: s}
		done := make(chan error, 1)
		go func() { done <- way(bg, c) }()
		for c.runs.Load() < 3 {
			time.Sleep(time.Millisecond)
		}
		standby.Store(false)
		if err := <-done; err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestCancelled: while the writes wait to be sent the caller may leave, and nothing
// happens; once they are on their way it gets the truth.
func TestCancelled(t *testing.T) {
	server := pgtest.Start(t, "fsync=off")
	u := server.URL(t)
	s := open1(t, u)
	plant(t, s)
	r := newRival(t, u)
	r.do(`BEGIN`)
	r.do(`SELECT FROM log WHERE object = $1 FOR UPDATE`, string(tableID))
	sent, cancelSent := context.WithCancel(bg)
	first := make(chan error, 1)
	go func() { _, err := commitTo(sent, s, tableID); first <- err }()
	r.waits(1)
	waiting, cancelWaiting := context.WithCancel(bg)
	second := make(chan error, 1)
	go func() { _, err := commitTo(waiting, s, tableID); second <- err }()
	time.Sleep(10 * time.Millisecond)
	cancelWaiting()
	if err := <-second; !errors.Is(err, context.Canceled) {
		t.Errorf("the second, which waits for the first: %v", err)
	}
	cancelSent()
	time.Sleep(10 * time.Millisecond)
	r.do(`COMMIT`)
	if err := <-first; err != nil {
		t.Errorf("the first, whose writes were sent: %v", err)
	}
	if log := get(t, s, tableID)[2].Log; log.Last != 1 {
		t.Errorf("the log has version %d", log.Last)
	}
}

// TestRefusedConnection: a connection on which a commit was refused is as good as any other, also
// long after.
func TestRefusedConnection(t *testing.T) {
	s := open1(t, pgtest.URL(t)+"&pool_max_conns=1")
	plant(t, s)
	c, err := s.pool.Acquire(bg)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Release()
	for _, q := range []string{`SELECT 1`, `SELECT 1/0`, `SELECT nope`} {
		_ = run(c.Conn(), q, q, 50*time.Millisecond, nil, func([][]byte) {})
		time.Sleep(60 * time.Millisecond)
		if _, err := c.Exec(bg, `SELECT 1`); err != nil {
			t.Errorf("after %s: %v", q, err)
		}
	}
}
