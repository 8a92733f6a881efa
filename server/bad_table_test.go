package server_test

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// The bad requests of the suite are data: lines of the texts in bad_*_test.go. A text has
// sections, each about one good request:
//
//	# create
//	name=- | value | name
//	columns/fields/0/type="int" ;; comment=1 | value | columns.fields[0].type
//	raw {"name": | request | JSON
//
// A line is what makes the request bad, the refusal (status 400 unless one is given) and a
// word that the message must contain. What makes it bad are edits, a place and a JSON value
// ("-" cuts the place out, "+" at its end appends), or after "raw" a body. In the section
// "requests" it is a method, a path and, behind a blank, a body.

// A bad is a request that must be refused and change nothing.
type bad struct {
	name, method, path, body string
	status                   int
	code, word               string
}

// A good is a request that works, as long as nobody sends it.
type good struct {
	method, path string
	body         object
}

// shortCodes are the codes that most refusals have.
var shortCodes = map[string]string{"value": badValue, "request": badRequest, "format": unsupported, "invalid": invalid}

// badsOf reads a text.
func (f *fixture) badsOf(text string) []bad {
	f.Helper()
	var out []bad
	section := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "# "); ok {
			section = name
		} else if line != "" {
			out = append(out, f.badOf(section, line))
		}
	}
	return out
}

func (f *fixture) badOf(section, line string) bad {
	f.Helper()
	rest, word := cutLast(f, line, " | ")
	rest, refusal := cutLast(f, rest, " | ")
	b := bad{name: section + ": " + rest, status: 400, code: refusal, word: f.fill(word)}
	if status, code, ok := strings.Cut(refusal, " "); ok {
		b.code = code
		b.status, _ = strconv.Atoi(status)
	}
	if long, ok := shortCodes[b.code]; ok {
		b.code = long
	}
	rest = f.fill(rest)
	if section == "requests" {
		b.method, rest, _ = strings.Cut(rest, " ")
		b.path, b.body, _ = strings.Cut(rest, " ")
		return b
	}
	g, ok := f.goods[section]
	if !ok {
		f.Fatalf("no good request %q", section)
	}
	b.method, b.path = g.method, g.path
	if raw, ok := strings.CutPrefix(rest+" ", "raw "); ok {
		b.body = strings.TrimSuffix(raw, " ")
		return b
	}
	v := f.decode([]byte(body(g.body)))
	for e := range strings.SplitSeq(rest, " ;; ") {
		f.edit(v, strings.TrimSpace(e))
	}
	if b.body = body(v); b.body == body(g.body) {
		f.Fatalf("%q changes nothing", line)
	}
	return b
}

func cutLast(f *fixture, s, sep string) (before, after string) {
	f.Helper()
	i := strings.LastIndex(s, sep)
	if i < 0 {
		f.Fatalf("%q has no %q", s, sep)
	}
	return strings.TrimSpace(s[:i]), strings.TrimSpace(s[i+len(sep):])
}

// edit makes one edit, such as columns/fields/0/type="int".
func (f *fixture) edit(v object, text string) {
	f.Helper()
	place, value, ok := strings.Cut(text, "=")
	if !ok {
		f.Fatalf("%q is no edit", text)
	}
	var path []any
	for step := range strings.SplitSeq(place, "/") {
		if i, err := strconv.Atoi(step); err == nil {
			path = append(path, i)
		} else {
			path = append(path, step)
		}
	}
	defer func() {
		if p := recover(); p != nil {
			f.Fatalf("%q: %v", text, p)
		}
	}()
	if value == "-" {
		cut(path...)(v)
		return
	}
	decoded := f.decode([]byte(`{"":` + value + `}`))[""]
	if last := len(path) - 1; path[last] == "+" {
		add(decoded, path[:last]...)(v)
	} else {
		put(decoded, path...)(v)
	}
}

// fill puts in what is known only when the fixture is made, such as $m for the ID of table m.
func (f *fixture) fill(s string) string {
	for _, k := range slices.Backward(slices.Sorted(maps.Keys(f.known))) { // $mapped before $m
		s = strings.ReplaceAll(s, "$"+k, f.known[k])
	}
	return s
}

// refusals sends each request and compares all that the store holds before and after.
func (f *fixture) refusals(bads []bad) {
	seen := map[string]string{}
	before := f.dump()
	for _, b := range bads {
		request := b.method + " " + b.path + " " + b.body
		if other, ok := seen[request]; ok {
			f.Errorf("%s is the same request as %s", b.name, other)
		}
		seen[request] = b.name
		f.run(strings.ReplaceAll(b.name, "/", ":"), func(a *api) {
			a.fails(b.method, b.path, b.body, b.status, b.code, b.word)
			after := f.dump()
			if !reflect.DeepEqual(before, after) {
				a.Errorf("%.300s: the store changed:\n%s", request, cmp.Diff(before, after))
				before = after
			}
		})
	}
}

// dump is all that a store holds: catalogs, schemas, tables of all formats, staging
// tables, and the log of each.
func dump(t testing.TB, s storage.Store) []storage.Node {
	t.Helper()
	all, err := storage.View(context.Background(), s, func(tx storage.ReadTx) ([]storage.Node, error) {
		out, err := tx.Lookup(context.Background(), nil, storage.Want{Log: true})
		for i := 0; err == nil && i < len(out); i++ {
			var children []storage.Node
			children, err = tx.List(context.Background(), storage.ListQuery{Parent: out[i].ID}, storage.Want{Log: true})
			out = append(out, children...)
		}
		return out, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func (f *fixture) dump() []storage.Node {
	f.Helper()
	return dump(f, f.store)
}

// shown is what the API shows of all that the fixture knows, whatever the status.
func (f *fixture) shown() map[string]string {
	out := map[string]string{}
	show := func(path string) {
		status, data, _ := f.call("GET", path, "")
		out[path] = fmt.Sprint(status, " ", string(data))
	}
	show(unity + "/catalogs")
	for _, n := range f.dump() {
		switch n.Kind {
		case types.KindCatalog:
			show(unity + "/schemas?catalog_name=" + n.Name)
			show(unity + "/tables?schema_name=s1&catalog_name=" + n.Name)
		case types.KindTable:
			show(t1 + "/" + n.Name)
			show(unity + "/tables/c1.s1." + n.Name)
			show(unity + "/delta/preview/commits?start_version=0&table_id=" + string(n.ID) + "&table_uri=" + n.Location)
		case types.KindStagingTable:
			status, _, _ := f.call("GET", delta+"/staging-tables/"+string(n.ID)+"/credentials", "")
			out[string(n.ID)] = fmt.Sprint(status) // the credentials themselves expire later each time
		}
	}
	show(t1)
	return out
}

// leastBad is how many bad requests the suite has at least.
const leastBad = 500

func TestBadRequests(t *testing.T) {
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, open(t))
			var bads []bad
			for _, text := range []string{badDelta, badExternal, badUpdates, badUnity, badPreview, badPaths, badLists} {
				bads = append(bads, f.badsOf(text)...)
			}
			t.Logf("%d distinct bad requests", len(bads))
			if len(bads) < leastBad {
				t.Errorf("there are %d bad requests, want %d", len(bads), leastBad)
			}
			shown := f.shown()
			f.refusals(bads)
			if diff := cmp.Diff(shown, f.shown()); diff != "" {
				t.Errorf("what the API shows changed:\n%s", diff)
			}
			// The good requests that were made bad are good indeed.
			for section, g := range f.goods {
				if status, data, _ := f.call(g.method, g.path, body(g.body)); status != 200 && status != 204 {
					t.Errorf("%s: %s %s %s: %d %s", section, g.method, g.path, body(g.body), status, data)
				}
			}
		})
	}
}
