package catalog

import (
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

// last is the object at the end of a chain.
func last(chain []storage.Node) storage.Object { return chain[len(chain)-1].Object }

// taken is the error for a path whose last name is not free.
func taken(path []storage.Step) error {
	kind := path[len(path)-1].Kind
	return types.AlreadyExists.Errorf("%s %q exists already", title(kind), fullName(path)).About(kind)
}

// claimed is the error of an update that gives a name to something: err, or the same as vacancy's if
// another request has taken the name of path meanwhile.
func claimed(err error, path []storage.Step) error {
	if errors.Is(err, storage.ErrExists) {
		return taken(path)
	}
	return err
}

// title is a kind in a sentence.
func title(k types.Kind) string {
	if k == types.KindCredential {
		return "storage credential"
	}
	return strings.ReplaceAll(string(k), "-", " ")
}

// fullName is the name that path leads to.
func fullName(path []storage.Step) string {
	names := make([]string, len(path))
	for i, s := range path {
		names[i] = s.Name
	}
	return strings.Join(names, ".")
}

// fullNameOf is the name that a chain leads to.
func fullNameOf(chain []storage.Node) string {
	if len(chain) == 1 {
		return chain[0].Name
	}
	names := make([]string, 0, len(chain))
	for _, n := range chain[1:] {
		names = append(names, n.Name)
	}
	return strings.Join(names, ".")
}

// missing is the error for a path that exists only as far as chain goes.
func missing(path []storage.Step, chain []storage.Node) error {
	found := max(len(chain)-1, 0) // without a root there is no catalog
	return absent(path[found].Kind, fullName(path[:found+1]))
}

// absent is the error for an object that does not exist.
func absent(kind types.Kind, name string) error {
	code, ok := map[types.Kind]types.Code{
		types.KindCatalog: types.NoSuchCatalog,
		types.KindSchema:  types.NoSuchSchema,
		types.KindTable:   types.NoSuchTable,
	}[kind]
	if !ok {
		code = types.NotFound
	}
	return code.Errorf("%s %q does not exist", title(kind), name).About(kind)
}

// schemaOf is the name of the schema in a chain that goes down to a table.
func schemaOf(chain []storage.Node) types.SchemaName {
	return types.SchemaName{Catalog: chain[1].Name, Schema: chain[2].Name}
}

// A finder finds a table, as the last of a chain.
type finder func(storage.ReadTx, storage.Want) ([]storage.Node, error)

// beside is the child of a kind that came along with a node, or nil.
func beside(n storage.Node, k types.Kind) *storage.Object {
	for i := range n.Beside {
		if n.Beside[i].Kind == k {
			return &n.Beside[i]
		}
	}
	return nil
}
