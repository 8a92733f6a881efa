package history_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/anishathalye/porcupine"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/server"
	"github.com/leveelake/catalog/types"
)

// record has clients work on a server, and returns what they saw.
func record(t *testing.T, s setup) []porcupine.Operation {
	t.Helper()
	var log bytes.Buffer
	var logged sync.Mutex
	logger := slog.New(slog.NewTextHandler(lockedWriter{&logged, &log}, nil))
	c, err := catalog.New(catalog.Config{Store: s.store, ManagedRoot: managedRoot, Logger: logger, Limits: s.limits})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.CreateCatalog(t.Context(), types.CreateCatalog{Name: "c"}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.CreateSchema(t.Context(), types.CreateSchema{Name: types.SchemaName{Catalog: "c", Schema: "s"}}); err != nil {
		t.Fatal(err)
	}
	var handler http.Handler = server.New(c, server.Config{Logger: logger})
	if s.handler != nil {
		handler = s.handler(handler)
	}
	web := httptest.NewServer(handler)
	defer web.Close()

	w := newWire(s.seed, s.cuts)
	defer w.close()
	r := &run{url: web.URL, schema: schemaPath, root: managedRoot, client: &http.Client{Transport: w}, flaky: s.flaky}
	for slot := range r.staged {
		r.staged[slot] = map[types.ID]int{}
	}
	var wg sync.WaitGroup
	for id := range s.clients {
		wg.Go(func() { newClient(r, id, s.seed).work((s.operations + s.clients - 1) / s.clients) })
	}
	wg.Wait()
	w.settle()

	// What is left must be explained, too.
	last := newClient(r, s.clients, s.seed)
	for slot := range slots {
		for name := range 2 {
			last.do(context.Background(), input{op: "load", slot: slot, name: name})
		}
	}
	history := r.history()
	if n := len(history); n < s.operations {
		t.Errorf("only %d operations of %d", n, s.operations)
	}
	if strings.Contains(log.String(), "level=ERROR") && !s.flaky {
		t.Errorf("the server logged:\n%s", log.String())
	}
	return history
}

type lockedWriter struct {
	mu *sync.Mutex
	w  *bytes.Buffer
}

func (l lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

// A run is a history in the making.
type run struct {
	url    string
	schema string // path of the schema
	root   string // URL of the managed root
	client *http.Client
	flaky  bool
	time   atomic.Int64 // one tick for each call and each return, so that none are equal
	token  atomic.Int64 // of what was made unique last

	mu         sync.Mutex
	staged     [slots]map[types.ID]int
	operations []porcupine.Operation
}

// forever is when an operation returns of which nobody knows whether it was carried out.
const forever = 1 << 62

func (r *run) add(op porcupine.Operation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.operations = append(r.operations, op)
}

func (r *run) history() []porcupine.Operation {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.operations
}

// number gives a staging table of a slot its number.
func (r *run) number(slot int, id types.ID) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n, ok := r.staged[slot][id]
	if !ok {
		n = len(r.staged[slot])
		r.staged[slot][id] = n
	}
	return n
}
