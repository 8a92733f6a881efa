package server_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/server"
	"github.com/leveelake/catalog/storage"
)

const mib = 1 << 20

// heavy skips what is large and long.
func heavy(t *testing.T) {
	t.Helper()
	if testing.Short() || underRace {
		t.Skip("skipped by -short and under the race detector: requests of up to 64 MiB")
	}
}

// bare makes a take bodies of up to maxBody bytes (0: as long as by default), with none of the
// checks of answers that take long or know of no such requests.
func (a *api) bare(store storage.Store, maxBody int64) {
	a.Helper()
	log := slog.New(slog.NewTextHandler(a.log, nil))
	c, err := catalog.New(catalog.Config{Store: store, ManagedRoot: "file:///managed", Logger: log, Keys: testKeys(a)})
	if err != nil {
		a.Fatal(err)
	}
	a.handler = server.New(c, server.Config{Logger: log, MaxBody: maxBody})
}

// newWide is newAPI for bodies as long as a server takes by default.
func newWide(t *testing.T, store storage.Store) *api {
	t.Helper()
	a := newAPI(t, store)
	a.bare(store, 0)
	return a
}

// A load is what a request took while commits went on to another table.
type load struct {
	took, alone, held time.Duration // the request; a commit by itself; the longest commit meanwhile
	heap              uint64        // the most bytes of the heap in use, above what was before
}

func (l load) String() string {
	return fmt.Sprintf("it took %v; commits elsewhere took %v before and up to %v meanwhile; %d MiB of heap",
		l.took.Round(time.Millisecond), l.alone.Round(time.Microsecond), l.held.Round(time.Millisecond), l.heap>>20)
}

// beside sends a request while table m gets commits.
func (m *tab) beside(request func()) load {
	m.Helper()
	var l load
	v, err := m.load()["latest-table-version"].(json.Number).Int64()
	if err != nil {
		m.Fatal(err)
	}
	commit := func() time.Duration {
		start := time.Now()
		v++
		if status, data, _ := m.call("POST", m.path, m.update(addCommit(v, "f"), backfill(v-1))); status != http.StatusOK {
			m.Errorf("commit %d: %d %s", v, status, data)
		}
		return time.Since(start)
	}
	const warm = 10
	for range warm {
		l.alone += commit() / warm
	}
	runtime.GC()
	before := heap()
	stop := make(chan struct{})
	var wg sync.WaitGroup
	every := func(pause time.Duration, fn func()) {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				case <-time.After(pause):
					fn()
				}
			}
		})
	}
	every(time.Millisecond, func() { l.held = max(l.held, commit()) })
	every(2*time.Millisecond, func() { l.heap = max(l.heap, heap()) })
	start := time.Now()
	request()
	l.took = time.Since(start)
	close(stop)
	wg.Wait()
	l.heap -= min(before, l.heap)
	return l
}

// heap is how many bytes of the heap are in use, garbage that was not collected yet among them.
func heap() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// allocated is how many bytes a request makes the process allocate.
func (a *api) allocated(method, path, body string) (status int, data []byte, bytes uint64) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	status, data, _ = a.call(method, path, body)
	runtime.ReadMemStats(&after)
	return status, data, after.TotalAlloc - before.TotalAlloc
}

// wideJSON is columns of about so many bytes, or of n fields.
func wideJSON(bytes, n int) string {
	var b strings.Builder
	b.WriteString(`{"type":"struct","fields":[`)
	for i := 0; b.Len() < bytes || i < n; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"name":"c%d","type":"long","nullable":true,"metadata":{}}`, i)
	}
	b.WriteString(`]}`)
	return b.String()
}

// with puts JSON in the place of the text "X" of a request.
func with(request, json string) string { return strings.Replace(request, `"X"`, json, 1) }

// TestBadLoad sends long bodies. Memory must be bounded; for how long they hold up commits to
// another table is only logged, since it depends on the machine.
func TestBadLoad(t *testing.T) {
	most, long := 64*mib, 12*mib // what a body may have, and what is enough to see
	if testing.Short() || underRace {
		t.Log("with bodies of 1 MiB instead of 64")
		most, long = mib, mib
	}
	for _, name := range []string{"sqlite"} { // the store that has more to fear
		t.Run(name, func(t *testing.T) {
			a := newWide(t, stores[name](t))
			defer debug.FreeOSMemory()
			quiet := a.table()
			send := func(what string, want int, method, path, b string) {
				t.Helper()
				l := quiet.beside(func() {
					if status, data, _ := a.call(method, path, b); status != want {
						t.Errorf("%s: got %d %.300s, want %d", what, status, data, want)
					}
				})
				t.Logf("%s (%d bytes): %v", what, len(b), l)
				if limit := uint64(40 * max(len(b), 16*mib)); l.heap > limit {
					t.Errorf("%s: %d bytes of request took %d MiB of heap, want at most %d", what, len(b), l.heap>>20, limit>>20)
				}
			}
			if most == 64*mib {
				send("a longer body than allowed", 400, "POST", s1+"/staging-tables", `{"name":"`+strings.Repeat("n", most)+`"}`)
			}
			send("a long name", 400, "POST", s1+"/staging-tables", `{"name":"`+strings.Repeat("n", most-20)+`"}`)
			send("an open string", 400, "POST", t1, `{"name":"`+strings.Repeat("n", most-20))
			send("open brackets", 400, "POST", t1, strings.Repeat("[", most))
			send("bytes that are no UTF-8", 400, "POST", t1, strings.Repeat("\xff", most))
			send("lists", 400, "POST", t1, `{"x":[`+strings.Repeat("[],", long)+`[]]}`)
			send("removals", 400, "POST", quiet.path, with(quiet.update(removeProperties("X")), strings.Repeat(`"",`, long)+`""`))
			send("a table ID", 400, "POST", unity+"/temporary-table-credentials", `{"table_id":"`+strings.Repeat("\u0080", long)+`"}`)

			m := a.table()
			set := m.update(object{"action": "set-columns", "columns": "X"})
			send("columns", 200, "POST", m.path, with(set, wideJSON(0, min(long/64, 100_000))))
			partition := act("set-partition-columns", "partition-columns", []any{"c0"})
			send("their partition columns", 200, "POST", m.path, m.update(partition))
			send("their next commit", 200, "POST", m.path, m.update(addCommit(1, "f")))
			send("their load by Unity Catalog", 200, "GET", unityTables+"/c1.s1."+m.path[len(t1)+1:], "")
			none := act("set-partition-columns", "partition-columns", []any{"X"})
			send("no such partition column", 400, "POST", m.path, with(m.update(none), `"`+strings.Repeat("\u0080", long/2)+`"`))
			send("their drop", 204, "DELETE", m.path, "")

			p := a.table()
			// What each commit reads is bounded.
			send("a long comment", 400, "POST", p.path, with(p.update(setComment("X")), `"`+strings.Repeat("<", 5<<20)+`"`))
			send("a comment", 200, "POST", p.path, with(p.update(setComment("X")), `"`+strings.Repeat("<", 2<<20)+`"`))
			send("its next commit", 200, "POST", p.path, p.update(addCommit(1, "f")))
			send("its drop", 204, "DELETE", p.path, "")
		})
	}
}
