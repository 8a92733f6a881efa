package sqlite

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"sync/atomic"

	"github.com/leveelake/catalog/storage"
)

// batchMost is how many Updates may share one COMMIT, and how many more may queue
// before a caller waits to get into the queue.
const batchMost = 256

// errRolledBack is the answer where a fault undid a transaction and nobody kept its error.
var errRolledBack = errors.New("sqlite: the transaction was rolled back after a fault")

// A request is an Update that waits for the writer. The caller owns ctx, fn and claim;
// the writer owns the rest from the time it has claimed the request until it closes done.
type request struct {
	ctx   context.Context
	fn    func(tx storage.Tx) error
	claim atomic.Bool   // by the writer, to run fn, or by the caller, to leave
	done  chan struct{} // closed with the answer

	ran      bool
	rests    bool // on writes of its batch, its own or a neighbour's
	err      error
	panicked bool
	value    any  // of the panic
	exited   bool // fn called runtime.Goexit
}

// A writer is the one goroutine that writes. It takes what has queued up, runs it in one
// transaction, commits, and only then answers: a refusal, too, may rest on what a
// neighbour wrote. It waits for nothing but the first request: those that come in
// while it syncs are the next batch.
type writer struct {
	conn    *conn
	queue   chan *request // closed by Close
	stopped chan struct{} // closed when the goroutine has ended for good

	batch   []*request
	next    int   // the first of the batch that was not served
	open    bool  // in a transaction
	dirty   bool  // one of the batch has written in it
	covered int64 // frames of the WAL when it was last copied to the database
}

func newWriter(c *conn) *writer {
	return &writer{conn: c, queue: make(chan *request, batchMost), stopped: make(chan struct{})}
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
	if r.err = faultOf(w.conn.path, w.begin()); r.err != nil {
		return
	}
	t := &tx{reader: reader{conn: w.conn, began: true}, nested: w.dirty}
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

// settle keeps what fn wrote if all went well, and else undoes it.
func (w *writer) settle(t *tx, r *request) {
	if r.err == nil {
		r.err = t.err
	}
	if r.err == nil {
		r.err = r.ctx.Err()
	}
	r.rests = w.dirty
	if w.conn.AutocommitEnabled() { // a fault so bad that SQLite has rolled back by itself
		cause := cmp.Or(t.err, r.err, errRolledBack)
		if r.err == nil {
			r.err = cause
		}
		w.drop(cause)
		return
	}
	if !t.wrote {
		return
	}
	failed := r.err != nil || r.panicked || r.exited
	var err error
	switch {
	case !failed && t.nested:
		err = w.conn.run(qRelease)
	case !failed:
	case t.nested:
		if err = w.conn.run(qRollbackTo); err == nil {
			err = w.conn.run(qRelease)
		}
	default: // the transaction holds nothing else
		err = w.rollback()
	}
	if err != nil {
		if r.err == nil {
			r.rests = true
		}
		w.drop(err)
		return
	}
	if !failed {
		w.dirty, r.rests = true, true
	}
}

// rollback ends the transaction, if there is one that SQLite has not ended itself.
func (w *writer) rollback() error {
	w.open, w.dirty = false, false
	if w.conn.AutocommitEnabled() {
		return nil
	}
	return w.conn.run(qRollback)
}

// drop gives up what the batch has written up to now; nothing of it happened.
func (w *writer) drop(cause error) {
	w.answerResting(faultOf(w.conn.path, cause))
	_ = w.rollback() // begin tries again
}

// answerResting changes the answers that rest on writes which are gone. It leaves
// those alone that it has changed before, and panics, which no commit can help.
func (w *writer) answerResting(err error) {
	for _, r := range w.batch[:w.next] {
		if r.rests {
			r.err, r.rests = err, false
		}
	}
}

// finish commits the batch, answers all of it, and looks after the WAL.
func (w *writer) finish() {
	if len(w.batch) == 0 {
		return
	}
	dirty := w.dirty
	if w.open {
		w.commit()
	}
	for _, r := range w.batch {
		if r.ran {
			close(r.done)
		}
	}
	clear(w.batch)
	w.batch, w.next = w.batch[:0], 0
	if dirty {
		w.checkpoint()
	}
}

// commit makes the batch durable. A batch that wrote nothing leaves no trace on disk.
func (w *writer) commit() {
	if !w.dirty {
		w.rollback()
		return
	}
	if err := w.conn.run(qCommit); err != nil {
		w.answerResting(lost(w.conn.path, err))
		w.rollback()
		return
	}
	w.open, w.dirty = false, false
}

// do runs fn on the writer's goroutine and returns the answer, its panic or its exit.
func (w *writer) do(ctx context.Context, fn func(tx storage.Tx) error) error {
	r := &request{ctx: ctx, fn: fn, done: make(chan struct{})}
	select {
	case w.queue <- r:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-r.done:
	case <-ctx.Done():
		if r.claim.CompareAndSwap(false, true) {
			return ctx.Err()
		}
		<-r.done // fn has begun: the truth is on its way
	}
	switch {
	case r.exited:
		runtime.Goexit()
	case r.panicked:
		panic(r.value)
	}
	return r.err
}
