// Package sqlite keeps a catalog in one SQLite file: the store of a catalog that runs as
// one process.
//
// Updates that wait at the same time share one transaction and one sync of the disk; each is
// answered after it, so what was answered survives a crash of the process and of the machine.
// After a crash, Open finds all that was answered, and never half of an Update; if the
// write-ahead log was cut off or damaged, it goes back to the last Update that is whole.
// Views run beside the Updates, each on a snapshot of its own.
//
// A commit to a log is no more than an entry of a journal in the file. The entries of a batch are
// one row, and now and then all of them move to the tables of logs; objects are written to
// theirs at once. The journal is in memory, too, and so is what was used last of objects and logs,
// each within a bound of its own. Since nobody else writes the file, that is as good as what is
// stored: most Views, and most Updates of a log, read nothing from the file.
//
// When a batch could not be made durable, it is made sure that it never will be, before anybody gets an
// answer. If that fails, too, its Updates get an error that is CommitStateUnknown, and all Views and
// Updates after them get [storage.ErrUnavailable], until it is sure: no answer says what the next Open
// could contradict.
//
// On a full disk an Update fails and nothing happens, Views go on, and so do Updates when there is room
// again. Only one store may use the file at a time, by whatever path: a second is refused. So is
// a file with a second name of its own (a hard link), since that could not be told.
//
// The file has companions in its folder: -wal and -shm are SQLite's and hold what is not
// yet in the file itself (a backup of the file alone is none: use VACUUM INTO or the
// backup command of SQLite's shell); .lock is ours, is empty, and stays.
package sqlite

import (
	"context"
	"errors"
	"io"
	"sync/atomic"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/storage/internal/gate"
	"github.com/leveelake/catalog/storage/internal/nodes"
)

// A Store keeps its state in a file. It is the only one to use the file.
type Store struct {
	path    string
	lock    io.Closer
	cache   *nodes.Cache
	journal atomic.Pointer[journal]
	writer  *writer
	views   *pool

	gate gate.Gate
	end  func() error // what Close does and returns, once
}

var _ storage.Store = (*Store)(nil)

// Update runs fn on the goroutine that writes, in the order in which Updates came, and
// returns once its batch is durable. While it waits for its turn, ctx ends it; when fn
// has begun, ctx ends what fn does; and when the batch is being committed, the answer
// is what became of it.
func (s *Store) Update(ctx context.Context, fn func(tx storage.Tx) error) error {
	if err := s.gate.Enter(ctx); err != nil {
		return err
	}
	defer s.gate.Leave()
	return s.writer.do(ctx, fn)
}

// Close waits for running Views and Updates and closes the file; later calls return
// [storage.ErrClosed]. It does nothing to a nil Store, and nothing more the second time.
func (s *Store) Close() error {
	if s == nil {
		return nil
	}
	s.gate.Shut()
	return s.end()
}

// close ends the store in the order in which its parts depend on each other.
func (s *Store) close() error {
	s.gate.Wait()
	close(s.writer.queue)
	<-s.writer.stopped
	var err error
	if s.writer.inDoubt.Load() {
		err = s.writer.seal()
	}
	err = errors.Join(err, s.writer.fold(), s.views.close())
	// The last connection to close empties the WAL by itself, but tells nobody if it cannot.
	err = errors.Join(err, s.writer.pragma(qTruncate), s.writer.conn.Close())
	return errors.Join(faultOf(s.path, err), s.lock.Close())
}

// cacheLimit is how many bytes of objects and logs are kept in memory: the tables that are in
// use, and few of those that are not.
const cacheLimit = 32 << 20
