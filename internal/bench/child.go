package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/leveelake/catalog/internal/bench/measure"
	"github.com/leveelake/catalog/internal/bench/seed"
	"github.com/leveelake/catalog/internal/bench/wire"
)

// A spec says what a child is.
type spec struct {
	Kind      string    // see hosts
	Store     string    `json:",omitempty"` // where it keeps its state: see openStore
	Plan      seed.Plan // the tables that are made in the store, if any
	Commits   int64     `json:",omitempty"` // how many commits of table 0 are left to be backfilled
	Body      []byte    `json:",omitempty"` // what it answers
	Pipelined bool      `json:",omitempty"`
	Profile   string    `json:",omitempty"` // where a profile of its CPU goes, once it is ready
}

// An order asks a child for work, or with Work "" only what it has used.
type order struct {
	Work    string
	Writers int
	For     time.Duration
}

// A report answers a spec (URL, if it serves) or an order (the rest).
type report struct {
	URL    string `json:",omitempty"`
	Error  string `json:",omitempty"`
	Sample measure.Sample
}

// A child is a process with a subject. It ends with the lab, or with this process: then its
// standard input does.
type child struct {
	target wire.Target // if it serves
	to     *json.Encoder
	from   *json.Decoder
}

// start starts a child, which the lab ends.
func (l *lab) start(ctx context.Context, s spec) (*child, error) {
	s.Profile = l.profile(s.Kind)
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, exe, "child")
	cmd.Stderr = l.err
	cmd.WaitDelay = 10 * time.Second
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	l.later(func() error { return end(cmd, in) })
	c := &child{to: json.NewEncoder(in), from: json.NewDecoder(out)}
	r, err := c.ask(s)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Kind, err)
	}
	if r.URL != "" {
		c.target, err = wire.ParseTarget(r.URL)
	}
	return c, err
}

// end closes a child's standard input and gives it time to close its store.
func end(cmd *exec.Cmd, in io.Closer) error {
	in.Close()
	kill := time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("a child: %w", err)
	}
	return nil
}

func (c *child) ask(question any) (report, error) {
	var r report
	if err := c.to.Encode(question); err != nil {
		return r, err
	}
	if err := c.from.Decode(&r); err != nil {
		return r, fmt.Errorf("no answer of the child: %w", err)
	}
	if r.Error != "" {
		return r, errors.New(r.Error)
	}
	return r, nil
}

// work has the child do some work for a time.
func (c *child) work(work string, writers int, d time.Duration) (measure.Sample, error) {
	r, err := c.ask(order{Work: work, Writers: writers, For: d})
	return r.Sample, err
}

// hammer sends requests to the child for a time. The CPU is the child's.
func (c *child) hammer(ctx context.Context, conns int, d time.Duration, s wire.Source) (measure.Sample, error) {
	before, err := c.ask(order{})
	if err != nil {
		return measure.Sample{}, err
	}
	ops, took, err := wire.Hammer(ctx, c.target, conns, d, s)
	if err != nil {
		return measure.Sample{}, err
	}
	after, err := c.ask(order{})
	return measure.Sample{Ops: ops, Elapsed: took, CPU: after.Sample.CPU - before.Sample.CPU}, err
}

// fetch returns the answer to one GET request.
func (c *child) fetch(ctx context.Context, path string) (body []byte, etag string, err error) {
	conn, err := wire.Dial(ctx, c.target, time.Minute)
	if err != nil {
		return nil, "", err
	}
	defer conn.Close()
	a, err := conn.DoETag(c.target.AppendGet(nil, path, ""))
	if err == nil {
		err = wire.Want(a, 200)
	}
	return a.Body, a.ETag, err
}
