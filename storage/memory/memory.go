// Package memory is the reference implementation of a store, and the model that others
// are compared with. It keeps nothing beyond the life of the process.
package memory

import (
	"context"
	"sync/atomic"

	"github.com/leveelake/catalog/storage"
)

// A Store keeps everything in memory. One Update runs at a time; a View runs on the
// state that the last Update left. Both cost by what they touch, not by what is stored.
type Store struct {
	state  atomic.Pointer[state] // nil once closed; never changed, only replaced: by the holder of writer
	writer chan struct{}         // a mutex that can be waited for with a context
}

// New returns an empty store.
func New() *Store {
	s := &Store{writer: make(chan struct{}, 1)}
	s.state.Store(newState())
	return s
}

// View runs fn on the state of the last Update.
func (s *Store) View(ctx context.Context, fn func(tx storage.ReadTx) error) error {
	now := s.state.Load()
	if now == nil {
		return storage.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	r := &reader{state: now}
	defer func() { r.over = true }()
	return fn(r)
}

// Update runs fn on a copy of the state, once and with no other Update beside it, and
// makes the copy the state if all went well.
func (s *Store) Update(ctx context.Context, fn func(tx storage.Tx) error) error {
	select {
	case s.writer <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-s.writer }() // on a panic of fn, too

	now := s.state.Load()
	if now == nil {
		return storage.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	next := *now
	t := &tx{reader: reader{state: &next}}
	defer func() { t.over = true }()
	if err := fn(t); err != nil {
		return err
	}
	if t.err != nil {
		return t.err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if t.wrote {
		s.state.Store(&next)
	}
	return nil
}

// Close waits for the Update under way and ends the use of the store.
func (s *Store) Close() error {
	s.writer <- struct{}{}
	defer func() { <-s.writer }()
	s.state.Store(nil)
	return nil
}
