package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/leveelake/catalog/internal/pgtest"
	"github.com/leveelake/catalog/storage"
)

// viewOf reads a table, from memory if it is there.
func viewOf(ctx context.Context, s storage.Store) error {
	return s.View(ctx, func(tx storage.ReadTx) error { _, err := tx.Get(ctx, tableID, storage.Want{Log: true}); return err })
}

// unavailable checks an error of a store that could not be reached: the time that ran out was not the caller's, and
// the error leads to no password.
func unavailable(t *testing.T, what string, err error) {
	t.Helper()
	_, leaks := errors.AsType[*pgconn.ConnectError](err)
	if !errors.Is(err, storage.ErrUnavailable) || errors.Is(err, context.DeadlineExceeded) || leaks {
		t.Errorf("%s: %v (%T)", what, err, err)
	}
}

// TestNoAnswer: a host that drops what it is sent is one that cannot be reached now, and is waited for.
func TestNoAnswer(t *testing.T) {
	server := pgtest.Shared(t)
	u := server.URL(t)
	plant(t, open1(t, u))
	var hole atomic.Bool
	dropping := func(patient time.Duration) *Store {
		s, err := open(bg, u, func(c *pgxpool.Config) {
			c.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
				if !hole.Load() {
					return (&net.Dialer{}).DialContext(ctx, network, address)
				}
				ctx, cancel := context.WithTimeout(ctx, 20*time.Millisecond) // as if that were the time to connect
				defer cancel()
				<-ctx.Done()
				return nil, &net.OpError{Op: "dial", Net: network, Err: ctx.Err()}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		s.patient = patient
		return s
	}
	s, hasty := dropping(patience), dropping(100*time.Millisecond)
	all := ways()
	all["view"] = viewOf
	hole.Store(true)
	for name, way := range all {
		hasty.pool.Reset()
		err := way(bg, hasty)
		unavailable(t, name, err)
		secret(t, err, server.Password())
		s.pool.Reset()
		ctx, cancel := context.WithTimeout(bg, 10*time.Millisecond)
		if err := way(ctx, s); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s with a deadline: %v", name, err)
		}
		cancel()
	}
}

// occupy takes all connections of a store until the test says so.
func occupy(t *testing.T, s *Store) (release func()) {
	t.Helper()
	var held []*pgxpool.Conn
	for range s.pool.Config().MaxConns {
		c, err := s.pool.Acquire(bg)
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, c)
	}
	return func() {
		for _, c := range held {
			c.Release()
		}
	}
}

// TestNoConnection: while all connections are taken, calls end with their context, and without one when the patience does.
func TestNoConnection(t *testing.T) {
	u := pgtest.URL(t) + "&pool_max_conns=4"
	s, hasty := open1(t, u), open1(t, u)
	plant(t, s)
	ids := tables(t, s, 8)
	for _, id := range append(ids, tableID) { // into memory
		get(t, s, id)
		get(t, hasty, id)
	}
	hasty.patient = 50 * time.Millisecond
	all := ways()
	all["view"] = viewOf
	all["list"] = func(ctx context.Context, s storage.Store) error {
		return s.View(ctx, func(tx storage.ReadTx) error {
			_, err := tx.List(ctx, storage.ListQuery{Parent: rootID}, storage.Want{})
			return err
		})
	}
	all["group"] = func(ctx context.Context, s storage.Store) error {
		errs := make([]error, len(ids))
		var wg sync.WaitGroup
		for i, id := range ids { // more than there are slots
			wg.Go(func() { _, errs[i] = commitTo(ctx, s, id) })
		}
		wg.Wait()
		for _, err := range errs[1:] {
			if fmt.Sprint(err) != fmt.Sprint(errs[0]) {
				t.Errorf("in one group: %v and %v", errs[0], err)
			}
		}
		return errs[0]
	}
	release, releaseHasty := occupy(t, s), occupy(t, hasty)
	defer releaseHasty()
	for name, way := range all {
		ctx, cancel := context.WithTimeout(bg, 20*time.Millisecond)
		if err := way(ctx, s); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s with a deadline: %v", name, err)
		}
		cancel()
		unavailable(t, name, way(bg, hasty))
	}
	release()
	for name, way := range all {
		if err := way(bg, s); err != nil {
			t.Errorf("%s afterwards: %v", name, err)
		}
	}
	for range 2000 { // who had nobody left to serve may be about to notice
		if len(s.writers) == 0 {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d connections are still lent", len(s.writers))
}

// TestViewBesideWaiting: whatever many Updates wait for, a View does not.
func TestViewBesideWaiting(t *testing.T) {
	server := pgtest.Start(t, "fsync=off")
	look := newRival(t, server.DSN("postgres", "")) // in a transaction one sees no new connections
	for _, pool := range []int{2, 4, 16} {
		u := server.URL(t)
		s := open1(t, fmt.Sprint(u, "&pool_max_conns=", pool))
		plant(t, s)
		ids := tables(t, s, 40)
		r := newRival(t, u)
		r.do(`BEGIN`)
		r.do(`SELECT FROM log FOR UPDATE`)
		r.do(`SELECT FROM object WHERE id = $1 FOR UPDATE`, string(catalogID))
		var wg sync.WaitGroup
		for i, id := range ids {
			wg.Go(func() {
				var err error
				if i%2 == 0 {
					_, err = commitTo(bg, s, id)
				} else {
					err = s.Update(bg, func(tx storage.Tx) error {
						return tx.Insert(bg, storage.Object{ID: id + "n", Kind: "grant", Parent: catalogID, Name: fmt.Sprint(i), Revision: 1})
					})
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
		look.waits(lentMost(pool))
		for range 20 {
			if err := errors.Join(viewOf(bg, s), s.View(bg, func(tx storage.ReadTx) error {
				for range 2 {
					if _, err := tx.List(bg, storage.ListQuery{Parent: rootID}, storage.Want{}); err != nil {
						return err
					}
				}
				return nil
			})); err != nil {
				t.Error(err)
			}
		}
		look.waits(1) // all of that was beside them
		r.do(`COMMIT`)
		wg.Wait()
	}
}

func TestLentMost(t *testing.T) {
	for pool, want := range map[int]int{1: 1, 2: 1, 3: 2, 4: 3, 8: 6, 16: 12, 100: 75} {
		if got := lentMost(pool); got != want {
			t.Errorf("of %d: %d, want %d", pool, got, want)
		}
	}
}
