package pgtest_test

import (
	"context"
	"net/url"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/leveelake/catalog/internal/pgtest"
)

func query(t *testing.T, url, q string) (string, error) {
	t.Helper()
	ctx := context.Background()
	c, err := pgx.Connect(ctx, url)
	if err != nil {
		return "", err
	}
	defer c.Close(ctx)
	var s string
	return s, c.QueryRow(ctx, q).Scan(&s)
}

// Each URL is a schema of its own, and its password is needed.
func TestURL(t *testing.T) {
	a, b := pgtest.URL(t), pgtest.URL(t)
	for _, u := range []string{a, b} {
		if got, err := query(t, u, `SELECT current_setting('fsync') || (SELECT count(*) FROM pg_tables WHERE schemaname = current_schema)`); err != nil || got != "off0" {
			t.Errorf("%q, %v", got, err)
		}
	}
	schema := func(u string) string {
		s, err := query(t, u, `SELECT current_schema::text`)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if schema(a) == schema(b) {
		t.Error("two URLs are one schema")
	}
	wrong, err := url.Parse(a)
	if err != nil {
		t.Fatal(err)
	}
	wrong.User = url.UserPassword("levee", "wrong")
	if _, err := query(t, wrong.String(), `SELECT ''`); err == nil {
		t.Error("a wrong password is let in")
	}
}

// What is durable survives a restart and a crash, and the URL stays what it was.
func TestRestart(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a server of its own")
	}
	s := pgtest.Start(t, "log_checkpoints=on")
	u := s.URL(t)
	s.Exec(t, `CREATE TABLE public.kept AS SELECT 'kept'::text AS word`, `GRANT SELECT ON public.kept TO levee`)
	for _, mode := range []string{"immediate", "fast"} {
		s.Restart(t, mode)
		if got, err := query(t, u, `SELECT word FROM public.kept`); err != nil || got != "kept" {
			t.Errorf("after a stop that is %s: %q, %v", mode, got, err)
		}
	}
	if got, err := query(t, u, `SELECT current_setting('fsync') || current_setting('log_checkpoints')`); err != nil || got != "onon" {
		t.Errorf("settings: %q, %v", got, err)
	}
}
