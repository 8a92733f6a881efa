package sqlite

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/leveelake/catalog/storage"
)

// childEnv, when set, makes the test binary a process that commits to the database it
// names until it is killed.
const childEnv = "LEVEE_SQLITE_CHILD"

// crashTables is how many tables the child commits to, each from a goroutine of its own.
const crashTables = 4

// child opens the database, says so, and then says each version that was acknowledged.
func child(path string) {
	s, err := Open(path)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	var out sync.Mutex
	say := func(a ...any) {
		out.Lock()
		defer out.Unlock()
		fmt.Println(a...) // one write, unbuffered
	}
	say("open")
	ctx := context.Background()
	var group sync.WaitGroup
	for n := range crashTables {
		group.Go(func() {
			for {
				v, err := storage.Update(ctx, s, func(tx storage.Tx) (int64, error) {
					return commit(ctx, tx, id(tableN+n))
				})
				if err != nil {
					say("error", err)
					os.Exit(1)
				}
				say(n, v)
			}
		})
	}
	group.Wait()
}

// startChild starts a child and returns when it has opened the database.
func startChild(t *testing.T, path string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), childEnv+"="+path)
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	lines := bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != "open" {
		t.Fatalf("the child says %q", lines.Text())
	}
	return c, lines
}

// crashes is how often TestCrash kills its child: LEVEE_SQLITE_CRASHES, or 5.
func crashes(t *testing.T) int {
	n := 5
	if s := os.Getenv("LEVEE_SQLITE_CRASHES"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// What was acknowledged before a kill -9 is there after it, in versions without a gap.
func TestCrash(t *testing.T) {
	path := filepath.Join(t.TempDir(), "levee.db")
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	plant(t, s)
	for n := range crashTables {
		table(t, s, n, "")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	var acked [crashTables]int64
	for range crashes(t) {
		c, lines := startChild(t, path)
		after := 1 + rand.IntN(300) // commits
		for i := 0; lines.Scan(); i++ {
			var n int
			var v int64
			if _, err := fmt.Sscan(lines.Text(), &n, &v); err != nil {
				t.Fatalf("the child says %q", lines.Text())
			}
			if v <= acked[n] || v > acked[n]+2 { // one more may have been stored, but not said
				t.Errorf("table %d: version %d follows %d", n, v, acked[n])
			}
			acked[n] = v
			if i == after {
				if err := c.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		_ = c.Wait()
		checkCrashed(t, path, acked[:])
	}
}

// checkCrashed opens the database and compares it with what was acknowledged.
func checkCrashed(t *testing.T, path string, acked []int64) {
	t.Helper()
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	for n, v := range acked {
		checkLog(t, s, n, v)
	}
	sum := int64(0)
	for n := range acked {
		sum += last(t, s, id(tableN+n))
	}
	if rows := count(t, s, `"commit"`); rows != sum {
		t.Errorf("%d commits, want %d", rows, sum)
	}
	if bad := count(t, s, `pragma_foreign_key_check`); bad != 0 {
		t.Errorf("%d orphans", bad)
	}
	if bad := count(t, s, `pragma_integrity_check WHERE integrity_check <> 'ok'`); bad != 0 {
		t.Errorf("%d faults in the file", bad)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// checkLog checks that the n-th table has the version acked, at most one more, and all before.
func checkLog(t *testing.T, s *Store, n int, acked int64) {
	t.Helper()
	v := last(t, s, id(tableN+n))
	if v < acked || v > acked+1 {
		t.Errorf("table %d is at version %d, %d was acknowledged", n, v, acked)
	}
	err := s.View(t.Context(), func(tx storage.ReadTx) error {
		for i := int64(1); i <= v; i++ {
			nodes, err := tx.Get(t.Context(), id(tableN+n), storage.Want{Log: true, Version: i})
			if err != nil {
				return err
			}
			if nodes[len(nodes)-1].Log.Asked == nil {
				return fmt.Errorf("table %d has no version %d of %d", n, i, v)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// The lock goes with the process, however it ends.
func TestKilledOwner(t *testing.T) {
	path := filepath.Join(t.TempDir(), "levee.db")
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	plant(t, s)
	for n := range crashTables {
		table(t, s, n, "")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	c, _ := startChild(t, path)
	if _, err := Open(path); !errors.Is(err, ErrInUse) {
		t.Fatalf("Open beside another process: %v", err)
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	s, err = Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// waitFor polls until ok; what it waits for comes at once or never.
func waitFor(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for start := time.Now(); !ok(); time.Sleep(time.Millisecond) {
		if time.Since(start) > time.Minute {
			t.Fatal("waited in vain for " + what)
		}
	}
}
