package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/leveelake/catalog/internal/bench/measure"
)

// TestExperiments is about the list: names are how one is chosen, so no two share one.
func TestExperiments(t *testing.T) {
	seen := map[string]bool{}
	targets := 0
	for _, e := range experiments() {
		if seen[e.name] {
			t.Errorf("%q stands there twice", e.name)
		}
		seen[e.name] = true
		if e.postgres != strings.Contains(e.name, "PostgreSQL") {
			t.Errorf("%q: does it need a PostgreSQL?", e.name)
		}
		for _, c := range e.checks {
			if c.want.sign != "" {
				targets++
			}
		}
	}
	if targets < 20 {
		t.Errorf("%d targets", targets)
	}
}

// TestRows judges by the median of ratios of rounds, and says each thing once.
func TestRows(t *testing.T) {
	sample := func(ops int64, cpu time.Duration) measure.Sample {
		return measure.Sample{Ops: ops, Elapsed: time.Second, CPU: cpu}
	}
	e := experiment{name: "loads", checks: []check{{rate, 1, atLeast(0.5)}, {cpu, 1, atMost(1)}, {cpu, 0, bound{}}}}
	subjects := []subject{{name: "levee"}, {name: "static"}}
	got := rows(e, subjects, [][]measure.Sample{
		{sample(600, time.Second), sample(100, time.Second), sample(700, time.Second)},
		{sample(1000, time.Second), sample(200, time.Second), sample(1000, time.Second)},
	})
	want := [][]string{
		{"loads", "600", "1667", "static", "1000", "1000", "ops/s, ratio", "0.60", "0.50–0.70", "≥ 0.50", "met"},
		{"", "", "", "", "", "", "CPU, ratio", "1.67", "1.43–2.00", "≤ 1.00", "MISSED"},
		{"", "", "", "", "", "", "CPU, µs", "1667", "1429–10.0k", "", ""},
	}
	for i := range want {
		if !slices.Equal(got[i], want[i]) {
			t.Errorf("row %d:\ngot  %q\nwant %q", i, got[i], want[i])
		}
	}
}

// TestOne is about the order of things: a warm-up for each, then rounds that begin with
// another subject each time; and the end of what was started, after an error too.
func TestOne(t *testing.T) {
	for _, fails := range []bool{false, true} {
		var order strings.Builder
		ended := false
		run := func(name string) subject {
			return subject{name, func(_ context.Context, d time.Duration) (measure.Sample, error) {
				order.WriteString(name)
				if fails && name == "c" {
					return measure.Sample{}, errors.New("broken")
				}
				return measure.Sample{Ops: 1}, nil
			}}
		}
		l := &lab{}
		e := experiment{prepare: func(context.Context, *lab) ([]subject, error) {
			l.later(func() error { ended = true; return nil })
			return []subject{run("a"), run("b"), run("c")}, nil
		}}
		_, samples, err := compareCmd{Rounds: 4, RoundTime: time.Second}.one(t.Context(), l, e)
		if fails {
			if err == nil || !ended {
				t.Errorf("error %v, ended %t", err, ended)
			}
			continue
		}
		if err != nil || !ended || len(samples) != 3 || len(samples[0]) != 4 || order.String() != "abc"+"abc"+"bca"+"cab"+"abc" {
			t.Errorf("%v, ended %t, order %s", err, ended, order.String())
		}
	}
}

// TestTurns deals tables to writers: none to two of them.
func TestTurns(t *testing.T) {
	for _, writers := range []int{1, 7, 64} {
		turns := newTurns(100)
		owner := map[int]int{}
		for range 50 {
			for w := range writers {
				i := turns.next(w, writers)
				if who, ok := owner[i]; ok && who != w {
					t.Fatalf("%d writers: table %d goes to %d and %d", writers, i, who, w)
				}
				owner[i] = w
			}
		}
	}
}
