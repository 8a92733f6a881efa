package history_test

import (
	"maps"
	"slices"

	"pgregory.net/rapid"

	"github.com/leveelake/catalog/types"
)

// A place is a location as clients write it and its normal form, "" if it is refused.
type place struct{ raw, normal string }

// roots are storage roots of catalogs and schemas.
var roots = []place{
	{"", ""}, {"", ""}, {"", ""}, {"s3://r1", "s3://r1"}, {"s3://r2/sub//", "s3://r2/sub"}, {"s3://b/x/in", "s3://b/x/in"},
	{"file:/fs/r", "file:///fs/r"}, {"http://h/x", ""}, {"file:///", ""}, {"s3://b/__unitystorage/r", ""}, {"relative", ""},
}

func (p place) refused() bool { return p.raw != "" && p.normal == "" }

func rootOf(raw string) place {
	return roots[slices.IndexFunc(roots, func(p place) bool { return p.raw == raw })]
}

var someProperties = []map[string]string{nil, nil, {"k": "v"}, {"k": ""}, {"": "v"}}

func drawName(t *rapid.T, label string, names ...string) string {
	if rare(t, label+" odd") {
		names = []string{"", " ", "a.b", "ü", "x/y", "A", "no"}
	}
	return rapid.SampledFrom(names).Draw(t, label)
}

func drawSchemaName(t *rapid.T) types.SchemaName {
	return types.SchemaName{Catalog: drawName(t, "catalog", "a", "a", "b"), Schema: drawName(t, "schema", "s", "s", "t")}
}

func drawTableName(t *rapid.T) types.TableName {
	return drawSchemaName(t).Table(drawName(t, "table", "x", "y", "z", "X"))
}

func drawCatalog(t *rapid.T) types.CreateCatalog {
	return types.CreateCatalog{
		Name: drawName(t, "catalog", "a", "b", "c"), Comment: rapid.SampledFrom([]string{"", "c", "\xff"}).Draw(t, "comment"),
		Properties: rapid.SampledFrom(someProperties).Draw(t, "properties"), StorageRoot: rapid.SampledFrom(roots).Draw(t, "root").raw,
	}
}

func (m *machine) drawSchema(t *rapid.T) types.CreateSchema {
	c := drawCatalog(t)
	return types.CreateSchema{Name: drawSchemaName(t), Comment: c.Comment, Properties: c.Properties, StorageRoot: c.StorageRoot}
}

// validNamespace is what can be said of a catalog or schema by itself.
func validNamespace(name, comment string, properties map[string]string, root place) bool {
	_, empty := properties[""]
	return validName(name) && comment != "\xff" && !empty && !root.refused()
}

func (m *machine) createCatalog(t *rapid.T, req types.CreateCatalog) {
	ctx, who := m.ctx(t)
	root := rootOf(req.StorageRoot)
	want := types.Code("")
	switch {
	case !validNamespace(req.Name, req.Comment, req.Properties, root):
		want = types.InvalidParameterValue
	case m.catalogs[req.Name] != nil:
		want = types.AlreadyExists
	case root.normal != "" && m.insideTable(root.normal):
		want = types.InvalidParameterValue
	}
	got, err := m.c.CreateCatalog(ctx, req)
	if !m.code(t, nameOf(req), err, want) {
		return
	}
	m.newID(t, got.ID)
	c := types.Catalog{
		ID: got.ID, Name: req.Name, Comment: commentOf(req.Comment), Properties: req.Properties, StorageRoot: root.normal,
		Owner: who, Created: m.now, CreatedBy: who, Updated: m.now, UpdatedBy: who,
	}
	if root.normal != "" {
		c.Location = root.normal + "/__unitystorage/catalogs/" + string(got.ID)
	}
	m.same(t, nameOf(req), got, c)
	m.catalogs[req.Name] = &catalogModel{c, map[string]*schemaModel{}}
}

func (m *machine) createSchema(t *rapid.T, req types.CreateSchema) {
	ctx, who := m.ctx(t)
	root := rootOf(req.StorageRoot)
	in := m.catalogs[req.Name.Catalog]
	want := types.Code("")
	switch {
	case !validNamespace(req.Name.Schema, req.Comment, req.Properties, root):
		want = types.InvalidParameterValue
	case in == nil:
		want = types.NoSuchCatalog
	case in.schemas[req.Name.Schema] != nil:
		want = types.AlreadyExists
	case root.normal != "" && m.insideTable(root.normal):
		want = types.InvalidParameterValue
	}
	got, err := m.c.CreateSchema(ctx, req)
	if !m.code(t, nameOf(req), err, want) {
		return
	}
	m.newID(t, got.ID)
	s := types.Schema{
		ID: got.ID, Name: req.Name, Comment: commentOf(req.Comment), Properties: req.Properties, StorageRoot: root.normal,
		Owner: who, Created: m.now, CreatedBy: who, Updated: m.now, UpdatedBy: who,
	}
	if root.normal != "" {
		s.Location = root.normal + "/__unitystorage/schemas/" + string(got.ID)
	}
	m.same(t, nameOf(req), got, s)
	in.schemas[req.Name.Schema] = &schemaModel{s, in, map[string]*tableModel{}}
}

func (m *machine) deleteCatalog(t *rapid.T) {
	ctx, _ := m.ctx(t)
	name := drawName(t, "catalog", "c", "b", "b", "a")
	force := rare(t, "force")
	c := m.catalogs[name]
	want := types.Code("")
	switch {
	case c == nil:
		want = types.NoSuchCatalog
	case len(c.schemas) > 0 && !force:
		want = types.FailedPrecondition
	}
	if !m.code(t, "DeleteCatalog "+name, m.c.DeleteCatalog(ctx, name, force), want) {
		return
	}
	for _, s := range slices.Collect(maps.Values(c.schemas)) {
		m.leave(s)
	}
	m.folders = append(m.folders, c.Location)
	delete(m.catalogs, name)
}

func (m *machine) deleteSchema(t *rapid.T) {
	ctx, _ := m.ctx(t)
	name := drawSchemaName(t)
	force := rare(t, "force")
	s, want := m.schema(name)
	if want == "" && len(s.tables) > 0 && !force {
		want = types.FailedPrecondition
	}
	if m.code(t, "DeleteSchema "+name.String(), m.c.DeleteSchema(ctx, name, force), want) {
		m.leave(s)
	}
}

// commentOf is a comment as it is shown: one that was never given is none.
func commentOf(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
