// Package drive loads a server of the Unity Catalog Delta API, Levee or another, with a mix of
// requests, and tells how long they took.
//
// With a rate the loop is open: requests are due at fixed times, whether or not those before are
// answered, and latency counts from when a request was due. A server that stalls is charged for
// all requests that had to wait, as its users would charge it; a client that politely stops to
// ask while the server stalls would not notice (the "coordinated omission"). Requests that were due,
// but never sent because the time was over, are counted with the time they had waited.
//
// Without a rate the loop is closed: each connection sends a request when the one before is answered.
// That tells what the server can do, and little about latency.
package drive

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/leveelake/catalog/internal/bench/wire"
)

// Config says what to do. All fields are required but for Token, Rate, StorageRoot and Unbackfilled.
type Config struct {
	Server      string  // URL
	Token       string  // bearer token
	Rate        float64 // requests due in a second; 0: closed loop
	Duration    time.Duration
	Connections int
	Mix         Mix

	Catalog, Schema string
	StorageRoot     string // of the catalog, if it has to be made
	Tables          int    // at least as many as Connections
	Columns         int
	Unbackfilled    int64 // commits that each table has waiting, about
}

func (c Config) check() error {
	switch {
	case c.Duration <= 0, c.Connections < 1, c.Columns < 1, c.Rate < 0:
		return errors.New("duration, connections and columns must be more than zero")
	case c.Tables < c.Connections:
		return fmt.Errorf("%d tables are too few for %d connections: no two commit to one table at a time", c.Tables, c.Connections)
	case c.Unbackfilled < 0 || c.Unbackfilled > 9:
		return errors.New("at most 9 commits can wait for backfill beside the one that is added")
	}
	return c.Mix.check()
}

// Run makes what is missing of the catalog, the schema and the tables, and drives.
func Run(ctx context.Context, cfg Config, note func(format string, args ...any)) (*Result, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	target, err := wire.ParseTarget(cfg.Server)
	if err != nil {
		return nil, err
	}
	s := newScene(cfg, target)
	note("looking for %d tables in %s.%s", cfg.Tables, cfg.Catalog, cfg.Schema)
	if err := s.prepare(ctx); err != nil {
		return nil, err
	}
	note("driving for %s", cfg.Duration)
	return drive(ctx, cfg, s.worker)
}

// An actor performs operations, one at a time. The answer to an operation is nil, or a *Refusal, or a
// failure of the connection.
type actor interface {
	do(ctx context.Context, op Op) error
	close()
}

// drive has workers perform operations as cfg says.
func drive(ctx context.Context, cfg Config, worker func() actor) (*Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r := newRecorder()
	start := time.Now()
	plan := schedule{start: start, end: start.Add(cfg.Duration), rate: cfg.Rate}
	var next atomic.Int64
	var group sync.WaitGroup
	for range cfg.Connections {
		group.Go(func() {
			a := worker()
			defer a.close()
			for ctx.Err() == nil {
				k := next.Add(1) - 1
				due, ok := plan.due(k)
				if !ok {
					return
				}
				op := cfg.Mix.pick(k)
				now := time.Now()
				if wait := due.Sub(now); wait > 0 {
					sleep(ctx, wait)
					now = time.Now()
					r.late(now.Sub(due)) // ours, not the server's
				}
				if cfg.Rate > 0 && now.After(plan.end) {
					r.unsent(op, now.Sub(due))
					continue
				}
				if cfg.Rate == 0 {
					due = now
				}
				err := a.do(ctx, op)
				if ctx.Err() != nil {
					return
				}
				r.answered(op, time.Since(due), err)
			}
		})
	}
	group.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return r.result(cfg, time.Since(start)), nil
}

func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// A schedule tells when each request is due.
type schedule struct {
	start, end time.Time
	rate       float64 // 0: at once, until end
}

// due returns when request k, from 0, is due; false if that is not before the end.
func (s schedule) due(k int64) (time.Time, bool) {
	if s.rate == 0 {
		now := time.Now()
		return now, now.Before(s.end)
	}
	at := s.start.Add(time.Duration(float64(k) / s.rate * float64(time.Second)))
	return at, at.Before(s.end)
}
