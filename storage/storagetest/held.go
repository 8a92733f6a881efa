package storagetest

import (
	"context"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
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

// A scene is what a reading reads and its change changes: a branch, with a grant on
// the table, a grant on its schema, and a neighbour of the table at a location.
type scene struct {
	catalog, schema, table, neighbour, grant storage.Object
}

func (e *env) scene() scene {
	e.Helper()
	var s scene
	s.catalog, s.schema, s.table = e.branch("main")
	s.neighbour = at(object(kindTable, s.schema.ID, "neighbour"), "s3://b/a/b")
	s.grant = object(kindGrant, s.table.ID, "alice")
	e.insert(s.neighbour, s.grant)
	e.commits(s.neighbour.ID, 2, 0)
	return s
}

// A reading reads something that must not change before the writes; change changes it.
type reading struct {
	name   string
	read   func(ctx context.Context, tx storage.ReadTx, s scene) (string, error)
	change func(ctx context.Context, tx storage.Tx, s scene) error
}

// chainOf reads by ID and returns the text of what w asks for.
func chainOf(ctx context.Context, tx storage.ReadTx, id types.ID, w storage.Want) (string, error) {
	nodes, err := tx.Get(ctx, id, w)
	return textOfNodes(nodes), err
}

// listOf lists children of the schema.
func listOf(ctx context.Context, tx storage.ReadTx, s scene, q storage.ListQuery, w storage.Want) (string, error) {
	if _, err := tx.Get(ctx, s.schema.ID, storage.Want{}); err != nil {
		return "", err
	}
	q.Parent = s.schema.ID
	nodes, err := tx.List(ctx, q, w)
	return textOfNodes(nodes), err
}

func readings() []reading {
	type (
		rtx = storage.ReadTx
		c   = context.Context
	)
	tables := []types.Kind{kindTable}
	replaceNeighbour := func(ctx c, tx storage.Tx, s scene) error { return replace(ctx, tx, next(s.neighbour, "changed")) }
	insert := func(name, location string) func(ctx c, tx storage.Tx, s scene) error {
		return func(ctx c, tx storage.Tx, s scene) error {
			return tx.Insert(ctx, at(object(kindTable, s.schema.ID, name), location))
		}
	}
	move := func(location string) func(ctx c, tx storage.Tx, s scene) error {
		return func(ctx c, tx storage.Tx, s scene) error {
			return replace(ctx, tx, at(next(s.neighbour, ""), location))
		}
	}
	deleteNeighbour := func(ctx c, tx storage.Tx, s scene) error { return remove(ctx, tx, s.neighbour.ID) }
	writeLog := func(ctx c, tx storage.Tx, s scene) error {
		return withNode(ctx, tx, s.neighbour.ID, func(n storage.Node) error {
			return tx.WriteLog(ctx, n.ID, *n.Log, storage.LogDelta{Revision: n.Log.Revision + 1, Last: 3, Add: commit(3)})
		})
	}
	get := func(ctx c, tx rtx, s scene) (string, error) {
		return chainOf(ctx, tx, s.neighbour.ID, storage.Want{Log: true})
	}
	lookup := func(ctx c, tx rtx, _ scene) (string, error) {
		nodes, err := tx.Lookup(ctx, path("main", "schema", "neighbour"), storage.Want{Log: true})
		return textOfNodes(nodes), err
	}
	list := func(q storage.ListQuery, w storage.Want) func(ctx c, tx rtx, s scene) (string, error) {
		return func(ctx c, tx rtx, s scene) (string, error) { return listOf(ctx, tx, s, q, w) }
	}
	beside := func(ctx c, tx rtx, s scene) (string, error) {
		return chainOf(ctx, tx, s.table.ID, storage.Want{Beside: kindGrant, Names: []string{"alice"}})
	}
	all := list(storage.ListQuery{}, storage.Want{})
	page := list(storage.ListQuery{Kind: kindTable, Limit: 1}, storage.Want{})
	staged := list(storage.ListQuery{Kind: kindStaging}, storage.Want{})
	logs := list(storage.ListQuery{Kind: kindTable}, storage.Want{Log: true})
	overlap := func(location string, below int) func(ctx c, tx rtx, s scene) (string, error) {
		return func(ctx c, tx rtx, _ scene) (string, error) {
			objects, err := tx.Overlap(ctx, location, tables, below)
			return textOfObjects(objects), err
		}
	}
	return []reading{
		{"GetReplace", get, replaceNeighbour},
		{"GetLog", get, writeLog},
		{"GetDelete", get, deleteNeighbour},
		{"LookupReplace", lookup, replaceNeighbour},
		{"LookupLog", lookup, writeLog},
		{"ListReplace", all, replaceNeighbour},
		{"ListInsert", all, insert("a", "")},
		{"ListDelete", all, deleteNeighbour},
		{"ListLog", logs, writeLog},
		{"PageInsert", page, insert("a", "")},
		{"PageDelete", page, deleteNeighbour},
		{"EmptyListInsert", staged, func(ctx c, tx storage.Tx, s scene) error {
			return tx.Insert(ctx, object(kindStaging, s.schema.ID, "a"))
		}},
		{"EmptyListKind", staged, func(ctx c, tx storage.Tx, s scene) error {
			n := next(s.neighbour, "")
			n.Kind = kindStaging
			return replace(ctx, tx, n)
		}},
		{"OverlapReplace", overlap("s3://b/a/b/c", 0), replaceNeighbour},
		{"OverlapDelete", overlap("s3://b/a", 1), deleteNeighbour},
		{"OverlapMoveAway", overlap("s3://b/a", 1), move("")},
		{"OverlapMoveBelow", overlap("s3://b/x", 1), move("s3://b/x/y/z")},
		{"OverlapMoveAbove", overlap("s3://b/x/y/z", 0), move("s3://b/x")},
		{"OverlapInsertAt", overlap("s3://b/x", 0), insert("a", "s3://b/x")},
		{"OverlapInsertAbove", overlap("s3://b/x/y", 0), insert("a", "s3://b")},
		{"OverlapInsertBelow", overlap("s3://b", 2), insert("a", "s3://b/a/a")},
		// Not held, but as seen when the writes began: the change is over by then.
		{"AncestorReplace", get, func(ctx c, tx storage.Tx, s scene) error { return replace(ctx, tx, renamed(s.schema, "x")) }},
		{"BesideRevoke", beside, func(ctx c, tx storage.Tx, s scene) error { return remove(ctx, tx, s.grant.ID) }},
		{"BesideReplace", beside, func(ctx c, tx storage.Tx, s scene) error { return replace(ctx, tx, next(s.grant, "less")) }},
		{"BesideGrant", beside, func(ctx c, tx storage.Tx, s scene) error {
			return tx.Insert(ctx, object(kindGrant, s.schema.ID, "alice"))
		}},
	}
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
