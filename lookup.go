package catalog

import (
	"context"
	"errors"
	"strings"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// metastoreName is the name of the root, which is made when it is first needed.
const metastoreName = "metastore"

// A path goes down from the root, the metastore, which is no step of it itself.
func catalogPath(name string) []storage.Step {
	return []storage.Step{{Kind: types.KindCatalog, Name: name}}
}

func schemaPath(n types.SchemaName) []storage.Step {
	return []storage.Step{{Kind: types.KindCatalog, Name: n.Catalog}, {Kind: types.KindSchema, Name: n.Schema}}
}

func tablePath(n types.TableName) []storage.Step {
	return []storage.Step{
		{Kind: types.KindCatalog, Name: n.Catalog}, {Kind: types.KindSchema, Name: n.Schema}, {Kind: types.KindTable, Name: n.Table},
	}
}

// walk looks up a path that must exist, and names the first level that does not. The chain
// it returns begins with the root.
func walk(ctx context.Context, tx storage.ReadTx, path []storage.Step, w storage.Want) ([]storage.Node, error) {
	chain, err := tx.Lookup(ctx, path, w)
	if err == nil && len(chain) <= len(path) {
		return nil, missing(path, chain)
	}
	return chain, err
}

// last is the object at the end of a chain.
func last(chain []storage.Node) storage.Object { return chain[len(chain)-1].Object }

// vacant looks up a path whose last name must be free, in a parent that must exist. The chain that
// it returns ends with the parent.
func vacant(ctx context.Context, tx storage.ReadTx, path []storage.Step) ([]storage.Node, error) {
	chain, err := tx.Lookup(ctx, path, storage.Want{})
	switch {
	case err != nil:
		return nil, err
	case len(chain) > len(path):
		return nil, taken(path)
	case len(chain) < len(path):
		return nil, missing(path, chain)
	}
	return chain, nil
}

// taken is the error for a path whose last name is not free.
func taken(path []storage.Step) error {
	kind := path[len(path)-1].Kind
	return types.AlreadyExists.Errorf("%s %q exists already", kind, fullName(path)).About(kind)
}

// claimed is the error of an update that gives a name to something: err, or the same as vacant's if
// another request has taken the name of path meanwhile.
func claimed(err error, path []storage.Step) error {
	if errors.Is(err, storage.ErrExists) {
		return taken(path)
	}
	return err
}

// fullName is the name that path leads to.
func fullName(path []storage.Step) string {
	names := make([]string, len(path))
	for i, s := range path {
		names[i] = s.Name
	}
	return strings.Join(names, ".")
}

// missing is the error for a path that exists only as far as chain goes.
func missing(path []storage.Step, chain []storage.Node) error {
	found := max(len(chain)-1, 0) // without a root there is no catalog
	kind := path[found].Kind
	code := map[types.Kind]types.Code{
		types.KindCatalog: types.NoSuchCatalog,
		types.KindSchema:  types.NoSuchSchema,
		types.KindTable:   types.NoSuchTable,
	}[kind]
	return code.Errorf("%s %q does not exist", kind, fullName(path[:found+1])).About(kind)
}

// schemaOf is the name of the schema in a chain that goes down to a table.
func schemaOf(chain []storage.Node) types.SchemaName {
	return types.SchemaName{Catalog: chain[1].Name, Schema: chain[2].Name}
}

// A finder finds a table, as the last of a chain.
type finder func(storage.ReadTx, storage.Want) ([]storage.Node, error)

// byID finds the table with an ID.
func byID(ctx context.Context, id types.ID) finder {
	return func(tx storage.ReadTx, w storage.Want) ([]storage.Node, error) {
		chain, err := tx.Get(ctx, id, w)
		if err == nil && (len(chain) == 0 || last(chain).Kind != types.KindTable) {
			err = types.NoSuchTable.Errorf("there is no table with ID %q", id).About(types.KindTable)
		}
		return chain, err
	}
}
