package sqlite

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/leveelake/catalog/storage"
)

// crashes is how often TestCrash kills its child: LEVEE_SQLITE_CRASHES, or 200, or 10 in short.
func crashes(t *testing.T) int {
	n := 200
	if testing.Short() {
		n = 10
	}
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
	journals := 0
	for range crashes(t) {
		c, lines := startChild(t, path)
		after := 1 + rand.IntN(300) // commits
		for i := 0; lines.Scan(); i++ {
			var n int
			var v int64
			if _, err := fmt.Sscan(lines.Text(), &n, &v); err != nil {
				t.Fatalf("the child says %q", lines.Text())
			}
			if v != acked[n]+1 {
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
		if checkCrashed(t, path, acked[:]) {
			journals++
		}
	}
	if journals == 0 {
		t.Error("no journal was ever left: the child is not killed but closed")
	}
	t.Logf("%v commits acknowledged, %d times a journal was left", acked, journals)
}

// checkCrashed opens the database, compares it with what was acknowledged, and notes what else
// there is: one version of each table may have been stored, but not said. It returns whether there was a journal.
func checkCrashed(t *testing.T, path string, acked []int64) (journal bool) {
	t.Helper()
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	journal = len(s.journal.Load().logs) != 0
	sum := int64(0)
	for n, v := range acked {
		checkLog(t, s, n, v)
		acked[n] = last(t, s, id(tableN+n)) // now it is known
		sum += acked[n]
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
	return journal
}

// checkLog checks that the n-th table has the version acked, at most one more, and those before.
func checkLog(t *testing.T, s *Store, n int, acked int64) {
	t.Helper()
	v := last(t, s, id(tableN+n))
	if v < acked || v > acked+1 {
		t.Errorf("table %d is at version %d, %d was acknowledged", n, v, acked)
	}
	err := s.View(t.Context(), func(tx storage.ReadTx) error {
		for i := max(1, v-100); i <= v; i++ { // older ones were looked for after an earlier crash
			nodes, err := tx.Get(t.Context(), id(tableN+n), storage.Want{Log: true, Version: i})
			if err != nil {
				return err
			}
			if err := isWhole(nodes[len(nodes)-1]); err != nil {
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
