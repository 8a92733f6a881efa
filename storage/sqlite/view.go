package sqlite

import (
	"context"
	"errors"
	"slices"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/storage/internal/nodes"
	"github.com/leveelake/catalog/types"
)

// A view is a run of a View. Most make one read, and most of those are answered by the cache, which
// takes no transaction. A second read begins one, and if what the cache has answered is the same there, the
// run goes on in it. Else it is for nothing, and another asks the database alone. (Then, as nobody can stop
// runtime.Goexit, a fn that calls it when a read fails ends its caller, though that run does not count.)
type view struct {
	store    *Store
	useCache bool

	answered []revision // by the cache
	id       types.ID   // of the last of them
	want     storage.Want
	again    bool // a run without the cache must follow
	over     bool // fn has returned

	reader reader // its conn is nil until it is needed
	mark   nodes.Mark
	room   [6]revision // for answered
}

// errAgain ends a run that is for nothing.
var errAgain = errors.New("sqlite: this run of the View is followed by another")

// View runs fn on a snapshot: that of the first read.
func (s *Store) View(ctx context.Context, fn func(tx storage.ReadTx) error) error {
	if err := s.gate.Enter(ctx); err != nil {
		return err
	}
	defer s.gate.Leave()
	if err := s.writer.resolved(ctx); err != nil {
		return err
	}
	v := &view{store: s, useCache: true}
	err := v.run(fn)
	if v.again {
		v = &view{store: s}
		err = v.run(fn)
	}
	return err
}

func (v *view) run(fn func(tx storage.ReadTx) error) error {
	defer func() { // on a panic of fn, too
		v.over = true
		if v.again {
			_ = recover() // nor does a panic count
		}
		if v.reader.conn != nil {
			v.store.views.giveBack(v.reader.conn)
		}
	}()
	return fn(v)
}

// Lookup walks the path by one search a step, if the cache does not know it.
func (v *view) Lookup(ctx context.Context, path []storage.Step, w storage.Want) ([]storage.Node, error) {
	return v.chain(ctx, w,
		func() ([]storage.Node, bool) { return v.store.cache.Lookup(path, w, false) },
		func() ([]storage.Node, error) { return v.reader.byPath(ctx, path, w) })
}

// Get climbs from the object to the root, if the cache does not know them.
func (v *view) Get(ctx context.Context, id types.ID, w storage.Want) ([]storage.Node, error) {
	return v.chain(ctx, w,
		func() ([]storage.Node, bool) { return v.store.cache.Get(id, w, false) },
		func() ([]storage.Node, error) { return v.reader.byID(ctx, id, w) })
}

// chain returns what the cache has, if it is the first read, or else the database.
func (v *view) chain(ctx context.Context, w storage.Want, cached func() ([]storage.Node, bool), stored func() ([]storage.Node, error)) ([]storage.Node, error) {
	if err := v.ready(ctx); err != nil {
		return nil, err
	}
	if v.useCache && v.reader.conn == nil && v.answered == nil {
		if chain, ok := cached(); ok {
			v.answered, v.id, v.want = revisions(v.room[:0], chain), chain[len(chain)-1].ID, w
			v.want.Beside = slices.Clone(w.Beside) // the caller may change them
			return chain, nil
		}
	}
	if err := v.snapshot(ctx); err != nil {
		return nil, err
	}
	chain, err := stored()
	if err == nil {
		v.store.cache.Put(v.mark, chain, w)
	}
	return chain, err
}

// List reads the children in the order of the index.
func (v *view) List(ctx context.Context, q storage.ListQuery, w storage.Want) ([]storage.Node, error) {
	if err := v.ready(ctx); err != nil {
		return nil, err
	}
	if err := v.snapshot(ctx); err != nil {
		return nil, err
	}
	return v.reader.childrenOf(ctx, q, w)
}

// Overlap asks the index on locations.
func (v *view) Overlap(ctx context.Context, location string, kinds []types.Kind, below int) ([]storage.Object, error) {
	if err := v.ready(ctx); err != nil {
		return nil, err
	}
	if err := v.snapshot(ctx); err != nil {
		return nil, err
	}
	return v.reader.near(ctx, location, kinds, below)
}

// ready says whether a read may begin.
func (v *view) ready(ctx context.Context) error {
	switch {
	case v.over:
		return errOver
	case v.again:
		return errAgain
	}
	return ctx.Err()
}

// snapshot begins the transaction before the first read that needs it.
func (v *view) snapshot(ctx context.Context) error {
	if v.reader.conn != nil {
		return nil
	}
	c, err := v.store.views.lend(ctx)
	if err != nil {
		return err
	}
	v.mark = v.store.cache.Mark() // before the snapshot, so that the cache takes nothing that is older than it thinks
	j, batch, err := v.store.begin(c)
	if err != nil {
		v.store.views.giveBack(c)
		return c.fault(err)
	}
	v.reader = reader{conn: c, journal: j, batch: batch}
	return v.confirm(ctx)
}

// begin begins a snapshot on c and returns the journal that belongs to it, and the last batch of
// it that the snapshot sees.
func (s *Store) begin(c *conn) (j *journal, batch int64, err error) {
	for range 100 {
		if err := c.run(qBegin); err != nil {
			return nil, 0, err
		}
		if batch, err = c.lastBatch(); err != nil {
			return nil, 0, err
		}
		// The journal is of the snapshot or later. If it is later, what the snapshot sees
		// in the old one has moved to the tables since, so a new snapshot will do.
		if j = s.journal.Load(); batch == 0 || batch >= j.first {
			return j, batch, nil
		}
		if err := c.run(qCommit); err != nil {
			return nil, 0, err
		}
	}
	return nil, 0, errors.New("sqlite: the journal in the file is not that of this store")
}

// lastBatch returns the number of the last batch in the journal, 0 if that is empty.
func (c *conn) lastBatch() (int64, error) {
	s, err := c.get(qLastBatch)
	if err != nil {
		return 0, err
	}
	defer s.Reset()
	ok, err := s.Step()
	if !ok {
		return 0, err
	}
	return s.ColumnInt64(0), nil
}
