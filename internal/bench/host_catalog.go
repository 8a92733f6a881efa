package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strconv"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/internal/bench/measure"
	"github.com/leveelake/catalog/internal/bench/seed"
	"github.com/leveelake/catalog/internal/bench/wire"
	"github.com/leveelake/catalog/server"
	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// A tables is a catalog with seeded tables, and who works on it.
type tables struct {
	catalog *catalog.Catalog
	store   storage.Store
	plan    seed.Plan
	turns   *turns
}

// hostCatalog is Levee: over HTTP as levee serve has it, and in process.
func hostCatalog(ctx context.Context, s spec) (_ hosted, err error) {
	store, closeStore, err := openStore(ctx, s.Store)
	if err != nil {
		return hosted{}, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, closeStore())
		}
	}()
	if err := seed.Fill(ctx, store, s.Plan, nil); err != nil {
		return hosted{}, err
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	c, err := catalog.New(catalog.Config{Store: store, ManagedRoot: seed.ManagedRoot, Logger: log})
	if err != nil {
		return hosted{}, err
	}
	t := &tables{catalog: c, store: store, plan: s.Plan, turns: newTurns(s.Plan.Tables)}
	for v := int64(1); v <= s.Commits; v++ {
		if _, err := c.AddCommit(ctx, s.Plan.Name(0), seed.ID(0), commitOf(v), nil); err != nil {
			return hosted{}, err
		}
	}
	return hosted{
		close:   closeStore,
		handler: server.New(c, server.Config{Logger: log}).LocalOnly(),
		works: map[string]work{
			"load":           t.load,
			"commit":         t.commit,
			"commit-storage": t.commitStorage,
			"hot":            t.hot,
			"refuse":         t.refuse,
			"refuse-storage": t.refuseStorage,
		},
	}, nil
}

// commitOf is a commit as wire.AppendCommit sends it.
func commitOf(version int64) types.Commit {
	return types.Commit{
		Version: version, Timestamp: 1767225600000, FileName: string(wire.AppendFile(nil, version)),
		FileSize: 1234, FileModificationTimestamp: 1767225600000,
	}
}

// load loads table 0, which is in every cache there is.
func (t *tables) load(ctx context.Context, o order) (measure.Sample, error) {
	name := t.plan.Name(0)
	return repeat(o, func(int) error {
		_, err := t.catalog.LoadTable(ctx, name)
		return err
	})
}

// commit commits to many tables, and backfills as it goes.
func (t *tables) commit(ctx context.Context, o order) (measure.Sample, error) {
	names := make([]types.TableName, t.plan.Tables) // made beforehand: formatting is no part of a commit
	for i := range names {
		names[i] = t.plan.Name(i)
	}
	ids := make([]types.ID, len(names))
	for i := range ids {
		ids[i] = seed.ID(i)
	}
	return repeat(o, func(w int) error {
		i := t.turns.next(w, o.Writers)
		v := t.turns.last[i] + 1
		if _, err := t.catalog.AddCommit(ctx, names[i], ids[i], commitOf(v), new(v-1)); err != nil {
			return fmt.Errorf("%s, version %d: %w", names[i], v, err)
		}
		t.turns.last[i] = v
		return nil
	})
}

// path is the path of a table in a store.
func path(n types.TableName) []storage.Step {
	return []storage.Step{{Kind: types.KindCatalog, Name: n.Catalog}, {Kind: types.KindSchema, Name: n.Schema}, {Kind: types.KindTable, Name: n.Table}}
}

// commitStorage is commit without the rules of the catalog: the store's share of it.
func (t *tables) commitStorage(ctx context.Context, o order) (measure.Sample, error) {
	paths := make([][]storage.Step, t.plan.Tables)
	for i := range paths {
		paths[i] = path(t.plan.Name(i))
	}
	data := []byte(`{"size":1234,"timestamp":1767225600000,"modified":1767225600000}`)
	return repeat(o, func(w int) error {
		i := t.turns.next(w, o.Writers)
		return t.store.Update(ctx, func(tx storage.Tx) error {
			chain, err := tx.Lookup(ctx, paths[i], storage.Want{Log: true, Version: t.turns.last[i] + 1})
			if err != nil {
				return err
			}
			n := chain[len(chain)-1]
			v := n.Log.Last + 1
			t.turns.last[i] = v
			return tx.WriteLog(ctx, n.ID, *n.Log, storage.LogDelta{
				Revision: n.Log.Revision + 1, Last: v, Backfilled: v - 1, State: n.Log.State,
				Add: &storage.Commit{Version: v, File: string(wire.AppendFile(nil, v)), Data: data}, Forget: v - 100_000,
			})
		})
	})
}

// hot has all writers commit to table 0: each sends the version after the latest that it has
// seen, and looks again when another was faster.
func (t *tables) hot(ctx context.Context, o order) (measure.Sample, error) {
	name, id := t.plan.Name(0), seed.ID(0)
	seen := make([]int64, o.Writers)
	look := func(w int) error {
		loaded, err := t.catalog.LoadTable(ctx, name)
		if err == nil {
			seen[w] = *loaded.LatestVersion
		}
		return err
	}
	for w := range seen {
		if err := look(w); err != nil {
			return measure.Sample{}, err
		}
	}
	return repeat(o, func(w int) error {
		c := commitOf(seen[w] + 1)
		c.FileName += strconv.Itoa(w) // another's commit is no retry of this one
		_, err := t.catalog.AddCommit(ctx, name, id, c, new(seen[w]))
		switch {
		case err == nil:
			seen[w]++
		case errors.Is(err, types.CommitVersionConflict), errors.Is(err, types.UpdateRequirementConflict):
			if err = look(w); err == nil {
				err = errRefused
			}
		}
		return err
	})
}

// refuse sends a version that is taken; each refusal counts as done.
func (t *tables) refuse(ctx context.Context, o order) (measure.Sample, error) {
	c := commitOf(1)
	c.FileName = "another.json"
	return repeat(o, func(int) error {
		_, err := t.catalog.AddCommit(ctx, t.plan.Name(0), seed.ID(0), c, nil)
		if !errors.Is(err, types.CommitVersionConflict) {
			return fmt.Errorf("a version that is taken: %w", err)
		}
		return nil
	})
}

// refuseStorage is the store's share of refuse: a look, and an end without a write.
func (t *tables) refuseStorage(ctx context.Context, o order) (measure.Sample, error) {
	p := path(t.plan.Name(0))
	return repeat(o, func(int) error {
		err := t.store.Update(ctx, func(tx storage.Tx) error {
			chain, err := tx.Lookup(ctx, p, storage.Want{Log: true, Version: 1})
			if err == nil && chain[len(chain)-1].Log.Asked != nil {
				err = types.CommitVersionConflict
			}
			return err
		})
		if !errors.Is(err, types.CommitVersionConflict) {
			return fmt.Errorf("a version that is taken: %w", err)
		}
		return nil
	})
}
