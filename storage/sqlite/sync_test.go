package sqlite

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/leveelake/catalog/storage"
)

// kill -9 leaves to the operating system what was written and not synced, so it proves
// nothing about a power cut. This does: the disk here forgets what was not synced.

// powerCut commits from several goroutines, cuts the power at some moment, and
// returns an error if what is left lacks a version that was acknowledged before.
func powerCut(t *testing.T, synchronous string, commits int) error {
	path := filepath.Join(t.TempDir(), "levee.db")
	p := watch(t, path)
	s, err := open(path, synchronous)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	plant(t, s)
	const writers = 8
	for n := range writers {
		table(t, s, n, "body")
	}
	var mu sync.Mutex
	var acked [writers]int64
	total := 0
	var left map[string][]byte
	var then [writers]int64
	var group sync.WaitGroup
	for n := range writers {
		group.Go(func() {
			for {
				v, err := storage.Update(context.Background(), s, func(tx storage.Tx) (int64, error) {
					return commit(context.Background(), tx, id(tableN+n))
				})
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				acked[n] = v
				total++
				if total == commits {
					left = p.cut(nil)
					then = acked
				}
				over := total >= commits
				mu.Unlock()
				if over {
					return
				}
			}
		})
	}
	group.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return lostOf(t, left, then[:])
}

// lostOf opens what is left in another folder, and looks for what was acknowledged.
func lostOf(t *testing.T, left map[string][]byte, acked []int64) error {
	path := filepath.Join(t.TempDir(), "levee.db")
	if err := restore(path, left); err != nil {
		t.Fatal(err)
	}
	s, err := Open(path)
	if err != nil {
		return err
	}
	defer s.Close()
	for n, want := range acked {
		if v := last(t, s, id(tableN+n)); v < want {
			return fmt.Errorf("table %d is at version %d, %d was acknowledged", n, v, want)
		}
	}
	return nil
}

func TestPowerCut(t *testing.T) {
	for _, commits := range []int{1, 2, 50, 700} { // the last is beyond a checkpoint
		if err := powerCut(t, "FULL", commits); err != nil {
			t.Errorf("after %d commits: %v", commits, err)
		}
	}
}

// The test above can fail.
func TestPowerCutNoticed(t *testing.T) {
	for _, synchronous := range []string{"OFF", "NORMAL"} {
		if powerCut(t, synchronous, 50) == nil {
			t.Errorf("nothing was lost with synchronous = %s", synchronous)
		}
	}
}

// acknowledged returns an error if an Update returns before the WAL is synced.
func acknowledged(t *testing.T, synchronous string) error {
	path := filepath.Join(t.TempDir(), "levee.db")
	p := watch(t, path)
	s, err := open(path, synchronous)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	plant(t, s)
	for n := range 20 {
		table(t, s, n, "body")
		if p.unsynced() {
			return errors.New("an Update returned before it was synced")
		}
	}
	return nil
}

func TestAcknowledged(t *testing.T) {
	if err := acknowledged(t, "FULL"); err != nil {
		t.Error(err)
	}
	for _, synchronous := range []string{"OFF", "NORMAL"} {
		if acknowledged(t, synchronous) == nil {
			t.Errorf("not noticed with synchronous = %s", synchronous)
		}
	}
}
