package postgres

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/leveelake/catalog/storage"
)

// A rival is another program at the same database.
type rival struct {
	*pgx.Conn
	t testing.TB
}

func newRival(t testing.TB, url string) *rival {
	t.Helper()
	c, err := pgx.Connect(bg, url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(bg) })
	return &rival{c, t}
}

func (r *rival) do(q string, args ...any) {
	r.t.Helper()
	if _, err := r.Exec(bg, q, args...); err != nil {
		r.t.Errorf("%s: %v", q, err)
	}
}

// waits waits until n connections of stores wait for a lock.
func (r *rival) waits(n int) {
	r.t.Helper()
	for range 2000 {
		var waiting int
		if err := r.QueryRow(bg, `SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND application_name = 'levee' AND datname = current_database()`).Scan(&waiting); err != nil {
			r.t.Fatal(err)
		}
		if waiting >= n {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	r.t.Fatal("nobody waits for a lock")
}

// set opens a store with a parameter of its connections changed.
func set(t testing.TB, url, name, value string) *Store {
	t.Helper()
	s, err := open(bg, url, func(c *pgxpool.Config) { c.ConnConfig.RuntimeParams[name] = value })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// ways are the two ways in which an Update is applied.
func ways() map[string]func(ctx context.Context, s storage.Store) error {
	return map[string]func(ctx context.Context, s storage.Store) error{
		"commit":  func(ctx context.Context, s storage.Store) error { _, err := commitTo(ctx, s, tableID); return err },
		"replace": func(ctx context.Context, s storage.Store) error { return replaceTable(ctx, s, tableID) },
	}
}

// counted counts the runs of functions.
type counted struct {
	storage.Store
	runs atomic.Int64
}

func (c *counted) Update(ctx context.Context, fn func(tx storage.Tx) error) error {
	return c.Store.Update(ctx, func(tx storage.Tx) error { c.runs.Add(1); return fn(tx) })
}
