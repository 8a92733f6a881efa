package history_test

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/leveelake/catalog/types"
)

// The model of the catalog: maps, and the rules as the documents have them. It shares no code
// with the catalog; what only the catalog can choose (IDs, ETags) it takes from its answers.

// A world is all there is.
type world struct {
	now      time.Time
	catalogs map[string]*catalogModel
	staged   map[types.ID]*stagedModel // those that have not become tables
	ids      map[types.ID]bool         // all that were ever given out
	etags    map[string]bool           // likewise
	states   map[string]string         // of tables: what there was to see, by Revision
	places   []types.StagingTable      // all that were ever staged
	tokens   []tokenModel
	folders  []string // of managed tables, of catalogs and schemas that were dropped
}

type catalogModel struct {
	types.Catalog
	schemas map[string]*schemaModel
}

type schemaModel struct {
	types.Schema
	catalog *catalogModel
	tables  map[string]*tableModel
}

type stagedModel struct {
	id       types.ID
	location string
	owner    string
	schema   *schemaModel
	created  time.Time
}

func newWorld() *world {
	return &world{
		now:      time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
		catalogs: map[string]*catalogModel{}, staged: map[types.ID]*stagedModel{},
		ids: map[types.ID]bool{}, etags: map[string]bool{}, states: map[string]string{},
	}
}

// find returns what a name leads to, or the code of the first level that is missing.
func (w *world) find(n types.TableName) (*schemaModel, *tableModel, types.Code) {
	c, ok := w.catalogs[n.Catalog]
	if !ok {
		return nil, nil, types.NoSuchCatalog
	}
	s, ok := c.schemas[n.Schema]
	if !ok {
		return nil, nil, types.NoSuchSchema
	}
	t, ok := s.tables[n.Table]
	if !ok {
		return s, nil, types.NoSuchTable
	}
	return s, t, ""
}

func (w *world) schema(n types.SchemaName) (*schemaModel, types.Code) {
	s, _, code := w.find(n.Table(""))
	if s != nil {
		return s, ""
	}
	return nil, code
}

// schemas and tables are all of them, by name.
func (w *world) schemas() []*schemaModel {
	var out []*schemaModel
	for _, c := range slices.Sorted(maps.Keys(w.catalogs)) {
		for _, s := range slices.Sorted(maps.Keys(w.catalogs[c].schemas)) {
			out = append(out, w.catalogs[c].schemas[s])
		}
	}
	return out
}

func (w *world) tables() []*tableModel {
	var out []*tableModel
	for _, s := range w.schemas() {
		for _, t := range slices.Sorted(maps.Keys(s.tables)) {
			out = append(out, s.tables[t])
		}
	}
	return out
}

// validName is the rule for names that clients choose.
func validName(name string) bool {
	const allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-@"
	return len(name) >= 1 && len(name) <= 255 && strings.Trim(name, allowed) == ""
}

// within reports whether location a is b or lies beneath it.
func within(a, b string) bool { return a == b || strings.HasPrefix(a, b+"/") }

// taken reports whether an external table at location would overlap with anything.
func (w *world) taken(location string) bool {
	overlaps := func(other string) bool {
		return other != "" && (within(location, other) || within(other, location))
	}
	for _, c := range w.catalogs {
		if overlaps(c.Location) {
			return true
		}
	}
	for _, s := range w.schemas() {
		if overlaps(s.Location) {
			return true
		}
	}
	for _, t := range w.tables() {
		if overlaps(t.Location) {
			return true
		}
	}
	for _, s := range w.staged {
		if overlaps(s.location) {
			return true
		}
	}
	return slices.ContainsFunc(w.folders, overlaps)
}

// insideTable reports whether a storage root would lie in a table.
func (w *world) insideTable(root string) bool {
	return slices.ContainsFunc(w.tables(), func(t *tableModel) bool { return within(root, t.Location) })
}

// at is the table at exactly this location.
func (w *world) at(location string) *tableModel {
	for _, t := range w.tables() {
		if t.Location == location {
			return t
		}
	}
	return nil
}

// leave forgets what goes with a schema.
func (w *world) leave(s *schemaModel) {
	w.folders = append(w.folders, s.Location)
	delete(s.catalog.schemas, s.Name.Schema)
	maps.DeleteFunc(w.staged, func(_ types.ID, p *stagedModel) bool { return p.schema == s })
}

// managedRoot is where tables go whose schema and catalog have no root.
const managedRoot = "file:///managed"

// folder is where managed tables of a schema go.
func (s *schemaModel) folder() string {
	switch {
	case s.Location != "":
		return s.Location
	case s.catalog.Location != "":
		return s.catalog.Location
	}
	return managedRoot + "/__unitystorage"
}

// A tokenModel is a page token and the list that it goes on with.
type tokenModel struct {
	token string
	list  listModel
	after string
}

// A listModel is a list: of all catalogs, of the schemas of a catalog, of tables of a schema.
type listModel struct {
	kind   types.Kind
	parent types.ID
	delta  bool
}
