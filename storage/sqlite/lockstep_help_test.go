package sqlite

import (
	"errors"
	"fmt"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

func (l *lockstep) want() storage.Want {
	w := storage.Want{Log: l.rng.IntN(3) != 0}
	if w.Log {
		w.Version = l.rng.Int64N(20)
	}
	if l.rng.IntN(3) == 0 {
		for range 1 + l.rng.IntN(5) {
			w.Beside = append(w.Beside, storage.Step{Kind: types.Kind("k" + []string{"", "", "", "2"}[l.rng.IntN(4)]), Name: l.name()})
		}
	}
	return w
}

// read reads something from both, and returns what is the last of it.
func (l *lockstep) read(tx, m storage.ReadTx) (last []storage.Node, differs string) {
	w := l.want()
	var read func(tx storage.ReadTx) ([]storage.Node, error)
	switch id := l.known[l.rng.IntN(len(l.known))]; l.rng.IntN(3) {
	case 0:
		path := make([]storage.Step, l.rng.IntN(4))
		for i := range path {
			path[i] = storage.Step{Kind: "k", Name: l.name()}
		}
		read = func(tx storage.ReadTx) ([]storage.Node, error) { return tx.Lookup(bg, path, w) }
	case 1:
		read = func(tx storage.ReadTx) ([]storage.Node, error) { return tx.Get(bg, id, w) }
	default:
		read = func(tx storage.ReadTx) ([]storage.Node, error) {
			if chain, err := tx.Get(bg, id, w); err != nil || len(chain) == 0 {
				return nil, err
			}
			return tx.List(bg, storage.ListQuery{Parent: id}, w)
		}
	}
	got, err := read(tx)
	want, errModel := read(m)
	if err != nil || errModel != nil {
		return nil, fmt.Sprintf("errors %v and %v", errModel, err)
	}
	for i := range min(len(got), len(want)) { // what may be forgotten may be there
		if a, b := got[i].Log, want[i].Log; a != nil && b != nil && b.Asked == nil && a.Asked != nil && a.Asked.Version <= a.Backfilled {
			a.Asked = nil
		}
	}
	if len(got) > 0 {
		last = got[len(got)-1:]
	}
	return last, cmp.Diff(want, got, cmpopts.EquateEmpty())
}

func (l *lockstep) name() string { return string(rune('a' + l.rng.IntN(3))) }

// step is what one Update does, to both.
func (l *lockstep) step(tx, m storage.Tx) (did writes, err error) {
	if l.rng.IntN(6) == 0 {
		l.s.writer.foldAt = 0 // after this batch
	}
	var read []storage.Node
	for range 1 + l.rng.IntN(4) {
		last, d := l.read(tx, m)
		if d != "" {
			l.Error("an Update reads something else (-model +store): " + d)
			return nil, errStop
		}
		read = append(read, last...)
	}
	for range l.rng.IntN(4) {
		if len(read) == 0 {
			break
		}
		write := l.write(read[l.rng.IntN(len(read))])
		errs := [2]error{write(m), write(tx)}
		for _, is := range []error{storage.ErrExists, storage.ErrStale, nil} {
			if errors.Is(errs[0], is) != errors.Is(errs[1], is) {
				l.Errorf("a write ends with %v, in the model with %v", errs[1], errs[0])
			}
		}
		if errs[0] != nil {
			return nil, errStop
		}
		did = append(did, write)
	}
	return did, nil
}

// write makes up one of n.
func (l *lockstep) write(n storage.Node) func(tx storage.Tx) error {
	o := n.Object
	body := make([]byte, l.rng.IntN(2)*l.rng.IntN(6000))
	switch r := l.rng.IntN(12); {
	case r < 3:
		kind := types.Kind("k")
		if l.rng.IntN(4) == 0 {
			kind = "k2"
		}
		o = object(len(l.known)+1, kind, n.ID, l.name())
		l.known = append(l.known, o.ID)
		return func(tx storage.Tx) error {
			return errors.Join(tx.Insert(bg, o), tx.WriteLog(bg, o.ID, storage.Log{}, storage.LogDelta{Revision: 1}))
		}
	case r < 5 || n.Log == nil:
		o.Revision += 1 + l.rng.Int64N(2)
		o.Body = body
		if o.Parent != "" {
			o.Name = l.name()
		}
		return func(tx storage.Tx) error { return tx.Replace(bg, n.Object, o) }
	case r == 5 && o.Parent != "":
		return func(tx storage.Tx) error { return tx.Delete(bg, n.Object) }
	}
	old := *n.Log
	old.Asked = nil
	d := storage.LogDelta{Revision: old.Revision + 1, Last: old.Last + l.rng.Int64N(3), State: make([]byte, l.rng.IntN(4))}
	if d.Last > old.Last {
		d.Add = &storage.Commit{Version: d.Last, File: fmt.Sprint(d.Last), Data: body}
	}
	d.Backfilled = min(d.Last, old.Backfilled+l.rng.Int64N(3))
	d.Forget = l.rng.Int64N(d.Last+3) - 1
	return func(tx storage.Tx) error { return tx.WriteLog(bg, n.ID, old, d) }
}

// differs compares all there is with a model: in Views of one read, which the cache answers, and of many.
func (l *lockstep) differs(m storage.Store) (d string) {
	compare := func(m storage.ReadTx, ids ...types.ID) {
		err := l.s.View(bg, func(tx storage.ReadTx) error {
			for _, id := range ids {
				w := storage.Want{Log: true, Beside: []storage.Step{{Kind: "k", Name: "a"}, {Kind: "k", Name: "b"}, {Kind: "k", Name: "c"}, {Kind: "k2", Name: "a"}, {Kind: "k2", Name: "c"}}}
				got, err := tx.Get(bg, id, w)
				if err != nil {
					return err
				}
				want, err := m.Get(bg, id, w)
				if err != nil {
					return err
				}
				d += cmp.Diff(want, got, cmpopts.EquateEmpty())
			}
			return nil
		})
		if err != nil {
			d += err.Error()
		}
	}
	_ = m.View(bg, func(tx storage.ReadTx) error {
		for _, id := range l.known {
			compare(tx, id)
		}
		compare(tx, l.known...)
		return nil
	})
	return d
}
