package rawlog

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
)

// A slowFile is a file in memory whose syncs wait for the test.
type slowFile struct {
	mu      sync.Mutex
	written []byte
	synced  int           // bytes of written that a sync has covered
	syncing chan struct{} // gets a token when a sync begins
	proceed chan error    // gives what the sync returns
}

func (f *slowFile) WriteAt(p []byte, off int64) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.written = append(f.written[:off], p...)
	return len(p), nil
}

func (f *slowFile) Sync() error {
	f.mu.Lock()
	n := len(f.written)
	f.mu.Unlock()
	f.syncing <- struct{}{}
	err := <-f.proceed
	f.mu.Lock()
	f.synced = n
	f.mu.Unlock()
	return err
}

func (f *slowFile) Close() error { return nil }

// TestBatch holds up the first sync: all that come meanwhile share the second, and nobody
// returns before the sync of the own record.
func TestBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const writers = 64
		f := &slowFile{syncing: make(chan struct{}), proceed: make(chan error)}
		l := open(f, 1<<20)
		var returned sync.Map
		commit := func(table int) {
			if err := l.Commit(table, 1, &[Record]byte{0: byte(table)}); err != nil {
				t.Errorf("table %d: %v", table, err)
			}
			returned.Store(table, true)
		}
		count := func() (n int) {
			returned.Range(func(any, any) bool { n++; return true })
			return n
		}
		go commit(0)
		<-f.syncing
		for table := 1; table < writers; table++ {
			go commit(table)
		}
		synctest.Wait()
		if n := count(); n != 0 {
			t.Fatalf("%d have returned before a sync", n)
		}
		f.proceed <- nil
		<-f.syncing
		synctest.Wait()
		if n := count(); n != 1 {
			t.Fatalf("%d have returned after the first sync, want 1", n)
		}
		if len(f.written) != writers*Record {
			t.Fatalf("%d bytes are written, want those of %d commits", len(f.written), writers)
		}
		f.proceed <- nil
		synctest.Wait()
		if n := count(); n != writers || l.Batches() != 2 || f.synced != writers*Record {
			t.Fatalf("%d have returned after %d batches with %d bytes synced", n, l.Batches(), f.synced)
		}
	})
}

// TestFailure is about a sync that fails: all of the batch hear of it.
func TestFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &slowFile{syncing: make(chan struct{}), proceed: make(chan error)}
		l := open(f, 1<<20)
		broken := errors.New("broken")
		got := make(chan error, 3)
		go func() { got <- l.Commit(0, 1, new([Record]byte)) }()
		<-f.syncing
		for table := 1; table < 3; table++ {
			go func() { got <- l.Commit(table, 1, new([Record]byte)) }()
		}
		synctest.Wait()
		f.proceed <- nil
		<-f.syncing
		f.proceed <- broken
		synctest.Wait()
		if a, b, c := <-got, <-got, <-got; a != nil || !errors.Is(b, broken) || !errors.Is(c, broken) {
			t.Errorf("got %v, %v, %v", a, b, c)
		}
	})
}

func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	const size = 20 * Record
	l, err := Create(path, size)
	if err != nil {
		t.Fatal(err)
	}
	for v := int64(1); v <= 21; v++ { // one more than there is room for
		if err := l.Commit(7, v, &[Record]byte{0: byte(v)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Commit(7, 21, new([Record]byte)); !errors.Is(err, ErrConflict) {
		t.Errorf("a version that is there: %v", err)
	}
	if l.Last(7) != 21 || l.Batches() != 21 {
		t.Errorf("last version %d after %d batches", l.Last(7), l.Batches())
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil || len(data) != size {
		t.Fatalf("%d bytes, %v", len(data), err)
	}
	if !bytes.HasPrefix(data, []byte{21}) || data[Record] != 2 {
		t.Errorf("the log holds % x", data[:Record+1])
	}
}

// TestMany has writers race, for the race detector and for hand-overs that get lost.
func TestMany(t *testing.T) {
	l, err := Create(filepath.Join(t.TempDir(), "log"), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var group sync.WaitGroup
	for table := range 64 {
		group.Go(func() {
			for v := int64(1); v <= 20; v++ {
				if err := l.Commit(table, v, new([Record]byte)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if n := l.Batches(); n >= 64*20 {
		t.Errorf("%d batches for %d commits: nothing was shared", n, 64*20)
	}
}
