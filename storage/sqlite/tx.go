package sqlite

import (
	"context"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/storage/internal/nodes"
	"github.com/leveelake/catalog/types"
)

// A tx is an Update under way, one of a batch. No other Update runs beside it, so what it reads
// stays true until it ends, be it from the cache or from the database: the conditions of
// its writes guard only against a fn that passes what it has not read.
//
// Its writes to logs wait in memory for the end of the batch. Those to objects go to the database
// at once, which sees to names, parents and all that is beneath.
type tx struct {
	reader
	writer *writer
	from   position // of its first write to a log

	read    []seen
	over    bool  // fn has returned
	wrote   bool  // a write was tried
	rows    bool  // it has written to the database
	nested  bool  // after others of the batch: a savepoint keeps them apart
	deleted bool  // what it has read may not be there any more
	err     error // the first error of a write
	changes []nodes.Change
}

// seen is a log that this run has read, without its commits.
type seen struct {
	id  types.ID
	log storage.Log
}

// Lookup, Get, List and Overlap read as in a View, before the first write.

func (t *tx) Lookup(ctx context.Context, path []storage.Step, w storage.Want) ([]storage.Node, error) {
	return t.chain(ctx, w,
		func(w storage.Want) ([]storage.Node, bool) { return t.writer.cache.Lookup(path, w, true) },
		func() ([]storage.Node, error) { return t.byPath(ctx, path, w) })
}

func (t *tx) Get(ctx context.Context, id types.ID, w storage.Want) ([]storage.Node, error) {
	return t.chain(ctx, w,
		func(w storage.Want) ([]storage.Node, bool) { return t.writer.cache.Get(id, w, true) },
		func() ([]storage.Node, error) { return t.byID(ctx, id, w) })
}

func (t *tx) List(ctx context.Context, q storage.ListQuery, w storage.Want) ([]storage.Node, error) {
	if err := t.ready(ctx); err != nil {
		return nil, err
	}
	if err := t.begin(); err != nil {
		return nil, err
	}
	return t.childrenOf(ctx, q, w)
}

func (t *tx) Overlap(ctx context.Context, location string, kinds []types.Kind, below int) ([]storage.Object, error) {
	if err := t.ready(ctx); err != nil {
		return nil, err
	}
	if err := t.begin(); err != nil {
		return nil, err
	}
	return t.near(ctx, location, kinds, below)
}

// ready says whether a read may begin.
func (t *tx) ready(ctx context.Context) error {
	switch {
	case t.over:
		return errOver
	case t.wrote:
		return storage.ErrOrder
	}
	return ctx.Err()
}

// begin begins the transaction of the batch, if it has none yet.
func (t *tx) begin() error { return t.fault(t.writer.begin()) }

// chain returns what the cache has or else the tables.
func (t *tx) chain(ctx context.Context, w storage.Want, cached func(storage.Want) ([]storage.Node, bool), fromTables func() ([]storage.Node, error)) ([]storage.Node, error) {
	if err := t.ready(ctx); err != nil {
		return nil, err
	}
	version := w.Version
	w.Version = 0 // the cache knows few of them, and nothing at all if not that one
	chain, ok := cached(w)
	if ok {
		t.lastID, t.lastKey = chain[len(chain)-1].ID, 0
		if l := chain[len(chain)-1].Log; l != nil && version != 0 {
			var err error
			if l.Asked, err = t.askedOf(l, version); err != nil {
				return nil, t.fault(err)
			}
		}
	} else {
		if err := t.begin(); err != nil {
			return nil, err
		}
		var err error
		if chain, err = fromTables(); err != nil {
			return nil, err
		}
		t.writer.cache.Put(t.writer.cache.Mark(), chain, w)
	}
	if n := len(chain); n > 0 && chain[n-1].Log != nil {
		l := chain[n-1].Log
		t.read = append(t.read, seen{chain[n-1].ID, storage.Log{Revision: l.Revision, Last: l.Last, Backfilled: l.Backfilled}})
	}
	return chain, nil
}

// askedOf returns the commit of a version of the log l of the last chain.
func (t *tx) askedOf(l *storage.Log, version int64) (*storage.Commit, error) {
	for _, c := range l.Commits {
		if c.Version == version {
			c = copyCommit(c)
			return &c, nil
		}
	}
	if version > l.Last {
		return nil, nil
	}
	steps := t.journal.upTo(t.lastID, all)
	if c, ok := asked(steps, version); ok {
		return c, nil
	}
	if err := t.writer.begin(); err != nil {
		return nil, err
	}
	key, err := t.keyOf(t.lastID)
	if err != nil {
		return nil, err
	}
	return t.stored(key, version)
}
