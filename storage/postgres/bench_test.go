package postgres

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/leveelake/catalog/internal/pgtest"
	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/storage/storagetest"
)

func BenchmarkStore(b *testing.B) {
	server := pgtest.Start(b) // it syncs
	storagetest.Bench(b, storagetest.Backend{
		Open: func(t testing.TB, _ string) (storagetest.Store, error) { return Open(t.Context(), server.URL(t)) },
	})
}

const benchTables = 256

// A bed is a store with tables whose bodies are those of a hundred columns, and the same database for
// those who do without the store.
type bed struct {
	store *Store
	pool  *pgxpool.Pool
	ids   []string
}

func newBed(b testing.TB) *bed {
	server := pgtest.Start(b)
	where := server.URL(b)
	s, err := Open(b.Context(), where)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	out := &bed{store: s}
	body := []byte(strings.Repeat(`{"name":"column","type":"long","nullable":true,"metadata":{}}`, 14*1024/62))
	root := storage.Object{ID: "root", Kind: "metastore", Name: "root", Revision: 1}
	catalog := storage.Object{ID: "catalog", Kind: "catalog", Parent: root.ID, Name: "main", Revision: 1}
	schema := storage.Object{ID: "schema", Kind: "schema", Parent: catalog.ID, Name: "schema", Revision: 1}
	err = s.Update(b.Context(), func(tx storage.Tx) error {
		for _, o := range []storage.Object{root, catalog, schema} {
			_ = tx.Insert(b.Context(), o)
		}
		out.ids = nil
		for n := range benchTables {
			o := storage.Object{ID: randomID(n), Kind: "table", Parent: schema.ID, Name: fmt.Sprint("table ", n), Revision: 1, Body: body}
			out.ids = append(out.ids, string(o.ID))
			_ = tx.Insert(b.Context(), o)
			_ = tx.WriteLog(b.Context(), o.ID, storage.Log{}, storage.LogDelta{Revision: 1})
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	server.Exec(b, "VACUUM ANALYZE")
	u, err := url.Parse(where)
	if err != nil {
		b.Fatal(err)
	}
	q := u.Query()
	q.Set("pool_max_conns", "16")
	u.RawQuery = q.Encode()
	if out.pool, err = pgxpool.New(b.Context(), u.String()); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(out.pool.Close)
	return out
}

func pathOf(n int) []storage.Step {
	return []storage.Step{{Kind: "catalog", Name: "main"}, {Kind: "schema", Name: "schema"}, {Kind: "table", Name: fmt.Sprint("table ", n)}}
}

const (
	benchFile = "00000000000000000001.0b0b3bd8-1f5b-4b1e-a1e2-1c2f5c8a7a11.json"
	benchData = `{"size":1234,"timestamp":1700000000000}`
)

// commit commits as the catalog does: it finds the table by name with its log and the caller's
// grants, and leaves one commit to be backfilled.
func (bd *bed) commit(ctx context.Context, n int) error {
	return bd.store.Update(ctx, func(tx storage.Tx) error {
		chain, err := tx.Lookup(ctx, pathOf(n), storage.Want{Log: true, Version: 1 << 40, Beside: []storage.Step{{Kind: "columns", Name: "columns"}}})
		if err != nil {
			return err
		}
		t := chain[len(chain)-1]
		v := t.Log.Last + 1
		return tx.WriteLog(ctx, t.ID, *t.Log, storage.LogDelta{Revision: t.Log.Revision + 1, Last: v, Backfilled: v - 1, State: t.Log.State,
			Add: &storage.Commit{Version: v, File: benchFile, Data: []byte(benchData)}, Forget: v - 100})
	})
}

const (
	sqlBenchChain = `SELECT t.id, t.revision, t.body FROM object AS r JOIN object AS c ON c.parent = r.id AND c.kind = 'catalog' AND c.name = $1
		JOIN object AS s ON s.parent = c.id AND s.kind = 'schema' AND s.name = $2
		JOIN object AS t ON t.parent = s.id AND t.kind = 'table' AND t.name = $3 WHERE r.parent IS NULL`
	sqlBenchLock    = `SELECT revision, last, backfilled, state FROM log WHERE object = $1 FOR UPDATE`
	sqlBenchCommits = `SELECT version, file, data FROM "commit" WHERE log = $1 AND version > $2`
	sqlBenchAdd     = `INSERT INTO "commit" (log, version, file, data) VALUES ($1, $2, $3, $4)`
	sqlBenchUpdate  = `UPDATE log SET revision = revision + 1, last = $2::bigint, backfilled = $2::bigint - 1 WHERE object = $1`
)

// steps is what most would write: a transaction with a lock, statement by statement.
func (bd *bed) steps(ctx context.Context, n int) error {
	return pgx.BeginFunc(ctx, bd.pool, func(tx pgx.Tx) error {
		var id string
		var revision, last, backfilled int64
		var body, state []byte
		if err := tx.QueryRow(ctx, sqlBenchChain, "main", "schema", fmt.Sprint("table ", n)).Scan(&id, &revision, &body); err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, sqlBenchLock, id).Scan(&revision, &last, &backfilled, &state); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, sqlBenchCommits, id, backfilled)
		if err != nil {
			return err
		}
		rows.Close()
		if _, err := tx.Exec(ctx, sqlBenchAdd, id, last+1, benchFile, []byte(benchData)); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, sqlBenchUpdate, id, last+1)
		return err
	})
}

// pipelined is the same in two round trips.
func (bd *bed) pipelined(ctx context.Context, n int) error {
	return bd.pool.AcquireFunc(ctx, func(c *pgxpool.Conn) error {
		id := bd.ids[n]
		var revision, last, backfilled int64
		var body, state []byte
		var b pgx.Batch
		b.Queue("BEGIN")
		b.Queue(sqlBenchChain, "main", "schema", fmt.Sprint("table ", n)).QueryRow(func(row pgx.Row) error { return row.Scan(&id, &revision, &body) })
		b.Queue(sqlBenchLock, id).QueryRow(func(row pgx.Row) error { return row.Scan(&revision, &last, &backfilled, &state) })
		b.Queue(`SELECT version, file, data FROM "commit" WHERE log = $1 AND version > (SELECT backfilled FROM log WHERE object = $1)`, id)
		if err := c.SendBatch(ctx, &b).Close(); err != nil {
			return err
		}
		var w pgx.Batch
		w.Queue(sqlBenchAdd, id, last+1, benchFile, []byte(benchData))
		w.Queue(sqlBenchUpdate, id, last+1)
		w.Queue("COMMIT")
		return c.SendBatch(ctx, &w).Close()
	})
}

// rate is how often a second do gets done by that many, each with numbers of its own.
func rate(t testing.TB, writers int, d time.Duration, do func(ctx context.Context, n int) error) float64 {
	var done atomic.Int64
	var wg sync.WaitGroup
	ctx := t.Context()
	start := time.Now()
	for w := range writers {
		wg.Go(func() {
			for i := 0; time.Since(start) < d; i++ {
				if err := do(ctx, (w+i*writers)%benchTables); err != nil && !errors.Is(err, storage.ErrConflict) {
					t.Error(err)
					return
				}
				done.Add(1)
			}
		})
	}
	wg.Wait()
	return float64(done.Load()) / time.Since(start).Seconds()
}

func median(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}

// compare runs the forms in turns and reports the median of the ratios of the first to each of the others.
func compare(b *testing.B, writers int, names []string, forms ...func(ctx context.Context, n int) error) {
	rates := make([][]float64, len(forms))
	ratios := make([][]float64, len(forms))
	for range max(5, b.N) {
		for i, f := range forms {
			rates[i] = append(rates[i], rate(b, writers, 500*time.Millisecond, f))
		}
		for i := range forms {
			ratios[i] = append(ratios[i], rates[0][len(rates[0])-1]/rates[i][len(rates[i])-1])
		}
	}
	for i, name := range names {
		b.ReportMetric(median(rates[i]), name+"/s")
		if i > 0 {
			b.ReportMetric(median(ratios[i]), "x-"+name)
		}
	}
	b.ReportMetric(0, "ns/op")
}

// BenchmarkCommits compares commits with those of transactions with SELECT … FOR UPDATE.
func BenchmarkCommits(b *testing.B) {
	bd := newBed(b)
	for _, writers := range []int{1, 16, 64} {
		b.Run(fmt.Sprint("writers=", writers), func(b *testing.B) {
			compare(b, writers, []string{"store", "steps", "pipelined"}, bd.commit, bd.steps, bd.pipelined)
		})
	}
}

// BenchmarkHot compares 16 who commit to one table with one.
func BenchmarkHot(b *testing.B) {
	bd := newBed(b)
	hot := func(ctx context.Context, _ int) error { return bd.commit(ctx, 0) }
	var ratios, many, one []float64
	for range max(5, b.N) {
		many = append(many, rate(b, 16, 500*time.Millisecond, hot))
		one = append(one, rate(b, 1, 500*time.Millisecond, hot))
		ratios = append(ratios, many[len(many)-1]/one[len(one)-1])
	}
	b.ReportMetric(median(many), "16/s")
	b.ReportMetric(median(one), "1/s")
	b.ReportMetric(median(ratios), "x-one")
	b.ReportMetric(0, "ns/op")
}
