// Package gate lets calls into a store until it is closed, and lets Close wait for those within.
package gate

import (
	"context"
	"sync"

	"github.com/leveelake/catalog/storage"
)

// A Gate is open as it is made.
type Gate struct {
	mu   sync.Mutex
	in   sync.WaitGroup // Add under mu, and not once shut
	shut bool
}

// Enter counts a call in, which must Leave, or refuses it: with [storage.ErrClosed] if it came
// too late, or with the error of its context.
func (g *Gate) Enter(ctx context.Context) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shut {
		return storage.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	g.in.Add(1)
	return nil
}

// Leave ends a call that was let in.
func (g *Gate) Leave() { g.in.Done() }

// Shut lets nobody in any more.
func (g *Gate) Shut() {
	g.mu.Lock()
	g.shut = true
	g.mu.Unlock()
}

// Wait waits, after Shut, for those within.
func (g *Gate) Wait() { g.in.Wait() }
