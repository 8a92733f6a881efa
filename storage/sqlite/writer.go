package sqlite

import (
	"errors"
	"sync/atomic"

	"github.com/leveelake/catalog/storage/internal/nodes"
	"github.com/leveelake/catalog/types"
)

// batchMost is how many Updates may share one COMMIT, and how many more may queue
// before a caller waits to get into the queue.
const batchMost = 256

// errRolledBack is the answer where a fault undid a transaction and nobody kept its error.
var errRolledBack = errors.New("sqlite: the transaction was rolled back after a fault")

// A writer is the one goroutine that writes. It takes what has queued up, runs it in one
// transaction, commits, and only then answers: a refusal, too, may rest on what a
// neighbour wrote. It waits for nothing but the first request: those that come in
// while it syncs are the next batch.
type writer struct {
	conn    *conn
	cache   *nodes.Cache
	journal *atomic.Pointer[journal]
	queue   chan *request // closed by Close
	stopped chan struct{} // closed when the goroutine has ended for good

	batch  []*request
	next   int   // the first of the batch that was not served
	open   bool  // in a transaction
	rows   bool  // one of the batch has written in it
	dirty  bool  // one of the batch has written there or to a log
	number int64 // of the batch, in the journal

	encoded []byte         // the entries of the batch
	logs    []types.ID     // that they are about
	changes []nodes.Change // that the cache holds

	foldFrom int         // of its constant, but in tests
	foldAt   int         // the size of the journal at which it is moved
	broken   error       // why it has not moved to the tables, if it is larger than foldMost
	inDoubt  atomic.Bool // whether a batch that failed has happened
	covered  int64       // frames of the WAL when it was last copied to the database
}

func newWriter(c *conn, cache *nodes.Cache, j *atomic.Pointer[journal]) *writer {
	return &writer{conn: c, cache: cache, journal: j, foldFrom: foldFrom, foldAt: foldFrom,
		queue: make(chan *request, batchMost), stopped: make(chan struct{})}
}

// run is the goroutine. If a fn calls runtime.Goexit (as t.FailNow does), the goroutine
// ends; another then takes over in the middle of the batch.
func (w *writer) run() {
	ended := false
	defer func() {
		if ended {
			close(w.stopped)
		} else {
			go w.run()
		}
	}()
	for {
		w.resolve()
		for w.next < len(w.batch) {
			r := w.batch[w.next]
			w.next++
			w.serve(r)
		}
		w.finish()
		if !w.gather() {
			ended = true
			return
		}
	}
}

// gather waits for a request and takes what else there is. It returns false when the
// queue was closed and is empty.
func (w *writer) gather() bool {
	r, ok := <-w.queue
	if !ok {
		return false
	}
	w.batch, w.next = append(w.batch[:0], r), 0
	for len(w.batch) < batchMost {
		select {
		case r, ok := <-w.queue:
			if !ok {
				return true // the next gather sees it again
			}
			w.batch = append(w.batch, r)
		default:
			return true
		}
	}
	return true
}

// serve runs one fn in the transaction of the batch.
func (w *writer) serve(r *request) {
	if !r.claim.CompareAndSwap(false, true) {
		return // the caller left
	}
	r.ran = true
	if r.err = r.ctx.Err(); r.err != nil {
		return
	}
	t := &tx{reader: reader{conn: w.conn, journal: w.journal.Load(), batch: all}, writer: w, from: w.position()}
	returned := false
	defer func() {
		t.over = true
		if !returned {
			r.value = recover()
			r.panicked = r.value != nil // since Go 1.21 no panic has the value nil
			r.exited = !r.panicked
		}
		w.settle(t, r)
	}()
	r.err = r.fn(t)
	returned = true
}

// begin opens the transaction of the batch, unless it is open.
func (w *writer) begin() error {
	if w.open {
		return nil
	}
	if err := w.rollback(); err != nil { // one that a fault has kept from ending
		return err
	}
	if err := w.conn.run(qBeginImmediate); err != nil {
		return err
	}
	w.open = true
	return nil
}

// finish commits the batch, answers all of it, and looks after the journal and the WAL.
func (w *writer) finish() {
	if len(w.batch) == 0 {
		return
	}
	dirty := w.dirty
	w.commit()
	for _, r := range w.batch {
		if r.ran {
			close(r.done)
		}
	}
	clear(w.batch)
	w.batch, w.next = w.batch[:0], 0
	if w.journal.Load().size >= w.foldAt {
		w.refold()
	}
	if dirty {
		w.checkpoint()
	}
}
