package main

import (
	"context"

	"github.com/leveelake/catalog/internal/bench/seed"
)

// embedded are operations of a catalog within a program, one after the other.
func embedded() []experiment {
	one := func(store, work string, plan seed.Plan) func(context.Context, *lab) ([]subject, error) {
		return func(ctx context.Context, l *lab) ([]subject, error) {
			levee, err := l.catalog(ctx, store, plan, 0)
			return []subject{worked("levee", levee, work, 1)}, err
		}
	}
	table := seed.Plan{Tables: 1, Columns: 100, Managed: true}
	both := func(target bound) []check { return []check{{took, 0, target}, {cpu, 0, bound{}}} }
	return []experiment{
		{name: "LoadTable in process, cached, SQLite", prepare: one("sqlite", "load", table), checks: both(atMost(3))},
		{name: "LoadTable in process, cached, memory", prepare: one("memory", "load", table), checks: both(atMost(3))},
		{name: "AddCommit in process, memory", prepare: one("memory", "commit", manyTables), checks: both(atMost(3))},
	}
}
