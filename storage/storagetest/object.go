package storagetest

import (
	"bytes"
	"strings"
	"time"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

func objectTests() []test {
	return []test{
		{"Empty", testEmpty},
		{"RoundTrip", testRoundTrip},
		{"Times", testTimes},
		{"Bytes", testBytes},
		{"Chains", testChains},
		{"Taken", testTaken},
		{"Root", testRoot},
		{"ParentGone", testParentGone},
		{"Replace", testReplace},
		{"ReplaceTaken", testReplaceTaken},
		{"ReplaceStale", testReplaceStale},
		{"Rename", testRename},
		{"Staging", testStaging},
		{"OneRun", testOneRun},
		{"CopiedIn", testCopiedIn},
		{"CopiedOut", testCopiedOut},
	}
}

// insertOne is what most refusals here are about.
func (e *env) insertOne(o storage.Object) func(tx storage.Tx) error {
	return func(tx storage.Tx) error { return tx.Insert(e.ctx, o) }
}

func testEmpty(e *env) {
	s, err := e.b.Open(e, e.TempDir())
	if err != nil {
		e.Fatalf("Open: %v", err)
	}
	defer s.Close()
	err = s.View(e.ctx, func(tx storage.ReadTx) error {
		for _, p := range [][]storage.Step{nil, path("a"), path("a", "b", "c")} {
			if nodes, err := tx.Lookup(e.ctx, p, storage.Want{Log: true}); err != nil || len(nodes) != 0 {
				e.Errorf("Lookup(%v) of an empty store: %d nodes, error %v", p, len(nodes), err)
			}
		}
		if nodes, err := tx.Get(e.ctx, newID(), storage.Want{Log: true}); err != nil || len(nodes) != 0 {
			e.Errorf("Get of an empty store: %d nodes, error %v", len(nodes), err)
		}
		if nodes, err := tx.List(e.ctx, storage.ListQuery{Parent: newID()}, storage.Want{}); err != nil || len(nodes) != 0 {
			e.Errorf("List of an empty store: %d nodes, error %v", len(nodes), err)
		}
		if objects, err := tx.Overlap(e.ctx, "s3://b/x", []types.Kind{kindTable}, 5); err != nil || len(objects) != 0 {
			e.Errorf("Overlap of an empty store: %d objects, error %v", len(objects), err)
		}
		return nil
	})
	if err != nil {
		e.Errorf("View of an empty store: %v", err)
	}
}

func testRoundTrip(e *env) {
	_, s, _ := e.branch("main")
	o := at(object(kindTable, s.ID, "orders"), "s3://bucket/orders")
	o.Updated = epoch().Add(1500 * time.Millisecond)
	e.insert(o)
	want := textOfObject(o)
	e.same("Get", textOfObject(e.node(o.ID).Object), want)

	nodes := e.lookup(storage.Want{}, path("main", "schema", "orders")...)
	if len(nodes) != 4 {
		e.Fatalf("Lookup found %d nodes, want 4", len(nodes))
	}
	e.same("Lookup", textOfObject(nodes[3].Object), want)
	nodes = e.list(storage.ListQuery{Parent: s.ID, Kind: kindTable, Limit: 1}, storage.Want{})
	e.same("List", textOfObject(nodes[0].Object), want)
	e.same("Overlap", textOfObjects(e.overlap(o.Location, 0, kindTable)), want+"\n")
}

func testTimes(e *env) {
	east := time.FixedZone("east", 7200)
	for _, t := range []time.Time{
		time.Date(2026, 1, 2, 3, 4, 5, 678_999_999, east), // cut, not rounded
		time.Date(1969, 12, 31, 23, 59, 59, 999_999_999, time.UTC),
		time.Date(1970, 1, 1, 0, 0, 0, 0, east),
		time.Date(9999, 12, 31, 23, 59, 59, 999_000_000, time.UTC),
		time.UnixMilli(1).In(east),
		time.Now(), // with a monotonic reading
	} {
		o := object(kindCatalog, e.root.ID, t.String())
		o.Created, o.Updated = t, t.Add(time.Hour)
		e.insert(o)
		o.Created, o.Updated = time.UnixMilli(t.UnixMilli()).UTC(), time.UnixMilli(o.Updated.UnixMilli()).UTC()
		got := e.node(o.ID).Object
		if got.Created != o.Created || got.Updated != o.Updated {
			e.Errorf("times of %v: got %#v and %#v, want %#v and %#v", t, got.Created, got.Updated, o.Created, o.Updated)
		}
		u := next(o, "")
		u.Updated = t.Add(2 * time.Hour)
		e.replace(u)
		if got := e.node(o.ID).Updated; got != time.UnixMilli(u.Updated.UnixMilli()).UTC() {
			e.Errorf("Updated of %v after Replace: got %#v", t, got)
		}
	}
}

func testBytes(e *env) {
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	for name, b := range map[string][]byte{
		"nil": nil, "empty": {}, "every byte": every, "not UTF-8": {0xff, 0xfe, 0xc0},
		"1 MiB": bytes.Repeat(every, 4096), "text like a number": []byte("0123"),
	} {
		o := object(kindCatalog, e.root.ID, name)
		o.Body = b
		e.insert(o)
		e.writeLog(o.ID, storage.LogDelta{Revision: 1, Last: 1, State: b, Add: &storage.Commit{Version: 1, File: name, Data: b}})
		n := e.node(o.ID)
		if !bytes.Equal(n.Body, b) || !bytes.Equal(n.Log.State, b) {
			e.Errorf("%s: Body or State is not what was written", name)
		}
		if len(n.Log.Commits) != 1 || !bytes.Equal(n.Log.Commits[0].Data, b) {
			e.Errorf("%s: Data is not what was written", name)
		}
	}
}

func testChains(e *env) {
	c, s, t := e.branch("main")
	full := []storage.Object{e.root, c, s, t}
	check := func(what string, got []storage.Node, want []storage.Object) {
		e.Helper()
		var objects []storage.Object
		for _, n := range got {
			objects = append(objects, n.Object)
		}
		e.same(what, textOfObjects(objects), textOfObjects(want))
	}
	for i, o := range full {
		check("Get of "+o.Name, e.get(o.ID, storage.Want{}), full[:i+1])
	}
	check("Get of no object", e.get(newID(), storage.Want{}), nil)
	check("Lookup of the root", e.lookup(storage.Want{}), full[:1])
	check("Lookup of all", e.lookup(storage.Want{}, path("main", "schema", "table")...), full)
	check("no catalog", e.lookup(storage.Want{}, path("x", "schema", "table")...), full[:1])
	check("no schema", e.lookup(storage.Want{}, path("main", "x", "table")...), full[:2])
	check("no table", e.lookup(storage.Want{}, path("main", "schema", "x")...), full[:3])
	check("no grant", e.lookup(storage.Want{}, path("main", "schema", "table", "x")...), full)
	wrong := path("main", "schema", "table")
	wrong[1].Kind = kindStaging
	check("schema of another kind", e.lookup(storage.Want{}, wrong...), full[:2])
}

func testTaken(e *env) {
	_, s, t := e.branch("main")
	_, s2, _ := e.branch("other")
	e.refused(storage.ErrExists, "taken name", e.insertOne(object(kindTable, s.ID, "table")))
	same := object(kindTable, s.ID, "another")
	same.ID = t.ID
	e.refused(storage.ErrExists, "taken ID", e.insertOne(same))
	same.Parent = s2.ID
	e.refused(storage.ErrExists, "taken ID below another parent", e.insertOne(same))
	e.refused(storage.ErrExists, "taken by the run itself", func(tx storage.Tx) error {
		for range 2 {
			if err := tx.Insert(e.ctx, object(kindTable, s.ID, "twice")); err != nil {
				return err
			}
		}
		return nil
	})
	// Only (Kind, Parent, Name) is unique.
	e.insert(object(kindStaging, s.ID, "table"), object(kindTable, t.ID, "table"), object(kindTable, s2.ID, "table2"))
	if got := len(e.list(storage.ListQuery{Parent: s.ID}, storage.Want{})); got != 2 {
		e.Errorf("%d children, want a table and a staging table", got)
	}
}

func testRoot(e *env) {
	e.refused(storage.ErrExists, "second root", e.insertOne(object(e.root.Kind, "", e.root.Name)))
	e.refused(storage.ErrExists, "second root of another name", e.insertOne(object(e.root.Kind, "", "another")))
	e.refused(storage.ErrExists, "second root of another kind", e.insertOne(object(kindCatalog, "", "another")))
	e.branch("main")
	e.replace(renamed(e.root, "new"))
	if got := names(e.lookup(storage.Want{}, path("main")...)); got != "new|main" {
		e.Errorf("after a rename of the root: %s", got)
	}
	e.delete(e.root.ID)
	e.same("everything after a delete of the root", e.dump(), "")
	e.insert(object(e.root.Kind, "", "again"))
	if got := names(e.lookup(storage.Want{}, path("main")...)); got != "again" {
		e.Errorf("after another root: %s", got)
	}
}

func testParentGone(e *env) {
	c, s, _ := e.branch("main")
	e.refused(storage.ErrStale, "parent that never was", e.insertOne(object(kindTable, newID(), "t")))
	e.delete(c.ID)
	e.refused(storage.ErrStale, "parent that is gone", e.insertOne(object(kindSchema, c.ID, "s")))
	e.refused(storage.ErrStale, "parent that went with its own", e.insertOne(object(kindTable, s.ID, "t")))
}

func testReplace(e *env) {
	_, s, t := e.branch("main")
	other := e.child(kindTable, s.ID, "other")
	log := textOfLog(e.node(t.ID).Log)
	new := at(next(t, "changed"), "s3://b/x")
	new.Revision = 41 // up, not by one
	e.replace(new)
	e.same("the new object", textOfObject(e.node(t.ID).Object), textOfObject(new))
	e.same("its log", textOfLog(e.node(t.ID).Log), log)
	e.same("its neighbour", textOfObject(e.node(other.ID).Object), textOfObject(other))
	e.same("its parent", textOfObject(e.node(s.ID).Object), textOfObject(s))
}

func testReplaceTaken(e *env) {
	_, s, t := e.branch("main")
	o := e.child(kindTable, s.ID, "other")
	e.child(kindStaging, s.ID, "staged")
	e.refused(storage.ErrExists, "rename to a taken name", func(tx storage.Tx) error { return replace(e.ctx, tx, renamed(o, "table")) })
	changed := renamed(o, "staged")
	changed.Kind = kindStaging
	e.refused(storage.ErrExists, "change to a kind where the name is taken", func(tx storage.Tx) error { return replace(e.ctx, tx, changed) })
	e.replace(next(t, "own name kept"))
	e.replace(renamed(o, "staged")) // of another kind
}

func testReplaceStale(e *env) {
	_, s, t := e.branch("main")
	e.replace(next(t, "2"))
	now := e.node(t.ID).Object
	// Each reads what is there and goes on with something else.
	for _, old := range []storage.Object{t, next(now, "3"), object(kindTable, s.ID, "table")} {
		new := next(next(old, "new"), "new")
		e.refused(storage.ErrStale, "Replace of "+textOfObject(old), func(tx storage.Tx) error {
			return withNode(e.ctx, tx, t.ID, func(storage.Node) error { return tx.Replace(e.ctx, old, new) })
		})
		e.refused(storage.ErrStale, "Delete of "+textOfObject(old), func(tx storage.Tx) error {
			return withNode(e.ctx, tx, t.ID, func(storage.Node) error { return tx.Delete(e.ctx, old) })
		})
	}
	e.delete(t.ID)
	e.refused(storage.ErrStale, "Replace of what is gone", func(tx storage.Tx) error { return tx.Replace(e.ctx, now, next(now, "")) })
	e.refused(storage.ErrStale, "Delete of what is gone", func(tx storage.Tx) error { return tx.Delete(e.ctx, now) })
}

func testRename(e *env) {
	c, s, t := e.branch("main")
	e.child(kindGrant, t.ID, "alice")
	for _, o := range []storage.Object{c, s, t} {
		e.replace(renamed(o, strings.ToUpper(o.Name)))
	}
	if got := names(e.get(t.ID, storage.Want{})); got != "root|MAIN|SCHEMA|TABLE" {
		e.Errorf("Get by ID: %s", got)
	}
	if got := names(e.lookup(storage.Want{}, path("MAIN", "SCHEMA", "TABLE", "alice")...)); got != "root|MAIN|SCHEMA|TABLE|alice" {
		e.Errorf("Lookup by the new names: %s", got)
	}
	if got := names(e.lookup(storage.Want{}, path("main", "schema", "table")...)); got != "root" {
		e.Errorf("Lookup by the old names: %s", got)
	}
	e.branch("main") // the old name is free
	if n := e.node(t.ID); n.Name != "TABLE" || n.Log.Revision != 1 {
		e.Errorf("the renamed table is now %s", textOfNode(n))
	}
}
