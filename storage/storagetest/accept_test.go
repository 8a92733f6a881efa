package storagetest

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/storage/memory"
)

// The suite takes every store that keeps the contract, however it does that.
func TestAccepts(t *testing.T) {
	// One that locks is memory itself, in its own test.
	t.Run("optimistic", func(t *testing.T) {
		Run(t, open(func() Store { return &optimistic{Store: memory.New()} }))
	})
	// One that keeps its data and has one owner; its clients' functions run twice.
	t.Run("rerun", func(t *testing.T) {
		Run(t, newKept(false, func(s storage.Store) storage.Store { return Rerun(s, nil) }).backend())
	})
	// One that many share.
	t.Run("shared", func(t *testing.T) {
		Run(t, newKept(true, func(s storage.Store) storage.Store { return s }).backend())
	})
}

func open(fn func() Store) Backend {
	return Backend{Open: func(testing.TB, string) (Store, error) { return fn(), nil }}
}

// kept gives memory stores the other abilities of a Backend: it keeps the store of each
// dir, for one owner or for many, and lets commits fail.
type kept struct {
	mu     sync.Mutex
	stores map[string]storage.Store // by dir
	owners map[string]int
	last   *client // opened, for a test that wants it
	shared bool
	wrap   func(s storage.Store) storage.Store // what its clients get
}

func newKept(shared bool, wrap func(s storage.Store) storage.Store) *kept {
	return &kept{stores: make(map[string]storage.Store), owners: make(map[string]int), shared: shared, wrap: wrap}
}

func (k *kept) backend() Backend {
	return Backend{Open: k.open, Durable: true, Shared: k.shared, Break: func(_ testing.TB, s Store, persisted bool) {
		if persisted {
			s.(*client).fault = FailedButPersisted()
		} else {
			s.(*client).fault = FailedNotPersisted()
		}
	}}
}

func (k *kept) open(_ testing.TB, dir string) (Store, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.owners[dir] > 0 && !k.shared {
		return nil, errors.New("in use")
	}
	k.owners[dir]++
	if k.stores[dir] == nil {
		k.stores[dir] = memory.New()
	}
	c := &client{leave: func() { k.leave(dir) }}
	c.store = k.wrap(Faulty(k.stores[dir], func(op Op) Fault {
		if len(op.Writes) > 0 {
			return c.fault
		}
		return Fault{}
	}))
	return c, nil
}

func (k *kept) leave(dir string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.owners[dir]--
}

// A client is what one Open returned.
type client struct {
	store  storage.Store
	fault  Fault // of its next Update
	closed atomic.Bool
	leave  func()
}

func (c *client) View(ctx context.Context, fn func(tx storage.ReadTx) error) error {
	if c.closed.Load() {
		return storage.ErrClosed
	}
	return c.store.View(ctx, fn)
}

func (c *client) Update(ctx context.Context, fn func(tx storage.Tx) error) error {
	if c.closed.Load() {
		return storage.ErrClosed
	}
	return c.store.Update(ctx, fn)
}

func (c *client) Close() error {
	if !c.closed.Swap(true) {
		c.leave()
	}
	return nil
}
