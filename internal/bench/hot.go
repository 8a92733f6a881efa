package main

import (
	"context"

	"github.com/leveelake/catalog/internal/bench/measure"
	"github.com/leveelake/catalog/internal/bench/seed"
)

var refused = quantity{"refused per success", func(s measure.Sample) float64 { return float64(s.Refused) / float64(s.Ops) }}

// hotTables are about one table that all writers want.
func hotTables() []experiment {
	var all []experiment
	for _, store := range []string{"sqlite", "postgres"} {
		name := map[string]string{"sqlite": "SQLite", "postgres": "PostgreSQL"}[store]
		plan := seed.Plan{Tables: 1, Columns: 100, Managed: true}
		all = append(all,
			experiment{
				name: "one hot table, " + name + ", 16 writers", postgres: store == "postgres",
				prepare: func(ctx context.Context, l *lab) ([]subject, error) {
					many, err := l.catalog(ctx, store, plan, 0)
					if err != nil {
						return nil, err
					}
					one, err := l.catalog(ctx, store, plan, 0)
					return l.alone(store, worked("levee", many, "hot", 16), worked("1 writer", one, "hot", 1)), err
				},
				checks: []check{{rate, 1, atLeast(0.8)}, {refused, 0, bound{}}},
			},
			refusal("refused commit, the store's share, "+name, store, "refuse-storage", plan, atMost(5)),
			refusal("refused commit, "+name, store, "refuse", plan, bound{}),
		)
	}
	return all
}

// refusal is about commits of a version that is taken.
func refusal(name, store, work string, plan seed.Plan, target bound) experiment {
	return experiment{
		name: name, postgres: store == "postgres",
		prepare: func(ctx context.Context, l *lab) ([]subject, error) {
			levee, err := l.catalog(ctx, store, plan, 5)
			return l.alone(store, worked("levee", levee, work, 16)), err
		},
		checks: []check{{cpu, 0, target}},
	}
}

// alone counts the CPU of the database too, if there is one.
func (l *lab) alone(store string, subjects ...subject) []subject {
	if store == "postgres" {
		return beside(l.pg, subjects...)
	}
	return subjects
}
