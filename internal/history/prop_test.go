package history_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/storage/memory"
	"github.com/leveelake/catalog/storage/storagetest"
	"github.com/leveelake/catalog/types"
)

// TestModel compares each answer of the catalog with the model's, and in the end all that
// can be read.
func TestModel(t *testing.T) {
	stores := map[string]func() storage.Store{
		"once":  func() storage.Store { return memory.New() },
		"twice": func() storage.Store { return storagetest.Rerun(memory.New(), nil) },
	}
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				m := newMachine(t, open())
				for range 4 { // a longer story than the usual one
					t.Repeat(m.actions())
				}
				m.compareAll(t)
			})
		})
	}
}

// A machine drives a catalog and the model beside it.
type machine struct {
	*world
	c *catalog.Catalog
}

func newMachine(t *rapid.T, s storage.Store) *machine {
	m := &machine{world: newWorld()}
	var err error
	m.c, err = catalog.New(catalog.Config{
		Store: s, ManagedRoot: managedRoot, Now: func() time.Time { return m.now },
		Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Limits: catalog.Limits{Unbackfilled: waiting, RememberVersions: rememberLast, RememberFor: rememberDays * 24 * time.Hour},
	})
	if err != nil {
		t.Fatal(err)
	}
	// Something to begin with.
	m.createCatalog(t, types.CreateCatalog{Name: "a"})
	m.createSchema(t, types.CreateSchema{Name: types.SchemaName{Catalog: "a", Schema: "s"}})
	m.createSchema(t, types.CreateSchema{Name: types.SchemaName{Catalog: "a", Schema: "t"}, StorageRoot: "s3://r2/sub//"})
	return m
}

func (m *machine) actions() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"createCatalog":  func(t *rapid.T) { m.createCatalog(t, drawCatalog(t)) },
		"createSchema":   func(t *rapid.T) { m.createSchema(t, m.drawSchema(t)) },
		"deleteCatalog":  m.deleteCatalog,
		"deleteSchema":   m.deleteSchema,
		"stage":          m.stage,
		"expire":         m.expire,
		"createManaged":  m.createManaged,
		"createExternal": m.createExternal,
		"load":           m.load,
		"update":         m.update,
		"update more":    m.update,
		"commit":         m.commit,
		"commit more":    m.commit,
		"write":          m.write,
		"write more":     m.write,
		"rename":         m.rename,
		"deleteTable":    m.deleteTable,
		"list":           m.list,
		"credentials":    m.credentials,
		"clock":          m.clock,
	}
}

// ctx is that of a request by one of two principals.
func (m *machine) ctx(t *rapid.T) (context.Context, string) {
	who := "ann"
	if rare(t, "who") {
		who = "bob"
	}
	return catalog.WithPrincipal(context.Background(), who), who
}

// clock goes on, mostly; a day has passed, perhaps, and sometimes it is set back a little.
func (m *machine) clock(t *rapid.T) {
	m.now = m.now.Add(rapid.SampledFrom([]time.Duration{1, 1, 5, 700, -2, 86_400_000, 2 * 86_400_000}).Draw(t, "ms") * time.Millisecond)
}

// rare is true one time in eight.
func rare(t *rapid.T, label string) bool { return rapid.IntRange(0, 7).Draw(t, label) == 7 }

// code checks the code of an answer and reports whether it is that of success.
func (m *machine) code(t *rapid.T, what string, err error, want types.Code) bool {
	t.Helper()
	if got := types.CodeOf(err); got != want {
		t.Fatalf("%s: %v, want %q", what, err, want)
	}
	return want == ""
}

// newID notes an ID that was given out.
func (m *machine) newID(t *rapid.T, id types.ID) {
	t.Helper()
	if parsed, err := types.ParseID(string(id)); err != nil || parsed != id || m.ids[id] {
		t.Fatalf("ID %q is not a new UUID", id)
	}
	m.ids[id] = true
}

// same compares two values in which absent and empty are the same.
func (m *machine) same(t *rapid.T, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		t.Fatalf("%s (-model +catalog):\n%s", what, d)
	}
}

// sees compares a table with the model's, and learns its ETag if that must be a new one.
func (m *machine) sees(t *rapid.T, what string, got types.Table, want *tableModel) {
	t.Helper()
	if want.ETag == "" {
		if got.ETag == "" || m.etags[got.ETag] {
			t.Fatalf("%s: ETag %q is not a new one", what, got.ETag)
		}
		m.etags[got.ETag] = true
		want.ETag = got.ETag
	}
	// One Revision is one state.
	state := fmt.Sprintf("%s %s", got.Name, got.AppendJSON(nil))
	if was, ok := m.states[got.Revision]; got.Revision == "" || ok && was != state {
		t.Fatalf("%s: Revision %q is that of two states:\n%s\n%s", what, got.Revision, was, state)
	}
	m.states[got.Revision] = state
	got.Revision = ""
	m.same(t, what, got, want.shown())
}

func nameOf(v any) string { return fmt.Sprintf("%+v", v) }
