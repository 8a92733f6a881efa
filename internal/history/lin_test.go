// Package history_test puts the whole catalog under concurrency and failure. What clients saw
// over HTTP, with cut connections, must be what one machine could have answered that takes one
// request at a time (lin_*); a model of maps must agree with every answer of the Go API
// (prop_*); and after an error at COMMIT, applied or not, each operation must come to a right end
// when the client does what the documents tell it to (fault_*).
package history_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/internal/pgtest"
	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/storage/memory"
	"github.com/leveelake/catalog/storage/postgres"
	"github.com/leveelake/catalog/storage/sqlite"
	"github.com/leveelake/catalog/storage/storagetest"
	"github.com/leveelake/catalog/types"
)

var (
	seedFlag  = flag.Uint64("history.seed", 0, "first seed of the histories; 0: another one each time")
	seedsFlag = flag.Int("history.seeds", 0, "histories for each store; 0: a few")
)

// firstSeed is where the seeds of a test begin. A history depends on the scheduler too, so a
// seed repeats what clients try, not all that happens.
func firstSeed() uint64 {
	if *seedFlag != 0 {
		return *seedFlag
	}
	return rand.Uint64()
}

// A setup is what a history is made on.
type setup struct {
	clients, operations int
	cuts                int // of 1000 requests, how many meet with an accident on the wire
	seed                uint64
	store               storage.Store
	flaky               bool // the store may answer CommitStateUnknown
	limits              catalog.Limits
	handler             func(http.Handler) http.Handler // nil: as it is
}

// backends are the stores that histories are made on.
var backends = []struct {
	name  string
	seeds int // by default; a third of them under the race detector
	flaky bool
	open  func(t testing.TB, seed uint64) storage.Store
}{
	{"memory", 6, false, func(testing.TB, uint64) storage.Store { return memory.New() }},
	{"sqlite", 6, false, openSQLite},
	// Between the two runs of a function other requests come in, as in a store that
	// runs transactions side by side and repeats those that were in each other's way.
	{"memory, run twice", 4, false, func(testing.TB, uint64) storage.Store { return storagetest.Rerun(memory.New(), nil) }},
	{"postgres", 4, false, openPostgres},
	{"sqlite, unsure", 4, true, func(t testing.TB, seed uint64) storage.Store { return unsure(openSQLite(t, seed), seed) }},
}

func openSQLite(t testing.TB, _ uint64) storage.Store {
	s, err := sqlite.Open(t.TempDir() + "/catalog.db")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// openPostgres opens two stores on one database, as replicas do, and takes them by turns.
func openPostgres(t testing.TB, _ uint64) storage.Store {
	url := pgtest.URL(t)
	r := &replicas{}
	for range 2 {
		s, err := postgres.Open(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		r.stores = append(r.stores, s)
	}
	return r
}

// replicas are stores on one database.
type replicas struct {
	stores []storage.Store
	turn   atomic.Int64
}

func (r *replicas) next() storage.Store {
	return r.stores[int(r.turn.Add(1))%len(r.stores)]
}

func (r *replicas) View(ctx context.Context, fn func(tx storage.ReadTx) error) error {
	return r.next().View(ctx, fn)
}

func (r *replicas) Update(ctx context.Context, fn func(tx storage.Tx) error) error {
	return r.next().Update(ctx, fn)
}

// unsure is s, but of some transactions it cannot tell whether they were committed.
func unsure(s storage.Store, seed uint64) storage.Store {
	dice := newDice(seed)
	return storagetest.Faulty(s, func(op storagetest.Op) storagetest.Fault {
		if op.View || len(op.Writes) == 0 || op.Has("Insert", types.KindCatalog) || op.Has("Insert", types.KindSchema) || op.Has("Insert", types.KindMetastore) {
			return storagetest.Fault{}
		}
		switch dice.IntN(40) {
		case 0:
			return storagetest.FailedButPersisted()
		case 1:
			return storagetest.FailedNotPersisted()
		}
		return storagetest.Fault{}
	})
}

// Dice are random numbers for many goroutines.
type dice struct {
	mu  sync.Mutex
	rng *rand.Rand
}

func newDice(seed uint64) *dice { return &dice{rng: rand.New(rand.NewPCG(seed, 1))} }

func (d *dice) IntN(n int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.rng.IntN(n)
}

func TestLinearizable(t *testing.T) {
	operations := 2400
	if testing.Short() {
		operations = 600
	}
	seen := map[string]int{}
	for _, b := range backends {
		seeds := b.seeds
		switch {
		case *seedsFlag != 0:
			seeds = *seedsFlag
		case testing.Short():
			seeds = 1
		case raceDetector:
			seeds /= 3
		}
		t.Run(b.name, func(t *testing.T) {
			first := firstSeed()
			for seed := first; seed < first+uint64(seeds) && !t.Failed(); seed++ {
				t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
					history := record(t, setup{
						clients: 16, operations: operations, cuts: 100, seed: seed, store: b.open(t, seed), flaky: b.flaky,
					})
					for what, n := range answers(history) {
						seen[what] += n
					}
					began := time.Now()
					result, info := porcupine.CheckOperationsVerbose(model, history, checkTime)
					t.Logf("%s: %d operations, checked in %v", result, len(history), time.Since(began).Round(time.Millisecond))
					if result != porcupine.Ok {
						explain(t, history, info)
					}
				})
			}
		})
	}
	t.Log(summary(seen))
	if testing.Short() || t.Failed() || *seedsFlag != 0 {
		return
	}
	// Histories in which nothing happens prove nothing.
	for what, least := range map[string]int{
		"commit 200": 500, "commit 409 CommitVersionConflict": 500, "commit 409 UpdateRequirementConflict": 50,
		"commit 429 ResourceExhausted": 10, "commit 404 NoSuchTable": 20, "commit 400 InvalidParameterValue": 5, "commit unknown": 100,
		"backfill 200": 50, "backfill unknown": 5, "metadata 200": 100, "metadata 409 UpdateRequirementConflict": 50, "metadata unknown": 10,
		"create 200": 30, "create 409 AlreadyExists": 5, "rename 204": 30, "rename 409 AlreadyExists": 10, "rename unknown": 2,
		"drop 204": 10, "load 200": 1000, "load 404 NoSuchTable": 100, "exists 204": 50, "exists 404": 5,
	} {
		if seen[what] < least {
			t.Errorf("only %d times: %s", seen[what], what)
		}
	}
}

// checkTime only ends a search that would go on for ever, as it may where there is nothing to be
// found. Else it takes a thousandth of that. That it was not finished counts as a failure.
const checkTime = time.Minute
