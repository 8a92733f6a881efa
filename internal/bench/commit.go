package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/leveelake/catalog/internal/bench/seed"
	"github.com/leveelake/catalog/internal/bench/wire"
)

// manyTables are those that commits go to.
var manyTables = seed.Plan{Tables: 1000, Columns: 100, Managed: true}

// commits are durable commits on SQLite.
func commits() []experiment {
	var all []experiment
	for _, n := range []int{1, 16, 64} {
		e := experiment{
			name:    "commit in process, SQLite, " + writers(n),
			prepare: commitsBesideLog("commit", n),
			checks:  []check{{rate, 1, bound{}}, {cpu, 0, bound{}}},
		}
		if n == 64 {
			e.checks = []check{{rate, 1, atLeast(0.45)}, {cpu, 0, atMost(25)}}
		}
		all = append(all, e)
	}
	all = append(all,
		experiment{
			name:    "the store's share of it, 64 writers",
			prepare: commitsBesideLog("commit-storage", 64),
			checks:  []check{{rate, 1, bound{}}, {cpu, 0, bound{}}},
		},
		experiment{
			name:    "group commit, SQLite, 64 writers",
			prepare: groupCommit,
			checks:  []check{{rate, 1, atLeast(12)}},
		},
	)
	for _, n := range []int{16, 64} {
		e := experiment{
			name:    fmt.Sprintf("commit over HTTP, SQLite, %d connections", n),
			prepare: commitsOverHTTP(n),
			checks:  []check{{cpu, 1, bound{}}, {rate, 1, bound{}}},
		}
		if n == 64 {
			e.checks[0].want = atMost(2)
		}
		all = append(all, e)
	}
	return all
}

func commitsBesideLog(work string, n int) func(context.Context, *lab) ([]subject, error) {
	return func(ctx context.Context, l *lab) ([]subject, error) {
		levee, err := l.catalog(ctx, "sqlite", manyTables, 0)
		if err != nil {
			return nil, err
		}
		dir, err := l.newFolder()
		if err != nil {
			return nil, err
		}
		log, err := l.start(ctx, spec{Kind: "rawlog", Store: filepath.Join(dir, "log"), Plan: manyTables})
		if err != nil {
			return nil, err
		}
		return []subject{worked("levee", levee, work, n), worked("raw log, "+writers(n), log, "commit", n)}, nil
	}
}

// groupCommit compares many writers with one, of the same store.
func groupCommit(ctx context.Context, l *lab) ([]subject, error) {
	levee, err := l.catalog(ctx, "sqlite", manyTables, 0)
	return []subject{worked("levee", levee, "commit", 64), worked("1 writer", levee, "commit", 1)}, err
}

func commitsOverHTTP(n int) func(context.Context, *lab) ([]subject, error) {
	return func(ctx context.Context, l *lab) ([]subject, error) {
		levee, err := l.catalog(ctx, "sqlite", manyTables, 0)
		if err != nil {
			return nil, err
		}
		// An answer to a commit is the table, with this one commit.
		path := wire.TablePath(manyTables.Name(0))
		first := levee.target.AppendPost(nil, path, "", wire.AppendCommit(nil, seed.ID(0), 1, 0))
		if err := once(ctx, levee.target, first); err != nil {
			return nil, err
		}
		body, _, err := levee.fetch(ctx, path)
		if err != nil {
			return nil, err
		}
		bare, err := l.start(ctx, spec{Kind: "commits", Body: body})
		if err != nil {
			return nil, err
		}
		ours, theirs := newCommitting(levee.target, manyTables, n), newCommitting(bare.target, manyTables, n)
		ours.turns.last[0] = 1
		return []subject{
			served("levee", levee, n, ours),
			served("read, decode, reply", bare, n, theirs),
		}, nil
	}
}

// A committing is a source of commits to many tables.
type committing struct {
	target wire.Target
	paths  []string
	turns  *turns
	conns  int
	doing  []int // the table of each connection's request
	bodies [][]byte
}

func newCommitting(t wire.Target, plan seed.Plan, conns int) *committing {
	c := &committing{target: t, turns: newTurns(plan.Tables), conns: conns, doing: make([]int, conns), bodies: make([][]byte, conns)}
	for i := range plan.Tables {
		c.paths = append(c.paths, wire.TablePath(plan.Name(i)))
	}
	return c
}

// Next is as wire.Source has it.
func (c *committing) Next(conn int, dst []byte) []byte {
	i := c.turns.next(conn, c.conns)
	v := c.turns.last[i] + 1
	c.doing[conn] = i
	c.bodies[conn] = wire.AppendCommit(c.bodies[conn][:0], seed.ID(i), v, v-1)
	return c.target.AppendPost(dst, c.paths[i], "", c.bodies[conn])
}

// Answered is as wire.Source has it.
func (c *committing) Answered(conn int, a wire.Answer) error {
	c.turns.last[c.doing[conn]]++
	return wire.Want(a, 200)
}

// commitsOnPostgres are commits on PostgreSQL, against the transaction that one writes first.
func commitsOnPostgres() []experiment {
	var all []experiment
	targets := map[int]bound{16: atLeast(1.8), 64: atLeast(3)}
	for _, n := range []int{1, 16, 64} {
		all = append(all, experiment{
			name: "commit in process, PostgreSQL, " + writers(n), postgres: true,
			prepare: func(ctx context.Context, l *lab) ([]subject, error) { return besideForUpdate(ctx, l, n) },
			checks:  []check{{rate, 1, targets[n]}, {cpu, 1, bound{}}, {rate, 2, bound{}}},
		})
	}
	return all
}

func besideForUpdate(ctx context.Context, l *lab, n int) ([]subject, error) {
	levee, err := l.catalog(ctx, "postgres", manyTables, 0)
	if err != nil {
		return nil, err
	}
	subjects := []subject{worked("levee", levee, "commit", n)}
	for _, pipelined := range []bool{false, true} {
		where, err := l.newStore(ctx, "postgres")
		if err != nil {
			return nil, err
		}
		c, err := l.start(ctx, spec{Kind: "forupdate", Store: where, Plan: manyTables, Pipelined: pipelined})
		if err != nil {
			return nil, err
		}
		name := map[bool]string{false: "FOR UPDATE, 5 trips", true: "FOR UPDATE, 2 trips"}[pipelined]
		subjects = append(subjects, worked(name, c, "commit", n))
	}
	return beside(l.pg, subjects...), nil
}
