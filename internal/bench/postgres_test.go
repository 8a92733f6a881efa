package main

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/internal/bench/seed"
)

// TestPostgres is about all that needs a PostgreSQL: one, for starting it takes longer than the rest.
func TestPostgres(t *testing.T) {
	ctx := context.WithoutCancel(t.Context()) // children end after it, in their own time
	l, err := newLab(t.TempDir(), os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.close(); err != nil {
			t.Error(err)
		}
	})
	if err := l.findPostgres(ctx, ""); err != nil {
		t.Fatal(err)
	}
	if l.pg == nil {
		t.Skip(l.noPG)
	}
	t.Run("compare", func(t *testing.T) { comparePostgres(t, l) })
	t.Run("scale", func(t *testing.T) { scalePostgres(t, l) })
	t.Run("for update", func(t *testing.T) { checkForUpdate(ctx, t, l) })
}

// comparePostgres runs experiments on the server of the lab, which stands for any that is there already.
func comparePostgres(t *testing.T, l *lab) {
	dir := t.TempDir()
	out := bench(t, "--rounds", "1", "--round-time", "20ms", "--dir", dir, "--markdown", "--postgres", l.pg.admin, "--only", "PostgreSQL, 100|process, PostgreSQL, 16")
	empty(t, dir)
	for _, want := range []string{"| load, strict, PostgreSQL, 100 columns |", "| FOR UPDATE, 5 trips |", "| FOR UPDATE, 2 trips |", "≥ 1.80", "PostgreSQL 1"} {
		if !strings.Contains(out, want) {
			t.Errorf("the table does not say %q", want)
		}
	}
	t.Logf("\n%s", out)
	var left int
	if err := l.pg.conn.QueryRow(t.Context(), `SELECT count(*) FROM pg_database WHERE datname LIKE 'levee_bench_%'`).Scan(&left); err != nil || left > 0 {
		t.Errorf("%d databases are left, %v", left, err)
	}
}

// scalePostgres fills a database, reads from it, and measures the server on it.
func scalePostgres(t *testing.T, l *lab) {
	where, err := l.newStore(t.Context(), "postgres")
	if err != nil {
		t.Fatal(err)
	}
	bench(t, "seed", "--store", where, "--tables", "1200", "--columns", "2")
	store, closeStore, err := openStore(t.Context(), where)
	if err != nil {
		t.Fatal(err)
	}
	defer closeStore()
	c, err := catalog.New(catalog.Config{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	p := seedCmd{Tables: 1200, Columns: 2, Big: -1}.plan()
	for _, i := range []int{0, 119, 120, 1199} {
		if got, err := c.LoadTable(t.Context(), p.Name(i)); err != nil || got.ID != seed.ID(i) {
			t.Errorf("table %d: %s, %v", i, got.ID, err)
		}
	}
	small, err := l.newStore(t.Context(), "postgres")
	if err != nil {
		t.Fatal(err)
	}
	out := bench(t, "scale", "--store", where, "--small", small, "--rounds", "1", "--loads", "100", "--other", "4")
	if !strings.Contains(out, "1200 tables") || !strings.Contains(out, "1000 tables") {
		t.Errorf("the table is\n%s", out)
	}
}

// checkForUpdate counts in the database what the reference for commits says it has done.
func checkForUpdate(ctx context.Context, t *testing.T, l *lab) {
	for _, pipelined := range []bool{false, true} {
		where, err := l.newStore(ctx, "postgres")
		if err != nil {
			t.Fatal(err)
		}
		c, err := l.start(ctx, spec{Kind: "forupdate", Store: where, Plan: seed.Plan{Tables: 20}, Pipelined: pipelined})
		if err != nil {
			t.Fatal(err)
		}
		done := int64(0)
		for _, writers := range []int{1, 8} {
			s, err := beside(l.pg, worked("", c, "commit", writers))[0].run(ctx, 100*time.Millisecond)
			if err != nil {
				t.Fatal(err)
			}
			done += s.Ops
		}
		db, err := pgx.Connect(ctx, where)
		if err != nil {
			t.Fatal(err)
		}
		var versions, rows int64
		if err := db.QueryRow(ctx, `SELECT sum(version)::bigint, (SELECT count(*) FROM commits) FROM tables`).Scan(&versions, &rows); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(ctx); err != nil {
			t.Error(err)
		}
		if done == 0 || versions != done || rows != done {
			t.Errorf("pipelined %t: %d commits, but the versions are %d and the rows %d", pipelined, done, versions, rows)
		}
	}
	if got := l.pg.cpu(); got == 0 {
		t.Log("the CPU of the database cannot be told here")
	}
}
