package wire

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// A Source makes the next request of a connection (they are numbered from 0) in dst, which is
// empty, and is told how it was answered. Calls for one connection never overlap.
type Source interface {
	Next(conn int, dst []byte) []byte
	Answered(conn int, a Answer) error
}

// A Repeat sends the same request again and again, and wants this status.
type Repeat struct {
	Request []byte
	Status  int
}

// Next is as Source has it.
func (r Repeat) Next(int, []byte) []byte { return r.Request }

// Answered is as Source has it.
func (r Repeat) Answered(_ int, a Answer) error { return Want(a, r.Status) }

// Want is an error if the status is another.
func Want(a Answer, status int) error {
	if a.Status != status {
		return fmt.Errorf("the server answered %d: %.300s", a.Status, a.Body)
	}
	return nil
}

// Hammer sends requests over some connections at once, each as soon as the one before is answered,
// for a time, and at least one. It returns the number of answers and how long it took. The first error ends it.
func Hammer(ctx context.Context, t Target, conns int, d time.Duration, s Source) (int64, time.Duration, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	open := make([]*Conn, conns)
	for i := range open {
		var err error
		if open[i], err = Dial(ctx, t, time.Minute); err != nil {
			return 0, 0, err
		}
		defer open[i].Close()
	}
	var stop atomic.Bool
	var ops atomic.Int64
	start := time.Now()
	timer := time.AfterFunc(d, func() { stop.Store(true) })
	defer timer.Stop()
	var group sync.WaitGroup
	for i, c := range open {
		group.Go(func() {
			var request []byte
			n := int64(0)
			defer func() { ops.Add(n) }()
			for first := true; first || !stop.Load(); first = false {
				request = s.Next(i, request[:0])
				a, err := c.Do(request)
				if err == nil {
					err = s.Answered(i, a)
				}
				if err != nil {
					cancel(err)
					return
				}
				n++
			}
		})
	}
	group.Wait()
	took := time.Since(start)
	return ops.Load(), took, context.Cause(ctx)
}
