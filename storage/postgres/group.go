package postgres

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/leveelake/catalog/storage"
)

const (
	// slotsMost is how many commits or groups of commits are on their way at most. With
	// more of them each is smaller, and the database works more for each commit.
	slotsMost = 2

	// slotTime is how long one may take before another may start in its place: what waits for
	// a lock, or for a disk that has a bad day, must not make all others wait.
	slotTime = 50 * time.Millisecond

	// groupMost is how many commits one statement carries at most.
	groupMost = 256
)

// commits sends commits. While there is a free slot each goes at once, in a statement of its own,
// on the goroutine of who wants it. Those that find none wait, and the next slot that
// gets free takes all of them in one statement. No timer: they wait only for the database.
type commits struct {
	s *Store

	mu      sync.Mutex
	slots   int
	waiting []*commit
}

func newCommits(s *Store, pool int) *commits {
	return &commits{s: s, slots: max(1, min(slotsMost, pool-1))} // one is left to those who read
}

// send sends c. It returns errRefused if its conditions did not hold.
func (cs *commits) send(ctx context.Context, c *commit) error {
	cs.mu.Lock()
	if cs.slots > 0 {
		cs.slots--
		cs.mu.Unlock()
		free := cs.lease()
		err := cs.single(ctx, c)
		free()
		return err
	}
	c.done = make(chan struct{})
	cs.waiting = append(cs.waiting, c)
	cs.mu.Unlock()
	select {
	case <-c.done:
		return c.err
	case <-ctx.Done():
	}
	cs.mu.Lock()
	for i, w := range cs.waiting {
		if w == c {
			cs.waiting = append(cs.waiting[:i], cs.waiting[i+1:]...)
			cs.mu.Unlock()
			return errUnsent{ctx.Err()}
		}
	}
	cs.mu.Unlock()
	<-c.done // it is on its way, and so is the truth
	return c.err
}

// lease begins the time of a slot. What it returns gives the slot on, once.
func (cs *commits) lease() (free func()) {
	t := time.AfterFunc(slotTime, cs.next)
	return func() {
		if t.Stop() {
			cs.next()
		}
	}
}

// next gives a slot to those who wait, or back.
func (cs *commits) next() {
	if group := cs.take(); group != nil {
		go func() {
			free := cs.lease()
			cs.group(group)
			free()
		}()
	}
}

// take returns those who wait; if there is nobody it gives the slot back.
func (cs *commits) take() []*commit {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	n := min(len(cs.waiting), groupMost)
	if n == 0 {
		cs.slots++
		return nil
	}
	group := cs.waiting[:n:n]
	cs.waiting = cs.waiting[n:]
	if len(cs.waiting) == 0 {
		cs.waiting = nil
	}
	return group
}

// group sends a group and answers each of it. What the group could not settle goes singly.
func (cs *commits) group(group []*commit) {
	answer := func(c *commit, err error) {
		c.err = err
		close(c.done)
	}
	var rest []*commit
	if len(group) == 1 {
		rest = group
	} else {
		outcome, err := cs.together(group)
		switch {
		case err != nil && (judge(err) == unknown || judge(err) == unsent):
			for _, c := range group {
				answer(c, err)
			}
			return
		case err != nil: // nothing happened, perhaps because of one of them
			rest = group
		default:
			for i, c := range group {
				switch outcome[i] {
				case isApplied:
					answer(c, nil)
				case isRefused:
					answer(c, errRefused)
				default:
					rest = append(rest, c)
				}
			}
		}
	}
	if len(rest) == 1 {
		answer(rest[0], cs.single(context.Background(), rest[0]))
		return
	}
	// These wait for locks, or one of them is bad. None waits for another, nor the slot for them.
	for _, c := range rest {
		go func() { answer(c, cs.single(context.Background(), c)) }()
	}
}

// sqlCommit writes one log, if it, its object, the ancestors and what is beside are as they
// were seen.
const sqlCommit = `WITH moved AS (
	UPDATE log SET revision = $4, last = $5, backfilled = $6, state = $7
	WHERE object = $1 AND revision = $2 AND object_revision = $3
	AND NOT EXISTS (SELECT 1 FROM unnest($8::text[], $9::bigint[]) AS a(id, revision)
		LEFT JOIN object AS o ON o.id = a.id AND o.revision = a.revision WHERE o.id IS NULL)
	AND NOT EXISTS (SELECT 1 FROM unnest($10::text[], $11::text[], $12::text[]) AS a(parent, kind, name)
		JOIN object AS o ON o.parent = a.parent AND o.kind = a.kind AND o.name = a.name)
	RETURNING object
), added AS (
	INSERT INTO "commit" (log, version, file, data) SELECT object, $13, $14, $15 FROM moved WHERE $13::bigint IS NOT NULL
), forgotten AS (
	DELETE FROM "commit" WHERE $16::bigint > 0 AND log = (SELECT object FROM moved) AND version <= $16
	AND version < (SELECT min(version) FROM "commit" WHERE log = $1) + $17::bigint
)
SELECT count(*) FROM moved`

// single sends one commit.
func (cs *commits) single(ctx context.Context, c *commit) error {
	conn, err := cs.s.pool.Acquire(context.WithValue(ctx, forWrite{}, true))
	if err != nil {
		return errUnsent{err}
	}
	defer conn.Release()
	ids, revisions, parents, kinds, names := newArray(nil), newArray(nil), newArray(nil), newArray(nil), newArray(nil)
	for _, s := range []*saw{&c.shared, &c.own} {
		for _, r := range s.refs {
			ids.text(string(r.id))
			revisions.int(r.revision)
		}
		for _, a := range s.absents {
			parents.text(string(a.parent))
			kinds.text(string(a.kind))
			names.text(a.name)
		}
	}
	d := c.delta
	var version, file, data []byte // NULL
	if d.Add != nil {
		version, file, data = intParam(d.Add.Version), []byte(d.Add.File), notNil(d.Add.Data)
		file = notNil(file)
	}
	var moved int64
	err = run(conn.Conn(), "levee_commit", sqlCommit, writeTimeout, [][]byte{
		[]byte(c.id), intParam(c.was), intParam(c.object),
		intParam(d.Revision), intParam(d.Last), intParam(d.Backfilled), notNil(d.State),
		ids.end(oidText), revisions.end(oidInt8), parents.end(oidText), kinds.end(oidText), names.end(oidText),
		version, file, data, intParam(forget(d)), intParam(forgetMost),
	}, func(v [][]byte) { moved = intOf(v[0]) })
	if err == nil && moved == 0 {
		err = errRefused
	}
	return err
}

// notNil is b, but never NULL.
func notNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// noVersion stands for the version of a change that adds none.
const noVersion = math.MinInt64

// versionAdded is the version that a change adds.
func versionAdded(d storage.LogDelta) int64 {
	if d.Add == nil {
		return noVersion
	}
	return d.Add.Version
}
