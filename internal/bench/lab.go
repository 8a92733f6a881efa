package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/leveelake/catalog/internal/bench/measure"
	"github.com/leveelake/catalog/internal/bench/seed"
)

// A lab owns the folder and all that is started for measurements, and ends it.
type lab struct {
	dir string
	err io.Writer // of children
	pg  *database // nil: there is none, and noPG says why

	noPG   string
	binary string // of levee, once built
	folder int    // the last that was made
	doing  string // the experiment
	keep   string // where profiles go; "": nobody wants them
	ending []func() error
}

// newLab makes a folder below parent ("": that of temporary files).
func newLab(parent string, stderr io.Writer) (*lab, error) {
	dir, err := os.MkdirTemp(parent, "levee-bench-")
	return &lab{dir: dir, err: stderr}, err
}

// later remembers what ends a thing that is started.
func (l *lab) later(end func() error) { l.ending = append(l.ending, end) }

// endAfter ends what was started after n things were, the last first.
func (l *lab) endAfter(n int) error {
	var err error
	for len(l.ending) > n {
		last := len(l.ending) - 1
		err = errors.Join(err, l.ending[last]())
		l.ending = l.ending[:last]
	}
	return err
}

// close ends all and removes the folder.
func (l *lab) close() error { return errors.Join(l.endAfter(0), os.RemoveAll(l.dir)) }

// newFolder makes a folder that goes with what else is started now.
func (l *lab) newFolder() (string, error) {
	l.folder++
	dir := filepath.Join(l.dir, fmt.Sprint(l.folder))
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", err
	}
	l.later(func() error { return os.RemoveAll(dir) })
	return dir, nil
}

var unfit = regexp.MustCompile(`[^A-Za-z0-9]+`)

// profile is the file for the profile of a child that is started now, "" if there is to be none.
func (l *lab) profile(kind string) string {
	if l.keep == "" {
		return ""
	}
	l.folder++ // a number that is used once
	return filepath.Join(l.keep, fmt.Sprintf("%s-%s-%d.pprof", unfit.ReplaceAllString(l.doing, "-"), kind, l.folder))
}

// build builds levee, once.
func (l *lab) build(ctx context.Context) (string, error) {
	if l.binary != "" {
		return l.binary, nil
	}
	path := filepath.Join(l.dir, "levee.exe") // the name that every system runs
	out, err := exec.CommandContext(ctx, "go", "build", "-o", path, "github.com/leveelake/catalog/cmd/levee").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	l.binary = path
	return path, nil
}

// catalog starts a Levee on a new store: "memory", "sqlite" or "postgres".
func (l *lab) catalog(ctx context.Context, store string, plan seed.Plan, commits int64) (*child, error) {
	where, err := l.newStore(ctx, store)
	if err != nil {
		return nil, err
	}
	return l.start(ctx, spec{Kind: "catalog", Store: where, Plan: plan, Commits: commits})
}

// newStore makes room for a store.
func (l *lab) newStore(ctx context.Context, store string) (string, error) {
	switch store {
	case "postgres":
		return l.pg.create(ctx)
	case "sqlite":
		dir, err := l.newFolder()
		return filepath.Join(dir, "catalog.db"), err
	}
	return store, nil
}

// A database is a PostgreSQL with a connection that may create databases, and watches.
type database struct {
	admin string // the URL of one who may create databases
	conn  *pgx.Conn
	url   func(database string) string
	made  int
	owner string
}

// create makes an empty database and returns its URL.
func (d *database) create(ctx context.Context) (string, error) {
	d.made++
	name := fmt.Sprintf("levee_bench_%d_%d", os.Getpid(), d.made)
	_, err := d.conn.Exec(ctx, `CREATE DATABASE `+name+d.owner)
	return d.url(name), err
}

// drop drops all that create has made: they may be in somebody's server.
func (d *database) drop() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var err error
	for n := 1; n <= d.made; n++ {
		_, e := d.conn.Exec(ctx, fmt.Sprintf(`DROP DATABASE IF EXISTS levee_bench_%d_%d WITH (FORCE)`, os.Getpid(), n))
		err = errors.Join(err, e)
	}
	return errors.Join(err, d.conn.Close(ctx))
}

// cpu is the CPU of the server with all its processes, or 0 if it runs elsewhere.
func (d *database) cpu() time.Duration {
	c, _ := measure.FamilyCPU(int(d.conn.PgConn().PID()))
	return c
}
