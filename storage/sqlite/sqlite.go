// Package sqlite keeps a catalog in one SQLite file: the store of a catalog that runs as
// one process.
//
// Updates that wait at the same time share one transaction and one sync of the disk; each is
// answered after it, so what was answered survives a crash of the process and of the machine.
// After a crash, Open finds all that was answered, and never half of an Update; if the
// write-ahead log was cut off or damaged, it goes back to the last Update that is whole.
// Views run beside the Updates, each on a snapshot of its own.
//
// The file has companions in its folder: -wal and -shm are SQLite's and hold what is not
// yet in the file itself (a backup of the file alone is none: use VACUUM INTO or the
// backup command of SQLite's shell); .lock is ours, is empty, and stays.
package sqlite

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/leveelake/catalog/storage"
)

// A Store keeps its state in a file. It is the only one to use the file.
type Store struct {
	path   string
	lock   io.Closer
	writer *writer
	views  *pool

	mu     sync.Mutex
	calls  sync.WaitGroup // Add under mu, and not once closed
	closed bool
	end    func() error // what Close does and returns, once
}

var _ storage.Store = (*Store)(nil)

// View runs fn on a snapshot: that of the first read.
func (s *Store) View(ctx context.Context, fn func(tx storage.ReadTx) error) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.calls.Done()
	c, err := s.views.lend(ctx)
	if err != nil {
		return err
	}
	defer s.views.giveBack(c)
	r := &reader{conn: c}
	defer func() { r.over = true }() // on a panic of fn, too
	return fn(r)
}

// Update runs fn on the goroutine that writes, in the order in which Updates came, and
// returns once its batch is durable. While it waits for its turn, ctx ends it; when fn
// has begun, ctx ends what fn does; and when the batch is being committed, the answer
// is what became of it.
func (s *Store) Update(ctx context.Context, fn func(tx storage.Tx) error) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.calls.Done()
	return s.writer.do(ctx, fn)
}

// Close waits for running Views and Updates and closes the file; later calls return
// [storage.ErrClosed]. It does nothing to a nil Store, and nothing more the second time.
func (s *Store) Close() error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	return s.end()
}

// enter counts a call in, so that Close waits for it, and refuses it if it came too late.
func (s *Store) enter(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return storage.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	s.calls.Add(1)
	return nil
}

// close ends the store in the order in which its parts depend on each other.
func (s *Store) close() error {
	s.calls.Wait()
	close(s.writer.queue)
	<-s.writer.stopped
	err := s.views.close()
	// The last connection to close empties the WAL by itself, but tells nobody if it cannot.
	err = errors.Join(err, s.writer.pragma(qTruncate), s.writer.conn.Close())
	return errors.Join(faultOf(s.path, err), s.lock.Close())
}
