package main

import (
	"context"
	"path/filepath"
	"time"

	"github.com/leveelake/catalog/internal/bench/measure"
	"github.com/leveelake/catalog/internal/bench/seed"
	"github.com/leveelake/catalog/internal/bench/wire"
)

// What is measured of the program as a whole. The targets are shares of what was once
// measured of the Java server 0.7.0: 6.0 s until the first answer, 320 MiB idle and 1.4 GiB after load.
var (
	startMS   = extra("ms")
	idleMiB   = extra("MiB idle")
	loadedMiB = extra("MiB after load")
)

// starts are about levee serve.
func starts() []experiment {
	return []experiment{{
		name: "levee serve: start to first answer, memory", once: true,
		prepare: started,
		checks: []check{
			{startMS, 0, atMost(6000. / 50)},
			{idleMiB, 0, atMost(320. / 8)},
			{loadedMiB, 0, atMost(1400. / 8)},
		},
	}}
}

// started prepares a store of 1,000 tables. Each round starts the program on it, asks it for
// the memory, loads all tables again and again and commits to them, and looks again.
func started(ctx context.Context, l *lab) ([]subject, error) {
	plan := seed.Plan{Tables: 1000, Columns: 10, Managed: true}
	dir, err := l.newFolder()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "catalog.db")
	if err := fill(ctx, path, plan, nil); err != nil {
		return nil, err
	}
	if _, err := l.build(ctx); err != nil {
		return nil, err
	}
	turns := newTurns(plan.Tables)
	return []subject{{"levee serve", func(ctx context.Context, d time.Duration) (s measure.Sample, err error) {
		server, err := l.serve(ctx, path, dir, wire.TablePath(plan.Name(0)))
		if err != nil {
			return s, err
		}
		defer func() {
			if e := server.stop(); err == nil {
				err = e
			}
		}()
		s.Extra = map[string]float64{startMS.name: float64(server.started) / float64(time.Millisecond)}
		if s.Extra[idleMiB.name], err = server.mebibytes(); err != nil {
			return s, err
		}
		if _, _, err := wire.Hammer(ctx, server.target, 32, 2*d, newRound(server.target, plan)); err != nil {
			return s, err
		}
		committing := newCommitting(server.target, plan, 16)
		committing.turns = turns
		if _, _, err := wire.Hammer(ctx, server.target, 16, 2*d, committing); err != nil {
			return s, err
		}
		s.Extra[loadedMiB.name], err = server.mebibytes()
		return s, err
	}}}, nil
}
