package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/leveelake/catalog/internal/bench/seed"
)

type seedCmd struct {
	Store   string `help:"Where the tables go: a path of a SQLite file that does not exist yet, or the URL of an empty PostgreSQL database." required:"" placeholder:"PATH|postgres://…"`
	Tables  int    `help:"How many tables (${default})." default:"1000000"`
	Columns int    `help:"How many columns each has (${default})." default:"10"`
	Big     int    `help:"How many of the tables are in one schema; the others are in schemas of 1,000. Default: a tenth." default:"-1"`
}

func (c seedCmd) Run(ctx context.Context, o output) error {
	if c.Tables < 1 || c.Columns < 1 {
		return errors.New("there must be a table and a column")
	}
	p := c.plan()
	start := time.Now()
	told := start
	rate := func(done int) float64 { return float64(done) / time.Since(start).Seconds() }
	err := fill(ctx, c.Store, p, func(done int) {
		if time.Since(told) > 5*time.Second {
			told = time.Now()
			o.note("%d tables, %.0f/s", done, rate(done))
		}
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(o.out, "%d tables of %d columns in %s: %.0f/s\n", p.Tables, p.Columns, time.Since(start).Round(time.Millisecond), rate(p.Tables))
	return nil
}

func (c seedCmd) plan() seed.Plan {
	p := seed.Plan{Tables: c.Tables, Columns: c.Columns, Big: c.Big}
	if p.Big < 0 {
		p.Big = p.Tables / 10
	}
	return p
}

// fill seeds the store at a place, and closes it.
func fill(ctx context.Context, where string, p seed.Plan, progress func(done int)) (err error) {
	s, closeStore, err := openStore(ctx, where)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeStore()) }()
	return seed.Fill(ctx, s, p, progress)
}
