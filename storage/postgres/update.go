package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// A mode is where a run reads.
type mode int

const (
	remembering  mode = iota // from memory what is there; nothing of it is certain
	fresh                    // each read from the database, at its own instant
	snapshotting             // all in one snapshot of the database
)

// update runs fn until its writes are applied, or what it answers is true of one instant.
func (s *Store) update(ctx context.Context, fn func(tx storage.Tx) error) error {
	u := &update{s: s, ctx: ctx, fn: fn, pause: pause{patience: s.patient}}
	defer func() { u.turn.end() }() // on a panic of fn, too
	for {
		when, err := u.try()
		if when == never {
			return err
		}
		if when == later {
			if !u.pause.wait(ctx) {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				return err
			}
		}
	}
}

// An update is an Update under way.
type update struct {
	s     *Store
	ctx   context.Context
	fn    func(tx storage.Tx) error
	mode  mode
	pause pause
	tries int
	turn  *turn // at what fn writes
}

// A next is when to run fn again.
type next int

const (
	never next = iota
	atOnce
	later // when others had time to get done
)

// try runs fn once and does what follows from it.
func (u *update) try() (next, error) {
	u.tries++
	a, err := u.run()
	if errors.Is(err, errPanic) {
		u.turn.end()
		u.turn, u.mode = nil, snapshotting
		return atOnce, nil
	}
	if a.broken != nil {
		return u.broken(a.broken, err)
	}
	if err == nil {
		err = a.err
	}
	if err != nil || len(a.writes) == 0 {
		return u.confirm(a, err)
	}
	if err := u.ctx.Err(); err != nil {
		return never, err
	}
	return u.write(a)
}

// broken says what follows from a read that failed, after which fn has returned err: whatever that is, fn has
// not answered what is there.
func (u *update) broken(read, err error) (next, error) {
	if !isPassing(read) {
		return never, cmp.Or(err, faultOf(u.s.where, read))
	}
	u.s.distrust(read)
	return later, faultOf(u.s.where, read)
}

// run runs fn. If it panics on reads that are not certain, run returns errPanic: the panic may be
// about what never was. One that is about what was goes on.
func (u *update) run() (a *attempt, err error) {
	if u.mode == snapshotting {
		return u.s.inSnapshot(u.ctx, func(a *attempt) error { return u.fn(a) })
	}
	a = &attempt{s: u.s, src: u.s, cached: u.mode == remembering}
	returned := false
	defer func() {
		a.over = true
		if !returned && (a.memory || len(a.reads) > 1) && recover() != nil { // it is nil if fn calls runtime.Goexit
			err = errPanic
		}
	}()
	err = u.fn(a)
	returned = true
	return a, err
}

// errPanic is how a run ends that has to run again to see whether it panics.
var errPanic = errors.New("postgres: a panic")

// confirm returns err, with which a run without writes has ended, if all that it read was true
// of one instant. Else it says how to run again.
func (u *update) confirm(a *attempt, err error) (next, error) {
	u.turn.end() // others need not wait for what is not written
	u.turn = nil
	switch {
	case len(a.reads) == 0, u.mode == snapshotting:
		return never, err
	case u.ctx.Err() != nil:
		if errors.Is(err, u.ctx.Err()) {
			return never, err
		}
		return never, u.ctx.Err()
	case len(a.reads) > 1:
		u.mode = snapshotting
		return atOnce, nil
	case !a.memory:
		return never, err
	}
	ok, probeErr := u.s.probes.check(u.ctx, &a.reads[0])
	switch {
	case probeErr != nil && u.ctx.Err() != nil:
		return never, u.ctx.Err()
	case probeErr != nil:
		return u.broken(probeErr, nil)
	case ok:
		return never, err
	}
	u.mode = fresh
	return atOnce, nil
}

// write applies what a run wants written. If others of this process write the same object or log
// it waits for its turn and then runs again, since what it has read is likely to be old: in
// the database, one would win and all the others queue to lose.
func (u *update) write(a *attempt) (next, error) {
	id := a.contended()
	if u.turn == nil || u.turn.line.id != id {
		u.turn.end()
		u.turn = nil
		if id != "" {
			turn, waited, err := u.s.lines.join(u.ctx, id)
			if err != nil {
				return never, err
			}
			if u.turn = turn; waited {
				u.mode = remembering // who had its turn before has left it there
				return atOnce, nil
			}
		}
	}
	c := a.commit()
	var err error
	if c != nil {
		err = u.s.commits.send(u.ctx, c)
	} else {
		err = a.apply(u.ctx)
	}
	if err == nil {
		a.remember()
		u.turn.end()
		u.turn = nil
		return never, nil
	}
	if errors.Is(err, errOutdated) {
		u.s.cache.Forget(c.id)
		u.mode = fresh
		return u.beaten(), storage.ErrConflict
	}
	return u.failure(a, err)
}

// beaten says when to run again after another has got on. The pauses do not grow: as long as
// others get on, who waits longer than they do only comes too late more often.
func (u *update) beaten() next {
	if u.tries < 3 {
		return atOnce
	}
	u.pause.next = pauseFirst
	return later
}

// contended is what others may want to write, too: the first object or log that a run changes.
func (a *attempt) contended() types.ID {
	for i := range a.writes {
		w := &a.writes[i]
		switch {
		case w.old != nil:
			return w.old.ID
		case w.new == nil && w.log.Revision > 0:
			return w.id
		}
	}
	return ""
}

// failure says what follows from the failure of writes.
func (u *update) failure(a *attempt, err error) (next, error) {
	v := judge(err)
	if _, ok := errors.AsType[errUnsent](err); ok && u.ctx.Err() != nil {
		return never, u.ctx.Err()
	}
	u.s.distrust(err)
	first := u.mode == remembering || u.tries == 1
	u.mode = fresh
	switch v {
	case changed:
		if isStateChanged(err) {
			return u.beaten(), storage.ErrConflict
		}
		if u.tries < 3 {
			return atOnce, storage.ErrConflict
		}
		return later, storage.ErrConflict
	case unsent:
		return later, faultOf(u.s.where, err)
	case unknown:
		return never, lost(u.s.where, err)
	case failed:
		return never, faultOf(u.s.where, err)
	}
	// The run has collided with what is there. If it came from what it had read before, it will
	// see that, and answer in its own words.
	if first && len(a.reads) > 0 {
		return atOnce, storage.ErrConflict
	}
	switch v {
	case taken:
		return never, fmt.Errorf("%w: %w", storage.ErrExists, faultOf(u.s.where, err))
	case stale:
		return never, fmt.Errorf("%w: %w", storage.ErrStale, faultOf(u.s.where, err))
	case orphaned:
		if a.deletes() {
			return never, fmt.Errorf("%w: %w", storage.ErrStale, faultOf(u.s.where, err))
		}
		return later, storage.ErrConflict
	default: // repeated
		if u.tries < 4 {
			return later, storage.ErrConflict
		}
		return never, faultOf(u.s.where, err)
	}
}

// deletes tells whether a run deletes something: then what it writes beneath that has no parent.
func (a *attempt) deletes() bool {
	for _, w := range a.writes {
		if w.new == nil && w.old != nil {
			return true
		}
	}
	return false
}
