package main

import (
	"context"
	"fmt"
	"time"

	"github.com/leveelake/catalog/internal/bench/measure"
	"github.com/leveelake/catalog/internal/bench/wire"
)

// An experiment is what is measured in alternating rounds: a subject, and references.
type experiment struct {
	name     string
	postgres bool // it needs one
	once     bool // a round takes as long as it takes: a warm-up would only cost time
	prepare  func(context.Context, *lab) ([]subject, error)
	checks   []check
}

// A subject takes part in an experiment. The first is the one that matters.
type subject struct {
	name string
	run  func(ctx context.Context, d time.Duration) (measure.Sample, error)
}

// A check is a line of the table: what is compared with what, and what it should be.
type check struct {
	by      quantity
	against int // the number of the reference; 0: an absolute value
	want    bound
}

// A quantity is something that a sample tells.
type quantity struct {
	name string // with its unit, where it is absolute
	of   func(measure.Sample) float64
}

var (
	rate = quantity{"ops/s", measure.Sample.Rate}
	cpu  = quantity{"CPU", measure.Sample.Each}
	took = quantity{"µs", measure.Sample.Took}
)

// extra is a quantity of subjects that measure something else than operations.
func extra(name string) quantity {
	return quantity{name, func(s measure.Sample) float64 { return s.Extra[name] }}
}

// A bound is a target; the zero bound is none: the line is there to be read.
type bound struct {
	sign  string
	value float64
}

func atLeast(v float64) bound { return bound{"≥", v} }
func atMost(v float64) bound  { return bound{"≤", v} }

func (b bound) String() string {
	if b.sign == "" {
		return ""
	}
	return b.sign + " " + measure.Number(b.value)
}

// met reports whether v is within b.
func (b bound) met(v float64) bool {
	switch b.sign {
	case "≥":
		return v >= b.value
	case "≤":
		return v <= b.value
	}
	return true
}

func (b bound) verdict(v float64) string {
	switch {
	case b.sign == "":
		return ""
	case b.met(v):
		return "met"
	}
	return "MISSED"
}

// experiments are all of them, in the order of the table.
func experiments() []experiment {
	var all []experiment
	for _, some := range [][]experiment{loads(), commits(), commitsOnPostgres(), hotTables(), embedded(), starts()} {
		all = append(all, some...)
	}
	return all
}

// served is a subject that a child serves over HTTP.
func served(name string, c *child, conns int, s wire.Source) subject {
	return subject{name, func(ctx context.Context, d time.Duration) (measure.Sample, error) {
		return c.hammer(ctx, conns, d, s)
	}}
}

// worked is a subject that a child works on by itself.
func worked(name string, c *child, work string, writers int) subject {
	return subject{name, func(_ context.Context, d time.Duration) (measure.Sample, error) {
		return c.work(work, writers, d)
	}}
}

// beside adds the CPU of the database to what subjects use.
func beside(db *database, subjects ...subject) []subject {
	out := make([]subject, len(subjects))
	for i, s := range subjects {
		out[i] = subject{s.name, func(ctx context.Context, d time.Duration) (measure.Sample, error) {
			before := db.cpu()
			sample, err := s.run(ctx, d)
			sample.DB = db.cpu() - before
			return sample, err
		}}
	}
	return out
}

func writers(n int) string {
	if n == 1 {
		return "1 writer"
	}
	return fmt.Sprintf("%d writers", n)
}
