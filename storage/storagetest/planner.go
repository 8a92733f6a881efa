package storagetest

import (
	"fmt"
	"math/rand/v2"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// keep is how many backfilled versions the planned logs remember.
const keep = 2

// A planner makes up transactions about what is there, what was there and what never was.
type planner struct {
	rand *rand.Rand
	live []storage.Object // all that is there
	gone []storage.Object // what was there
	used map[types.ID]bool
}

func newPlanner(seed uint64) *planner {
	return &planner{rand: rand.New(rand.NewPCG(seed, 0)), used: make(map[types.ID]bool)}
}

// look takes down what is in the model now.
func (p *planner) look(e *env, model storage.Store) {
	e.Helper()
	before := p.live
	p.live = nil
	err := model.View(e.ctx, func(tx storage.ReadTx) error {
		nodes, err := tx.Lookup(e.ctx, nil, storage.Want{})
		for err == nil && len(nodes) > 0 {
			o := nodes[0].Object
			p.live = append(p.live, o)
			var children []storage.Node
			children, err = tx.List(e.ctx, storage.ListQuery{Parent: o.ID}, storage.Want{})
			nodes = append(nodes[1:], children...)
		}
		return err
	})
	if err != nil {
		e.Fatalf("the model: %v", err)
	}
	alive := make(map[types.ID]bool)
	for _, o := range p.live {
		alive[o.ID] = true
	}
	for _, o := range before {
		if !alive[o.ID] {
			p.gone = append(p.gone, o)
		}
	}
}

func pick[T any](p *planner, from ...T) T { return from[p.rand.IntN(len(from))] }

// chance is true n times in a hundred.
func (p *planner) chance(n int) bool { return p.rand.IntN(100) < n }

func (p *planner) id() types.ID {
	var b [16]byte
	for i := range b {
		b[i] = byte(p.rand.Uint32())
	}
	return uuid(b)
}

// Few names and few segments, so that they meet.
func (p *planner) name() string { return pick(p, "a", "A", "b", "ab", "a b", "é", "%", "_", "😀") }

func (p *planner) location() string {
	if p.chance(40) {
		return ""
	}
	l := pick(p, "s3://b", "s3://b", "s3://bb", "file://")
	for range p.rand.IntN(4) {
		l += "/" + pick(p, "a", "ab", "a-b", "_")
	}
	return l
}

func (p *planner) kind(parent types.Kind) types.Kind {
	switch parent {
	case kindRoot:
		return pick(p, kindCatalog, kindCatalog, kindGrant)
	case kindCatalog:
		return pick(p, kindSchema, kindSchema, kindGrant)
	case kindSchema:
		return pick(p, kindTable, kindTable, kindTable, kindStaging, kindGrant, kindColumns)
	}
	return pick(p, kindGrant, kindGrant, kindColumns)
}

// some is an object that is there, or seldom one that is no more.
func (p *planner) some() storage.Object {
	if len(p.gone) > 0 && (len(p.live) == 0 || p.chance(7)) {
		return pick(p, p.gone...)
	}
	return pick(p, p.live...)
}

func (p *planner) want() storage.Want {
	w := storage.Want{Log: p.chance(60), Version: p.rand.Int64N(5)}
	if p.chance(60) {
		for range 1 + p.rand.IntN(6) {
			w.Beside = append(w.Beside, storage.Step{Kind: pick(p, kindGrant, kindGrant, kindColumns, kindTable, "none"), Name: p.name()})
		}
	}
	return w
}

func (p *planner) transaction() transaction {
	clear(p.used)
	t := transaction{view: p.chance(25)}
	for range p.rand.IntN(4) {
		t.reads = append(t.reads, p.read()...)
	}
	if t.view {
		return t
	}
	for range 1 + p.rand.IntN(3) {
		reads, w := p.write()
		t.reads = append(t.reads, reads...)
		t.writes = append(t.writes, w)
	}
	if p.chance(10) { // last, since nothing can be written to what is deleted
		r, w := p.delete()
		t.reads, t.writes = append(t.reads, r), append(t.writes, w)
	}
	switch n := p.rand.IntN(100); {
	case n < 8:
		t.end = fails
	case n < 12:
		t.end = panics
	case n < 15:
		t.end = readsOn
	}
	return t
}

func (p *planner) get(id types.ID, w storage.Want) read {
	return read{fmt.Sprintf("Get(%s, %v)", id, w), func(e *env, tx storage.ReadTx) ([]storage.Node, []storage.Object, error) {
		nodes, err := tx.Get(e.ctx, id, w)
		return nodes, nil, err
	}}
}

func (p *planner) read() []read {
	w := p.want()
	switch p.rand.IntN(4) {
	case 0:
		steps := path(p.name(), p.name(), p.name(), p.name())[:p.rand.IntN(5)]
		return []read{{fmt.Sprintf("Lookup(%v, %v)", steps, w), func(e *env, tx storage.ReadTx) ([]storage.Node, []storage.Object, error) {
			nodes, err := tx.Lookup(e.ctx, steps, w)
			return nodes, nil, err
		}}}
	case 1:
		return []read{p.get(p.some().ID, w)}
	case 2:
		o := pick(p, append(p.live, p.some())...)
		q := storage.ListQuery{Parent: o.ID}
		if p.chance(70) {
			q.Kind, q.After, q.Limit = p.kind(o.Kind), pick(p, "", p.name()), p.rand.IntN(4)
		}
		get := p.get(o.ID, w)
		list := read{fmt.Sprintf("List(%+v, %v)", q, w), func(e *env, tx storage.ReadTx) ([]storage.Node, []storage.Object, error) {
			if n, err := tx.Get(e.ctx, o.ID, storage.Want{}); err != nil || len(n) == 0 {
				return nil, nil, err // nobody lists what is not there
			}
			nodes, err := tx.List(e.ctx, q, w)
			return nodes, nil, err
		}}
		return []read{get, list}
	default:
		l, below := p.location(), p.rand.IntN(4)
		kinds := [][]types.Kind{{kindTable}, {kindTable, kindStaging}, {kindCatalog, kindSchema, kindGrant}}[p.rand.IntN(3)]
		return []read{{fmt.Sprintf("Overlap(%s, %v, %d)", l, kinds, below), func(e *env, tx storage.ReadTx) ([]storage.Node, []storage.Object, error) {
			objects, err := tx.Overlap(e.ctx, l, kinds, below)
			return nil, objects, err
		}}}
	}
}

// write plans a write and the reads that it needs.
func (p *planner) write() ([]read, planned) {
	if len(p.live) == 0 {
		return nil, p.insert(object(kindRoot, "", "root"))
	}
	o := p.some()
	kind := p.rand.IntN(3)
	if kind == 0 || p.used[o.ID] {
		child := object(p.kind(o.Kind), o.ID, p.name())
		return nil, p.insert(at(child, p.location()))
	}
	p.used[o.ID] = true
	reads := []read{p.get(o.ID, storage.Want{Log: true})}
	if kind == 1 {
		return reads, p.replace(o)
	}
	return reads, p.writeLog(o.ID)
}

func (p *planner) insert(o storage.Object) planned {
	o.ID = p.id()
	if len(p.live) > 0 && p.chance(2) {
		o.ID = pick(p, p.live...).ID
	}
	return planned{"Insert " + textOfObject(o), func(e *env, tx storage.Tx, _ map[types.ID]storage.Node) error {
		return tx.Insert(e.ctx, o)
	}}
}

// stale makes a revision wrong, seldom.
func (p *planner) stale() int64 {
	if p.chance(5) {
		return 1
	}
	return 0
}

func (p *planner) replace(o storage.Object) planned {
	wrong, up := p.stale(), 1+p.rand.Int64N(3)
	name, location, swap := p.name(), p.location(), p.chance(30)
	return planned{fmt.Sprintf("Replace %s: name %q, location %q, kind %t, wrong %d", o.ID, name, location, swap, wrong),
		func(e *env, tx storage.Tx, seen map[types.ID]storage.Node) error {
			old := o
			if n, ok := seen[o.ID]; ok {
				old = n.Object
			}
			old.Revision += wrong
			new := at(next(old, "body of "+name), location)
			new.Revision, new.Name = old.Revision+up, name
			if swap && new.Kind == kindStaging {
				new.Kind = kindTable
			}
			return tx.Replace(e.ctx, old, new)
		}}
}

func (p *planner) writeLog(id types.ID) planned {
	wrong, add, backfill, state := p.stale(), p.chance(70), p.rand.Int64N(3), p.name()
	return planned{fmt.Sprintf("WriteLog %s: add %t, backfill %d, wrong %d", id, add, backfill, wrong),
		func(e *env, tx storage.Tx, seen map[types.ID]storage.Node) error {
			var old storage.Log
			if n := seen[id]; n.Log != nil {
				old = *n.Log
			}
			d := storage.LogDelta{Revision: old.Revision + wrong + 1, Last: old.Last, State: []byte(state)}
			if add {
				d.Last++
				d.Add = commit(d.Last)
			}
			d.Backfilled = min(d.Last, old.Backfilled+backfill)
			d.Forget = d.Backfilled - keep
			old.Revision += wrong
			return tx.WriteLog(e.ctx, id, old, d)
		}}
}

func (p *planner) delete() (read, planned) {
	o := storage.Object{ID: p.id(), Revision: 1}
	if len(p.live) > 0 {
		if o = p.some(); o.Parent == "" && !p.chance(10) { // seldom everything
			o = pick(p, p.live...)
		}
	}
	wrong := p.stale()
	return p.get(o.ID, storage.Want{}), planned{fmt.Sprintf("Delete %s, wrong %d", o.ID, wrong),
		func(e *env, tx storage.Tx, seen map[types.ID]storage.Node) error {
			old := o
			if n, ok := seen[o.ID]; ok {
				old = n.Object
			}
			old.Revision += wrong
			return tx.Delete(e.ctx, old)
		}}
}
