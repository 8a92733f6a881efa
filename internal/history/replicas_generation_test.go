//go:build unix

package history_test

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"

	"github.com/anishathalye/porcupine"

	"github.com/leveelake/catalog/types"
)

// A generation is the history of one schema. One that goes on for minutes is too long to be
// decided, so schemas follow each other, while faults come as they do.
type generation struct {
	*run
	cluster *cluster
	name    string
}

// generate has clients work in a new schema until most operations are done, or until over.
func (c *cluster) generate(b *balancer, name string, clients, most int, seed uint64, over <-chan struct{}) *generation {
	web := &http.Client{Transport: b}
	c.createSchema(web, name)
	g := &generation{
		cluster: c, name: name,
		run: &run{url: "http://any", schema: schemasPath + name, root: c.root, client: web, flaky: true},
	}
	for slot := range g.staged {
		g.staged[slot] = map[types.ID]int{}
	}
	var group sync.WaitGroup
	for id := range clients {
		group.Go(func() { newClient(g.run, id, seed).roam((most+clients-1)/clients, over) })
	}
	group.Wait()
	return g
}

// roam is work, but ends when it is over. It lists, too.
func (c *client) roam(n int, over <-chan struct{}) {
	for c.done < n {
		select {
		case <-over:
			return
		default:
		}
		if c.rng.IntN(20) == 0 {
			c.list()
			continue
		}
		in := c.next()
		out := c.insist(in)
		if in.op != "stage" || out.status != http.StatusOK {
			continue
		}
		// The model has room for so many.
		if staged := c.run.number(in.slot, out.table.id); staged < len(state{}.used)*64 {
			c.insist(input{op: "create", slot: in.slot, name: in.name, id: out.table.id, staged: staged})
		}
	}
}

// list lists the schema. It is noted for each slot by itself, as the model wants it.
func (c *client) list() {
	called := c.run.time.Add(1)
	status, text, err := call(context.Background(), c.run.client, "GET", c.run.url+c.run.schema+"/tables", nil)
	returned := c.run.time.Add(1)
	if err != nil {
		return
	}
	var page struct {
		Tables []types.TableSummary `json:"tables"`
	}
	if json.Unmarshal([]byte(text), &page) != nil {
		status = -1
	}
	var listed [slots][2]types.ID
	for _, t := range page.Tables {
		for slot := range slots {
			for name := range 2 {
				if t.Name == tableName(slot, name) {
					listed[slot][name] = t.ID
				}
			}
		}
	}
	for slot := range slots {
		c.run.add(porcupine.Operation{
			ClientId: c.id, Input: input{op: "list", slot: slot}, Call: called, Return: returned, Output: output{status: status, listed: listed[slot]},
		})
	}
	c.done++
}

// settle has each replica tell what there is in the end.
func (g *generation) settle(b *balancer) {
	for i, p := range b.upstreams {
		b.favours.Store(p)
		last := newClient(g.run, 1000+i, 0)
		for slot := range slots {
			for name := range 2 {
				last.do(context.Background(), input{op: "load", slot: slot, name: name})
			}
		}
		last.list()
	}
	b.favours.Store(nil)
}

// check returns what the model says.
func (g *generation) check() (porcupine.CheckResult, porcupine.LinearizationInfo) {
	return porcupine.CheckOperationsVerbose(model, g.history(), checkTime)
}

// works has each replica carry out one thing of each kind, and each of the others see it at once.
func (c *cluster) works(b *balancer, schema string) {
	web := &http.Client{Transport: b}
	c.createSchema(web, schema)
	r := &run{url: "http://any", schema: schemasPath + schema, root: c.root, client: web}
	for slot := range r.staged {
		r.staged[slot] = map[types.ID]int{}
	}
	defer b.favours.Store(nil)
	for i, p := range b.upstreams {
		b.favours.Store(p)
		writer := newClient(r, i, 0)
		try := func(want int, in input) output {
			out := writer.do(context.Background(), in)
			if out.status != want {
				c.found.add("replica %d, when all is quiet: %s", i, describe(in, out))
			}
			return out
		}
		id := try(http.StatusOK, input{op: "stage"}).table.id
		try(http.StatusOK, input{op: "create", id: id, staged: r.number(0, id)})
		try(http.StatusOK, input{op: "update", id: id, version: 1, file: 1})
		etag := try(http.StatusOK, input{op: "update", id: id, property: "x"}).table.etag
		one := int64(1)
		try(http.StatusOK, input{op: "update", id: id, version: 2, file: 2, backfill: &one, etag: etag})
		try(http.StatusNoContent, input{op: "rename", to: 1})
		for j, other := range b.upstreams {
			b.favours.Store(other)
			in := input{op: "load", name: 1}
			if out := newClient(r, 100+j, 0).do(context.Background(), in); out.table.id != id || out.table.latest != 2 || out.table.commits != fileBytes(2) {
				c.found.add("what replica %d has done replica %d does not see: %s", i, j, describe(in, out))
			}
		}
		b.favours.Store(p)
		try(http.StatusNoContent, input{op: "drop", name: 1})
		try(http.StatusNotFound, input{op: "exists", name: 1})
	}
}

// logs returns those of all that are of tables of g.
func (g *generation) logs(all map[string]tableLog) map[string]tableLog {
	mine := map[string]tableLog{}
	for slot := range g.staged {
		for id := range g.staged[slot] {
			if l, ok := all[string(id)]; ok {
				mine[string(id)] = l
			}
		}
	}
	return mine
}
