package storagetest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

func listTests() []test {
	return []test{
		{"ByteOrder", testByteOrder},
		{"Pages", testPages},
		{"After", testAfter},
		{"AllKinds", testAllKinds},
		{"OnlyChildren", testOnlyChildren},
		{"Many", testMany},
		{"InUpdate", testListInUpdate},
	}
}

// ordered are names in byte order, chosen so that any collation, a comparison of
// UTF-16 units, and an order by length put some elsewhere.
func ordered() []string {
	return []string{
		" ", "!", "-", "10", "9", "A", "B", "Z", "_", "a", "a ", "a b", "a-b", "a0", "aB", "a_b", "ab", "abc", "b",
		"e\u0301" /* é decomposed */, "z", "~", "ß", "\u00e9", "ü", "Ω", "中", "\uffee", "😀", "😁",
	}
}

func (e *env) catalogs(names []string) {
	e.Helper()
	shuffled := slices.Clone(names) // inserted from the middle outwards
	slices.Reverse(shuffled[:len(names)/2])
	var objects []storage.Object
	for _, n := range shuffled {
		objects = append(objects, object(kindCatalog, e.root.ID, n))
	}
	e.insert(objects...)
}

func testByteOrder(e *env) {
	want := ordered()
	if !slices.IsSorted(want) {
		e.Fatal("the test's own names are not sorted")
	}
	e.catalogs(want)
	got := e.list(storage.ListQuery{Parent: e.root.ID, Kind: kindCatalog}, storage.Want{})
	e.same("List", names(got), strings.Join(want, "|"))
	got = e.list(storage.ListQuery{Parent: e.root.ID}, storage.Want{})
	e.same("List of all kinds", names(got), strings.Join(want, "|"))
}

// pages reads all pages of the catalogs.
func (e *env) pages(limit int) (names []string, pages int) {
	e.Helper()
	q := storage.ListQuery{Parent: e.root.ID, Kind: kindCatalog, Limit: limit}
	for {
		nodes := e.list(q, storage.Want{})
		if len(nodes) == 0 {
			return names, pages
		}
		if limit > 0 && len(nodes) > limit {
			e.Errorf("a page of %d with limit %d", len(nodes), limit)
		}
		for _, n := range nodes {
			names = append(names, n.Name)
		}
		pages++
		q.After = names[len(names)-1]
	}
}

func testPages(e *env) {
	want := ordered()
	e.catalogs(want)
	for _, limit := range []int{0, 1, 2, 3, len(want) / 2, len(want) - 1, len(want), len(want) + 1} {
		got, pages := e.pages(limit)
		if !slices.Equal(got, want) {
			e.Errorf("limit %d: %q, want %q", limit, got, want)
		}
		if full := 1; limit > 0 && pages != (len(want)+limit-1)/limit || limit == 0 && pages != full {
			e.Errorf("limit %d: %d pages", limit, pages)
		}
	}
}

func testAfter(e *env) {
	e.catalogs(ordered())
	for _, after := range append(ordered(), "0", "AA", "a a", "aC", "a_", "z\u0301", "\U0010ffff", "Ω'", `%`, `'`) {
		want := slices.DeleteFunc(ordered(), func(n string) bool { return n <= after })
		for _, limit := range []int{0, 2} {
			q := storage.ListQuery{Parent: e.root.ID, Kind: kindCatalog, After: after, Limit: limit}
			if limit > 0 {
				want = want[:min(limit, len(want))]
			}
			if got := names(e.list(q, storage.Want{})); got != strings.Join(want, "|") {
				e.Errorf("after %q, limit %d: %q, want %q", after, limit, got, want)
			}
		}
	}
}

func testAllKinds(e *env) {
	e.insert(object(kindTable, e.root.ID, "a"), object(kindCatalog, e.root.ID, "b"), object(kindTable, e.root.ID, "A"),
		object(kindCatalog, e.root.ID, "a"), object("Z", e.root.ID, "a"), object(kindStaging, e.root.ID, "z"))
	var got []string
	for _, n := range e.list(storage.ListQuery{Parent: e.root.ID}, storage.Want{}) {
		got = append(got, fmt.Sprint(n.Kind, " ", n.Name))
	}
	want := []string{"Z a", "catalog a", "catalog b", "staging-table z", "table A", "table a"}
	if !slices.Equal(got, want) {
		e.Errorf("all kinds: %q, want %q", got, want)
	}
	for kind, want := range map[types.Kind]string{kindTable: "A|a", kindCatalog: "a|b", "Z": "a", "z": "", "tabl": ""} {
		if got := names(e.list(storage.ListQuery{Parent: e.root.ID, Kind: kind}, storage.Want{})); got != want {
			e.Errorf("kind %q: %s, want %s", kind, got, want)
		}
	}
}

func testOnlyChildren(e *env) {
	_, s, t := e.branch("main")
	e.branch("other")
	for id, want := range map[types.ID]string{e.root.ID: "main|other", s.ID: "table", t.ID: "", newID(): ""} {
		if got := names(e.list(storage.ListQuery{Parent: id}, storage.Want{})); got != want {
			e.Errorf("children: %q, want %q", got, want)
		}
	}
}

func testMany(e *env) {
	n := 10_000
	if e.short {
		n = 1_000
	}
	_, s, _ := e.branch("main")
	objects := make([]storage.Object, n)
	for i := range objects {
		objects[i] = at(object(kindTable, s.ID, fmt.Sprintf("t%06d", i)), fmt.Sprintf("s3://b/s/%06d", i))
	}
	e.insert(objects...)
	q := storage.ListQuery{Parent: s.ID, Kind: kindTable, Limit: 999}
	count := 0
	for {
		nodes := e.list(q, storage.Want{Log: true})
		for _, node := range nodes {
			if node.Name == "table" { // of branch
				continue
			}
			if node.ID != objects[count].ID {
				e.Fatalf("child %d is %s", count, node.Name)
			}
			count++
		}
		if len(nodes) < q.Limit {
			break
		}
		q.After = nodes[len(nodes)-1].Name
	}
	if count != n {
		e.Errorf("listed %d children, want %d", count, n)
	}
	if got := e.overlap("s3://b/s", n+1, kindTable); len(got) != n {
		e.Errorf("Overlap found %d, want %d", len(got), n)
	}
	if got := e.overlap(fmt.Sprintf("s3://b/s/%06d/x", n/2), 0, kindTable); len(got) != 1 {
		e.Errorf("Overlap above found %d, want 1", len(got))
	}
	e.delete(s.ID)
	if got := e.overlap("s3://b", 1, kindTable); len(got) != 0 {
		e.Errorf("after Delete of the parent there is still %s", textOfObject(got[0]))
	}
}

// testListInUpdate: an Update lists what it has read as the last of a chain.
func testListInUpdate(e *env) {
	c, s, _ := e.branch("main")
	e.child(kindTable, s.ID, "another")
	var got []string
	e.update(func(tx storage.Tx) error {
		got = nil
		for _, id := range []types.ID{e.root.ID, c.ID, s.ID} {
			if _, err := tx.Get(e.ctx, id, storage.Want{}); err != nil {
				return err
			}
			nodes, err := tx.List(e.ctx, storage.ListQuery{Parent: id}, storage.Want{Log: true})
			if err != nil {
				return err
			}
			got = append(got, names(nodes))
		}
		// A short chain ends in the schema.
		if _, err := tx.Lookup(e.ctx, path("main", "schema", "missing"), storage.Want{}); err != nil {
			return err
		}
		nodes, err := tx.List(e.ctx, storage.ListQuery{Parent: s.ID, Kind: kindTable, Limit: 1}, storage.Want{})
		got = append(got, names(nodes))
		return err
	})
	if want := []string{"main", "schema", "another|table", "another"}; !slices.Equal(got, want) {
		e.Errorf("listed %q, want %q", got, want)
	}
}
