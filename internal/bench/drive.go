package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/leveelake/catalog/internal/bench/drive"
	"github.com/leveelake/catalog/internal/bench/measure"
)

type driveCmd struct {
	Target       string        `help:"URL of the server." required:"" placeholder:"URL"`
	Token        string        `help:"Bearer token for each request." placeholder:"TOKEN"`
	Rate         float64       `help:"Requests due in a second, whether or not those before are answered (open loop)." default:"1000" placeholder:"N"`
	Closed       bool          `help:"Send a request when the one before is answered instead, on each connection (closed loop)."`
	Mix          string        `help:"Operations and their shares (${default}); also credentials, list." default:"load=75,commit=15,credentials=5,list=3,create=2"`
	Duration     time.Duration `help:"How long (${default})." default:"30s"`
	Connections  int           `help:"How many requests may be under way at once (${default})." default:"32"`
	Catalog      string        `help:"Catalog to work in (${default}); it is made if it is not there, and stays." default:"bench_drive"`
	Schema       string        `help:"Schema to work in (${default}), likewise." default:"default"`
	StorageRoot  string        `help:"Storage root of the catalog, if it is made; some servers need one for managed tables." placeholder:"URL"`
	Tables       int           `help:"How many tables to load and to commit to (${default}), likewise." default:"100"`
	Columns      int           `help:"How many columns a new table has (${default})." default:"10"`
	Unbackfilled int64         `help:"How many commits each table has waiting for backfill, beside the last (${default})." default:"0"`
}

// Help is what kong prints below the usage.
func (driveCmd) Help() string {
	return "Commits name files that nobody has written, so levee serve needs --no-check-files. The target may be any " +
		"server of the Unity Catalog Delta API."
}

func (c driveCmd) Run(ctx context.Context, o output) error {
	mix, err := drive.ParseMix(c.Mix)
	if err != nil {
		return fmt.Errorf("--mix: %w", err)
	}
	cfg := drive.Config{
		Server: c.Target, Token: c.Token, Rate: c.Rate, Duration: c.Duration, Connections: c.Connections, Mix: mix,
		Catalog: c.Catalog, Schema: c.Schema, StorageRoot: c.StorageRoot, Tables: c.Tables, Columns: c.Columns, Unbackfilled: c.Unbackfilled,
	}
	if c.Closed {
		cfg.Rate = 0
	} else if c.Rate <= 0 {
		return errors.New("--rate must be more than zero")
	}
	r, err := drive.Run(ctx, cfg, o.note)
	if err != nil {
		return err
	}
	return printDrive(o, cfg, r)
}

func printDrive(o output, cfg drive.Config, r *drive.Result) error {
	all := r.Ops[len(r.Ops)-1]
	if r.Asked > 0 {
		fmt.Fprintf(o.out, "open loop: %.0f/s due, %.0f/s answered over %s by %d connections; latency counts from when a request was due\n",
			r.Asked, all.Rate, r.Elapsed.Round(time.Millisecond), cfg.Connections)
		fmt.Fprintf(o.out, "the client itself was late by %s (p99)\n", r.Lag)
	} else {
		fmt.Fprintf(o.out, "closed loop: %.0f/s answered over %s by %d connections\n", all.Rate, r.Elapsed.Round(time.Millisecond), cfg.Connections)
	}
	t := measure.Table{Head: []string{"operation", "answered", "ops/s", "p50 ms", "p90 ms", "p99 ms", "p99.9 ms", "max ms", "errors", "never sent"}}
	ms := func(d time.Duration) string { return measure.Number(float64(d) / float64(time.Millisecond)) }
	for _, op := range r.Ops {
		failed := int64(0)
		for _, n := range op.Errors {
			failed += n
		}
		l := op.Latency
		t.Rows = append(t.Rows, []string{string(op.Op), fmt.Sprint(op.Count), measure.Number(op.Rate),
			ms(l.P50), ms(l.P90), ms(l.P99), ms(l.P999), ms(l.Max), fmt.Sprint(failed), fmt.Sprint(op.Unsent)})
	}
	if err := t.Text(o.out); err != nil {
		return err
	}
	for _, op := range r.Ops[:len(r.Ops)-1] {
		for _, kind := range op.Kinds() {
			fmt.Fprintf(o.out, "%s: %d × %s\n", op.Op, op.Errors[kind], kind)
		}
	}
	return nil
}
