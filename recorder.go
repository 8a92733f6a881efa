package catalog

import (
	"context"
	"encoding/json"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// A recorder is a transaction that notes what it writes, so that no change can be forgotten in the
// audit log: all of them come through here.
type recorder struct {
	storage.Tx
	chains [][]storage.Node // that were read, for the names
	writes []write
}

type write struct {
	old, new *storage.Object
	id       types.ID // of a log
	log      *storage.LogDelta
}

func (r *recorder) Lookup(ctx context.Context, path []storage.Step, w storage.Want) ([]storage.Node, error) {
	chain, err := r.Tx.Lookup(ctx, path, w)
	r.chains = append(r.chains, chain)
	return chain, err
}

func (r *recorder) Get(ctx context.Context, id types.ID, w storage.Want) ([]storage.Node, error) {
	chain, err := r.Tx.Get(ctx, id, w)
	r.chains = append(r.chains, chain)
	return chain, err
}

func (r *recorder) Insert(ctx context.Context, o storage.Object) error {
	r.writes = append(r.writes, write{new: &o})
	return r.Tx.Insert(ctx, o)
}

func (r *recorder) Replace(ctx context.Context, old, new storage.Object) error {
	r.writes = append(r.writes, write{old: &old, new: &new})
	return r.Tx.Replace(ctx, old, new)
}

func (r *recorder) Delete(ctx context.Context, old storage.Object) error {
	r.writes = append(r.writes, write{old: &old})
	return r.Tx.Delete(ctx, old)
}

func (r *recorder) WriteLog(ctx context.Context, id types.ID, old storage.Log, d storage.LogDelta) error {
	r.writes = append(r.writes, write{id: id, log: &d})
	return r.Tx.WriteLog(ctx, id, old, d)
}

// unrecorded are the kinds of objects that are parts of others, or notes of the catalog's own.
var unrecorded = map[types.Kind]bool{kindColumns: true, kindMetrics: true, kindRemoval: true, kindTaken: true, kindKey: true, kindClient: true}

// events are what the writes mean.
func (r *recorder) events() []types.Event {
	var out []types.Event
	for _, w := range r.writes {
		e := types.Event{}
		o := w.new
		switch {
		case w.log != nil:
			e = types.Event{Action: types.EventBackfill, Kind: types.KindTable, ID: w.id, Name: r.name(w.id), Backfilled: &w.log.Backfilled}
			if w.log.Add != nil {
				e.Action, e.Version = types.EventCommit, &w.log.Add.Version
			}
			out = append(out, e)
			continue
		case w.old == nil:
			e = types.Event{Action: types.EventCreate, After: w.new.Revision}
		case w.new == nil:
			e, o = types.Event{Action: types.EventDelete, Before: w.old.Revision}, w.old
		case w.old.Kind != w.new.Kind: // a staging table has become a table
			e = types.Event{Action: types.EventCreate, Before: w.old.Revision, After: w.new.Revision}
		default:
			e = types.Event{Action: types.EventUpdate, Before: w.old.Revision, After: w.new.Revision}
		}
		if unrecorded[o.Kind] {
			continue
		}
		e.Kind, e.ID, e.Name = o.Kind, o.ID, o.Name
		if above := r.name(o.Parent); above != "" {
			e.Name = above + "." + o.Name
		}
		if w.new != nil {
			e.Owner = ownerAfter(w.old, w.new)
		}
		if o.Kind == types.KindExternalLocation {
			e.Location = o.Location
		}
		if o.Kind == types.KindToken {
			if b, err := decodeToken(*o); err == nil {
				e.Groups = b.Groups
			}
		}
		if o.Kind == types.KindGrant {
			e.Name = r.name(o.Parent)
			e.Grantee = o.Name
			var g grant
			if json.Unmarshal(o.Body, &g) == nil {
				e.Privileges = g.Privileges
			}
		}
		out = append(out, e)
	}
	return out
}

// name is the full name of what was read with this ID; "" of the root, and if it was not read.
func (r *recorder) name(id types.ID) string {
	for _, chain := range r.chains {
		for i, n := range chain {
			if n.ID == id && i > 0 {
				return fullNameOf(chain[:i+1])
			}
		}
	}
	for _, w := range r.writes { // a principal that has no token yet is made with the first one
		if w.old == nil && w.new != nil && w.new.ID == id {
			return w.new.Name
		}
	}
	return ""
}

// ownerAfter is the owner of an object after a change that gave it to somebody.
func ownerAfter(old, new *storage.Object) string {
	now, err := decodeOwner(*new)
	if err != nil {
		return ""
	}
	if old != nil {
		if before, err := decodeOwner(*old); err == nil && before == now {
			return ""
		}
	}
	return now
}
