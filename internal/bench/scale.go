package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"time"

	"github.com/leveelake/catalog/internal/bench/measure"
	"github.com/leveelake/catalog/internal/bench/seed"
	"github.com/leveelake/catalog/internal/bench/wire"
)

type scaleCmd struct {
	Store    string `help:"A store that bench seed has filled: a path of a SQLite file, or the URL of a PostgreSQL database." required:"" placeholder:"PATH|postgres://…"`
	Small    string `help:"A second, small one; it is seeded if it is empty. Default: a new SQLite file, or a new database on the same PostgreSQL." placeholder:"PATH|postgres://…"`
	Rounds   int    `help:"How many rounds, in which the two take turns (${default})." default:"5"`
	Loads    int    `help:"How many loads of random tables in all, before the memory is looked at (${default})." default:"200000"`
	Other    int    `help:"How many of the other operations in a round (${default})." default:"300"`
	Markdown bool   `help:"Print the table as Markdown."`
	Dir      string `help:"As of compare." placeholder:"DIR"`
}

// How much slower the large store may be, and what memory the server may take, in MiB.
const (
	flat    = 1.5
	mostMiB = 200
)

func (c scaleCmd) Run(ctx context.Context, o output) (err error) {
	if c.Rounds < 1 || c.Loads < c.Rounds*scaleConns || c.Other < 1 {
		return errors.New("there must be a round, loads for each, and other operations")
	}
	l, err := newLab(c.Dir, o.err)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.close()) }()
	large, err := newSide(l, c.Store)
	if err != nil {
		return err
	}
	small, err := c.small(ctx, l)
	if err != nil {
		return err
	}
	sides := []*side{large, small}
	for _, s := range sides { // once, to know what is there; and each round meets files that were read before
		if err := s.begin(ctx); err != nil {
			return fmt.Errorf("%s: %w", s.store, err)
		}
		if s.plan, err = s.ask(ctx); err != nil {
			return fmt.Errorf("%s: %w", s.store, err)
		}
		if err := s.server.stop(); err != nil {
			return err
		}
	}
	for round := range c.Rounds {
		o.note("round %d/%d", round+1, c.Rounds)
		for _, i := range measure.Order(2, round) {
			if err := sides[i].begin(ctx); err != nil {
				return err
			}
			sides[i].add("start to first answer, ms", sides[i].server.started)
			if round < c.Rounds-1 {
				if err := sides[i].server.stop(); err != nil {
					return err
				}
			}
		}
	}
	for round := range c.Rounds { // with servers that stay
		for step, do := range steps() {
			o.note("round %d/%d, step %d", round+1, c.Rounds, step+1)
			for _, i := range measure.Order(2, round) {
				n := c.Other
				if step == 0 {
					n = c.Loads / c.Rounds
				}
				if err := do(ctx, sides[i], n); err != nil {
					return fmt.Errorf("%s: %w", sides[i].store, err)
				}
			}
		}
	}
	return c.print(o, l, large, small)
}

// small makes the store to compare with.
func (c scaleCmd) small(ctx context.Context, l *lab) (*side, error) {
	where := c.Small
	switch {
	case where == "" && isPostgres(c.Store):
		err := l.findPostgres(ctx, c.Store)
		if err == nil {
			where, err = l.pg.create(ctx)
		}
		if err != nil {
			return nil, fmt.Errorf("there is no database for the small store (--small names one): %w", err)
		}
	case where == "":
		dir, err := l.newFolder()
		if err != nil {
			return nil, err
		}
		where = filepath.Join(dir, "catalog.db")
	}
	s, err := newSide(l, where)
	if err != nil {
		return nil, err
	}
	err = fill(ctx, where, seed.Plan{Tables: 1000, Columns: 10, Big: 100}, nil)
	if c.Small != "" && errors.Is(err, seed.ErrSeeded) {
		err = nil // one of its own from before
	}
	return s, err
}

// A side is one of the two stores, with its server.
type side struct {
	lab    *lab
	store  string
	data   string
	server *levee
	plan   seed.Plan
	rounds map[string][]float64 // a value for each round
	order  []string             // in which they are printed
	random *rand.Rand
	fresh  int // numbers what is made
}

func newSide(l *lab, store string) (*side, error) {
	dir, err := l.newFolder()
	return &side{lab: l, store: store, data: dir, rounds: map[string][]float64{}, random: rand.New(rand.NewPCG(1, 2))}, err
}

// begin starts the server, which answers first with a page of catalogs.
func (s *side) begin(ctx context.Context) (err error) {
	if s.server, err = s.lab.serve(ctx, s.store, s.data, wire.Prefix+"/catalogs"); err != nil {
		return err
	}
	s.lab.later(s.server.stop)
	return nil
}

// ask asks for the plan of what is in the store.
func (s *side) ask(ctx context.Context) (seed.Plan, error) {
	conn, err := wire.Dial(ctx, s.server.target, time.Minute)
	if err != nil {
		return seed.Plan{}, err
	}
	defer conn.Close()
	a, err := conn.Do(s.server.target.AppendGet(nil, wire.Prefix+"/catalogs/"+seed.Catalog, ""))
	if err != nil {
		return seed.Plan{}, err
	}
	var c struct{ Properties map[string]string }
	if err := cmp.Or(wire.Want(a, 200), json.Unmarshal(a.Body, &c)); err != nil {
		return seed.Plan{}, err
	}
	return seed.PlanOf(c.Properties)
}

// add keeps a value of a round, a duration in milliseconds.
func (s *side) add(what string, d time.Duration) {
	s.keep(what, float64(d)/float64(time.Millisecond))
}

func (s *side) keep(what string, v float64) {
	if _, ok := s.rounds[what]; !ok {
		s.order = append(s.order, what)
	}
	s.rounds[what] = append(s.rounds[what], v)
}

const (
	loadP50  = "load p50, ms"
	resident = "memory, MiB"
)

func (c scaleCmd) print(o output, l *lab, large, small *side) error {
	t := measure.Table{Head: []string{"measurement", fmt.Sprintf("%d tables", large.plan.Tables), fmt.Sprintf("%d tables", small.plan.Tables), "ratio", "target", ""}}
	for _, what := range large.order {
		a, b := measure.Median(large.rounds[what]), measure.Median(small.rounds[what])
		want, v := atMost(flat), a/b
		switch what {
		case loadP50: // all of the small store is in a cache, and most of the large one is not
			want = bound{}
		case resident: // the last, after all loads
			a, b = large.rounds[what][c.Rounds-1], small.rounds[what][c.Rounds-1]
			want, v = atMost(mostMiB), a
		}
		t.Rows = append(t.Rows, []string{what, measure.Number(a), measure.Number(b), measure.Number(a / b), want.String(), want.verdict(v)})
	}
	fmt.Fprintf(o.out, "%s. %s. Medians of %d alternating rounds; %d loads of random tables.\n",
		time.Now().Format(time.DateOnly), measure.Machine(l.dir), c.Rounds, c.Loads)
	if c.Markdown {
		fmt.Fprintln(o.out)
		return t.Markdown(o.out)
	}
	return t.Text(o.out)
}
