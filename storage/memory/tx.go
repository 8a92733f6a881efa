package memory

import (
	"context"
	"fmt"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// A tx is an Update under way: it reads from and writes to a state of its own.
//
// It is strict about what callers owe a store, so that a fault of theirs shows here and
// not first on a store that relies on it: what is listed, replaced, deleted or logged
// must have been read in this run (or written by it), revisions go up, and what
// never changes does not.
type tx struct {
	reader
	seen  map[types.ID]seen
	wrote bool
	err   error // the first error of a write
}

// seen is what this run knows of an object, from reading it or from writing it.
type seen struct {
	revision int64
	log      int64 // its log's revision, if known
	last     bool  // it was the last of a chain
}

// Lookup, Get, List and Overlap read and take down what was read.

func (t *tx) Lookup(ctx context.Context, path []storage.Step, w storage.Want) ([]storage.Node, error) {
	if t.wrote {
		return nil, storage.ErrOrder
	}
	nodes, err := t.reader.Lookup(ctx, path, w)
	t.saw(nodes, true)
	return nodes, err
}

func (t *tx) Get(ctx context.Context, id types.ID, w storage.Want) ([]storage.Node, error) {
	if t.wrote {
		return nil, storage.ErrOrder
	}
	nodes, err := t.reader.Get(ctx, id, w)
	t.saw(nodes, true)
	return nodes, err
}

func (t *tx) List(ctx context.Context, q storage.ListQuery, w storage.Want) ([]storage.Node, error) {
	if t.wrote {
		return nil, storage.ErrOrder
	}
	if !t.seen[q.Parent].last {
		return nil, fmt.Errorf("memory: List of %q, which this run has not read as the last of a chain", q.Parent)
	}
	nodes, err := t.reader.List(ctx, q, w)
	t.saw(nodes, false)
	return nodes, err
}

func (t *tx) Overlap(ctx context.Context, location string, kinds []types.Kind, below int) ([]storage.Object, error) {
	if t.wrote {
		return nil, storage.ErrOrder
	}
	objects, err := t.reader.Overlap(ctx, location, kinds, below)
	for _, o := range objects {
		t.note(o.ID, seen{revision: o.Revision})
	}
	return objects, err
}

func (t *tx) saw(nodes []storage.Node, chain bool) {
	for i, n := range nodes {
		s := seen{revision: n.Revision, last: chain && i == len(nodes)-1}
		if n.Log != nil {
			s.log = n.Log.Revision
		}
		t.note(n.ID, s)
		for _, o := range n.Beside {
			t.note(o.ID, seen{revision: o.Revision})
		}
	}
}

// note adds s to what is known; nothing else changes the state during a run, so the
// revisions of two reads agree.
func (t *tx) note(id types.ID, s seen) {
	if t.seen == nil {
		t.seen = make(map[types.ID]seen)
	}
	was := t.seen[id]
	t.seen[id] = seen{s.revision, max(s.log, was.log), s.last || was.last}
}

func (t *tx) Insert(ctx context.Context, o storage.Object) error {
	return t.write(ctx, func() error {
		if o.Parent == "" {
			if _, ok := t.state.root(); ok {
				return fmt.Errorf("%w: there is a root", storage.ErrExists)
			}
		} else if !t.state.objects.has(o.Parent) {
			return fmt.Errorf("%w: no parent %s", storage.ErrStale, o.Parent)
		}
		if t.state.objects.has(o.ID) || t.state.children.has(placeOf(&o)) {
			return fmt.Errorf("%w: %s %q", storage.ErrExists, o.Kind, o.Name)
		}
		if o.ID == "" || o.Revision != 1 {
			return fmt.Errorf("memory: Insert of %s %q with ID %q and revision %d", o.Kind, o.Name, o.ID, o.Revision)
		}
		t.state.put(o, nil)
		t.note(o.ID, seen{revision: o.Revision})
		return nil
	})
}

func (t *tx) Replace(ctx context.Context, old, new storage.Object) error {
	return t.write(ctx, func() error {
		is, err := t.current(old)
		if err != nil {
			return err
		}
		if id, ok := t.state.children.get(placeOf(&new)); ok && id != old.ID {
			return fmt.Errorf("%w: %s %q", storage.ErrExists, new.Kind, new.Name)
		}
		if new.ID != is.ID || new.Parent != is.Parent || !stored(new.Created).Equal(is.Created) || new.Revision <= is.Revision {
			return fmt.Errorf("memory: Replace of %s %s changes ID, Parent or Created, or does not raise Revision", is.Kind, is.ID)
		}
		t.state.put(new, is)
		t.note(new.ID, seen{revision: new.Revision})
		return nil
	})
}

func (t *tx) Delete(ctx context.Context, old storage.Object) error {
	return t.write(ctx, func() error {
		is, err := t.current(old)
		if err != nil {
			return err
		}
		t.state.remove(is)
		return nil
	})
}

func (t *tx) WriteLog(ctx context.Context, id types.ID, old storage.Log, d storage.LogDelta) error {
	return t.write(ctx, func() error {
		s, known := t.seen[id]
		if !known || !t.state.objects.has(id) {
			return fmt.Errorf("%w: log of %s", storage.ErrStale, id)
		}
		l, _ := t.state.logs.get(id)
		if old.Revision != l.rev() || old.Revision != s.log {
			return fmt.Errorf("%w: log of %s", storage.ErrStale, id)
		}
		if d.Revision <= old.Revision || d.Last < l.lastVersion() || d.Backfilled < 0 || d.Backfilled > d.Last || d.Add != nil && d.Add.Version != d.Last {
			return fmt.Errorf("memory: WriteLog of %s does not raise Revision, lowers Last, backfills what is not there, or adds another version than the last", id)
		}
		if d.Add != nil && l != nil {
			if _, ok := l.commit(d.Add.Version); ok {
				return fmt.Errorf("memory: WriteLog of %s: there is a version %d", id, d.Add.Version)
			}
		}
		t.state.writeLog(id, l, d)
		t.note(id, seen{revision: s.revision, log: d.Revision})
		return nil
	})
}

// write runs one write, unless one before it went wrong.
func (t *tx) write(ctx context.Context, fn func() error) error {
	if t.err != nil {
		return t.err
	}
	err := t.ready(ctx)
	if err == nil {
		err = fn()
	}
	t.wrote, t.err = true, err
	return err
}

// current returns the object that is stored under old's ID, if it is as this run knows it.
func (t *tx) current(old storage.Object) (*storage.Object, error) {
	is, ok := t.state.objects.get(old.ID)
	if !ok || is.Revision != old.Revision || t.seen[old.ID].revision != old.Revision {
		return nil, fmt.Errorf("%w: %s %s", storage.ErrStale, old.Kind, old.ID)
	}
	return is, nil
}
