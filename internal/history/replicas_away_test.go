//go:build unix

package history_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/leveelake/catalog/types"
)

// TestDatabaseAway takes the database away for longer than a replica has patience. Each request is
// told to come back later, by an answer and not by silence, and when the database is back the
// replica goes on by itself.
func TestDatabaseAway(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for the patience of a replica to end")
	}
	c := startCluster(t, 1)
	b := c.balancer()
	defer b.close()
	c.works(b, "before")
	g := c.generate(b, "g", 4, 100, 1, nil) // what is remembered is not an answer either
	c.db.Stop(t, "immediate")

	began := time.Now()
	var group sync.WaitGroup
	for _, in := range []input{
		{op: "load"}, {op: "exists"}, {op: "list"}, {op: "stage"}, {op: "rename", to: 1}, {op: "drop"},
		{op: "create", id: types.ID("0b6c1c3e-7a0f-4b5e-9a57-6f1f0f3f0001")},
		{op: "update", id: types.ID("0b6c1c3e-7a0f-4b5e-9a57-6f1f0f3f0001"), version: 1, file: 1},
		{op: "update", id: types.ID("0b6c1c3e-7a0f-4b5e-9a57-6f1f0f3f0001"), property: "x"},
	} {
		group.Go(func() {
			method, path, body := g.request(in)
			if in.op == "list" {
				method, path, body = "GET", g.schema+"/tables", nil
			}
			// Not through the balancer, which would not take 503 for an answer.
			direct := &http.Client{Transport: oneWay{b}}
			status, text, err := callJSON(context.Background(), direct, method, g.url+path, body)
			if err != nil || status != http.StatusServiceUnavailable {
				c.found.add("while the database is away, %s is answered with %d %.300s, %v", in.op, status, text, err)
			}
		})
	}
	group.Wait()
	t.Logf("all answers came in %s", time.Since(began).Round(time.Millisecond))

	c.db.Start(t)
	g.settle(b)
	c.works(b, "after")
	if result, info := g.check(); result != porcupine.Ok {
		explain(t, g.history(), info)
	}
	c.stop()
	if text := c.found.String(); text != "" {
		t.Error(text)
	}
}

// oneWay sends each request to the first replica, once.
type oneWay struct{ b *balancer }

func (o oneWay) RoundTrip(req *http.Request) (*http.Response, error) {
	return o.b.once(o.b.upstreams[0], copyOf(req))
}
