//go:build unix

package history_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/anishathalye/porcupine"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/internal/pgtest"
	"github.com/leveelake/catalog/server"
	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// A crowd is many clients of one or two servers in this process, on one store that has no faults.
type crowd struct {
	*run
	t     *testing.T
	found *findings
	b     *balancer
	log   logBuffer
}

// crowds runs test with the crowds of each store.
func crowds(t *testing.T, test func(c *crowd)) {
	t.Run("sqlite", func(t *testing.T) { test(newCrowd(t, "", openSQLite(t, 0))) })
	t.Run("postgres", func(t *testing.T) {
		two := openPostgres(t, 0).(*replicas).stores
		test(newCrowd(t, secretOf(pgtest.Shared(t)), two...))
	})
}

func newCrowd(t *testing.T, secret string, stores ...storage.Store) *crowd {
	t.Helper()
	c := &crowd{t: t, found: &findings{}}
	logger := slog.New(slog.NewTextHandler(&c.log, nil))
	var addresses []string
	for _, s := range stores {
		levee, err := catalog.New(catalog.Config{Store: s, ManagedRoot: managedRoot, Logger: logger})
		if err != nil {
			t.Fatal(err)
		}
		if len(addresses) == 0 {
			if _, err := levee.CreateCatalog(t.Context(), types.CreateCatalog{Name: "c"}); err != nil {
				t.Fatal(err)
			}
			if _, err := levee.CreateSchema(t.Context(), types.CreateSchema{Name: types.SchemaName{Catalog: "c", Schema: "s"}}); err != nil {
				t.Fatal(err)
			}
		}
		web := httptest.NewServer(server.New(levee, server.Config{Logger: logger}))
		t.Cleanup(web.Close)
		addresses = append(addresses, web.Listener.Addr().String())
	}
	c.b = newBalancer(c.found, secret, addresses)
	t.Cleanup(c.b.close)
	c.run = &run{url: "http://any", schema: schemaPath, root: managedRoot, client: &http.Client{Transport: c.b}}
	for slot := range c.staged {
		c.staged[slot] = map[types.ID]int{}
	}
	return c
}

// call sends a request and returns the answer's status and body; the caller says what it may be.
func (c *crowd) call(method, path string, body any) (int, string) {
	status, text, err := callJSON(context.Background(), c.client, method, c.url+c.schema+path, body)
	if err != nil {
		c.found.add("%s %s: %v", method, path, err)
	}
	return status, text
}

// create creates a managed table.
func (c *crowd) create(name string) types.ID {
	c.t.Helper()
	var staged types.StagingTable
	status, text := c.call("POST", "/staging-tables", types.CreateStagingTable{Name: name})
	if err := json.Unmarshal([]byte(text), &staged); err != nil || status != http.StatusOK {
		c.t.Fatalf("%d %s", status, text)
	}
	if status, text := c.call("POST", "/tables", createManaged(name, staged.ID, staged.Location)); status != http.StatusOK {
		c.t.Fatalf("%d %s", status, text)
	}
	return staged.ID
}

// finish tells what was found, and how often there was no room.
func (c *crowd) finish() {
	c.t.Helper()
	checkLogs(c.found, "the servers", c.log.String(), c.b.secret)
	if text := c.found.String(); text != "" {
		c.t.Error(text)
	}
	if bytes.Contains([]byte(c.log.String()), []byte("level=ERROR")) {
		c.t.Errorf("the servers logged:\n%s", lastLines(c.log.String(), 10))
	}
	for what, n := range c.b.count {
		c.t.Logf("%d × %s", n, what)
		if what == "come back later: 503" || what == "cut" || what == "commit state unknown" {
			c.t.Errorf("%s, though nothing is broken", what)
		}
	}
}

// TestUnrelatedTables has eight writers work on a table each, which no other touches. Whatever
// happens beside them in the same schema, where tables are changed, renamed, dropped and created
// by eight others, is no reason to refuse them.
func TestUnrelatedTables(t *testing.T) { crowds(t, unrelatedTables) }

func unrelatedTables(c *crowd) {
	t := c.t
	updates := 200
	if testing.Short() || raceDetector {
		updates = 40
	}
	over := make(chan struct{})
	var writers, others sync.WaitGroup
	for i := range 8 {
		name := fmt.Sprint("u", i)
		id := c.create(name)
		writers.Go(func() { c.alone(name, id, updates) })
	}
	seed := firstSeed()
	for i := range 8 {
		others.Go(func() { newClient(c.run, i, seed).roam(10*updates, over) })
	}
	writers.Wait()
	close(over)
	others.Wait()
	c.finish()
	history := c.history()
	if result, info := porcupine.CheckOperationsVerbose(model, history, checkTime); result != porcupine.Ok {
		t.Logf("seed %d: %s", seed, result)
		explain(t, history, info)
	}
	t.Logf("8 × %d updates; %s", updates, summary(answers(history)))
}

// alone is the only writer of a table.
func (c *crowd) alone(name string, id types.ID, updates int) {
	etag, version := "", int64(0)
	for i := range updates {
		u := types.UpdateTable{Require: types.Requirement{TableUUID: id}}
		if i%5 == 4 {
			u.Update.SetProperties = map[string]string{"p": fmt.Sprint(i)}
		} else {
			version++
			u.Update.AddCommit = &types.AddCommit{Commit: commitOf(version, uint32(i+1))}
			if backfilled := version - 3; backfilled > 0 {
				u.Update.SetBackfilledVersion = &backfilled
			}
		}
		if etag != "" && i%2 == 0 {
			u.Require.ETag = &etag
		}
		status, text := c.call("POST", "/tables/"+name, u)
		var table types.Table
		if err := types.DecodeJSON([]byte(text), &table); status != http.StatusOK || err != nil || *table.LatestVersion != version {
			c.found.add("update %d of table %s, which nobody else writes, is answered with %d %.300s", i, name, status, text)
			return
		}
		etag = table.ETag
	}
}
