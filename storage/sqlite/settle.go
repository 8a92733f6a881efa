package sqlite

import "cmp"

// settle keeps what fn wrote if all went well, and else undoes it.
func (w *writer) settle(t *tx, r *request) {
	if r.err == nil {
		r.err = t.err
	}
	if r.err == nil {
		r.err = r.ctx.Err()
	}
	r.rests = w.dirty
	if w.open && w.conn.AutocommitEnabled() { // a fault so bad that SQLite has rolled back by itself
		cause := cmp.Or(t.err, r.err, errRolledBack)
		if r.err == nil {
			r.err = cause
		}
		w.drop(cause)
		return
	}
	if !t.wrote {
		return
	}
	if failed := r.err != nil || r.panicked || r.exited; failed {
		w.takeBack(t.from)
		if err := w.undo(t); err != nil {
			w.drop(err)
		}
		return
	}
	if t.nested {
		if err := w.conn.run(qRelease); err != nil {
			r.rests = true
			w.drop(err)
			return
		}
	}
	w.cache.Hold(t.changes)
	w.changes = append(w.changes, t.changes...)
	w.rows = w.rows || t.rows
	w.dirty, r.rests = true, true
}

// undo takes back what t wrote to the database.
func (w *writer) undo(t *tx) error {
	switch {
	case t.nested:
		return cmp.Or(w.conn.run(qRollbackTo), w.conn.run(qRelease))
	case t.rows: // the transaction holds nothing else
		return w.rollback()
	}
	return nil
}

// rollback ends the transaction, if there is one that SQLite has not ended itself.
func (w *writer) rollback() error {
	w.open, w.rows = false, false
	if w.conn.AutocommitEnabled() {
		return nil
	}
	return w.conn.run(qRollback)
}

// drop gives up what the batch has written up to now; nothing of it happened.
func (w *writer) drop(cause error) {
	w.undone(faultOf(w.conn.path, cause))
	_ = w.rollback() // begin tries again
}

// undone answers err to all who rest on what the batch has written, and forgets it.
func (w *writer) undone(err error) {
	w.answerResting(err)
	w.takeBack(position{})
	w.cache.Settle(w.changes, false)
	w.end()
}

// end ends the batch for those that have written up to now.
func (w *writer) end() {
	clear(w.changes)
	w.encoded, w.logs, w.changes, w.dirty = w.encoded[:0], w.logs[:0], w.changes[:0], false
	if cap(w.encoded) > foldFrom {
		w.encoded = nil // so much is rare
	}
}

// answerResting changes the answers that rest on writes which are gone. It leaves
// those alone that it has changed before, and panics, which no commit can help.
func (w *writer) answerResting(err error) {
	for _, r := range w.batch[:w.next] {
		if r.rests {
			r.err, r.rests = err, false
		}
	}
}

// commit makes the batch durable. A batch that wrote nothing leaves no trace on disk.
func (w *writer) commit() {
	if !w.dirty {
		w.rollback()
		return
	}
	if err := w.store(); err != nil {
		w.undone(err)
		_ = w.rollback()
		return
	}
	w.open, w.rows = false, false
	w.number++
	w.cache.Settle(w.changes, true)
	w.end()
}

// store writes the batch to the file. Its error is the answer to all who rest on it.
func (w *writer) store() error {
	err := w.begin()
	if err == nil && len(w.encoded) > 0 {
		err = w.writeBatch(w.encoded)
	}
	if err != nil {
		return faultOf(w.conn.path, err)
	}
	if err = w.conn.run(qCommit); err != nil {
		return w.failed(err)
	}
	return nil
}
