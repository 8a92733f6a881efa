package sqlite

import (
	"context"
	"runtime"
	"sync/atomic"

	"github.com/leveelake/catalog/storage"
)

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
