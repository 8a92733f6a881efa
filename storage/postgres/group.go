package postgres

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
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
// gets free takes all of them in one statement: nobody waits for others to come, but only for the database.
type commits struct {
	s *Store

	mu      sync.Mutex
	slots   int
	waiting []*commit
}

func newCommits(s *Store, pool int) *commits {
	return &commits{s: s, slots: min(slotsMost, lentMost(pool))}
}

// send sends c. It returns errOutdated if its conditions did not hold.
func (cs *commits) send(ctx context.Context, c *commit) error {
	cs.mu.Lock()
	if cs.slots > 0 {
		cs.slots--
		cs.mu.Unlock()
		conn, err := cs.s.lend(ctx)
		free := cs.lease()
		if err == nil {
			err = sendOne(conn.Conn, c)
			conn.release()
		}
		free()
		return err
	}
	c.ctx, c.done = ctx, make(chan struct{})
	cs.waiting = append(cs.waiting, c)
	cs.mu.Unlock()
	patience := time.NewTimer(cs.s.patient)
	defer patience.Stop()
	err := errBusy
	select {
	case <-c.done:
		return c.err
	case <-patience.C:
	case <-ctx.Done():
		err = ctx.Err()
	}
	cs.mu.Lock()
	for i, w := range cs.waiting {
		if w == c {
			cs.waiting = slices.Delete(cs.waiting, i, i+1)
			cs.mu.Unlock()
			return errUnsent{err}
		}
	}
	cs.mu.Unlock()
	<-c.done // it was taken to be sent: only the answer tells what became of it
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
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if len(cs.waiting) == 0 {
		cs.slots++
		return
	}
	go cs.serve()
}

// serve sends those who wait. Until there is a connection they may still leave, and others join them.
func (cs *commits) serve() {
	conn, err := cs.s.lend(context.Background())
	if err != nil {
		for group := cs.take(); group != nil; group = cs.take() {
			for _, c := range group {
				c.answer(err)
			}
		}
		return
	}
	group := cs.take()
	if group == nil {
		conn.release()
		return
	}
	free := cs.lease()
	rest := group
	if len(group) > 1 {
		rest = sendGroup(conn.Conn, group)
	}
	if len(rest) == 1 {
		rest[0].answer(sendOne(conn.Conn, rest[0]))
		rest = nil
	}
	conn.release()
	free()
	// These wait for locks, or one of them is bad. None waits for another, nor the slot for them.
	for _, c := range rest {
		go func() {
			conn, err := cs.s.lend(c.ctx)
			if err == nil {
				err = sendOne(conn.Conn, c)
				conn.release()
			}
			c.answer(err)
		}()
	}
}

// take returns those who wait; if there is nobody it gives the slot back.
func (cs *commits) take() []*commit {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	n, size := 0, 0
	for n < len(cs.waiting) && n < groupMost && (n == 0 || size+cs.waiting[n].size() <= bytesMost) {
		size += cs.waiting[n].size()
		n++
	}
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

// sendGroup sends a group in one statement and answers those of whom it tells what became. It returns the others.
func sendGroup(conn *pgx.Conn, group []*commit) (rest []*commit) {
	outcome, err := together(conn, group)
	if err != nil {
		if v := judge(err); v != unknown && v != unsent {
			return group // nothing happened, perhaps because of one of them
		}
	}
	for i, c := range group {
		switch {
		case err != nil:
			c.answer(err)
		case outcome[i] == isApplied:
			c.answer(nil)
		case outcome[i] == isOutdated:
			c.answer(errOutdated)
		default:
			rest = append(rest, c)
		}
	}
	return rest
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

// sendOne sends one commit.
func sendOne(conn *pgx.Conn, c *commit) error {
	ids, revisions, parents, kinds, names := newArray(), newArray(), newArray(), newArray(), newArray()
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
	err := run(conn, "levee_commit", sqlCommit, writeTimeout, [][]byte{
		[]byte(c.id), intParam(c.logRevision), intParam(c.objectRevision),
		intParam(d.Revision), intParam(d.Last), intParam(d.Backfilled), notNil(d.State),
		ids.end(oidText), revisions.end(oidInt8), parents.end(oidText), kinds.end(oidText), names.end(oidText),
		version, file, data, intParam(forget(d)), intParam(forgetMost),
	}, func(v [][]byte) { moved = intOf(v[0]) })
	if err == nil && moved == 0 {
		err = errOutdated
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
