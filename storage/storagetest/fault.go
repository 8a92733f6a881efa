package storagetest

import (
	"context"
	"errors"
	"slices"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// A Fault says how an Update or View fails. The zero Fault is none.
type Fault struct {
	// Err is what the call returns; nil: there is no fault, whatever Persisted is.
	Err error

	// Persisted lets an Update do its work all the same: failed but persisted.
	Persisted bool
}

// The answers of a store whose commit failed and that cannot know whether it was
// before or after all was durable. Whoever uses a store must do right by both, so test
// each with the other.
func unknown() error {
	return types.CommitStateUnknown.Errorf("storagetest: the connection is gone")
}

// FailedNotPersisted is the fault of an Update that did nothing, and does not know it.
func FailedNotPersisted() Fault { return Fault{Err: unknown()} }

// FailedButPersisted is the fault of an Update that did everything, and does not know it.
func FailedButPersisted() Fault { return Fault{Err: unknown(), Persisted: true} }

// An Op is what a hook of [Faulty] is asked about: a View, or an Update that has run its
// function without an error.
type Op struct {
	View   bool
	Writes []Write // of an Update, in their order; empty if it only reads
}

// A Write is one write of an Op. Of a log, Object has only the ID.
type Write struct {
	Method string // Insert, Replace, Delete, WriteLog
	Object storage.Object
	Delta  storage.LogDelta
}

// Has reports whether one of op's writes is by this method to this kind of object; kind
// "" is any kind, and the only one that fits a WriteLog.
func (op Op) Has(method string, kind types.Kind) bool {
	return slices.ContainsFunc(op.Writes, func(w Write) bool {
		return w.Method == method && (kind == "" || kind == w.Object.Kind)
	})
}

// Faulty is s with faults: for every View, and every Update when it would commit, hook
// says how it fails. It is asked once a call, however often fn runs, and from many
// goroutines if the store is used by many.
func Faulty(s storage.Store, hook func(op Op) Fault) storage.Store { return faulty{s, hook} }

type faulty struct {
	storage.Store
	hook func(op Op) Fault
}

func (f faulty) View(ctx context.Context, fn func(tx storage.ReadTx) error) error {
	if fault := f.hook(Op{View: true}); fault.Err != nil {
		return fault.Err
	}
	return f.Store.View(ctx, fn)
}

// errFault rolls the inner Update back.
var errFault = errors.New("storagetest: fault")

func (f faulty) Update(ctx context.Context, fn func(tx storage.Tx) error) error {
	var fault Fault
	asked := false
	err := f.Store.Update(ctx, func(tx storage.Tx) error {
		r := &recorder{Tx: tx}
		if err := firstError(fn(r), r.err); err != nil {
			return err
		}
		if !asked {
			fault, asked = f.hook(Op{Writes: r.writes}), true
		}
		if fault.Err != nil && !fault.Persisted {
			return errFault
		}
		return nil
	})
	if err == nil || errors.Is(err, errFault) {
		return fault.Err
	}
	return err
}

// A recorder takes down what is written to a Tx, and the first error of it.
type recorder struct {
	storage.Tx
	writes []Write
	err    error
}

func (r *recorder) note(w Write, err error) error {
	r.writes = append(r.writes, w)
	if r.err == nil {
		r.err = err
	}
	return err
}

func (r *recorder) Insert(ctx context.Context, o storage.Object) error {
	return r.note(Write{Method: "Insert", Object: o}, r.Tx.Insert(ctx, o))
}

func (r *recorder) Replace(ctx context.Context, old, new storage.Object) error {
	return r.note(Write{Method: "Replace", Object: new}, r.Tx.Replace(ctx, old, new))
}

func (r *recorder) Delete(ctx context.Context, old storage.Object) error {
	return r.note(Write{Method: "Delete", Object: old}, r.Tx.Delete(ctx, old))
}

func (r *recorder) WriteLog(ctx context.Context, id types.ID, old storage.Log, d storage.LogDelta) error {
	return r.note(Write{Method: "WriteLog", Object: storage.Object{ID: id}, Delta: d}, r.Tx.WriteLog(ctx, id, old, d))
}

// Rerun is s, but runs every fn twice, as a store may: the first run does nothing, its
// error is dropped, and before the second one between is called (if it is not nil),
// which may use s. So a fn that is not made to run again shows, and between can do what
// another client might have done meanwhile. A panic goes on at once.
func Rerun(s storage.Store, between func()) storage.Store {
	if between == nil {
		between = func() {}
	}
	return rerun{s, between}
}

type rerun struct {
	store   storage.Store
	between func()
}

// errAgain rolls the first run back.
var errAgain = errors.New("storagetest: run again")

func (r rerun) View(ctx context.Context, fn func(tx storage.ReadTx) error) error {
	if err := r.store.View(ctx, func(tx storage.ReadTx) error { _ = fn(tx); return errAgain }); !errors.Is(err, errAgain) {
		return err
	}
	r.between()
	return r.store.View(ctx, fn)
}

func (r rerun) Update(ctx context.Context, fn func(tx storage.Tx) error) error {
	if err := r.store.Update(ctx, func(tx storage.Tx) error { _ = fn(tx); return errAgain }); !errors.Is(err, errAgain) {
		return err
	}
	r.between()
	return r.store.Update(ctx, fn)
}
