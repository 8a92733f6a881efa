// Package postgres keeps a catalog in a PostgreSQL database: the store of a catalog that runs as
// many processes.
//
// The database decides. An Update runs its function on what it reads, or remembers, without any
// lock, and then has the database write on the condition that all of it is still so; if it
// is not, the function runs again. So a commit to a table is one statement, and no
// connection waits for a function. What is remembered is never an answer by itself: before
// it is one, the database has confirmed it, in one statement for all who wait.
//
// The SQL uses no extension; the path of a commit and of a load has no advisory lock, no trigger
// of ours and no function of ours.
package postgres

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/storage/internal/gate"
	"github.com/leveelake/catalog/storage/internal/nodes"
)

// A Store keeps its state in a schema of a database, which others may use at the same time.
type Store struct {
	where   string // for messages
	schema  string
	patient time.Duration
	pool    *pgxpool.Pool
	cache   *nodes.Cache
	texts   texts
	probes  *probes
	lines   *lines
	commits *commits
	writers chan struct{}          // one for each connection that writes
	pinned  atomic.Pointer[string] // the search_path of all connections, once it is known

	gate gate.Gate
	end  func() // once
}

var _ storage.Store = (*Store)(nil)

// View runs fn on a snapshot. A function that reads once reads what is there when it
// does; one that reads more is run a second time, in a transaction.
func (s *Store) View(ctx context.Context, fn func(tx storage.ReadTx) error) error {
	if err := s.gate.Enter(ctx); err != nil {
		return err
	}
	defer s.gate.Leave()
	return s.view(ctx, fn)
}

// Update runs fn on the goroutine of the caller. While its writes wait to be sent, ctx ends
// it; when they are on their way, the answer is what became of them.
func (s *Store) Update(ctx context.Context, fn func(tx storage.Tx) error) error {
	if err := s.gate.Enter(ctx); err != nil {
		return err
	}
	defer s.gate.Leave()
	return s.update(ctx, fn)
}

// Close waits for running Views and Updates and closes the connections; later calls return
// [storage.ErrClosed]. It does nothing to a nil Store, and nothing more the second time.
func (s *Store) Close() error {
	if s == nil {
		return nil
	}
	s.gate.Shut()
	s.end()
	return nil
}

func (s *Store) close() {
	s.gate.Wait()
	s.pool.Close()
}

// A pause is between two tries: longer each time, and never the same for all who
// try. It begins to lose patience with the first.
type pause struct {
	patience time.Duration
	began    time.Time
	next     time.Duration
}

const (
	pauseFirst = 2 * time.Millisecond
	pauseMost  = 250 * time.Millisecond
)

// wait waits. It returns false if ctx or the patience is at its end.
func (p *pause) wait(ctx context.Context) bool {
	if p.began.IsZero() {
		p.began, p.next = time.Now(), pauseFirst
	}
	if time.Since(p.began) > p.patience {
		return false
	}
	t := time.NewTimer(p.next/2 + rand.N(p.next))
	defer t.Stop()
	p.next = min(2*p.next, pauseMost)
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
