package postgres

import (
	"context"
	"sync"
	"time"

	"github.com/leveelake/catalog/storage/internal/nodes"
	"github.com/leveelake/catalog/types"
)

const (
	// probesFlying is how many probes are on their way at most, and probeGap how long after one the
	// next may start: where the database is near, one at a time carries more and so costs
	// less for each who asks; where it is far, nobody has to wait for a whole one.
	probesFlying = 4
	probeGap     = 500 * time.Microsecond

	// probeTimeout is how long a probe may take.
	probeTimeout = 10 * time.Second
)

// sqlProbe asks for the revisions of objects and of logs; it answers with what is there.
// sqlProbeNames asks, too, for children that should not be there, and answers with the places
// in the arrays of those that are.
const (
	sqlProbe = `SELECT o.id, o.revision, NULL::bigint FROM object AS o WHERE o.id = ANY($1::text[])
UNION ALL SELECT l.object, l.revision, l.object_revision FROM log AS l WHERE l.object = ANY($2::text[])`

	sqlProbeNames = sqlProbe + `
UNION ALL SELECT NULL, p.n, NULL FROM unnest($3::text[], $4::text[], $5::text[]) WITH ORDINALITY AS p(parent, kind, name, n)
	JOIN object AS o ON o.parent = p.parent AND o.kind = p.kind AND o.name = p.name`
)

// probes ask the database whether what is remembered is still so: all who wait, in one
// statement. One may join a probe only before it is sent, so that what it answers was true
// after the question came.
type probes struct {
	s *Store

	mu     sync.Mutex
	next   *probe // the one that can be joined, nil: none
	flying int
	left   time.Time // when the last one left
}

func newProbes(s *Store) *probes { return &probes{s: s} }

// A probe is one statement. What is asked twice is in it once.
type probe struct {
	ids     map[types.ID]int // places in the arrays
	logIDs  map[types.ID]int
	names   map[absent]int
	objects array
	logs    array
	parents array
	kinds   array
	texts   array

	done chan struct{} // closed when the rest is set
	err  error
	revs []int64 // of objects; 0: it is not there
	log  []logAt
	here []bool // children that should not be there
}

// logAt is what a row of log says.
type logAt struct{ revision, object int64 }

func newProbe() *probe {
	return &probe{
		ids: make(map[types.ID]int), logIDs: make(map[types.ID]int), names: make(map[absent]int),
		objects: newArray(), logs: newArray(), parents: newArray(), kinds: newArray(), texts: newArray(),
		done: make(chan struct{}),
	}
}

// add puts into the probe what tells whether a chain is as it was seen. If its last node
// has a log, the row of that tells it of both.
func (p *probe) add(s *saw) {
	logged := s.logged()
	for i := range s.refs {
		r := &s.refs[i]
		if r.id == logged {
			continue
		}
		if _, ok := p.ids[r.id]; !ok {
			p.ids[r.id] = len(p.ids)
			p.objects.text(string(r.id))
		}
	}
	for _, l := range s.logs {
		if _, ok := p.logIDs[l.id]; !ok {
			p.logIDs[l.id] = len(p.logIDs)
			p.logs.text(string(l.id))
		}
	}
	for _, a := range s.absents {
		if _, ok := p.names[a]; !ok {
			p.names[a] = len(p.names)
			p.parents.text(string(a.parent))
			p.kinds.text(string(a.kind))
			p.texts.text(a.name)
		}
	}
}

// logged is the object of a chain whose log is there, "" if none was seen.
func (s *saw) logged() types.ID {
	if len(s.logs) == 1 && s.logs[0].revision > 0 {
		return s.logs[0].id
	}
	return ""
}

// holds tells whether a chain is as it was seen, and has c forget what is not.
func (p *probe) holds(s *saw, c *nodes.Cache) bool {
	ok := true
	logged := s.logged()
	for i := range s.refs {
		r := &s.refs[i]
		var is int64
		if r.id == logged {
			is = p.log[p.logIDs[r.id]].object
		} else {
			is = p.revs[p.ids[r.id]]
		}
		if is != r.revision {
			c.Forget(r.id)
			ok = false
		}
	}
	for _, l := range s.logs {
		if p.log[p.logIDs[l.id]].revision != l.revision {
			c.Forget(l.id)
			ok = false
		}
	}
	for _, a := range s.absents {
		if p.here[p.names[a]] {
			c.Forget(a.parent)
			ok = false
		}
	}
	return ok
}

// check tells whether the chain is now as it was seen.
func (ps *probes) check(ctx context.Context, s *saw) (bool, error) {
	ps.mu.Lock()
	if ps.next == nil {
		ps.next = newProbe()
	}
	p := ps.next
	p.add(s)
	if ps.flying == 0 || ps.flying < probesFlying && time.Since(ps.left) > probeGap {
		ps.flying++
		ps.next, ps.left = nil, time.Now()
		go ps.fly(p)
	}
	ps.mu.Unlock()
	select {
	case <-p.done:
	case <-ctx.Done():
		return false, ctx.Err()
	}
	if p.err != nil {
		return false, p.err
	}
	return p.holds(s, ps.s.cache), nil
}

// fly sends p and then whatever has come together meanwhile.
func (ps *probes) fly(p *probe) {
	for p != nil {
		p.err = p.run(ps.s)
		close(p.done)
		ps.mu.Lock()
		p, ps.next = ps.next, nil
		if p == nil {
			ps.flying--
		} else {
			ps.left = time.Now()
		}
		ps.mu.Unlock()
	}
}

func (p *probe) run(s *Store) error {
	c, err := s.acquire(context.Background())
	if err != nil {
		return err
	}
	defer c.Release()
	p.revs, p.log, p.here = make([]int64, len(p.ids)), make([]logAt, len(p.logIDs)), make([]bool, len(p.names))
	params := [][]byte{p.objects.end(oidText), p.logs.end(oidText)}
	name, sql := "levee_probe", sqlProbe
	if len(p.names) > 0 {
		params = append(params, p.parents.end(oidText), p.kinds.end(oidText), p.texts.end(oidText))
		name, sql = "levee_probe_names", sqlProbeNames
	}
	return run(c.Conn(), name, sql, probeTimeout, params, func(v [][]byte) {
		switch {
		case v[0] == nil:
			p.here[intOf(v[1])-1] = true
		case v[2] == nil:
			p.revs[p.ids[types.ID(v[0])]] = intOf(v[1])
		default:
			p.log[p.logIDs[types.ID(v[0])]] = logAt{intOf(v[1]), intOf(v[2])}
		}
	})
}
