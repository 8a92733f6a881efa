package sqlite

import (
	"context"
	"errors"
	"sync"
)

// viewsMost is how many Views run at once; more wait, the longest waiting first. It is
// far above what the processors can use: Views that take long hold up others only when
// there are this many of them.
const viewsMost = 32

// A pool lends connections to Views. They are opened when first needed and kept.
type pool struct {
	open  func() (*conn, error)
	slots chan struct{} // one element for each conn lent

	mu   sync.Mutex
	idle []*conn // the last used last: its pages are in the cache
}

func newPool(open func() (*conn, error)) *pool {
	return &pool{open: open, slots: make(chan struct{}, viewsMost)}
}

// lend returns a connection that is the caller's until it gives it back.
func (p *pool) lend(ctx context.Context) (*conn, error) {
	select {
	case p.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	p.mu.Lock()
	if n := len(p.idle); n > 0 {
		c := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return c, nil
	}
	p.mu.Unlock()
	c, err := p.open()
	if err != nil {
		<-p.slots
	}
	return c, err
}

// giveBack ends what transaction is open on c and keeps c for others, unless it is broken.
func (p *pool) giveBack(c *conn) {
	defer func() { <-p.slots }()
	if !c.AutocommitEnabled() && c.run(qCommit) != nil {
		c.Close()
		return
	}
	p.mu.Lock()
	p.idle = append(p.idle, c)
	p.mu.Unlock()
}

// close closes the connections; none is lent.
func (p *pool) close() error {
	var errs []error
	for _, c := range p.idle {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}
