package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/leveelake/catalog/internal/bench/measure"
	"github.com/leveelake/catalog/internal/bench/seed"
	"github.com/leveelake/catalog/internal/bench/wire"
)

// A forUpdate commits as one writes it first: lock the row of the table, look, write. Each writer
// has a connection of its own, and nothing is checked that a store must check: no foreign
// key, no name, no parent.
type forUpdate struct {
	url   string
	conns []*pgx.Conn
	turns *turns
}

const forUpdateSchema = `
	CREATE TABLE tables (id uuid PRIMARY KEY, name text NOT NULL, version bigint NOT NULL, backfilled bigint NOT NULL, revision bigint NOT NULL);
	CREATE TABLE commits (table_id uuid, version bigint, file text NOT NULL, data bytea NOT NULL, PRIMARY KEY (table_id, version));`

const (
	lockTable   = `SELECT version, backfilled FROM tables WHERE id = $1 FOR UPDATE`
	addCommit   = `INSERT INTO commits (table_id, version, file, data) VALUES ($1, $2, $3, $4)`
	changeTable = `UPDATE tables SET version = $2::bigint, backfilled = $2::bigint - 1, revision = revision + 1 WHERE id = $1`
)

// hostForUpdate is the reference for commits on PostgreSQL, in an empty database at s.Store.
func hostForUpdate(ctx context.Context, s spec) (hosted, error) {
	f := &forUpdate{url: s.Store, turns: newTurns(s.Plan.Tables)}
	if err := f.connect(ctx, 1); err != nil {
		return hosted{}, err
	}
	if _, err := f.conns[0].Exec(ctx, forUpdateSchema); err != nil {
		return hosted{}, errors.Join(err, f.close())
	}
	var fill pgx.Batch
	for i := range s.Plan.Tables {
		fill.Queue(`INSERT INTO tables VALUES ($1, $2, 0, 0, 0)`, seed.ID(i), s.Plan.Name(i).String())
	}
	if err := f.conns[0].SendBatch(ctx, &fill).Close(); err != nil {
		return hosted{}, errors.Join(err, f.close())
	}
	step := f.steps
	if s.Pipelined {
		step = f.pipelined
	}
	return hosted{close: f.close, works: map[string]work{
		"commit": func(ctx context.Context, o order) (measure.Sample, error) {
			if err := f.connect(ctx, o.Writers); err != nil {
				return measure.Sample{}, err
			}
			return repeat(o, func(w int) error {
				i := f.turns.next(w, o.Writers)
				f.turns.last[i]++
				return step(ctx, f.conns[w], i, f.turns.last[i])
			})
		},
	}}, nil
}

// connect sees to it that there are n connections.
func (f *forUpdate) connect(ctx context.Context, n int) error {
	for len(f.conns) < n {
		c, err := pgx.Connect(ctx, f.url)
		if err != nil {
			return err
		}
		f.conns = append(f.conns, c)
	}
	return nil
}

func (f *forUpdate) close() error {
	var err error
	for _, c := range f.conns {
		err = errors.Join(err, c.Close(context.Background()))
	}
	return err
}

var commitData = []byte(`{"size":1234,"timestamp":1767225600000,"modified":1767225600000}`)

// steps is a transaction whose statements go one by one: five round trips.
func (f *forUpdate) steps(ctx context.Context, c *pgx.Conn, table int, version int64) error {
	tx, err := c.Begin(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(ctx) }() // does nothing after Commit
	id := seed.ID(table)
	var last, backfilled int64
	if err := tx.QueryRow(ctx, lockTable, id).Scan(&last, &backfilled); err != nil {
		return err
	}
	if last+1 != version {
		return fmt.Errorf("table %d is at version %d, not before %d", table, last, version)
	}
	if _, err := tx.Exec(ctx, addCommit, id, version, string(wire.AppendFile(nil, version)), commitData); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, changeTable, id, version); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

// pipelined is the same in two round trips.
func (f *forUpdate) pipelined(ctx context.Context, c *pgx.Conn, table int, version int64) error {
	id := seed.ID(table)
	var last, backfilled int64
	var look, write pgx.Batch
	look.Queue(`BEGIN`)
	look.Queue(lockTable, id).QueryRow(func(row pgx.Row) error { return row.Scan(&last, &backfilled) })
	if err := c.SendBatch(ctx, &look).Close(); err != nil {
		return err
	}
	if last+1 != version {
		return fmt.Errorf("table %d is at version %d, not before %d", table, last, version)
	}
	write.Queue(addCommit, id, version, string(wire.AppendFile(nil, version)), commitData)
	write.Queue(changeTable, id, version)
	write.Queue(`COMMIT`)
	return c.SendBatch(ctx, &write).Close()
}
