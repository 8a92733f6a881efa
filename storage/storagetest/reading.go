package storagetest

import (
	"context"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// A reading reads something that must not change before the writes; change changes it.
type reading struct {
	name   string
	read   readFunc
	change changeFunc
}

// A readFunc returns the text of what it read.
type readFunc func(ctx context.Context, tx storage.ReadTx, s scene) (string, error)

type changeFunc func(ctx context.Context, tx storage.Tx, s scene) error

func readings() []reading {
	all := listing(storage.ListQuery{}, storage.Want{})
	page := listing(storage.ListQuery{Kind: kindTable, Limit: 1}, storage.Want{})
	staged := listing(storage.ListQuery{Kind: kindStaging}, storage.Want{})
	logs := listing(storage.ListQuery{Kind: kindTable}, storage.Want{Log: true})
	besides := listing(storage.ListQuery{Kind: kindTable}, storage.Want{Beside: columnsAndGrants()})
	return []reading{
		{"GetReplace", getNeighbour, replaceNeighbour},
		{"GetLog", getNeighbour, logNeighbour},
		{"GetDelete", getNeighbour, deleteNeighbour},
		{"LookupReplace", lookupNeighbour, replaceNeighbour},
		{"LookupLog", lookupNeighbour, logNeighbour},
		{"ListReplace", all, replaceNeighbour},
		{"ListInsert", all, inserting(kindTable, "")},
		{"ListDelete", all, deleteNeighbour},
		{"ListLog", logs, logNeighbour},
		{"PageInsert", page, inserting(kindTable, "")},
		{"PageDelete", page, deleteNeighbour},
		{"EmptyListInsert", staged, inserting(kindStaging, "")},
		{"EmptyListKind", staged, stageNeighbour},
		{"OverlapReplace", overlapping("s3://b/a/b/c", 0), replaceNeighbour},
		{"OverlapDelete", overlapping("s3://b/a", 1), deleteNeighbour},
		{"OverlapMoveAway", overlapping("s3://b/a", 1), moving("")},
		{"OverlapMoveBelow", overlapping("s3://b/x", 1), moving("s3://b/x/y/z")},
		{"OverlapMoveAbove", overlapping("s3://b/x/y/z", 0), moving("s3://b/x")},
		{"OverlapInsertAt", overlapping("s3://b/x", 0), inserting(kindTable, "s3://b/x")},
		{"OverlapInsertAbove", overlapping("s3://b/x/y", 0), inserting(kindTable, "s3://b")},
		{"OverlapInsertBelow", overlapping("s3://b", 2), inserting(kindTable, "s3://b/a/a")},
		// Not held, but as seen when the writes began: the change is over by then.
		{"AncestorReplace", getNeighbour, renameSchema},
		{"BesideRevoke", getBeside, revoke},
		{"BesideReplace", getBeside, replaceGrant},
		{"BesideGrant", getBeside, grant},
		{"BesideKindsRevoke", getBesides, revoke},
		{"BesideKindsReplace", getBesides, replaceColumns},
		{"BesideKindsDelete", getBesides, deleteColumns},
		{"BesideKindsInsert", getBesides, insertColumns},
		{"ListBesideReplace", besides, replaceColumns},
		{"ListBesideRevoke", besides, revoke},
		{"ListBesideInsert", besides, insertColumns},
	}
}

func getNeighbour(ctx context.Context, tx storage.ReadTx, s scene) (string, error) {
	nodes, err := tx.Get(ctx, s.neighbour.ID, storage.Want{Log: true})
	return textOfNodes(nodes), err
}

func lookupNeighbour(ctx context.Context, tx storage.ReadTx, _ scene) (string, error) {
	nodes, err := tx.Lookup(ctx, path("main", "schema", "neighbour"), storage.Want{Log: true})
	return textOfNodes(nodes), err
}

func getBeside(ctx context.Context, tx storage.ReadTx, s scene) (string, error) {
	nodes, err := tx.Get(ctx, s.table.ID, storage.Want{Beside: steps(kindGrant, "alice")})
	return textOfNodes(nodes), err
}

// columnsAndGrants leads to two that are there beside the table, and one that is not.
func columnsAndGrants() []storage.Step {
	return []storage.Step{{Kind: kindGrant, Name: "alice"}, {Kind: kindColumns, Name: "columns"}, {Kind: kindColumns, Name: "alice"}}
}

func getBesides(ctx context.Context, tx storage.ReadTx, s scene) (string, error) {
	nodes, err := tx.Get(ctx, s.table.ID, storage.Want{Log: true, Beside: columnsAndGrants()})
	return textOfNodes(nodes), err
}

// listing lists children of the schema.
func listing(q storage.ListQuery, w storage.Want) readFunc {
	return func(ctx context.Context, tx storage.ReadTx, s scene) (string, error) {
		if _, err := tx.Get(ctx, s.schema.ID, storage.Want{}); err != nil {
			return "", err
		}
		q := q
		q.Parent = s.schema.ID
		nodes, err := tx.List(ctx, q, w)
		return textOfNodes(nodes), err
	}
}

func overlapping(location string, below int) readFunc {
	return func(ctx context.Context, tx storage.ReadTx, _ scene) (string, error) {
		objects, err := tx.Overlap(ctx, location, []types.Kind{kindTable}, below)
		return textOfObjects(objects), err
	}
}

// inserting inserts a child of the schema, the first by name.
func inserting(kind types.Kind, location string) changeFunc {
	return func(ctx context.Context, tx storage.Tx, s scene) error {
		return tx.Insert(ctx, at(object(kind, s.schema.ID, "a"), location))
	}
}

func moving(location string) changeFunc {
	return func(ctx context.Context, tx storage.Tx, s scene) error {
		return replace(ctx, tx, at(next(s.neighbour, "moved"), location))
	}
}

func replaceNeighbour(ctx context.Context, tx storage.Tx, s scene) error {
	return replace(ctx, tx, next(s.neighbour, "changed"))
}

func deleteNeighbour(ctx context.Context, tx storage.Tx, s scene) error {
	return remove(ctx, tx, s.neighbour.ID)
}

func stageNeighbour(ctx context.Context, tx storage.Tx, s scene) error {
	n := next(s.neighbour, "staged")
	n.Kind = kindStaging
	return replace(ctx, tx, n)
}

func logNeighbour(ctx context.Context, tx storage.Tx, s scene) error {
	return withNode(ctx, tx, s.neighbour.ID, func(n storage.Node) error {
		return tx.WriteLog(ctx, n.ID, *n.Log, storage.LogDelta{Revision: n.Log.Revision + 1, Last: 3, Add: commit(3)})
	})
}

func renameSchema(ctx context.Context, tx storage.Tx, s scene) error {
	return replace(ctx, tx, renamed(s.schema, "renamed"))
}

func revoke(ctx context.Context, tx storage.Tx, s scene) error { return remove(ctx, tx, s.grant.ID) }

func replaceGrant(ctx context.Context, tx storage.Tx, s scene) error {
	return replace(ctx, tx, next(s.grant, "less"))
}

func grant(ctx context.Context, tx storage.Tx, s scene) error {
	return tx.Insert(ctx, object(kindGrant, s.schema.ID, "alice"))
}

func replaceColumns(ctx context.Context, tx storage.Tx, s scene) error {
	return replace(ctx, tx, next(s.columns, "more"))
}

func deleteColumns(ctx context.Context, tx storage.Tx, s scene) error {
	return remove(ctx, tx, s.columns.ID)
}

// insertColumns inserts what has the name of the grant beside it.
func insertColumns(ctx context.Context, tx storage.Tx, s scene) error {
	return tx.Insert(ctx, object(kindColumns, s.table.ID, "alice"))
}
