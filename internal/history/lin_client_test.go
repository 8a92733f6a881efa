package history_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"

	"github.com/leveelake/catalog/types"
)

// A client does what writers and readers of tables do, and what they should not.
type client struct {
	run   *run
	id    int
	rng   *rand.Rand
	done  int // operations in the history
	views [slots][2]view
	sent  [slots][]input // its commits
}

// A view is what a client believes of a name.
type view struct {
	known  bool
	table  shown
	urgent *input // what a refusal asked it to do next
}

func newClient(r *run, id int, seed uint64) *client {
	return &client{run: r, id: id, rng: rand.New(rand.NewPCG(seed, 100+uint64(id)))}
}

func (c *client) work(n int) {
	for c.done < n {
		in := c.next()
		out := c.insist(in)
		if in.op == "stage" && out.status == http.StatusOK {
			c.insist(input{op: "create", slot: in.slot, name: in.name, id: out.table.id, staged: c.run.number(in.slot, out.table.id)})
		}
	}
}

// insist sends a request, and the same once more if there is no answer: nearly always.
func (c *client) insist(in input) output {
	out := c.do(context.Background(), in)
	for tries := 0; out.unknown && tries < 4 && c.rng.IntN(10) > 0; tries++ {
		out = c.do(context.Background(), in)
	}
	c.learn(in, out)
	return out
}

// learn updates what c believes.
func (c *client) learn(in input, out output) {
	v := &c.views[in.slot][in.name]
	switch {
	case out.unknown:
		v.known = false
	case out.status == http.StatusOK && in.op != "stage":
		*v = view{known: true, table: out.table}
	case out.code == types.NoSuchTable, out.status == http.StatusNotFound:
		*v = view{known: true}
	case out.code == types.ResourceExhausted:
		b := v.table.latest
		v.urgent = &input{op: "update", slot: in.slot, name: in.name, id: v.table.id, backfill: &b}
	case out.code != "":
		v.known = false
	case in.op == "drop":
		*v = view{known: true}
	case in.op == "rename" && in.to != in.name:
		c.views[in.slot][in.to], *v = view{}, view{known: true}
	}
}

// next decides what to do.
func (c *client) next() input {
	slot := c.rng.IntN(slots)
	name := 0
	if v := &c.views[slot]; v[0].known && v[0].table.id == "" && c.rng.IntN(2) == 0 || c.rng.IntN(20) == 0 {
		name = 1
	}
	v := &c.views[slot][name]
	in := input{op: "load", slot: slot, name: name}
	if u := v.urgent; u != nil {
		v.urgent = nil
		return *u
	}
	n := c.rng.IntN(100)
	switch {
	case !v.known:
		if n < 10 {
			in.op = "exists"
		}
		return in
	case v.table.id == "":
		v.known = false
		if n < 30 {
			in.op = "stage"
		}
		return in
	}
	return c.onTable(in, v.table, n)
}

// onTable is a request about a table that c believes to exist. Tables with an odd number are
// backfilled late.
func (c *client) onTable(in input, t shown, n int) input {
	in.op, in.id = "update", t.id
	switch {
	case n < 50:
		in.version, in.file = t.latest+1, c.token()
		c.adorn(&in, t)
	case n < 58 && len(c.sent[in.slot]) > 0: // once more, perhaps long ago
		old := c.sent[in.slot]
		return old[c.rng.IntN(len(old))]
	case n < 62 && t.latest > 0: // a version that is taken
		in.version, in.file = 1+c.rng.Int64N(t.latest), c.token()
		c.adorn(&in, t)
	case n < 63: // a gap
		in.version, in.file = t.latest+2, c.token()
		c.adorn(&in, t)
	case n < 70 && (in.slot%2 == 0 || c.rng.IntN(20) == 0):
		in.backfill = c.upTo(t.latest + 1)
	case n < 80:
		in.property = c.name()
		if c.rng.IntN(3) > 0 {
			in.etag = t.etag
		}
		if c.rng.IntN(4) == 0 && in.slot%2 == 0 {
			in.backfill = c.upTo(t.latest)
		}
		return in
	case n < 83:
		return input{op: "rename", slot: in.slot, name: in.name, to: c.rng.IntN(2)}
	case n < 84 && in.slot > 1: // the first tables grow old
		return input{op: "drop", slot: in.slot, name: in.name}
	case n < 86:
		return input{op: "stage", slot: in.slot, name: in.name}
	case n < 88:
		return input{op: "exists", slot: in.slot, name: in.name}
	default:
		return input{op: "load", slot: in.slot, name: in.name}
	}
	if in.version > 0 {
		c.sent[in.slot] = append(c.sent[in.slot], in)
	}
	return in
}

// adorn adds to a commit what may come with one.
func (c *client) adorn(in *input, t shown) {
	if c.rng.IntN(3+27*(in.slot%2)) == 0 {
		in.backfill = c.upTo(t.latest)
	}
	if c.rng.IntN(5) == 0 {
		in.property = c.name()
	}
	if c.rng.IntN(5) == 0 {
		in.etag = t.etag
	}
}

// upTo is a version to be reported as backfilled.
func (c *client) upTo(last int64) *int64 {
	b := last - c.rng.Int64N(4)
	return &b
}

func (c *client) token() uint32 { return uint32(c.run.token.Add(1)) }
func (c *client) name() string  { return fmt.Sprint(c.run.token.Add(1)) }
