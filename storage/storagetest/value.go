package storagetest

import (
	"bytes"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// testStaging: a change of Kind keeps everything else that hangs on the object.
func testStaging(e *env) {
	_, s, _ := e.branch("main")
	staged := object(kindStaging, s.ID, "")
	staged.Name = string(staged.ID)
	staged = at(staged, "s3://b/tables/1")
	grant := object(kindGrant, staged.ID, "alice")
	e.insert(staged, grant)
	e.writeLog(staged.ID, storage.LogDelta{Revision: 1, Last: 1, Add: &storage.Commit{Version: 1, File: "f"}})
	log := textOfLog(e.node(staged.ID).Log)

	table := next(staged, "created")
	table.Kind, table.Name = kindTable, "orders"
	e.replace(table)

	nodes := e.lookup(storage.Want{Log: true, Beside: steps(kindGrant, "alice")}, path("main", "schema", "orders")...)
	if len(nodes) != 4 {
		e.Fatalf("the table is not found by its name")
	}
	e.same("table", textOfObject(nodes[3].Object), textOfObject(table))
	e.same("log", textOfLog(nodes[3].Log), log)
	e.same("children", textOfObjects(nodes[3].Beside), textOfObject(grant)+"\n")
	if left := e.list(storage.ListQuery{Parent: s.ID, Kind: kindStaging}, storage.Want{}); len(left) != 0 {
		e.Errorf("still staged: %s", names(left))
	}
	if got := e.overlap("s3://b/tables", 5, kindStaging); len(got) != 0 {
		e.Errorf("still in Overlap as staged: %s", textOfObjects(got))
	}
	e.same("Overlap", textOfObjects(e.overlap("s3://b/tables", 5, kindTable)), textOfObject(table)+"\n")
}

// testOneRun: writes of one run build on each other, in their order.
func testOneRun(e *env) {
	_, s, t := e.branch("main")
	a, b := object(kindTable, s.ID, "table"), object(kindTable, s.ID, "moved")
	c := object(kindCatalog, e.root.ID, "new")
	d := object(kindSchema, c.ID, "new")
	e.update(func(tx storage.Tx) error {
		return withNode(e.ctx, tx, t.ID, func(n storage.Node) error {
			return firstError(
				tx.Replace(e.ctx, n.Object, renamed(n.Object, "elsewhere")),
				tx.Insert(e.ctx, a), // into the name that is free now
				tx.WriteLog(e.ctx, a.ID, storage.Log{}, storage.LogDelta{Revision: 1}),
				tx.Insert(e.ctx, c),
				tx.Insert(e.ctx, d),
			)
		})
	})
	e.update(func(tx storage.Tx) error {
		return withNode(e.ctx, tx, a.ID, func(n storage.Node) error {
			return firstError(
				tx.WriteLog(e.ctx, a.ID, *n.Log, storage.LogDelta{Revision: 2, Last: 1, Add: &storage.Commit{Version: 1}}),
				tx.Replace(e.ctx, n.Object, renamed(n.Object, "log first, then the object")),
				tx.Insert(e.ctx, b),
			)
		})
	})
	e.update(func(tx storage.Tx) error {
		return withNode(e.ctx, tx, b.ID, func(n storage.Node) error {
			return firstError(tx.Delete(e.ctx, n.Object), tx.Insert(e.ctx, object(kindTable, s.ID, "moved")))
		})
	})
	if got := names(e.list(storage.ListQuery{Parent: s.ID}, storage.Want{})); got != "elsewhere|log first, then the object|moved" {
		e.Errorf("tables: %s", got)
	}
	if got := e.node(a.ID).Log; got.Revision != 2 || got.Last != 1 {
		e.Errorf("log: %s", textOfLog(got))
	}
	if got := names(e.get(d.ID, storage.Want{})); got != "root|new|new" {
		e.Errorf("chain made in one run: %s", got)
	}
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// testCopiedIn: what the caller does with its values after a write is not seen.
func testCopiedIn(e *env) {
	o := object(kindCatalog, e.root.ID, "main")
	e.insert(o)
	o = next(o, "replaced")
	d := storage.LogDelta{Revision: 1, Last: 1, State: []byte("state"), Add: &storage.Commit{Version: 1, File: "f", Data: []byte("data")}}
	inserted := object(kindSchema, o.ID, "schema")
	before := [][]byte{o.Body, d.State, d.Add.Data, inserted.Body}
	kept := make([][]byte, len(before))
	for i, b := range before {
		kept[i] = bytes.Clone(b)
	}
	e.update(func(tx storage.Tx) error {
		for i, b := range before { // a run before may have spoilt them
			copy(b, kept[i])
		}
		d.Add.File = "f"
		return withNode(e.ctx, tx, o.ID, func(n storage.Node) error {
			return firstError(tx.Replace(e.ctx, n.Object, o), tx.WriteLog(e.ctx, o.ID, *n.Log, d), tx.Insert(e.ctx, inserted))
		})
	})
	want := e.dump()
	for _, b := range before {
		spoil(b)
	}
	d.Add.File = "spoilt"
	e.same("after a change of what was written", e.dump(), want)
}

// testCopiedOut: what the caller does with what it read is not seen, in the same
// transaction either, for what a read returns belongs to the caller, all but the bytes.
func testCopiedOut(e *env) {
	c, s, t := e.branch("main")
	e.insert(object(kindGrant, t.ID, "alice"))
	e.replace(at(next(t, "body"), "s3://b/x"))
	e.writeLog(t.ID, storage.LogDelta{Revision: 2, Last: 2, State: []byte("state"), Add: &storage.Commit{Version: 2, File: "f", Data: []byte("data")}})
	want := e.dump()
	w := storage.Want{Log: true, Version: 2, Beside: steps(kindGrant, "alice")}

	read := func(tx storage.ReadTx) (nodes []storage.Node, objects []storage.Object, err error) {
		reads := []func() ([]storage.Node, error){
			func() ([]storage.Node, error) { return tx.Get(e.ctx, t.ID, w) },
			func() ([]storage.Node, error) { return tx.Lookup(e.ctx, path(c.Name, s.Name, t.Name), w) },
			func() ([]storage.Node, error) { return tx.Get(e.ctx, s.ID, w) },
			func() ([]storage.Node, error) { return tx.List(e.ctx, storage.ListQuery{Parent: s.ID}, w) },
		}
		for _, r := range reads {
			n, err := r()
			if err != nil {
				return nil, nil, err
			}
			nodes = append(nodes, n...)
		}
		objects, err = tx.Overlap(e.ctx, "s3://b/x", []types.Kind{kindTable}, 0)
		return nodes, objects, err
	}
	twice := func(tx storage.ReadTx) error {
		nodes, objects, err := read(tx)
		if err != nil {
			return err
		}
		first := textOfNodes(nodes) + textOfObjects(objects)
		for _, n := range nodes {
			spoilNode(n)
		}
		clear(objects)
		nodes, objects, err = read(tx)
		e.same("a second read", textOfNodes(nodes)+textOfObjects(objects), first)
		return err
	}
	if err := e.store.View(e.ctx, twice); err != nil {
		e.Errorf("View: %v", err)
	}
	e.same("after a View that spoils what it read", e.dump(), want)
	e.update(func(tx storage.Tx) error { return twice(tx) })
	e.same("after an Update that spoils what it read", e.dump(), want)
}

func spoilNode(n storage.Node) {
	clear(n.Beside)
	if n.Log == nil {
		return
	}
	_ = append(n.Log.Commits, storage.Commit{File: "spoilt"}) // over what the store has behind them
	if n.Log.Asked != nil {
		n.Log.Asked.File = "spoilt"
	}
	*n.Log = storage.Log{Revision: 99}
}

func spoil(b []byte) { copy(b, bytes.Repeat([]byte("x"), len(b))) }
