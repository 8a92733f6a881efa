package postgres

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/storage/internal/nodes"
	"github.com/leveelake/catalog/types"
)

// Writes of a run build on each other: what is known of an object is what the run has
// last written to it, or else read of it.

func (a *attempt) Insert(ctx context.Context, o storage.Object) error {
	return a.write(ctx, func() error {
		if o.ID == "" || o.Revision != 1 {
			return fmt.Errorf("postgres: Insert of %s %q with ID %q and revision %d", o.Kind, o.Name, o.ID, o.Revision)
		}
		if err := storableObject(o); err != nil {
			return err
		}
		p := a.known(o.Parent)
		if p != nil && p.gone {
			return fmt.Errorf("%w: no parent %s of %s %q", storage.ErrStale, o.Parent, o.Kind, o.Name)
		}
		o = asStored(o)
		a.change(o.ID, now{revision: o.Revision, logKnown: true, full: &storage.Log{}, inserted: true})
		a.writes = append(a.writes, write{new: &o, unread: o.Parent != "" && p == nil})
		return nil
	})
}

func (a *attempt) Replace(ctx context.Context, old, new storage.Object) error {
	return a.write(ctx, func() error {
		if new.ID != old.ID || new.Parent != old.Parent || new.Created.UnixMilli() != old.Created.UnixMilli() || new.Revision <= old.Revision {
			return fmt.Errorf("postgres: Replace of %s %s changes ID, Parent or Created, or does not raise Revision", old.Kind, old.ID)
		}
		if err := storableObject(new); err != nil {
			return err
		}
		unread, err := a.current(old)
		if err != nil {
			return err
		}
		k := now{revision: new.Revision}
		if was := a.known(old.ID); was != nil {
			k.log, k.logKnown, k.full, k.inserted = was.log, was.logKnown, was.full, was.inserted
		}
		a.change(old.ID, k)
		new = asStored(new)
		old.Body = nil // nobody needs it any more
		a.writes = append(a.writes, write{old: &old, new: &new, unread: unread})
		return nil
	})
}

func (a *attempt) Delete(ctx context.Context, old storage.Object) error {
	return a.write(ctx, func() error {
		unread, err := a.current(old)
		if err != nil {
			return err
		}
		a.change(old.ID, now{gone: true})
		old.Body = nil
		a.writes = append(a.writes, write{old: &old, unread: unread})
		return nil
	})
}

func (a *attempt) WriteLog(ctx context.Context, id types.ID, old storage.Log, d storage.LogDelta) error {
	return a.write(ctx, func() error {
		if d.Add != nil && !storable(d.Add.File) {
			return fmt.Errorf("postgres: WriteLog of %s: a file has a name that is no text", id)
		}
		k := a.known(id)
		last := old.Last
		if k != nil && k.full != nil {
			last = max(last, k.full.Last)
		}
		if d.Revision <= old.Revision || d.Last < last || d.Backfilled < 0 || d.Backfilled > d.Last || d.Add != nil && d.Add.Version != d.Last {
			return fmt.Errorf("postgres: WriteLog of %s does not raise Revision, lowers Last, backfills what is not there, or adds another version than the last", id)
		}
		if k != nil && (k.gone || k.logKnown && k.log != old.Revision) || !storable(string(id)) {
			return fmt.Errorf("%w: log of %s", storage.ErrStale, id)
		}
		w := write{id: id, log: old, delta: d, unread: k == nil || !k.logKnown}
		w.delta.State = slices.Clone(d.State)
		if d.Add != nil {
			add := *d.Add
			add.Data = slices.Clone(add.Data)
			w.delta.Add = &add
		}
		if k == nil {
			k = &now{revision: -1} // not known
		}
		if k.full != nil {
			w.after = nodes.After(*k.full, w.delta)
		}
		k.log, k.logKnown, k.full = d.Revision, true, w.after
		a.change(id, *k)
		a.writes = append(a.writes, w)
		return nil
	})
}

// write takes down one write, unless one before it went wrong.
func (a *attempt) write(ctx context.Context, fn func() error) error {
	if a.over {
		return errOver
	}
	if a.broken != nil { // what it writes is nothing that it can have read
		return faultOf(a.s.where, a.broken)
	}
	if a.err != nil {
		return a.err
	}
	if a.err = ctx.Err(); a.err != nil {
		return a.err
	}
	a.wrote = true
	a.err = fn()
	return a.err
}

// current says whether old is what the run knows, and whether it does not know it.
func (a *attempt) current(old storage.Object) (unread bool, err error) {
	k := a.known(old.ID)
	if k == nil || k.revision < 0 {
		if !storable(string(old.ID)) {
			return false, fmt.Errorf("%w: %s %s", storage.ErrStale, old.Kind, old.ID)
		}
		return true, nil
	}
	if k.gone || k.revision != old.Revision {
		return false, fmt.Errorf("%w: %s %s", storage.ErrStale, old.Kind, old.ID)
	}
	return false, nil
}

// known returns what the run knows of an object, nil if nothing.
func (a *attempt) known(id types.ID) *now {
	if k := a.changed[id]; k != nil {
		return k
	}
	if a.index == nil && len(a.reads) == 1 && len(a.reads[0].refs) < 16 {
		return a.reads[0].known(id)
	}
	if a.index == nil { // nothing is read any more
		a.index = make(map[types.ID]*now)
		for i := range a.reads {
			a.reads[i].knowAll(a.index)
		}
	}
	return a.index[id]
}

// known is attempt.known of one read.
func (s *saw) known(id types.ID) *now {
	for _, r := range s.refs {
		if r.id != id {
			continue
		}
		k := &now{revision: r.revision}
		for _, l := range s.logs {
			if l.id == id {
				k.log, k.logKnown, k.full = l.revision, true, l.log
			}
		}
		return k
	}
	return nil
}

func (s *saw) knowAll(all map[types.ID]*now) {
	for _, r := range s.refs {
		k := all[r.id]
		if k == nil {
			k = &now{}
			all[r.id] = k
		}
		k.revision = r.revision
	}
	for _, l := range s.logs {
		k := all[l.id]
		k.log, k.logKnown, k.full = l.revision, true, l.log
	}
}

func (a *attempt) change(id types.ID, k now) {
	if a.changed == nil {
		a.changed = make(map[types.ID]*now)
	}
	a.changed[id] = &k
}

// asStored is o as a read will return it, and apart from what the caller has.
func asStored(o storage.Object) storage.Object {
	o.Created, o.Updated = time.UnixMilli(o.Created.UnixMilli()).UTC(), time.UnixMilli(o.Updated.UnixMilli()).UTC()
	o.Body = bytesOf(o.Body)
	return o
}

func storableObject(o storage.Object) error {
	for _, text := range []string{string(o.ID), string(o.Parent), string(o.Kind), o.Name, o.Location} {
		if !storable(text) {
			return fmt.Errorf("postgres: %s %q has %q, which is no text", o.Kind, o.Name, text)
		}
	}
	return nil
}
