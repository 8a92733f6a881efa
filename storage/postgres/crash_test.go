package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/leveelake/catalog/internal/pgtest"
	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// own commits the next version to a table, in a file that nobody else names, and perhaps
// with a change of the table.
func own(ctx context.Context, s storage.Store, id types.ID, file string, metadata bool) (version int64, err error) {
	return storage.Update(ctx, s, func(tx storage.Tx) (int64, error) {
		chain, err := tx.Get(ctx, id, storage.Want{Log: true})
		if err != nil {
			return 0, err
		}
		if len(chain) != 3 {
			return 0, fmt.Errorf("the table is gone: %d nodes", len(chain))
		}
		t := chain[2]
		if metadata {
			changed := t.Object
			changed.Revision++
			if err := tx.Replace(ctx, t.Object, changed); err != nil {
				return 0, err
			}
		}
		v := t.Log.Last + 1
		return v, tx.WriteLog(ctx, id, *t.Log, storage.LogDelta{Revision: t.Log.Revision + 1, Last: v, Backfilled: v - 1, Add: &storage.Commit{Version: v, File: file}})
	})
}

// A ledger is what writers were told.
type ledger struct {
	mu    sync.Mutex
	acked map[string]string // file by table and version
	again int               // versions told to two
}

func (l *ledger) add(id types.ID, version int64, file string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.acked == nil {
		l.acked = make(map[string]string)
	}
	key := fmt.Sprint(id, " ", version)
	if l.acked[key] != "" {
		l.again++
	}
	l.acked[key] = file
}

// check compares what was told with what is there.
func (l *ledger) check(t *testing.T, r *rival) {
	t.Helper()
	there := make(map[string]string)
	rows, err := r.Query(bg, `SELECT log, version, file FROM "commit"`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id, file string
		var version int64
		if err := rows.Scan(&id, &version, &file); err != nil {
			t.Fatal(err)
		}
		there[fmt.Sprint(id, " ", version)] = file
	}
	if rows.Err() != nil {
		t.Fatal(rows.Err())
	}
	lost := 0
	for key, file := range l.acked {
		if there[key] != file {
			lost++
		}
	}
	if lost > 0 || l.again > 0 {
		t.Errorf("of %d commits that were acknowledged %d are not there; %d versions were acknowledged twice", len(l.acked), lost, l.again)
	}
	t.Logf("%d commits acknowledged, %d there", len(l.acked), len(there))
}

// TestCrash: the server crashes and comes again while 16 write and 4 read through two stores.
func TestCrash(t *testing.T) {
	server := pgtest.Start(t)
	u := server.URL(t)
	stores := []*Store{open1(t, u), open1(t, u)}
	plant(t, stores[0])
	ids := tables(t, stores[0], 8)
	var l ledger
	var unknowns, faults, loads atomic.Int64
	var crashes atomic.Int32
	resumed := make([]atomic.Int32, 16) // by writer: the crash after which it has last succeeded
	stop := make(chan struct{})
	stopped := func() bool {
		select {
		case <-stop:
			return true
		default:
			return false
		}
	}
	var wg sync.WaitGroup
	for w := range resumed {
		wg.Go(func() {
			for i := 0; !stopped(); i++ {
				id, file := ids[(w+i)%len(ids)], fmt.Sprint(w, "-", i)
				at := crashes.Load()
				v, err := own(bg, stores[w%2], id, file, w%4 == 3)
				switch {
				case err == nil:
					l.add(id, v, file)
					resumed[w].Store(at)
				case errors.Is(err, types.CommitStateUnknown):
					unknowns.Add(1)
				case errors.Is(err, storage.ErrConflict), errors.Is(err, ErrUnreachable):
					faults.Add(1)
				default:
					t.Errorf("Update returned %v", err)
				}
			}
		})
	}
	for r := range 4 {
		wg.Go(func() {
			for i := 0; !stopped(); i++ {
				chain, err := storage.View(bg, stores[r%2], func(tx storage.ReadTx) ([]storage.Node, error) {
					return tx.Get(bg, ids[i%len(ids)], storage.Want{Log: true})
				})
				if err != nil || len(chain) != 3 {
					t.Errorf("View returned %d nodes and %v", len(chain), err)
				}
				loads.Add(1)
			}
		})
	}
	modes := []string{"immediate", "fast", "immediate"}
	if testing.Short() {
		modes = modes[:1]
	}
	for _, mode := range modes {
		time.Sleep(300 * time.Millisecond)
		server.Restart(t, mode)
		crashes.Add(1)
	}
	deadline := time.Now().Add(patience + 5*time.Second)
	for w := range resumed {
		for resumed[w].Load() < int32(len(modes)) && time.Now().Before(deadline) {
			time.Sleep(5 * time.Millisecond)
		}
		if resumed[w].Load() < int32(len(modes)) {
			t.Errorf("writer %d does not get on after the last crash", w)
		}
	}
	close(stop)
	wg.Wait()
	l.check(t, newRival(t, u))
	t.Logf("%d unknown, %d faults, %d loads", unknowns.Load(), faults.Load(), loads.Load())
}

// TestDown: what begins while the server is down waits for it, within limits.
func TestDown(t *testing.T) {
	server := pgtest.Start(t, "fsync=off")
	s := open1(t, server.URL(t))
	plant(t, s)
	server.Stop(t, "fast")
	s.patient = 200 * time.Millisecond
	s.pool.Reset()
	runs := 0
	read := func(tx storage.ReadTx) error {
		runs++
		_, err := tx.List(bg, storage.ListQuery{Kind: "metastore"}, storage.Want{})
		return err
	}
	if err := s.View(bg, read); !errors.Is(err, ErrUnreachable) || !errors.Is(err, storage.ErrUnavailable) || runs < 2 {
		t.Errorf("View: %v after %d runs", err, runs)
	}
	runs = 0
	if err := s.Update(bg, func(tx storage.Tx) error { return read(tx) }); !errors.Is(err, ErrUnreachable) || !errors.Is(err, storage.ErrUnavailable) || runs < 2 {
		t.Errorf("Update: %v after %d runs", err, runs)
	}
	for name, way := range ways() {
		if err := way(bg, s); !errors.Is(err, ErrUnreachable) {
			t.Errorf("%s: %v", name, err)
		}
		ctx, cancel := context.WithTimeout(bg, 20*time.Millisecond)
		if err := way(ctx, s); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s with a deadline: %v", name, err)
		}
		cancel()
	}
	s.patient = patience
	done := make(chan error, 3)
	go func() {
		done <- s.View(bg, func(tx storage.ReadTx) error {
			for range 2 {
				if _, err := tx.Lookup(bg, nil, storage.Want{}); err != nil {
					return err
				}
			}
			return nil
		})
	}()
	for _, way := range ways() {
		go func() { done <- way(bg, s) }()
	}
	time.Sleep(100 * time.Millisecond)
	server.Start(t)
	for range 3 {
		if err := <-done; err != nil {
			t.Errorf("what waited for the server: %v", err)
		}
	}
}
