package sqlite

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	lib "modernc.org/sqlite/lib"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/storage/internal/nodes"
	mem "github.com/leveelake/catalog/storage/memory"
	"github.com/leveelake/catalog/types"
)

// A lockstep runs every Update on this store and on one in memory at the same time, in real batches,
// and compares all that is read. What was acknowledged it knows as a list of writes.
type lockstep struct {
	*testing.T
	rng   *rand.Rand
	limit int // of the cache
	path  string
	probe *probe
	s     *Store
	model *mem.Store
	done  []writes
	known []types.ID // of all objects there ever were
}

// writes are those of one Update, to be made again.
type writes []func(tx storage.Tx) error

// TestLockstep: with a cache of any size, a journal that moves all the time, Updates that fail, panic and
// are cancelled, disks that fail and power cuts, the store is what its answers say.
func TestLockstep(t *testing.T) {
	rounds := 40
	if testing.Short() {
		rounds = 15
	}
	for _, limit := range []int{1, 5_000, 1 << 20} {
		seed := rand.Uint64()
		t.Run(fmt.Sprintf("limit=%d,seed=%d", limit, seed), func(t *testing.T) {
			l := &lockstep{T: t, rng: rand.New(rand.NewPCG(seed, 1)), limit: limit, model: mem.New(), path: filepath.Join(t.TempDir(), "levee.db")}
			l.probe = watch(t, l.path)
			l.open()
			root := object(1, "k", "", "root")
			l.known = []types.ID{root.ID}
			l.done = []writes{{func(tx storage.Tx) error { return tx.Insert(bg, root) }}}
			update(t, l.s, l.done[0][0])
			for range rounds {
				l.model = l.replay(l.done)
				l.batch()
			}
			if err := l.s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func (l *lockstep) open() {
	s, err := Open(l.path)
	if err != nil {
		l.Fatal(err)
	}
	l.Cleanup(func() { _ = s.Close() })
	s.cache = nodes.New(l.limit)
	s.writer.cache = s.cache
	l.s = s
}

// replay makes a model of what was written.
func (l *lockstep) replay(done []writes) *mem.Store {
	m := mem.New()
	for _, ws := range done {
		update(l, m, func(tx storage.Tx) error {
			for _, id := range l.known { // the model is strict
				if _, err := tx.Get(bg, id, storage.Want{Log: true}); err != nil {
					return err
				}
			}
			for _, write := range ws {
				if err := write(tx); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return m
}

// batch runs some Updates together under some fault, and compares what they leave.
func (l *lockstep) batch() {
	type run struct {
		*result
		did writes // if fn was content
	}
	b := newBatch(l, l.s)
	var runs []*run
	for range 1 + l.rng.IntN(5) {
		r := &run{}
		end := l.rng.IntN(12)
		ctx, cancel := context.WithCancel(bg)
		defer cancel()
		r.result = b.add(ctx, func(tx storage.Tx) error {
			return l.model.Update(bg, func(m storage.Tx) error {
				did, err := l.step(tx, m)
				switch {
				case err != nil:
					return err
				case end == 0:
					return errStop
				case end == 1:
					panic(errStop)
				case end == 2:
					cancel()
					return ctx.Err() // which is what the store would say of a nil
				}
				r.did = did
				return nil
			})
		})
		runs = append(runs, r)
	}
	mode, at, n := l.rng.IntN(8), l.rng.IntN(4), 0
	l.probe.fail = func(op string) (int32, bool) {
		n++
		switch {
		case mode == 0 && op == "write" && n > at:
			return lib.SQLITE_IOERR_WRITE, false
		case mode == 1 && op == "write" && n > at:
			return lib.SQLITE_FULL, false
		case mode == 2 && op == "sync", mode == 3 && op == "sync" && n > 4: // … of the seal
			return lib.SQLITE_IOERR_FSYNC, at%2 == 0
		case mode == 4 && op == "sync": // once
			mode = -1
			return lib.SQLITE_IOERR_FSYNC, true
		}
		return 0, false
	}
	b.run()
	_ = l.s.Update(bg, func(storage.Tx) error { return nil }) // the journal may have moved, under the same fault
	l.probe.fail = nil
	var unknown []writes
	for _, r := range runs {
		switch {
		case r.returned && r.err == nil:
			l.done = append(l.done, r.did)
		case errors.Is(r.err, types.CommitStateUnknown) && r.did != nil:
			unknown = append(unknown, r.did)
		}
	}
	if l.rng.IntN(4) == 0 { // the power goes
		left := l.probe.cut(nil)
		l.path = filepath.Join(l.TempDir(), "levee.db")
		if err := restore(l.path, left); err != nil {
			l.Fatal(err)
		}
		l.probe = watch(l, l.path)
		_ = l.s.Close()
		l.open()
		if all := append(l.done[:len(l.done):len(l.done)], unknown...); len(unknown) > 0 && l.differs(l.replay(all)) == "" {
			l.done = all
		}
	}
	if d := l.differs(l.replay(l.done)); d != "" {
		l.Fatal("after a batch (-model +store): " + d)
	}
}
