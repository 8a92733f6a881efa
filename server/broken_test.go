package server_test

import (
	"context"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/server"
	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// A damaged store has something wrong in what is kept of the table "bad".
type damaged struct {
	storage.Store
	damage func(n *storage.Node)
}

func (s damaged) View(ctx context.Context, fn func(storage.ReadTx) error) error {
	return s.Store.View(ctx, func(tx storage.ReadTx) error { return fn(damagedTx{tx, s.damage}) })
}

type damagedTx struct {
	storage.ReadTx
	damage func(n *storage.Node)
}

func (t damagedTx) spoil(nodes []storage.Node, err error) ([]storage.Node, error) {
	for i := range nodes {
		if nodes[i].Kind == types.KindTable && nodes[i].Name == "bad" {
			nodes[i].Beside = slices.Clone(nodes[i].Beside)
			t.damage(&nodes[i])
		}
	}
	return nodes, err
}

func (t damagedTx) Lookup(ctx context.Context, path []storage.Step, w storage.Want) ([]storage.Node, error) {
	return t.spoil(t.ReadTx.Lookup(ctx, path, w))
}

func (t damagedTx) Get(ctx context.Context, id types.ID, w storage.Want) ([]storage.Node, error) {
	return t.spoil(t.ReadTx.Get(ctx, id, w))
}

func (t damagedTx) List(ctx context.Context, q storage.ListQuery, w storage.Want) ([]storage.Node, error) {
	return t.spoil(t.ReadTx.List(ctx, q, w))
}

// besides makes a damage of what is kept beside a table, its columns, become data.
func besides(data string) func(n *storage.Node) {
	return func(n *storage.Node) {
		for i := range n.Beside {
			if n.Beside[i].Kind == "columns" {
				n.Beside[i].Body = []byte(data)
			}
		}
	}
}

// TestBrokenTable (70): a table that cannot be read is no reason not to list the others.
func TestBrokenTable(t *testing.T) {
	for name, damage := range map[string]func(n *storage.Node){
		"columns of an unknown type": besides(`{"type":"struct","fields":[{"name":"id","type":"quark","nullable":true,"metadata":{}}]}`),
		"columns that are no JSON":   besides(`{"type":`),
		"columns that are something": besides(`[1]`),
		"no record":                  func(n *storage.Node) { n.Body = []byte(`{"`) },
		"another record":             func(n *storage.Node) { n.Body = []byte(`[]`) },
	} {
		t.Run(name, func(t *testing.T) {
			store := stores["memory"](t)
			a := newAPI(t, store)
			for _, n := range []string{"a", "bad", "z"} {
				a.externalNamed(n, put("file:///data/"+n, "location"))
			}
			// Another catalog, so that nothing is known from before.
			c, err := catalog.New(catalog.Config{Store: damaged{store, damage}, Logger: slog.New(slog.DiscardHandler)})
			if err != nil {
				t.Fatal(err)
			}
			a = &api{TB: t, handler: server.New(c, server.Config{Logger: slog.New(slog.DiscardHandler)})}
			for _, path := range []string{
				unity + "/tables?catalog_name=c1&schema_name=s1", "/tables?catalogName=c1&schemaName=s1", t1, unity + "/table-summaries?catalog_name=c1",
				unity + "/tables?catalog_name=c1&schema_name=s1&omit_columns=true", unity + "/schemas?catalog_name=c1",
			} {
				res := a.serve("GET", path, "")
				data, _ := io.ReadAll(res.Body)
				if tables := !strings.Contains(path, "/schemas?"); res.StatusCode != 200 || tables && (!strings.Contains(string(data), `a"`) || !strings.Contains(string(data), `z"`)) {
					t.Errorf("%s: %d %s", path, res.StatusCode, data)
				}
			}
			for _, path := range []string{t1 + "/a", unityTables + "/c1.s1.z", "/tables/c1.s1.a"} {
				if res := a.serve("GET", path, ""); res.StatusCode != 200 {
					t.Errorf("%s: %d", path, res.StatusCode)
				}
			}
			if res := a.serve("GET", unityTables+"/c1.s1.bad", ""); res.StatusCode != 200 && res.StatusCode != 500 {
				t.Errorf("the broken one is no fault of the client's, but %d", res.StatusCode)
			}
		})
	}
}
