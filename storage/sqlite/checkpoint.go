package sqlite

import "time"

// When to copy the WAL into the database (in pages, as SQLite by itself would), and
// when to insist on beginning it anew: readers that overlap without end can keep it growing.
const (
	checkpointEvery = 1000
	restartFrom     = 4 * checkpointEvery
	restartTimeout  = 20 * time.Millisecond
)

// checkpoint copies the WAL into the database when enough has gathered. It runs after
// the answers, so that no Update waits for it but the next. Its errors change
// nothing: what is in the WAL is durable, and the next time is another try.
func (w *writer) checkpoint() {
	frames := w.frames()
	if frames < w.covered {
		w.covered = 0 // SQLite has begun the WAL anew
	}
	if frames-w.covered < checkpointEvery {
		return
	}
	if frames < restartFrom {
		w.pragma(qCheckpoint)
	} else {
		// New Views read the database alone from here on, so this waits for those that
		// run, but not long: they are no reason to hold up Updates.
		w.conn.SetBusyTimeout(restartTimeout)
		w.pragma(qRestart)
		w.conn.SetBusyTimeout(busyTimeout)
	}
	w.covered = frames
}

// frames returns the length of the WAL.
func (w *writer) frames() int64 {
	s, err := w.conn.get(qFrames)
	if err != nil {
		return 0
	}
	defer s.Reset()
	if ok, _ := s.Step(); !ok {
		return 0
	}
	return s.ColumnInt64(1)
}

// pragma runs a statement whose result does not matter.
func (w *writer) pragma(q query) error {
	s, err := w.conn.get(q)
	if err != nil {
		return err
	}
	defer s.Reset()
	_, err = s.Step()
	return err
}
