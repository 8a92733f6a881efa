// Package storage is the contract between the catalog and the place where it keeps
// its state. The state is a tree of objects and, beside each managed table, a log of
// commits. A store keeps what it is given and computes nothing: no clock, no default, no
// revision+1. The rules are in the root package.
//
// Implementations are in the packages below this one; storagetest proves any other.
package storage

import (
	"context"
	"errors"
	"time"

	"github.com/leveelake/catalog/types"
)

// An Object is anything that has a name: the metastore (the root, whose Parent is
// ""), a catalog, a schema, a table, a staging table. (Kind, Parent, Name) is unique.
//
// There is one root. ID, Parent and Created never change. Kind may (a staging table
// becomes a table), and then Name changes with it. Revision is 1 at Insert and goes
// strictly up with each Replace; the caller sets it. An ID is never used again, so (ID,
// Revision) names one value for ever and any cache may rely on it.
type Object struct {
	ID       types.ID
	Kind     types.Kind
	Parent   types.ID
	Name     string
	Location string // storage URL in normal form, "" if none; see ReadTx.Overlap
	Revision int64
	Created  time.Time // cut to the millisecond, in UTC
	Updated  time.Time // as Created
	Body     []byte    // opaque
}

// A Commit is a ratified version in a log. Data is opaque.
type Commit struct {
	Version int64
	File    string
	Data    []byte
}

// A Log is the commit log of one object as a read brings it: bounded, whatever the
// length of its memory.
type Log struct {
	Revision         int64 // up with every WriteLog; 0: there is no log yet
	Last, Backfilled int64
	State            []byte   // opaque and small
	Commits          []Commit // the versions in (Backfilled, Last], ascending
	Asked            *Commit  // the commit of Want.Version if it is remembered, backfilled or not
}

// A Node is an object and what a Want asked to come with it.
type Node struct {
	Object
	Log    *Log     // nil unless Want.Log; Revision 0 if the object has no log
	Beside []Object // the children that Want.Beside names, by (Kind, Name)
}

// A Want says what comes along with objects, in the same round trip and of the same instant.
type Want struct {
	Log     bool   // the log: of the last node of a chain, of every node of a list
	Version int64  // with Log: also what is known of this version (Log.Asked); 0: none
	Beside  []Step // for every node its children of these kinds and names, as far as there are such
}

// A Step is one step of a path.
type Step struct {
	Kind types.Kind
	Name string
}

// A ListQuery asks for children of Parent by Name in byte order. Kind "" asks for all kinds,
// by (Kind, Name); such a list is not paged.
type ListQuery struct {
	Parent types.ID
	Kind   types.Kind
	After  string // only names after this one
	Limit  int    // 0: all
}

// A LogDelta changes a log. The new log has Revision, Last, which never goes down, Backfilled and
// State as given, with 0 ≤ Backfilled ≤ Last; Add, if not nil, becomes one of its commits, the one of version
// Last. The store may drop what it remembers of versions up to Forget, which may be any number, but of none
// after Backfilled.
type LogDelta struct {
	Revision, Last, Backfilled int64
	State                      []byte
	Add                        *Commit
	Forget                     int64
}

// A ReadTx reads. Absence is no error but a short or empty result, so that the caller
// knows which level is missing. What a read returns belongs to the caller, all but the bytes in it
// (bodies, states, data) and the elements of Log.Commits: others have the same ones, and nobody
// may change them. What a write is given stays the caller's, who may change it afterwards.
type ReadTx interface {
	// Lookup walks path down from the root, one child a step, and returns the nodes it
	// found: the root, which is no step itself, and on as far as the path exists;
	// nothing if there is no root. It is one round trip.
	Lookup(ctx context.Context, path []Step, w Want) ([]Node, error)

	// Get returns the chain from the root to the object with this ID, the object
	// last; nothing if there is none. It is one round trip.
	Get(ctx context.Context, id types.ID, w Want) ([]Node, error)

	// List returns children. In Update, q.Parent must be the last node of a chain
	// that this run has read.
	List(ctx context.Context, q ListQuery, w Want) ([]Node, error)

	// Overlap returns the objects of these kinds whose Location is location or a
	// folder above it, and at most below (in byte order of Location; 0: none) whose
	// Location is beneath it. Locations are compared by whole path segments: /a/b is
	// beneath /a, not beside /a/bc. Objects without a Location never overlap. The
	// order is that of Location, then of ID.
	Overlap(ctx context.Context, location string, kinds []types.Kind, below int) ([]Object, error)
}

// A Tx reads, then writes: a read after a write fails with ErrOrder. An error of a write is sticky,
// Update returns it even if fn drops it. So fn looks up first whatever it wants to
// answer in its own words.
type Tx interface {
	ReadTx

	// Insert adds o. It returns ErrExists if the name (or the ID) is taken or o would be
	// a second root, ErrStale if the parent is gone.
	Insert(ctx context.Context, o Object) error

	// Replace stores new, of the same ID, in the place of old, which must be as read;
	// else ErrStale. It returns ErrExists if new's name is taken by another.
	Replace(ctx context.Context, old, new Object) error

	// Delete removes old, which must be as read (else ErrStale), with everything
	// beneath it and all their logs. fn lists first whatever must prevent that.
	Delete(ctx context.Context, old Object) error

	// WriteLog changes the log of the object with this ID, which this run has read
	// as old; else ErrStale. old.Revision 0 creates the log.
	WriteLog(ctx context.Context, id types.ID, old Log, d LogDelta) error
}

// A Store keeps the state. All methods may be called from many goroutines.
//
// fn may run more than once, in View too, and must have no effect but through tx; what it
// captures it sets anew each time. It must not call the Store again. If fn returns an
// error or panics, nothing happened; the error is returned as it is, the panic goes on.
//
// Update returning nil promises one instant at which
//   - every object that fn read as the last of a chain or in a List or Overlap, or
//     wrote, had the revision it saw, and every log was as it saw it;
//   - every List and Overlap would have answered the same;
//   - all writes appeared.
//
// Ancestors and Beside were as seen when the writes began to be applied, but are not held: a revoke may lose to
// one commit in flight. That a name was absent is held only for a name that fn inserts.
//
// An error of fn counts only if what it read was one instant, too.
//
// Writes of a successful Update are durable. If the store cannot tell whether they are,
// Update returns an error that is [types.CommitStateUnknown]; it never retries then.
// When it gives up rerunning fn it returns ErrConflict: nothing happened.
type Store interface {
	// View runs fn on one snapshot. It waits for no Update, and no Update for it; only where the
	// store does not know whether an Update is durable, it may wait until it knows, or
	// answer ErrUnavailable.
	View(ctx context.Context, fn func(tx ReadTx) error) error

	// Update runs fn and makes its writes durable, all or none.
	Update(ctx context.Context, fn func(tx Tx) error) error
}

// The errors that a store returns on purpose; any other is a fault.
var (
	ErrExists      = errors.New("storage: the name is taken")
	ErrStale       = errors.New("storage: the object is not what was read")
	ErrOrder       = errors.New("storage: read after write")
	ErrConflict    = errors.New("storage: too many conflicts")
	ErrUnavailable = errors.New("storage: the store cannot be reached now") // nothing happened
	ErrClosed      = errors.New("storage: the store is closed")
)

// View runs fn in s.View and returns what its last run returned.
func View[T any](ctx context.Context, s Store, fn func(tx ReadTx) (T, error)) (T, error) {
	var out T
	err := s.View(ctx, func(tx ReadTx) (err error) {
		out, err = fn(tx)
		return err
	})
	return out, err
}

// Update runs fn in s.Update and returns what its last run returned; the zero T if
// Update fails.
func Update[T any](ctx context.Context, s Store, fn func(tx Tx) (T, error)) (T, error) {
	var out, zero T
	err := s.Update(ctx, func(tx Tx) (err error) {
		out, err = fn(tx)
		return err
	})
	if err != nil {
		return zero, err
	}
	return out, nil
}
