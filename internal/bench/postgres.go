package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/leveelake/catalog/internal/pgtest"
)

// findPostgres gives the lab a PostgreSQL: the one at a URL, whose user may create
// databases, or without one one that is started from what is installed. If there is none, noPG
// says why, or it is an error where LEVEE_REQUIRE says so.
func (l *lab) findPostgres(ctx context.Context, at string) error {
	d := &database{}
	if at != "" {
		u, err := url.Parse(at)
		if err != nil || !isPostgres(at) {
			return errors.New("--postgres: want a URL like postgres://user@host/database")
		}
		d.url = func(database string) string {
			other := *u
			other.Path = "/" + database
			return other.String()
		}
	} else {
		s, end, err := startPostgres()
		if err != nil {
			if os.Getenv("LEVEE_REQUIRE") == "all" {
				return err
			}
			l.noPG = err.Error()
			return nil
		}
		l.later(end)
		at = s.DSN("postgres", "")
		d.url = func(database string) string { return s.DSN("levee", database) }
		d.owner = ` OWNER levee`
	}
	var err error
	if d.conn, err = pgx.Connect(ctx, at); err != nil {
		return fmt.Errorf("PostgreSQL: %w", err)
	}
	d.admin = at
	l.pg = d
	l.later(d.drop)
	return nil
}

// startPostgres starts the PostgreSQL that tests use, but with its usual settings, which sync.
func startPostgres() (_ *pgtest.Server, end func() error, err error) {
	t := &caller{}
	defer func() {
		if v := recover(); v != nil {
			failed, ok := v.(failure)
			if !ok {
				panic(v)
			}
			err = errors.New(string(failed))
		}
	}()
	s := pgtest.Start(t)
	return s, func() error {
		for i := len(t.cleanup) - 1; i >= 0; i-- {
			t.cleanup[i]()
		}
		return nil
	}, nil
}

// A caller is the part of a test that pgtest needs, outside of tests.
type caller struct {
	testing.TB // nil: any other method panics
	cleanup    []func()
}

type failure string

func (*caller) Helper()                        {}
func (*caller) Context() context.Context       { return context.Background() }
func (c *caller) Cleanup(f func())             { c.cleanup = append(c.cleanup, f) }
func (*caller) Skip(args ...any)               { panic(failure(fmt.Sprint(args...))) }
func (*caller) Skipf(format string, a ...any)  { panic(failure(fmt.Sprintf(format, a...))) }
func (*caller) Fatal(args ...any)              { panic(failure(fmt.Sprint(args...))) }
func (*caller) Fatalf(format string, a ...any) { panic(failure(fmt.Sprintf(format, a...))) }
