package postgres

import (
	"cmp"
	"context"
	"reflect"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

func (s *Store) view(ctx context.Context, fn func(tx storage.ReadTx) error) error {
	p := pause{patience: s.patient}
	whole := false
	for {
		v := &viewer{s: s, whole: whole}
		err := v.run(fn)
		switch {
		case v.torn: // no pause: in a snapshot it gets done whatever others write
			whole = true
			continue
		case v.broken == nil:
			return err
		}
		broken := faultOf(s.where, v.broken)
		if !isPassing(v.broken) {
			return cmp.Or(err, broken) // what fn makes of a read that failed is not what is there
		}
		s.distrust(v.broken)
		if !p.wait(ctx) {
			return cmp.Or(ctx.Err(), broken)
		}
	}
}

// A viewer is a run of the function of a View. Its first read is alone: it may come from
// memory, confirmed, or from one statement. Only before a second one does it begin a snapshot,
// in which it does the first again to see that it is still true. Where that was in vain, the next run does
// all of its reads in a snapshot.
type viewer struct {
	s      *Store
	whole  bool                              // all reads in the snapshot
	first  func(src source) (reading, error) // nil: there was none
	saw    saw
	snap   *snapshot
	torn   bool  // the first read is not true any more: fn has to run again
	broken error // a read failed
	over   bool
}

func (v *viewer) run(fn func(tx storage.ReadTx) error) error {
	defer func() { // on a panic of fn, too
		v.over = true
		if v.snap != nil {
			v.snap.end()
		}
	}()
	return fn(v)
}

// read does a read; recall, if it is not nil, may have it in memory.
func (v *viewer) read(ctx context.Context, recall func() ([]storage.Node, bool), w storage.Want, do func(src source) (reading, error)) (reading, error) {
	switch {
	case v.over:
		return reading{}, errOver
	case v.torn:
		return reading{}, errTorn
	case ctx.Err() != nil:
		return reading{}, ctx.Err()
	}
	r, err := v.try(ctx, recall, w, do)
	if err != nil && ctx.Err() == nil {
		v.broken = err
	}
	return r, faultIn(ctx, v.s.where, err)
}

func (v *viewer) try(ctx context.Context, recall func() ([]storage.Node, bool), w storage.Want, do func(src source) (reading, error)) (r reading, err error) {
	if v.whole {
		if v.snap == nil {
			if v.snap, err = v.s.snapshot(ctx); err != nil {
				return reading{}, err
			}
		}
		return do(v.snap)
	}
	if v.first == nil {
		v.first = do
		if recall != nil {
			if nodes, ok := recall(); ok {
				v.saw = sawChain(nodes, wanted(w))
				if ok, err := v.s.probes.check(ctx, &v.saw); ok || err != nil {
					return reading{nodes: nodes}, err
				}
			}
		}
		r, err = do(v.s)
		v.saw = r.saw
		return r, err
	}
	if v.snap == nil {
		if v.snap, err = v.s.snapshot(ctx); err != nil {
			return reading{}, err
		}
		now, err := v.first(v.snap)
		if err != nil {
			return reading{}, err
		}
		if !reflect.DeepEqual(now.saw, v.saw) {
			v.torn = true
			return reading{}, errTorn
		}
	}
	return do(v.snap)
}

func (v *viewer) Lookup(ctx context.Context, path []storage.Step, w storage.Want) ([]storage.Node, error) {
	r, err := v.read(ctx, func() ([]storage.Node, bool) { return v.s.cache.Lookup(path, w, true) }, w,
		func(src source) (reading, error) { return v.s.lookup(ctx, src, path, w) })
	return r.nodes, err
}

func (v *viewer) Get(ctx context.Context, id types.ID, w storage.Want) ([]storage.Node, error) {
	r, err := v.read(ctx, func() ([]storage.Node, bool) { return v.s.cache.Get(id, w, true) }, w,
		func(src source) (reading, error) { return v.s.get(ctx, src, id, w) })
	return r.nodes, err
}

func (v *viewer) List(ctx context.Context, q storage.ListQuery, w storage.Want) ([]storage.Node, error) {
	r, err := v.read(ctx, nil, w, func(src source) (reading, error) { return v.s.list(ctx, src, q, w) })
	return r.nodes, err
}

func (v *viewer) Overlap(ctx context.Context, location string, kinds []types.Kind, below int) ([]storage.Object, error) {
	r, err := v.read(ctx, nil, storage.Want{}, func(src source) (reading, error) { return v.s.overlap(ctx, src, location, kinds, below) })
	return r.objects, err
}

// A snapshot is a transaction in which all reads are of one instant: that of the first.
type snapshot struct {
	ctx context.Context
	c   *pgxpool.Conn
}

// snapshot begins a snapshot.
func (s *Store) snapshot(ctx context.Context) (*snapshot, error) {
	c, err := s.acquire(ctx)
	if err != nil {
		return nil, err
	}
	if _, err = c.Exec(ctx, `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`); err != nil {
		c.Release()
		return nil, err
	}
	return &snapshot{ctx, c}, nil
}

func (t *snapshot) read(ctx context.Context, sql string, args ...any) (found, error) {
	return readOn(ctx, t.c.Conn(), sql, args...)
}

// end ends the snapshot and gives its connection back.
func (t *snapshot) end() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.ctx), time.Second)
	defer cancel()
	_, _ = t.c.Exec(ctx, `COMMIT`) // the pool closes what is still in a transaction
	t.c.Release()
}

// inSnapshot runs fn on a snapshot of its own.
func (s *Store) inSnapshot(ctx context.Context, fn func(a *attempt) error) (*attempt, error) {
	a := &attempt{s: s}
	t, err := s.snapshot(ctx)
	if err != nil {
		if ctx.Err() == nil {
			a.broken = err
		}
		return a, faultIn(ctx, s.where, err)
	}
	defer func() { // on a panic of fn, too
		a.over = true
		t.end()
	}()
	a.src = t
	return a, fn(a)
}
