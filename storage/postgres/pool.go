package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// acquire returns a connection. It waits for one as long as the caller does, and not longer than the patience
// lasts.
func (s *Store) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	bounded, cancel := context.WithTimeout(ctx, s.patient)
	defer cancel()
	c, err := s.pool.Acquire(bounded)
	if err != nil && bounded.Err() != nil && ctx.Err() == nil {
		return nil, errBusy
	}
	return c, err
}

// A lent connection is one for writes. Some are not lent to those who write, who may hold theirs for long at
// a lock in the database: a View waits for none of them.
type lent struct {
	*pgx.Conn
	of *pgxpool.Conn
	s  *Store
}

// lend returns a connection for writes, as acquire does.
func (s *Store) lend(ctx context.Context) (lent, error) {
	select {
	case s.writers <- struct{}{}:
	default:
		t := time.NewTimer(s.patient)
		defer t.Stop()
		select {
		case s.writers <- struct{}{}:
		case <-ctx.Done():
			return lent{}, errUnsent{ctx.Err()}
		case <-t.C:
			return lent{}, errUnsent{errBusy}
		}
	}
	c, err := s.acquire(context.WithValue(ctx, forWrite{}, true))
	if err != nil {
		<-s.writers
		return lent{}, errUnsent{err}
	}
	return lent{c.Conn(), c, s}, nil
}

// release gives the connection back.
func (l lent) release() {
	l.of.Release()
	<-l.s.writers
}

// lentMost is how many of a pool's connections are lent at most.
func lentMost(pool int) int { return max(1, pool-max(1, pool/4)) }

// distrust has the connections that idle replaced if err tells that they are of no use.
func (s *Store) distrust(err error) {
	if isBreak(err) {
		s.pool.Reset()
	}
}
