package sqlite

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/storage/storagetest"
)

func BenchmarkStore(b *testing.B) {
	storagetest.Bench(b, storagetest.Backend{
		Open: func(t testing.TB, dir string) (storagetest.Store, error) {
			return Open(filepath.Join(dir, "levee.db"))
		},
		Durable: true,
	})
}

const benchTables = 256

// benchStore has tables with the schemas of a hundred columns.
func benchStore(b *testing.B) *Store {
	s := open1(b)
	body := strings.Repeat(`{"name":"column","type":"long","nullable":true,"metadata":{}}`, 14*1024/62)
	for n := range benchTables {
		table(b, s, n, body)
	}
	return s
}

func path(n int) []storage.Step {
	return []storage.Step{{Kind: "catalog", Name: "catalog"}, {Kind: "schema", Name: "schema"}, {Kind: "table", Name: fmt.Sprint("table", n)}}
}

// benchCommit is a commit as the catalog makes one: it finds the table by name.
func benchCommit(b *testing.B, s *Store, n int) {
	err := s.Update(bg, func(tx storage.Tx) error {
		nodes, err := tx.Lookup(bg, path(n), storage.Want{Log: true})
		if err != nil {
			return err
		}
		t := nodes[len(nodes)-1]
		_, err = commitTo(bg, tx, t.ID, *t.Log)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkCommit compares a durable commit with the least that one could be: a page
// written and synced, in turns.
func BenchmarkCommit(b *testing.B) {
	s := benchStore(b)
	f, err := os.Create(filepath.Join(b.TempDir(), "raw"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	page := make([]byte, 4096)
	const pages = 1024
	for range pages {
		if _, err := f.Write(page); err != nil {
			b.Fatal(err)
		}
	}
	if err := f.Sync(); err != nil {
		b.Fatal(err)
	}
	for n := range 1000 { // the WAL is written over from now on, not made longer
		benchCommit(b, s, n%benchTables)
	}
	var commits, raws []time.Duration
	for i := 0; b.Loop(); i++ {
		start := time.Now()
		benchCommit(b, s, i%benchTables)
		mid := time.Now()
		if _, err := f.WriteAt(page, int64(i%pages)*4096); err != nil {
			b.Fatal(err)
		}
		if err := datasync(f); err != nil {
			b.Fatal(err)
		}
		commits, raws = append(commits, mid.Sub(start)), append(raws, time.Since(mid))
	}
	slices.Sort(commits)
	slices.Sort(raws)
	half := len(commits) / 2
	b.ReportMetric(float64(commits[half].Nanoseconds())/1e3, "µs/commit")
	b.ReportMetric(float64(raws[half].Nanoseconds())/1e3, "µs/raw")
	b.ReportMetric(float64(commits[half])/float64(raws[half]), "x-raw-fsync")
}

// BenchmarkCommit16 commits from 16 goroutines, each to tables of its own.
func BenchmarkCommit16(b *testing.B) {
	s := benchStore(b)
	var next atomic.Int64
	b.SetParallelism(16)
	b.RunParallel(func(pb *testing.PB) {
		n := int(next.Add(1))
		for pb.Next() {
			n = (n + 16) % benchTables
			benchCommit(b, s, n)
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commits/s")
}

// BenchmarkLoad reads a table by name with its chain and its commits.
func BenchmarkLoad(b *testing.B) {
	s := benchStore(b)
	for n := range 5 * benchTables {
		benchCommit(b, s, n%benchTables)
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		i++
		nodes, err := storage.View(bg, s, func(tx storage.ReadTx) ([]storage.Node, error) {
			return tx.Lookup(bg, path(i%benchTables), storage.Want{Log: true})
		})
		if err != nil || len(nodes) != 4 || len(nodes[3].Log.Commits) == 0 {
			b.Fatal(len(nodes), err)
		}
	}
}
