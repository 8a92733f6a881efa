package storagetest

import (
	"fmt"
	"slices"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

func wantTests() []test {
	return []test{
		{"Beside", testBeside},
		{"BesideInLists", testBesideInLists},
		{"BesideOrder", testBesideOrder},
		{"BesideChanges", testBesideChanges},
	}
}

// grants are the names beside each node, for comparison.
func grants(nodes []storage.Node) string {
	var all []string
	for _, n := range nodes {
		s := n.Name + ":"
		for _, o := range n.Beside {
			s += " " + o.Name
		}
		all = append(all, s)
	}
	return fmt.Sprintf("%q", all)
}

func (e *env) grant(parent types.ID, names ...string) {
	e.Helper()
	for _, n := range names {
		e.child(kindGrant, parent, n)
	}
}

func testBeside(e *env) {
	c, s, t := e.branch("main")
	e.grant(e.root.ID, "alice", "zoe")
	e.grant(s.ID, "bob", "alice", "carol")
	e.grant(t.ID, "bob")
	e.child(kindTable, s.ID, "alice") // of another kind
	w := storage.Want{Beside: kindGrant, Names: []string{"bob", "alice", "nobody", "Alice"}}
	want := `["root: alice" "main:" "schema: alice bob" "table: bob"]`
	if got := grants(e.get(t.ID, w)); got != want {
		e.Errorf("Get: %s, want %s", got, want)
	}
	if got := grants(e.lookup(w, path("main", "schema", "table")...)); got != want {
		e.Errorf("Lookup: %s, want %s", got, want)
	}
	want = `["root: alice" "main:" "schema: alice bob"]`
	if got := grants(e.lookup(w, path("main", "schema", "missing")...)); got != want {
		e.Errorf("Lookup of a short chain: %s, want %s", got, want)
	}
	want = `["root:" "main:"]`
	if got := grants(e.get(c.ID, storage.Want{Beside: kindGrant})); got != want {
		e.Errorf("without names: %s, want %s", got, want)
	}
	if got := grants(e.get(c.ID, storage.Want{Names: w.Names})); got != want {
		e.Errorf("without a kind: %s, want %s", got, want)
	}
	if got, want := grants(e.get(t.ID, storage.Want{Beside: kindTable, Names: []string{"table", "alice"}})), `["root:" "main:" "schema: alice table" "table:"]`; got != want {
		e.Errorf("of another kind: %s, want %s", got, want)
	}
}

func testBesideInLists(e *env) {
	_, s, t := e.branch("main")
	u := e.child(kindTable, s.ID, "u")
	e.child(kindTable, s.ID, "v")
	e.grant(s.ID, "alice")
	e.grant(t.ID, "carol", "alice")
	e.grant(u.ID, "bob")
	w := storage.Want{Log: true, Beside: kindGrant, Names: []string{"carol", "alice", "bob"}}
	q := storage.ListQuery{Parent: s.ID, Kind: kindTable}
	want := `["table: alice carol" "u: bob" "v:"]`
	if got := grants(e.list(q, w)); got != want {
		e.Errorf("List: %s, want %s", got, want)
	}
	q.Limit, q.After = 1, "table"
	if got := grants(e.list(q, w)); got != `["u: bob"]` {
		e.Errorf("one page: %s", got)
	}
	// A limit counts nodes, whatever hangs on them.
	q.Limit, q.After = 2, ""
	if got, want := grants(e.list(q, w)), `["table: alice carol" "u: bob"]`; got != want {
		e.Errorf("a page of two: %s, want %s", got, want)
	}
}

func testBesideOrder(e *env) {
	_, _, t := e.branch("main")
	e.grant(t.ID, ordered()...)
	asked := ordered()
	slices.Reverse(asked)
	asked = append(asked, asked...) // twice the same is once
	for i := range 300 {            // as many as a token may carry
		asked = append(asked, fmt.Sprint("group ", i))
	}
	n := e.get(t.ID, storage.Want{Beside: kindGrant, Names: asked})[3]
	var got []string
	for _, o := range n.Beside {
		got = append(got, o.Name)
	}
	if !slices.Equal(got, ordered()) {
		e.Errorf("Beside: %q, want %q", got, ordered())
	}
	for _, o := range n.Beside {
		want := object(kindGrant, t.ID, o.Name)
		want.ID = o.ID
		e.same("grant "+o.Name, textOfObject(o), textOfObject(want))
	}
}

// testBesideChanges: what is beside an object is no part of it.
func testBesideChanges(e *env) {
	_, _, t := e.branch("main")
	before := textOfNode(e.node(t.ID))
	g := e.child(kindGrant, t.ID, "alice")
	e.replace(next(g, "MODIFY"))
	e.same("the table after a grant", textOfNode(e.node(t.ID)), before)
	w := storage.Want{Beside: kindGrant, Names: []string{"alice"}}
	if b := e.get(t.ID, w)[3].Beside; len(b) != 1 || string(b[0].Body) != "MODIFY" || b[0].Revision != 2 {
		e.Errorf("the grant after Replace: %s", textOfObjects(b))
	}
	e.delete(g.ID)
	if b := e.get(t.ID, w)[3].Beside; len(b) != 0 {
		e.Errorf("the grant after Delete: %s", textOfObjects(b))
	}
	e.same("the table after a revoke", textOfNode(e.node(t.ID)), before)
}
