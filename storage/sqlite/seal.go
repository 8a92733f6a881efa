package sqlite

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	engine "zombiezen.com/go/sqlite"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// When a COMMIT fails, SQLite goes on as if there had been none, but all of the batch may be in the
// WAL: if the process ended before something took its place there, the next Open would find
// it, and whoever was told in between that it is not there was told wrong.
//
// So a seal takes its place at once: a batch without entries. It begins where the failed one began,
// and each frame of a WAL proves that it follows the one before it, so that nothing of the failed batch
// counts any more once the seal is durable: then it has certainly not happened. While it cannot be
// written, the batch is in doubt, and nobody gets an answer but that.

// failed returns the answer to all who rest on a batch whose COMMIT failed with err.
func (w *writer) failed(err error) error {
	w.takeBack(position{}) // before a seal has the number of the batch
	_ = w.rollback()       // begin tries again
	if mayBeWhole(err) && w.seal() != nil {
		return &types.Error{
			Code:    types.CommitStateUnknown,
			Message: "the store failed while it made the change durable; it may or may not have happened",
			Err:     faultOf(w.conn.path, err),
		}
	}
	return faultOf(w.conn.path, err)
}

// mayBeWhole says whether a batch can be in the WAL, all of it, though its COMMIT failed with err: not
// if the failure came before its last frame was written.
func mayBeWhole(err error) bool {
	switch engine.ErrCode(err).ToPrimary() {
	case engine.ResultFull, engine.ResultBusy, engine.ResultReadOnly, engine.ResultConstraint:
		return false
	}
	return true
}

// seal makes sure that a failed batch has not happened. If it cannot, that is in doubt.
func (w *writer) seal() error {
	err := w.begin()
	if err == nil {
		err = w.writeBatch(nil)
	}
	if err == nil {
		err = w.conn.run(qCommit)
	}
	w.inDoubt.Store(err != nil)
	if err != nil {
		_ = w.rollback()
		return faultOf(w.conn.path, err)
	}
	w.open = false
	w.number++
	return nil
}

// resolve seals what is in doubt, before a batch. If it cannot, it refuses all of the batch.
func (w *writer) resolve() {
	if !w.inDoubt.Load() || w.next == len(w.batch) {
		return
	}
	err := w.seal()
	if err == nil {
		return
	}
	err = fmt.Errorf("%w: it may or may not have made an earlier change durable: %w", storage.ErrUnavailable, err)
	for ; w.next < len(w.batch); w.next++ {
		if r := w.batch[w.next]; r.claim.CompareAndSwap(false, true) {
			r.ran, r.err = true, err
		}
	}
}

// resolved returns nil when nothing is in doubt. Else it has the writer resolve it, and waits for that.
func (w *writer) resolved(ctx context.Context) error {
	for w.inDoubt.Load() {
		err := w.do(ctx, func(storage.Tx) error { return nil })
		if err = cmp.Or(ctx.Err(), err); ctx.Err() != nil || errors.Is(err, storage.ErrUnavailable) {
			return err
		} // any other is that of a neighbour in the batch
	}
	return nil
}
