package main

import (
	"bytes"
	"context"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/server"
	"github.com/leveelake/catalog/storage/memory"
)

// TestMain is main for children: a bench starts itself again, and here it is the test.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "child" {
		main()
	}
	os.Exit(m.Run())
}

// bench runs a command line and returns what it prints.
func bench(t *testing.T, args ...string) string {
	t.Helper()
	var out, notes bytes.Buffer
	if code := run(t.Context(), args, &out, &notes); code != 0 {
		t.Fatalf("bench %s: exit code %d\n%s%s", strings.Join(args, " "), code, out.String(), notes.String())
	}
	return out.String()
}

// empty checks that nothing is left in a folder.
func empty(t *testing.T, dir string) {
	t.Helper()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left in the folder: %v, %v", left, err)
	}
}

// TestCompare runs some of each kind of experiment, as short as it goes.
func TestCompare(t *testing.T) {
	dir := t.TempDir()
	out := bench(t, "--rounds", "1", "--round-time", "20ms", "--dir", dir, "--only",
		"^cached load, 2 columns|304|SQLite, 16 |hot table, SQLite|refused.*SQLite|memory$")
	for _, want := range []string{
		"cached load, 2 columns, 10 commits", "static bytes", "≥ 0.90", "raw log, 16 writers", "read, decode, reply",
		"refused per success", "AddCommit in process, memory", "MiB after load",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the table does not say %q", want)
		}
	}
	t.Logf("\n%s", out)
	empty(t, dir)
}

// TestInterrupt ends a comparison in the middle: all that was started must be gone.
func TestInterrupt(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	var out, notes bytes.Buffer
	if code := run(ctx, []string{"--round-time", "1h", "--dir", dir, "--only", "cached load, 2 columns"}, &out, &notes); code == 0 {
		t.Error("it says that all went well")
	}
	if !strings.Contains(notes.String(), "interrupted") {
		t.Errorf("it says:\n%s", notes.String())
	}
	empty(t, dir)
}

func TestScale(t *testing.T) {
	dir := t.TempDir()
	store := filepath.Join(t.TempDir(), "catalog.db")
	if out := bench(t, "seed", "--store", store, "--tables", "2100", "--columns", "2"); !strings.Contains(out, "2100 tables of 2 columns in ") {
		t.Errorf("seed says %q", out)
	}
	out := bench(t, "scale", "--store", store, "--rounds", "2", "--loads", "200", "--other", "6", "--dir", dir)
	for _, want := range []string{"2100 tables", "1000 tables", "load p99", "list page p99", "rename p99", "overlap found p99", "create where free p99", "memory, MiB"} {
		if !strings.Contains(out, want) {
			t.Errorf("the table does not say %q:\n%s", want, out)
		}
	}
	empty(t, dir)
	if code := run(t.Context(), []string{"seed", "--store", store}, os.Stdout, &bytes.Buffer{}); code == 0 {
		t.Error("it seeds a store twice")
	}
}

func TestDrive(t *testing.T) {
	c, err := catalog.New(catalog.Config{Store: memory.New(), ManagedRoot: "file:///managed"})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(server.New(c, server.Config{}))
	defer s.Close()
	for _, loop := range [][]string{{"--rate", "200"}, {"--closed"}} {
		out := bench(t, append([]string{"drive", "--target", s.URL, "--duration", "300ms", "--connections", "4", "--tables", "4"}, loop...)...)
		for _, want := range []string{" loop: ", "load ", "commit ", "all ", "p99.9 ms"} {
			if !strings.Contains(out, want) {
				t.Errorf("%s does not say %q:\n%s", loop, want, out)
			}
		}
	}
}
