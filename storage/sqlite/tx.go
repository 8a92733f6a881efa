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

	read    logsRead
	over    bool  // fn has returned
	wrote   bool  // a write was tried
	rows    bool  // it has written to the database
	nested  bool  // after others of the batch: a savepoint keeps them apart
	deleted bool  // what it has read may not be there any more
	err     error // the first error of a write
	changes []nodes.Change
}

// logsRead are the logs that a run has read. Most read one or two.
type logsRead struct {
	few  []logRead
	many map[types.ID]storage.Log // all of them, if they are not few
}

type logRead struct {
	id  types.ID
	log storage.Log
}

func (r *logsRead) put(id types.ID, l storage.Log) {
	const few = 8
	switch {
	case r.many != nil:
		r.many[id] = l
	case len(r.few) < few:
		r.few = append(r.few, logRead{id, l})
	default:
		r.many = make(map[types.ID]storage.Log)
		for _, f := range r.few {
			r.many[f.id] = f.log
		}
		r.many[id] = l
	}
}

func (r *logsRead) get(id types.ID) (l storage.Log, ok bool) {
	if r.many != nil {
		l, ok = r.many[id]
		return l, ok
	}
	for _, f := range r.few {
		if f.id == id {
			return f.log, true
		}
	}
	return l, false
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
		t.read.put(chain[n-1].ID, *chain[n-1].Log)
	}
	return chain, nil
}

// askedOf returns the commit of a version of the log l of the last chain.
func (t *tx) askedOf(l *storage.Log, version int64) (*storage.Commit, error) {
	for _, c := range l.Commits {
		if c.Version == version {
			return &c, nil
		}
	}
	if version > l.Last {
		return nil, nil
	}
	if c := added(t.journal.upTo(t.lastID, all), version); c != nil {
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
