package history_test

import (
	"context"
	"maps"
	"slices"

	"pgregory.net/rapid"

	"github.com/leveelake/catalog/types"
)

// list asks for one page: of a list that exists or not, from its beginning or from where a
// token of before says, which may be one of another list.
func (m *machine) list(t *rapid.T) {
	page := types.Page{Size: rapid.SampledFrom([]int{0, 1, 1, 2, 20_000, -1}).Draw(t, "size")}
	after := tokenModel{}
	if len(m.tokens) > 0 && rapid.Bool().Draw(t, "go on") {
		after = rapid.SampledFrom(m.tokens).Draw(t, "token")
		page.Token = after.token
	} else if rare(t, "odd token") {
		page.Token = "bm8"
	}
	name := drawSchemaName(t)
	switch l := (listModel{kind: rapid.SampledFrom([]types.Kind{types.KindCatalog, types.KindSchema, types.KindTable, types.KindTable}).Draw(t, "kind")}); l.kind {
	case types.KindCatalog:
		m.page(t, l, "", page, after)
	case types.KindSchema:
		c, code := m.catalogs[name.Catalog], types.NoSuchCatalog
		if c != nil {
			l.parent, code = c.ID, ""
		}
		m.pageOf(t, l, name, code, page, after)
	case types.KindTable:
		l.delta = rapid.Bool().Draw(t, "delta only")
		s, code := m.schema(name)
		if s != nil {
			l.parent = s.ID
		}
		m.pageOf(t, l, name, code, page, after)
	}
}

func (m *machine) page(t *rapid.T, l listModel, code types.Code, page types.Page, after tokenModel) {
	m.pageOf(t, l, types.SchemaName{}, code, page, after)
}

// pageOf asks for one page and returns the token of the next; code is that of a list which does
// not exist.
func (m *machine) pageOf(t *rapid.T, l listModel, of types.SchemaName, code types.Code, page types.Page, after tokenModel) string {
	var want []string
	rest := false
	switch {
	case page.Size < 0:
		code = types.InvalidParameterValue
	case code != "":
	case page.Token != "" && (after.token != page.Token || after.list != l):
		code = types.InvalidParameterValue
	default:
		want = m.names(l, of)
		want = want[len(want)-len(following(want, after.after)):]
		if size := page.Size; size > 0 && size < len(want) {
			want, rest = want[:size], true
		}
	}
	if l.kind == types.KindCatalog && code == "" && page.Token != "" && len(m.catalogs) == 0 && after.token == "" {
		code = types.InvalidParameterValue
	}
	got, next, err := m.ask(t, l, of, page)
	if !m.code(t, "list "+nameOf(l)+nameOf(page), err, code) {
		return ""
	}
	m.same(t, "list "+nameOf(l)+nameOf(page), got, want)
	if (next != "") != rest {
		t.Fatalf("list %+v %+v: next token is %q, and there is more: %t", l, page, next, rest)
	}
	if rest {
		m.tokens = append(m.tokens, tokenModel{next, l, want[len(want)-1]})
	}
	return next
}

func following(names []string, after string) []string {
	if after == "" {
		return names
	}
	i := slices.IndexFunc(names, func(n string) bool { return n > after })
	if i < 0 {
		return nil
	}
	return names[i:]
}

// names is a list of the model.
func (m *machine) names(l listModel, of types.SchemaName) []string {
	switch l.kind {
	case types.KindCatalog:
		return slices.Sorted(maps.Keys(m.catalogs))
	case types.KindSchema:
		return slices.Sorted(maps.Keys(m.catalogs[of.Catalog].schemas))
	}
	s, _ := m.schema(of)
	var out []string
	for _, n := range slices.Sorted(maps.Keys(s.tables)) {
		if !l.delta || s.tables[n].Format == types.FormatDelta {
			out = append(out, n)
		}
	}
	return out
}

// ask asks the catalog, and compares each item with the model's.
func (m *machine) ask(t *rapid.T, l listModel, of types.SchemaName, page types.Page) (names []string, next string, err error) {
	ctx := context.Background()
	switch l.kind {
	case types.KindCatalog:
		items, n, err := m.c.ListCatalogs(ctx, page)
		for _, c := range items {
			if w, ok := m.catalogs[c.Name]; ok {
				m.same(t, "catalog of a list", c, w.Catalog)
			}
			names = append(names, c.Name)
		}
		return names, n, err
	case types.KindSchema:
		items, n, err := m.c.ListSchemas(ctx, of.Catalog, page)
		for _, s := range items {
			if w, _ := m.schema(s.Name); w != nil {
				m.same(t, "schema of a list", s, w.Schema)
			}
			names = append(names, s.Name.Schema)
		}
		return names, n, err
	}
	items, n, err := m.c.ListTables(ctx, of, l.delta, page)
	for _, table := range items {
		if _, w, _ := m.find(table.Name); w != nil {
			if l.delta { // such a list leaves them out
				table.Columns = types.NewColumns(w.columns)
			}
			m.sees(t, "table of a list", table, w)
		}
		names = append(names, table.Name.Table)
	}
	return names, n, err
}

// compareAll reads all that there is, page by page, and what is gone.
func (m *machine) compareAll(t *rapid.T) {
	ctx := context.Background()
	all := func(l listModel, of types.SchemaName) {
		var after tokenModel
		for {
			token := m.pageOf(t, l, of, "", types.Page{Size: 2, Token: after.token}, after)
			if token == "" {
				return
			}
			after = m.tokens[len(m.tokens)-1]
		}
	}
	all(listModel{kind: types.KindCatalog}, types.SchemaName{})
	for name, c := range m.catalogs {
		got, err := m.c.GetCatalog(ctx, name)
		m.code(t, "get catalog "+name, err, "")
		m.same(t, "catalog "+name, got, c.Catalog)
		all(listModel{kind: types.KindSchema, parent: c.ID}, types.SchemaName{Catalog: name})
		for _, s := range c.schemas {
			got, err := m.c.GetSchema(ctx, s.Name)
			m.code(t, "get schema "+s.Name.String(), err, "")
			m.same(t, "schema "+s.Name.String(), got, s.Schema)
			all(listModel{kind: types.KindTable, parent: s.ID}, s.Name)
			all(listModel{kind: types.KindTable, parent: s.ID, delta: true}, s.Name)
		}
	}
	for _, table := range m.tables() {
		got, err := m.c.GetTable(ctx, table.Name)
		m.code(t, "get "+table.Name.String(), err, "")
		m.sees(t, "table "+table.Name.String(), got, table)
	}
	for id := range m.ids {
		_, err := m.c.TableCredentialsByID(ctx, id, types.Read)
		want := types.NoSuchTable
		for _, table := range m.tables() {
			if table.ID == id {
				want = m.vended(table.Location)
			}
		}
		m.code(t, "credentials of "+string(id), err, want)
	}
}
