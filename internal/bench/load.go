package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/leveelake/catalog/internal/bench/seed"
	"github.com/leveelake/catalog/internal/bench/wire"
)

// loadConns is how many clients load at once. They wait for answers, so that the server is busy
// but has no queue.
const loadConns = 16

// beyondCaches is how many tables of 100 columns are more than any cache of the server may hold:
// 280 MB of columns alone, where all the server's memory should be less than 200 MiB.
const beyondCaches = 20_000

// loads are loads over HTTP, against a handler that sends the same bytes.
func loads() []experiment {
	var all []experiment
	for _, columns := range []int{2, 100, 3000} {
		for _, commits := range []int64{0, 10} {
			e := experiment{
				name:    fmt.Sprintf("cached load, %d columns, %d commits", columns, commits),
				prepare: loadsOf("sqlite", seed.Plan{Tables: 1, Columns: columns, Managed: true}, commits),
				checks:  []check{{rate, 1, atLeast(0.90)}, {cpu, 1, bound{}}},
			}
			all = append(all, e)
		}
	}
	return append(all,
		experiment{
			name:    "uncached load, SQLite, 100 columns",
			prepare: loadsOf("sqlite", seed.Plan{Tables: beyondCaches, Columns: 100, Managed: true}, 0),
			checks:  []check{{rate, 1, atLeast(0.50)}, {cpu, 1, bound{}}},
		},
		experiment{
			name: "load, strict, PostgreSQL, 100 columns", postgres: true,
			prepare: loadsOf("postgres", seed.Plan{Tables: 1, Columns: 100, Managed: true}, 0),
			checks:  []check{{rate, 1, atLeast(0.70)}, {cpu, 1, bound{}}},
		},
		experiment{
			name:    "load with If-None-Match: 304, 100 columns",
			prepare: unchanged,
			checks:  []check{{rate, 1, bound{}}, {cpu, 1, bound{}}, {cpu, 2, bound{}}},
		},
	)
}

// loadsOf prepares loads of the tables of a plan, one after the other. With more than the caches
// hold, each comes back when it has been driven out.
func loadsOf(store string, plan seed.Plan, commits int64) func(context.Context, *lab) ([]subject, error) {
	return func(ctx context.Context, l *lab) ([]subject, error) {
		levee, err := l.catalog(ctx, store, plan, commits)
		if err != nil {
			return nil, err
		}
		body, _, err := levee.fetch(ctx, wire.TablePath(plan.Name(0)))
		if err != nil {
			return nil, err
		}
		static, err := l.start(ctx, spec{Kind: "static", Body: body})
		if err != nil {
			return nil, err
		}
		ours, theirs := newRound(levee.target, plan), newRound(static.target, plan)
		subjects := []subject{served("levee", levee, loadConns, ours), served("static bytes", static, loadConns, theirs)}
		if store == "postgres" {
			return beside(l.pg, subjects...), nil
		}
		return subjects, nil
	}
}

// unchanged prepares loads by a client that has the table already.
func unchanged(ctx context.Context, l *lab) ([]subject, error) {
	plan := seed.Plan{Tables: 1, Columns: 100, Managed: true}
	levee, err := l.catalog(ctx, "sqlite", plan, 0)
	if err != nil {
		return nil, err
	}
	path := wire.TablePath(plan.Name(0))
	body, etag, err := levee.fetch(ctx, path)
	if err != nil {
		return nil, err
	}
	if etag == "" {
		return nil, errors.New("the server sends no ETag")
	}
	static, err := l.start(ctx, spec{Kind: "static", Body: body})
	if err != nil {
		return nil, err
	}
	none, err := l.start(ctx, spec{Kind: "none"})
	if err != nil {
		return nil, err
	}
	get := func(c *child, headers string, status int) wire.Source {
		return wire.Repeat{Request: c.target.AppendGet(nil, path, headers), Status: status}
	}
	return []subject{
		served("levee", levee, loadConns, get(levee, "If-None-Match: "+etag+"\r\n", 304)),
		served("static bytes", static, loadConns, get(static, "", 200)),
		served("204", none, loadConns, get(none, "", 204)),
	}, nil
}

// A round goes round the tables of a plan and asks for each. It goes on where the round of
// measuring before has ended.
type round struct {
	requests [][]byte // in an order that is not that of names
	at       atomic.Int64
}

// stride has no factor in common with a number of tables that anybody would choose.
const stride = 7919

func newRound(t wire.Target, plan seed.Plan) *round {
	r := &round{requests: make([][]byte, plan.Tables)}
	for i := range r.requests {
		r.requests[i] = t.AppendGet(nil, wire.TablePath(plan.Name(i*stride%plan.Tables)), "")
	}
	return r
}

// Next is as wire.Source has it.
func (r *round) Next(int, []byte) []byte {
	return r.requests[int(r.at.Add(1)-1)%len(r.requests)]
}

// Answered is as wire.Source has it.
func (r *round) Answered(_ int, a wire.Answer) error { return wire.Want(a, 200) }
