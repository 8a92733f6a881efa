package storagetest

import (
	"context"

	"github.com/leveelake/catalog/storage"
)

// These tests prove what Update promises of what it read: one transaction reads, then
// another changes what was read, then the first one writes. A store that locks makes
// the other wait, so the first need not see its change. A store that checks lets the
// other pass and must run the first again.

func heldTests() []test {
	var tests []test
	for _, r := range readings() {
		for _, w := range followUps() {
			tests = append(tests, test{r.name + "Then" + w.name, func(e *env) { testHeld(e, r, w) }})
		}
	}
	return tests
}

// A scene is what a reading reads and its change changes: a branch with a grant on the
// table and its columns, and a neighbour of the table that has a location and commits.
type scene struct {
	catalog, schema, table, neighbour, grant, columns storage.Object
}

func (e *env) scene() scene {
	e.Helper()
	var s scene
	s.catalog, s.schema, s.table = e.branch("main")
	s.neighbour = at(object(kindTable, s.schema.ID, "neighbour"), "s3://b/a/b")
	s.grant = object(kindGrant, s.table.ID, "alice")
	s.columns = object(kindColumns, s.table.ID, "columns")
	e.insert(s.neighbour, s.grant, s.columns)
	e.commits(s.neighbour.ID, 2, 0)
	return s
}

// A followUp is what the first transaction writes: something that it read before, or
// nothing of what was there, so that nothing but the reading can be in the way.
type followUp struct {
	name  string
	write func(ctx context.Context, tx storage.Tx, s scene, table storage.Node) error
}

func followUps() []followUp {
	return []followUp{
		{"Replace", func(ctx context.Context, tx storage.Tx, _ scene, table storage.Node) error {
			return tx.Replace(ctx, table.Object, next(table.Object, "written"))
		}},
		{"WriteLog", func(ctx context.Context, tx storage.Tx, _ scene, table storage.Node) error {
			return tx.WriteLog(ctx, table.ID, *table.Log, storage.LogDelta{Revision: table.Log.Revision + 1, Last: 1, Add: commit(1)})
		}},
		{"Insert", func(ctx context.Context, tx storage.Tx, s scene, _ storage.Node) error {
			return tx.Insert(ctx, object(kindCatalog, s.catalog.Parent, "written"))
		}},
	}
}

func testHeld(e *env, r reading, w followUp) {
	s := e.scene()
	before := view(e, func(tx storage.ReadTx) (string, error) { return r.read(e.ctx, tx, s) })
	other := e.all[len(e.all)-1]
	change, done := e.beside(func() error {
		return e.retry(other, func(tx storage.Tx) error { return r.change(e.ctx, tx, s) })
	}, true)

	var got string
	var changed bool // before the writes of the last run
	e.update(func(tx storage.Tx) error {
		return withNode(e.ctx, tx, s.table.ID, func(table storage.Node) (err error) {
			if got, err = r.read(e.ctx, tx, s); err != nil {
				return err
			}
			changed = change()
			return w.write(e.ctx, tx, s, table)
		})
	})
	if err := done(); err != nil {
		e.Fatalf("the change: %v", err)
	}
	if changed && got == before {
		e.Errorf("an Update wrote although what it had read was changed before; it read\n%s", got)
	}
	if after := view(e, func(tx storage.ReadTx) (string, error) { return r.read(e.ctx, tx, s) }); after == before {
		e.Error("the change changed nothing that was read")
	}
}
