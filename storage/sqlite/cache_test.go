package sqlite

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	lib "modernc.org/sqlite/lib"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/storage/internal/nodes"
)

// openTiny opens a store at path whose cache is of this many bytes.
func openTiny(t testing.TB, path string, limit int) *Store {
	t.Helper()
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	s.cache = nodes.New(limit)
	s.writer.cache = s.cache // which nobody has used yet
	return s
}

// sameAsStored compares what the cache tells the writer with what is in the database.
func sameAsStored(t *tx, n int, w storage.Want) error {
	cached, ok := t.writer.cache.Lookup(genPath(n), w, true)
	if !ok {
		return nil
	}
	if err := t.begin(); err != nil {
		return nil
	}
	stored, err := t.byPath(bg, genPath(n), w)
	if err != nil {
		return nil // a fault
	}
	if d := cmp.Diff(stored, cached); d != "" {
		return errors.New("the cache is not what is stored (-stored +cached):\n" + d)
	}
	return nil
}

var errStop = errors.New("stop")

// However small the cache, however often the journal moves, whatever fails: the cache tells the
// writer what is stored, and a View sees what was acknowledged, all of an Update or nothing, and
// never less than one before it.
func TestCacheIsExact(t *testing.T) {
	rounds := 400
	if testing.Short() {
		rounds = 100
	}
	for _, limit := range []int{1, 6_000, 1 << 20} {
		for _, faults := range []bool{false, true} {
			t.Run(fmt.Sprintf("limit=%d,faults=%t", limit, faults), func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "levee.db")
				p := watch(t, path)
				s := openTiny(t, path, limit)
				genesis(t, s)
				var over atomic.Bool
				if faults {
					p.fail = func(op string) (int32, bool) {
						if over.Load() {
							return 0, false
						}
						if op == "write" && rand.IntN(200) == 0 {
							return lib.SQLITE_IOERR_WRITE, false
						}
						if op == "sync" && rand.IntN(10) == 0 {
							return lib.SQLITE_IOERR_FSYNC, rand.IntN(2) == 0
						}
						return 0, false
					}
				}
				exercise(t, s, rounds, faults)
				over.Store(true)
				for n := range genTables {
					if _, err := storage.View(bg, s, func(tx storage.ReadTx) (int64, error) { return generation(tx, n, true) }); err != nil {
						t.Errorf("in the end: %v", err)
					}
				}
			})
		}
	}
}

func exercise(t *testing.T, s *Store, rounds int, faults bool) {
	var acked [genTables]atomic.Int64 // raised with each answer, and with what each View saw
	raise := func(n int, v int64) {
		for {
			was := acked[n].Load()
			if was >= v || acked[n].CompareAndSwap(was, v) {
				return
			}
		}
	}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range rounds {
				err := exerciseUpdate(t, s, rand.IntN(genTables), raise)
				if err != nil && !faults {
					t.Error(err)
				}
			}
		})
		group.Go(func() {
			for range rounds {
				n, reads := rand.IntN(genTables), 1+rand.IntN(2)
				least := acked[n].Load()
				v, err := storage.View(bg, s, func(tx storage.ReadTx) (v int64, err error) {
					for i := range reads {
						got, err := generation(tx, n, rand.IntN(2) == 0)
						if err != nil {
							return 0, err
						}
						if i > 0 && got != v {
							return 0, fmt.Errorf("a View sees generations %d and %d", v, got)
						}
						v = got
					}
					return v, nil
				})
				if faults && errors.Is(err, storage.ErrUnavailable) {
					continue // something is in doubt
				}
				if err != nil {
					t.Error(err)
				} else if v < least {
					t.Errorf("table %d: a View sees generation %d after %d was acknowledged or seen", n, v, least)
				}
				raise(n, v)
			}
		})
	}
	group.Wait()
}

// exerciseUpdate writes a generation, or fails on purpose. It returns what else failed.
func exerciseUpdate(t *testing.T, s *Store, n int, raise func(n int, v int64)) error {
	end := rand.IntN(10)
	var v int64
	var wrong error
	err := func() error {
		defer func() {
			if r := recover(); r != nil && r != errStop {
				panic(r)
			}
		}()
		return s.Update(bg, func(store storage.Tx) (err error) {
			if rand.IntN(20) == 0 {
				s.writer.foldAt = 0 // after this batch
			}
			wrong = sameAsStored(store.(*tx), rand.IntN(genTables), storage.Want{Log: true, Beside: []storage.Step{{Kind: "grant", Name: "nobody"}}})
			if v, err = next(store, n); err != nil {
				return err
			}
			switch end {
			case 0:
				return errStop
			case 1:
				panic(errStop)
			}
			return nil
		})
	}()
	if wrong != nil {
		t.Error(wrong)
	}
	if end > 1 && err == nil {
		raise(n, v)
	}
	if err == errStop {
		err = nil
	}
	return err
}
