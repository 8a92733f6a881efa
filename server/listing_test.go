package server_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// Lists as users of other catalogs found them broken. The numbers are those of the collection of bugs.

// theFaces are the prefixes of the faces that spell lists alike.
var theFaces = []string{unity, ""}

// namesIn are those in a list's answer.
func namesIn(data string) []string {
	var out []string
	for _, m := range nameField.FindAllStringSubmatch(data, -1) {
		out = append(out, m[1])
	}
	return out
}

var nameField = regexp.MustCompile(`[{,]"name":"([^"]*)"`)

// TestListOfSome (67): what one may not see does not spoil the list of what one may.
func TestListOfSome(t *testing.T) {
	w, _ := newGuarded(t, stores["memory"](t))
	for _, c := range []string{"a", "b", "c"} {
		w.must("ann", "POST", unity+"/catalogs", `{"name":"`+c+`"}`)
		for _, s := range []string{"x", "y", "z"} {
			w.must("ann", "POST", unity+"/schemas", `{"name":"`+s+`","catalog_name":"`+c+`"}`)
		}
	}
	w.grant("ann", "catalog/b", "joe", "USE CATALOG")
	w.grant("ann", "schema/b.y", "joe", "USE SCHEMA")
	for _, face := range theFaces {
		for _, l := range []struct {
			who, path string
			want      []string
		}{
			{"joe", "/catalogs", []string{"b"}}, {"eve", "/catalogs", nil}, {"ann", "/catalogs", []string{"a", "b", "c"}}, {"root", "/catalogs", []string{"a", "b", "c"}},
			{"joe", "/schemas?catalog_name=b", []string{"y"}}, {"ann", "/schemas?catalog_name=b", []string{"x", "y", "z"}},
			{"joe", "/catalogs?max_results=1", []string{"b"}}, {"joe", "/schemas?catalog_name=b&max_results=1", []string{"y"}},
		} {
			status, _, data := w.send(l.who, "GET", face+l.path, "")
			if status != 200 || !slices.Equal(namesIn(data), l.want) || !strings.Contains(data, `":[`) {
				t.Errorf("%s: %s%s: %d %s", l.who, face, l.path, status, data)
			}
			if l.who == "joe" && strings.Contains(data, "oken") {
				t.Errorf("%s%s: there is a next page: %s", face, l.path, data)
			}
		}
	}
}

// A reads store counts what it is asked.
type reads struct {
	storage.Store
	n atomic.Int64
}

func (s *reads) View(ctx context.Context, fn func(storage.ReadTx) error) error {
	return s.Store.View(ctx, func(tx storage.ReadTx) error { return fn(readsTx{tx, s}) })
}

type readsTx struct {
	storage.ReadTx
	of *reads
}

func (t readsTx) Lookup(ctx context.Context, path []storage.Step, w storage.Want) ([]storage.Node, error) {
	t.of.n.Add(1)
	return t.ReadTx.Lookup(ctx, path, w)
}

func (t readsTx) Get(ctx context.Context, id types.ID, w storage.Want) ([]storage.Node, error) {
	t.of.n.Add(1)
	return t.ReadTx.Get(ctx, id, w)
}

func (t readsTx) List(ctx context.Context, q storage.ListQuery, w storage.Want) ([]storage.Node, error) {
	t.of.n.Add(1)
	return t.ReadTx.List(ctx, q, w)
}

func (t readsTx) Overlap(ctx context.Context, location string, kinds []types.Kind, below int) ([]storage.Object, error) {
	t.of.n.Add(1)
	return t.ReadTx.Overlap(ctx, location, kinds, below)
}

// TestReadsOfLists (68): a page costs a few reads of the store, not one for each of its tables, also where rights
// leave out most.
func TestReadsOfLists(t *testing.T) {
	const tables, every, page = 5000, 250, 10
	store := &reads{Store: stores["memory"](t)}
	w, _ := newGuarded(t, store)
	w.must("ann", "POST", unity+"/catalogs", `{"name":"c"}`)
	w.must("ann", "POST", unity+"/schemas", `{"name":"s","catalog_name":"c"}`)
	w.vars["c"], w.vars["s"] = "c", "s"
	w.grant("ann", "catalog/c", "joe", "USE CATALOG", "USE SCHEMA")
	w.grant("ann", "catalog/c", "sue", "USE CATALOG", "USE SCHEMA", "SELECT")
	w.grant("ann", "catalog/c", "ivy", "USE CATALOG", "USE SCHEMA")
	var some []string
	for i := range tables {
		name := fmt.Sprintf("t%04d", i)
		req := edited(unityTable(name), put("c", "catalog_name"), put("s", "schema_name"), put("file:///data/"+name, "storage_location"))
		w.must("ann", "POST", unity+"/tables", body(req))
		if i%every == every/2 {
			w.grant("ann", "table/c.s."+name, "joe", "SELECT")
			some = append(some, name)
		}
	}
	for path, size := range map[string]string{
		unity + "/tables?catalog_name=c&schema_name=s": "max_results", "/tables?catalogName=c&schemaName=s": "maxResults",
		delta + "/catalogs/c/schemas/s/tables?x=": "max-results", unity + "/table-summaries?catalog_name=c": "max_results",
	} {
		list := func(who, token string) (got []string, next string, n int64) {
			before := store.n.Load()
			status, _, data := w.send(who, "GET", fmt.Sprintf("%s&%s=%d%s", path, size, page, token), "")
			if status != 200 {
				t.Fatalf("%s: %d %s", path, status, data)
			}
			for _, m := range regexp.MustCompile(`[{,]"(?:name|full_name)":"(?:c\.s\.)?(t\d+)"`).FindAllStringSubmatch(data, -1) {
				got = append(got, m[1])
			}
			if m := regexp.MustCompile(`"(next.page.token|nextPageToken)":"([^"]+)"`).FindStringSubmatch(data); m != nil {
				name := map[string]string{"next-page-token": "page-token", "next_page_token": "page_token", "nextPageToken": "pageToken"}[m[1]]
				next = "&" + name + "=" + m[2]
			}
			return slices.Compact(got), next, store.n.Load() - before // some tell full names, too
		}
		_, next, first := list("sue", "")
		var got []string
		for i := 0; i < 20; i++ {
			var n int64
			if got, next, n = list("sue", next); n > first || n > 5 || len(got) != page {
				t.Errorf("%s: page %d of %d tables costs %d reads, the first %d", path, i+2, len(got), n, first)
			}
		}
		var all []string
		for token, more := "", true; more; more = token != "" {
			var n int64
			// What is left out is read a thousand at once; the page itself is not read table by table.
			if got, token, n = list("joe", token); n > 5+8+tables/1000 {
				t.Errorf("%s: a page of some costs %d reads", path, n)
			}
			all = append(all, got...)
		}
		if !slices.Equal(all, some) {
			t.Errorf("%s: got %v, want %v", path, all, some)
		}
		if got, _, n := list("ivy+nobody", ""); len(got) > 0 || n > 5+8+tables/1000 {
			t.Errorf("%s: who may see none gets %v by %d reads", path, got, n)
		}
	}
}

// TestTokensOfPages: the token of the next page does not tell the name of anything that the list leaves out.
func TestTokensOfPages(t *testing.T) {
	w, _ := newGuarded(t, stores["memory"](t))
	for _, n := range []string{"a", "hidden1", "hidden2", "z"} {
		w.must("ann", "POST", unity+"/catalogs", `{"name":"`+n+`"}`)
		w.must("ann", "POST", unity+"/schemas", `{"name":"`+n+`","catalog_name":"a"}`)
	}
	w.vars["c"], w.vars["s"] = "a", "a"
	for _, n := range []string{"a", "hidden1", "hidden2", "z"} {
		w.must("ann", "POST", deltaTables, body(edited(externalBody(n), put("file:///data/"+n, "location"))))
	}
	for _, n := range []string{"a", "z"} {
		w.grant("ann", "catalog/"+n, "joe", "USE CATALOG")
		w.grant("ann", "schema/a."+n, "joe", "USE SCHEMA")
		w.grant("ann", "table/a.a."+n, "joe", "SELECT")
	}
	for _, path := range []string{
		unity + "/catalogs?max_results=1", unity + "/schemas?catalog_name=a&max_results=1", "/tables?catalog_name=a&schema_name=a&max_results=1",
		unity + "/table-summaries?catalog_name=a&max_results=1", delta + "/catalogs/a/schemas/a/tables?max-results=1",
	} {
		status, _, data := w.send("joe", "GET", path, "")
		m := regexp.MustCompile(`"next[^"]*oken":"([^"]+)"`).FindStringSubmatch(data)
		if status != 200 || m == nil {
			t.Errorf("%s: %d %s", path, status, data)
			continue
		}
		token, err := base64.RawURLEncoding.DecodeString(m[1])
		if err == nil && strings.Contains(string(token), "hidden") {
			t.Errorf("%s: the token of the next page is %s", path, token)
		}
	}
}
