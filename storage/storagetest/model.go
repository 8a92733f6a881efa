package storagetest

import (
	"errors"
	"fmt"
	"strings"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/storage/memory"
	"github.com/leveelake/catalog/types"
)

// Random transactions run on the store and on a memory store, the model; all answers
// and errors must be the same, and so must everything that is stored in the end. A seed
// makes the same transactions each time, so a failure is found again by its name.

func modelTests() []test {
	var tests []test
	for seed := range uint64(8) {
		tests = append(tests, test{fmt.Sprint("Seed", seed), func(e *env) { testModel(e, seed) }})
	}
	return tests
}

func testModel(e *env, seed uint64) {
	model := memory.New()
	root := e.root
	if err := model.Update(e.ctx, func(tx storage.Tx) error { return tx.Insert(e.ctx, root) }); err != nil {
		e.Fatalf("the model: %v", err)
	}
	p := newPlanner(seed)
	steps := 150
	if e.short {
		steps = 40
	}
	for step := range steps {
		p.look(e, model)
		t := p.transaction()
		want := t.run(e, model)
		got := t.run(e, e.all[step%len(e.all)])
		if what := want.differs(got, len(t.writes)); what != "" {
			e.Fatalf("seed %d, step %d: %s\n%s\n got %s\nwant %s", seed, step, what, t, got, want)
		}
		if step%20 == 0 || step == steps-1 {
			e.same(fmt.Sprintf("seed %d, after step %d", seed, step), e.dump(), dump(e, model))
		}
	}
}

// A transaction is a plan, so that it can be run anywhere and again.
type transaction struct {
	view   bool
	reads  []read
	writes []planned
	end    ending
}

// An ending is what fn does after its writes.
type ending int

const (
	succeeds ending = iota
	fails
	panics
	readsOn // which it must not after a write
)

// A read is one call of a ReadTx.
type read struct {
	text string
	call func(e *env, tx storage.ReadTx) ([]storage.Node, []storage.Object, error)
}

// A planned write gets what the reads of its run brought, by ID.
type planned struct {
	text string
	call func(e *env, tx storage.Tx, seen map[types.ID]storage.Node) error
}

func (t transaction) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "view %t, end %d", t.view, t.end)
	for _, r := range t.reads {
		b.WriteString("\n\t" + r.text)
	}
	for _, w := range t.writes {
		b.WriteString("\n\t" + w.text)
	}
	return b.String()
}

// An outcome is all that a caller can tell.
type outcome struct {
	answers []string
	err     error
	panic   any
}

func (o outcome) String() string {
	return fmt.Sprintf("error %v, panic %v, answers:\n%s", o.err, o.panic, strings.Join(o.answers, "\n"))
}

// differs says what of got is not as in want. With several bad writes in one run it is
// left to the store which it finds first.
func (o outcome) differs(got outcome, writes int) string {
	if o.panic != got.panic {
		return "the panic differs"
	}
	if class(o.err) != class(got.err) && (writes < 2 || !refusal(o.err) || !refusal(got.err)) {
		return "the error differs"
	}
	for i, a := range o.answers {
		if i >= len(got.answers) || got.answers[i] != a {
			return fmt.Sprintf("answer %d differs", i)
		}
	}
	return ""
}

func refusal(err error) bool {
	return errors.Is(err, storage.ErrExists) || errors.Is(err, storage.ErrStale)
}

// class is the error that err is of those that a store returns on purpose.
func class(err error) error {
	for _, c := range []error{storage.ErrExists, storage.ErrStale, storage.ErrOrder, errStop} {
		if errors.Is(err, c) {
			return c
		}
	}
	return err
}

func (t transaction) run(e *env, s storage.Store) (o outcome) {
	defer func() { o.panic = recover() }()
	if t.view {
		o.err = s.View(e.ctx, func(tx storage.ReadTx) (err error) {
			o.answers, _, err = t.read(e, tx)
			return err
		})
		return o
	}
	o.err = e.retry(s, func(tx storage.Tx) error {
		answers, seen, err := t.read(e, tx)
		o.answers = answers
		if err != nil {
			return err
		}
		for _, w := range t.writes {
			_ = w.call(e, tx, seen) // sticky
		}
		switch t.end {
		case fails:
			return errStop
		case panics:
			panic("model")
		case readsOn:
			_, err := tx.Get(e.ctx, e.root.ID, storage.Want{})
			return err
		}
		return nil
	})
	return o
}

func (t transaction) read(e *env, tx storage.ReadTx) ([]string, map[types.ID]storage.Node, error) {
	var answers []string
	seen := make(map[types.ID]storage.Node)
	for _, r := range t.reads {
		nodes, objects, err := r.call(e, tx)
		if err != nil {
			return nil, nil, err
		}
		for i, n := range nodes {
			// What the store may have forgotten is not compared.
			if l := n.Log; l != nil && l.Asked != nil && l.Asked.Version <= l.Backfilled-keep {
				nodes[i].Log.Asked = nil
			}
			if was, ok := seen[n.ID]; !ok || was.Log == nil {
				seen[n.ID] = n
			}
		}
		answers = append(answers, textOfNodes(nodes)+textOfObjects(objects))
	}
	return answers, seen, nil
}
