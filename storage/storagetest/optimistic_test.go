package storagetest

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/storage/memory"
	"github.com/leveelake/catalog/types"
)

// An optimistic store is the other way to keep the contract: fn reads what is there, each
// time anew, and what it read is compared with what is there when its writes are applied;
// errors of writes come late, and fn runs again when anything has changed. The suite must
// take it, and must not when a comparison is left out.
type optimistic struct {
	*memory.Store
	without guard
}

// A guard is what the store compares, so that it can be left out.
type guard int

const (
	nothing     guard = iota
	everything        // not even what is written: the last one wins
	chains            // what a Get or Lookup returned
	lastOfChain       // of that the object itself
	logOfChain
	ancestors
	besides
	listMembers // revisions of what a List returned
	listRange   // what else it would return now
	listLogs
	overlapMembers
	overlapRange
	errorReads // all, if fn returned an error
	idleReads  // all, if fn wrote nothing
)

// guards are their names.
func guards() []string {
	return []string{"nothing", "everything", "chains", "lastOfChain", "logOfChain", "ancestors", "besides",
		"listMembers", "listRange", "listLogs", "overlapMembers", "overlapRange", "errorReads", "idleReads"}
}

var errChanged = errors.New("optimistic: something has changed")

func (s *optimistic) Update(ctx context.Context, fn func(tx storage.Tx) error) error {
	for range 100 {
		if err := s.View(ctx, func(storage.ReadTx) error { return nil }); err != nil {
			return err // closed, or cancelled
		}
		run := &attempt{now: s.Store, without: s.without}
		fnErr := fn(run)
		if s.without != nothing {
			time.Sleep(time.Millisecond + rand.N(time.Millisecond)) // so that others come in between
		}
		if fnErr != nil && s.without == errorReads {
			return fnErr
		}
		err := s.Store.Update(ctx, func(tx storage.Tx) error { return run.apply(tx, fnErr) })
		if !errors.Is(err, errChanged) {
			return err
		}
	}
	return storage.ErrConflict
}

// An attempt is one run of fn.
type attempt struct {
	now     *memory.Store
	without guard
	reads   []func(tx storage.ReadTx) (string, error) // each reads again and returns what must not have changed
	seen    []string                                  // what the reads returned first
	writes  []func(tx storage.Tx) error
}

func (a *attempt) apply(tx storage.Tx, fnErr error) error {
	compare := a.without != everything && (a.without != idleReads || len(a.writes) > 0)
	for i, read := range a.reads {
		text, err := read(tx)
		if err != nil {
			return err
		}
		if compare && text != a.seen[i] {
			return errChanged
		}
	}
	if fnErr != nil {
		return fnErr
	}
	for _, w := range a.writes {
		if err := w(tx); err != nil {
			return err
		}
	}
	return nil
}

// note takes down a read and what it returned.
func note[T any](ctx context.Context, a *attempt, read func(tx storage.ReadTx) (T, error), text func(T) string) (T, error) {
	if len(a.writes) > 0 {
		var none T
		return none, storage.ErrOrder
	}
	v, err := storage.View(ctx, a.now, read)
	if err != nil {
		return v, err
	}
	a.seen = append(a.seen, text(v))
	a.reads = append(a.reads, func(tx storage.ReadTx) (string, error) {
		v, err := read(tx)
		return text(v), err
	})
	return v, nil
}

func (a *attempt) textOfChain(nodes []storage.Node) string {
	text := ""
	if a.without == chains {
		return text
	}
	for i, n := range nodes {
		last := i == len(nodes)-1
		if last && a.without != lastOfChain || !last && a.without != ancestors {
			text += textOfObject(n.Object)
		}
		if a.without != logOfChain {
			text += textOfLog(n.Log)
		}
		if a.without != besides {
			text += textOfObjects(n.Beside)
		}
	}
	return text
}

func (a *attempt) textOfList(nodes []storage.Node) string {
	switch a.without {
	case listRange:
		return ""
	case listMembers:
		return names(nodes)
	case listLogs:
		return lines(nodes, func(n storage.Node) string { return textOfObject(n.Object) })
	case besides:
		return lines(nodes, func(n storage.Node) string { return textOfObject(n.Object) + textOfLog(n.Log) })
	}
	return textOfNodes(nodes)
}

func (a *attempt) textOfOverlap(objects []storage.Object) string {
	switch a.without {
	case overlapRange:
		return ""
	case overlapMembers:
		return lines(objects, func(o storage.Object) string { return string(o.ID) })
	}
	return textOfObjects(objects)
}

func (a *attempt) Lookup(ctx context.Context, path []storage.Step, w storage.Want) ([]storage.Node, error) {
	path, w.Beside = slices.Clone(path), slices.Clone(w.Beside) // they are the caller's, and are needed again
	return note(ctx, a, func(tx storage.ReadTx) ([]storage.Node, error) { return tx.Lookup(ctx, path, w) }, a.textOfChain)
}

func (a *attempt) Get(ctx context.Context, id types.ID, w storage.Want) ([]storage.Node, error) {
	w.Beside = slices.Clone(w.Beside)
	return note(ctx, a, func(tx storage.ReadTx) ([]storage.Node, error) { return tx.Get(ctx, id, w) }, a.textOfChain)
}

func (a *attempt) List(ctx context.Context, q storage.ListQuery, w storage.Want) ([]storage.Node, error) {
	w.Beside = slices.Clone(w.Beside)
	return note(ctx, a, func(tx storage.ReadTx) ([]storage.Node, error) { return tx.List(ctx, q, w) }, a.textOfList)
}

func (a *attempt) Overlap(ctx context.Context, l string, kinds []types.Kind, below int) ([]storage.Object, error) {
	return note(ctx, a, func(tx storage.ReadTx) ([]storage.Object, error) { return tx.Overlap(ctx, l, kinds, below) }, a.textOfOverlap)
}

func (a *attempt) write(ctx context.Context, fn func(tx storage.Tx) error) error {
	a.writes = append(a.writes, fn)
	return ctx.Err()
}

func (a *attempt) Insert(ctx context.Context, o storage.Object) error {
	return a.write(ctx, func(tx storage.Tx) error { return tx.Insert(ctx, o) })
}

func (a *attempt) Replace(ctx context.Context, old, new storage.Object) error {
	return a.write(ctx, func(tx storage.Tx) error {
		if is, ok := a.over(old.ID); ok {
			old, new.Revision = is.Object, is.Revision+1
		}
		return tx.Replace(ctx, old, new)
	})
}

func (a *attempt) Delete(ctx context.Context, old storage.Object) error {
	return a.write(ctx, func(tx storage.Tx) error { return tx.Delete(ctx, old) })
}

func (a *attempt) WriteLog(ctx context.Context, id types.ID, old storage.Log, d storage.LogDelta) error {
	return a.write(ctx, func(tx storage.Tx) error {
		if is, ok := a.over(id); ok {
			old, d.Revision = *is.Log, is.Log.Revision+1
		}
		return tx.WriteLog(ctx, id, old, d)
	})
}

// over returns what is there to be written over without a comparison.
func (a *attempt) over(id types.ID) (storage.Node, bool) {
	if a.without != everything {
		return storage.Node{}, false
	}
	return (&bent{Store: a.now}).node(id)
}
