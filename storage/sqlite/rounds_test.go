package sqlite

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/leveelake/catalog/storage"
)

// BenchmarkRounds compares durable commits with the least that one could be, a raw log, in
// alternating rounds of the same length, so that whatever else the machine does
// meets both. What counts are the ratios (of medians) and the processor time per
// commit; an iteration is a round of all. Run it with -benchtime=7x or so.
func BenchmarkRounds(b *testing.B) {
	s := roundsStore(b)
	raw := newRawLog(b)
	defer raw.close()
	const length = 400 * time.Millisecond
	hot := &hotTable{}
	contests := []*contest{
		{name: "raw1", writers: 1, op: raw.commit},
		{name: "store1", writers: 1, op: func(n int) { benchOne(b, s, n) }},
		{name: "raw16", writers: 16, op: raw.commit},
		{name: "store16", writers: 16, op: func(n int) { benchOne(b, s, n) }},
		{name: "raw64", writers: 64, op: raw.commit},
		{name: "store64", writers: 64, op: func(n int) { benchOne(b, s, n) }},
		{name: "hot16", writers: 16, op: func(n int) { hot.attempt(b, s, n) }},
	}
	for n := range 1000 { // the WAL is written over from now on, not made longer
		benchOne(b, s, n%64)
	}
	for b.Loop() {
		for _, c := range contests {
			c.run(length)
		}
	}
	rate := make(map[string]float64)
	for _, c := range contests {
		rate[c.name] = c.report(b)
	}
	b.ReportMetric(0, "ns/op") // says nothing here
	for _, w := range []string{"1", "16", "64"} {
		b.ReportMetric(rate["store"+w]/rate["raw"+w], "store"+w+"/raw"+w)
	}
	b.ReportMetric(rate["store64"]/rate["store1"], "store64/store1")
	won := float64(hot.won.Load()) / float64(hot.won.Load()+hot.lost.Load())
	b.ReportMetric(won*rate["hot16"]/rate["store1"], "hot16-won/store1")
	b.ReportMetric(won, "hot16-won/tries")
}

// A contest is one kind of operation by some writers, each with a number of its own.
type contest struct {
	name    string
	writers int
	op      func(writer int)

	rates, cpus []float64 // of each round
}

func (c *contest) run(length time.Duration) {
	var count atomic.Int64
	var over atomic.Bool
	var group sync.WaitGroup
	start, cpu := time.Now(), processorTime()
	for n := range c.writers {
		group.Go(func() {
			for !over.Load() {
				c.op(n)
				count.Add(1)
			}
		})
	}
	time.Sleep(length)
	over.Store(true)
	group.Wait()
	done := float64(count.Load())
	c.rates = append(c.rates, done/time.Since(start).Seconds())
	c.cpus = append(c.cpus, float64((processorTime()-cpu).Nanoseconds())/1e3/done)
}

func (c *contest) report(b *testing.B) (rate float64) {
	rate = median(c.rates)
	b.ReportMetric(rate, c.name+"/s")
	b.ReportMetric(median(c.cpus), c.name+"-cpu-µs")
	return rate
}

func median(values []float64) float64 {
	values = slices.Sorted(slices.Values(values))
	return values[len(values)/2]
}

// benchPaths are the paths of its tables.
var benchPaths = func() (paths [64][]storage.Step) {
	for n := range paths {
		paths[n] = path(n)
	}
	return paths
}()

// roundsStore has 64 tables with bodies of 14 KB.
func roundsStore(b *testing.B) *Store {
	s := open1(b)
	for n := range 64 {
		table(b, s, n, string(bytes.Repeat([]byte("0123456789abcdef"), 14<<10/16)))
	}
	return s
}

// benchOne commits the next version of a table as the catalog does: it finds it by name
// with its log, what is known of a version that is to come and the caller's grants, leaves one
// commit to be backfilled, and remembers a hundred.
func benchOne(b *testing.B, s *Store, n int) {
	ctx := context.Background()
	err := s.Update(ctx, func(tx storage.Tx) error {
		nodes, err := tx.Lookup(ctx, benchPaths[n], storage.Want{Log: true, Version: 1 << 40, Beside: []storage.Step{{Kind: "grant", Name: "alice"}}})
		if err != nil {
			return err
		}
		t := nodes[len(nodes)-1]
		return tx.WriteLog(ctx, t.ID, *t.Log, nextDelta(t.Log))
	})
	if err != nil {
		b.Error(err)
	}
}

func nextDelta(l *storage.Log) storage.LogDelta {
	v := l.Last + 1
	return storage.LogDelta{Revision: l.Revision + 1, Last: v, Backfilled: v - 1, State: l.State, Forget: v - 100,
		Add: &storage.Commit{Version: v, File: "00000000000000000001.0b0b3bd8-1f5b-4b1e-a1e2-1c2f5c8a7a11.json", Data: []byte(`{"size":1234,"timestamp":1700000000000}`)}}
}

// A hotTable is one that all write to: each tries the version after the last it knows of,
// and learns of a later one by being refused.
type hotTable struct {
	knows     [16]int64
	won, lost atomic.Int64
}

var errTaken = errors.New("taken")

func (h *hotTable) attempt(b *testing.B, s *Store, n int) {
	ctx := context.Background()
	version := h.knows[n] + 1
	last := int64(0)
	err := s.Update(ctx, func(tx storage.Tx) error {
		nodes, err := tx.Lookup(ctx, benchPaths[0], storage.Want{Log: true, Version: version, Beside: []storage.Step{{Kind: "grant", Name: "alice"}}})
		if err != nil {
			return err
		}
		t := nodes[len(nodes)-1]
		if last = t.Log.Last; last >= version {
			return errTaken
		}
		return tx.WriteLog(ctx, t.ID, *t.Log, nextDelta(t.Log))
	})
	switch {
	case err == nil:
		h.knows[n] = version
		h.won.Add(1)
	case err == errTaken:
		h.knows[n] = last
		h.lost.Add(1)
	default:
		b.Error(err)
	}
}
