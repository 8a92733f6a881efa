package postgres

import (
	"context"
	"errors"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

var (
	// errOver is the answer to the use of a transaction after its fn has returned.
	errOver = errors.New("postgres: the transaction is over")

	// errTorn is the answer to a read that would not be of the instant of the first: fn will run again.
	errTorn = errors.New("postgres: the transaction runs again")
)

// An attempt is one run of the function of an Update. It reads, from the database or from what is
// remembered, and takes down what it has read; what is to be written it only takes down.
type attempt struct {
	s      *Store
	src    source // where reads go
	cached bool   // chains may come from memory, unchecked

	reads   []saw
	memory  bool  // at least one read came from memory
	broken  error // a read failed, and not for its context
	over    bool
	wrote   bool
	err     error // the first error of a write
	writes  []write
	changed map[types.ID]*now // what the run has written; see known
	index   map[types.ID]*now // what it has read, if that is much
}

// A write is what a run wants to be written; it is an Insert, a Replace, a Delete or a WriteLog.
type write struct {
	old, new *storage.Object
	id       types.ID // of a WriteLog
	log      storage.Log
	delta    storage.LogDelta
	after    *storage.Log // the log then, nil if it is not known
	unread   bool         // what it changes was not read in the run
}

// now is what the run knows of an object.
type now struct {
	revision int64
	gone     bool
	log      int64
	logKnown bool
	full     *storage.Log // nil: not known
	inserted bool         // by the run
}

// A Lookup or a Get from memory may be wrong, as may be one of the database if others come
// between two of them: the writes are conditional on all of them.

func (a *attempt) Lookup(ctx context.Context, path []storage.Step, w storage.Want) ([]storage.Node, error) {
	if err := a.ready(ctx); err != nil {
		return nil, err
	}
	if a.cached {
		if chain, ok := a.s.cache.Lookup(path, w, true); ok {
			return a.remembered(chain, w)
		}
	}
	r, err := a.s.lookup(ctx, a.src, path, w)
	return a.note(ctx, r, err)
}

func (a *attempt) Get(ctx context.Context, id types.ID, w storage.Want) ([]storage.Node, error) {
	if err := a.ready(ctx); err != nil {
		return nil, err
	}
	if a.cached {
		if chain, ok := a.s.cache.Get(id, w, true); ok {
			return a.remembered(chain, w)
		}
	}
	r, err := a.s.get(ctx, a.src, id, w)
	return a.note(ctx, r, err)
}

func (a *attempt) List(ctx context.Context, q storage.ListQuery, w storage.Want) ([]storage.Node, error) {
	if err := a.ready(ctx); err != nil {
		return nil, err
	}
	r, err := a.s.list(ctx, a.src, q, w)
	return a.note(ctx, r, err)
}

func (a *attempt) Overlap(ctx context.Context, location string, kinds []types.Kind, below int) ([]storage.Object, error) {
	if err := a.ready(ctx); err != nil {
		return nil, err
	}
	r, err := a.s.overlap(ctx, a.src, location, kinds, below)
	_, err = a.note(ctx, r, err)
	return r.objects, err
}

func (a *attempt) ready(ctx context.Context) error {
	switch {
	case a.over:
		return errOver
	case a.wrote:
		return storage.ErrOrder
	case a.broken != nil:
		return faultOf(a.s.where, a.broken)
	}
	return ctx.Err()
}

func (a *attempt) remembered(chain []storage.Node, w storage.Want) ([]storage.Node, error) {
	a.memory = true
	sees := sawChain(chain, wanted(w))
	sees.keep(chain)
	a.reads = append(a.reads, sees)
	return chain, nil
}

// note takes down a read. A failure that is not the caller's ends the run.
func (a *attempt) note(ctx context.Context, r reading, err error) ([]storage.Node, error) {
	if err != nil {
		if ctx.Err() == nil {
			a.broken = err
		}
		return nil, faultIn(ctx, a.s.where, err)
	}
	r.saw.keep(r.nodes)
	a.reads = append(a.reads, r.saw)
	return r.nodes, nil
}
