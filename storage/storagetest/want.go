package storagetest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

func wantTests() []test {
	return []test{
		{"Beside", testBeside},
		{"BesideInLists", testBesideInLists},
		{"BesideOrder", testBesideOrder},
		{"BesideKinds", testBesideKinds},
		{"BesideManyKinds", testBesideManyKinds},
		{"BesideIsTheCallers", testBesideIsTheCallers},
		{"BesideChanges", testBesideChanges},
	}
}

// steps are those to children of one kind.
func steps(kind types.Kind, names ...string) []storage.Step {
	var out []storage.Step
	for _, n := range names {
		out = append(out, storage.Step{Kind: kind, Name: n})
	}
	return out
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
	w := storage.Want{Beside: steps(kindGrant, "bob", "alice", "nobody", "Alice")}
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
	if got := grants(e.get(c.ID, storage.Want{Beside: []storage.Step{}})); got != want {
		e.Errorf("nothing asked: %s, want %s", got, want)
	}
	if got := grants(e.get(c.ID, storage.Want{Beside: steps("", "alice", "bob")})); got != want {
		e.Errorf("without a kind: %s, want %s", got, want)
	}
	if got, want := grants(e.get(t.ID, storage.Want{Beside: steps(kindTable, "table", "alice")})), `["root:" "main:" "schema: alice table" "table:"]`; got != want {
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
	w := storage.Want{Log: true, Beside: steps(kindGrant, "carol", "alice", "bob")}
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
	n := e.get(t.ID, storage.Want{Beside: steps(kindGrant, asked...)})[3]
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

// besidesOf are the kinds and names beside each node, for comparison.
func besidesOf(nodes []storage.Node) string {
	var all []string
	for _, n := range nodes {
		s := n.Name + ":"
		for _, o := range n.Beside {
			s += fmt.Sprintf(" %s/%s", o.Kind, o.Name)
		}
		all = append(all, s)
	}
	return strings.Join(all, "; ")
}

// testBesideKinds: what is beside a node may be of several kinds, and it is the pair of kind and name
// that counts.
func testBesideKinds(e *env) {
	_, s, t := e.branch("main")
	u := e.child(kindTable, s.ID, "u")
	e.child(kindTable, s.ID, "v")
	e.insert(
		object(kindGrant, s.ID, "alice"), object(kindColumns, s.ID, "alice"), object(kindTable, s.ID, "alice"),
		object(kindColumns, t.ID, "columns"), object(kindColumns, t.ID, "alice"), object(kindColumns, t.ID, "both"),
		object(kindGrant, t.ID, "alice"), object(kindGrant, t.ID, "both"), object(kindGrant, t.ID, "columns"), object(kindGrant, t.ID, "zoe"),
		object(kindColumns, u.ID, "columns"), object(kindGrant, u.ID, "bob"),
	)
	for name, c := range map[string]struct {
		asked       []storage.Step
		chain, list string
	}{
		"the columns and some grants": {
			[]storage.Step{{Kind: kindColumns, Name: "columns"}, {Kind: kindGrant, Name: "alice"}, {Kind: kindGrant, Name: "bob"}, {Kind: kindGrant, Name: "nobody"}},
			"root:; main:; schema: grant/alice; table: columns/columns grant/alice",
			"alice:; table: columns/columns grant/alice; u: columns/columns grant/bob; v:"},
		"no order, and twice": {
			[]storage.Step{{Kind: kindGrant, Name: "zoe"}, {Kind: kindColumns, Name: "columns"}, {Kind: kindGrant, Name: "alice"}, {Kind: kindColumns, Name: "columns"}, {Kind: kindGrant, Name: "zoe"}},
			"root:; main:; schema: grant/alice; table: columns/columns grant/alice grant/zoe",
			"alice:; table: columns/columns grant/alice grant/zoe; u: columns/columns; v:"},
		"a name of two kinds": {
			[]storage.Step{{Kind: kindGrant, Name: "both"}, {Kind: kindColumns, Name: "both"}},
			"root:; main:; schema:; table: columns/both grant/both",
			"alice:; table: columns/both grant/both; u:; v:"},
		"a kind that none has": {
			[]storage.Step{{Kind: "nothing", Name: "columns"}, {Kind: kindGrant, Name: "bob"}, {Kind: "zzz", Name: "alice"}, {Kind: "", Name: "alice"}, {Kind: kindGrant, Name: ""}},
			"root:; main:; schema:; table:",
			"alice:; table:; u: grant/bob; v:"},
		"kinds among which others are": {
			[]storage.Step{{Kind: kindTable, Name: "alice"}, {Kind: kindTable, Name: "v"}, {Kind: kindColumns, Name: "alice"}},
			"root:; main:; schema: columns/alice table/alice table/v; table: columns/alice",
			"alice:; table: columns/alice; u:; v:"},
		"texts that may not be stored": {
			[]storage.Step{{Kind: kindGrant, Name: "al\x00ice"}, {Kind: kindGrant, Name: "alice"}, {Kind: kindGrant, Name: "\xff"}, {Kind: "grant\x00", Name: "zoe"}},
			"root:; main:; schema: grant/alice; table: grant/alice",
			"alice:; table: grant/alice; u:; v:"},
		"the far ends": {
			[]storage.Step{{Kind: kindColumns, Name: ""}, {Kind: kindColumns, Name: "columns"}, {Kind: kindGrant, Name: "zoe"}, {Kind: "~", Name: "~"}},
			"root:; main:; schema:; table: columns/columns grant/zoe",
			"alice:; table: columns/columns grant/zoe; u: columns/columns; v:"},
	} {
		w := storage.Want{Beside: c.asked}
		for range 2 { // what was read once may come from memory
			if got := besidesOf(e.get(t.ID, w)); got != c.chain {
				e.Errorf("Get, %s:\n got %s\nwant %s", name, got, c.chain)
			}
			if got := besidesOf(e.lookup(w, path("main", "schema", "table")...)); got != c.chain {
				e.Errorf("Lookup, %s:\n got %s\nwant %s", name, got, c.chain)
			}
		}
		q := storage.ListQuery{Parent: s.ID, Kind: kindTable}
		if got := besidesOf(e.list(q, w)); got != c.list {
			e.Errorf("List, %s:\n got %s\nwant %s", name, got, c.list)
		}
		w.Log = true
		if got := besidesOf(e.list(q, w)); got != c.list {
			e.Errorf("List with logs, %s:\n got %s\nwant %s", name, got, c.list)
		}
		q.After, q.Limit = "alice", 1
		if got, want := besidesOf(e.list(q, w)), strings.Split(c.list, "; ")[1]; got != want {
			e.Errorf("one page, %s:\n got %s\nwant %s", name, got, want)
		}
	}
}

// testBesideManyKinds: the answer is in the order of bytes, of kinds first, and of what is asked whatever
// else is between.
func testBesideManyKinds(e *env) {
	_, _, t := e.branch("main")
	kinds := []types.Kind{"A", "a", "a b", "ab", "b", "ä", "😀"}
	var objects []storage.Object
	var asked []storage.Step
	var want string
	for i, k := range kinds {
		for j, n := range ordered() {
			if (i+j)%5 == 0 {
				continue // not there
			}
			objects = append(objects, object(k, t.ID, n))
			if (i+j)%3 != 0 {
				want += fmt.Sprintf(" %s/%s", k, n)
			}
		}
		for j, n := range ordered() {
			if (i+j)%3 != 0 {
				asked = append(asked, storage.Step{Kind: k, Name: n})
			}
		}
	}
	e.insert(objects...)
	slices.Reverse(asked)
	w := storage.Want{Beside: asked}
	for range 2 {
		if got := besidesOf(e.get(t.ID, w)[3:]); got != "table:"+want {
			e.Errorf("Get:\n got %s\nwant table:%s", got, want)
		}
	}
	if got := besidesOf(e.list(storage.ListQuery{Parent: t.Parent}, w)); got != "table:"+want {
		e.Errorf("List:\n got %s\nwant table:%s", got, want)
	}
}

// testBesideIsTheCallers: a read leaves what is asked for as it is, and does not keep it.
func testBesideIsTheCallers(e *env) {
	_, s, t := e.branch("main")
	e.insert(object(kindColumns, t.ID, "columns"), object(kindGrant, t.ID, "alice"), object(kindGrant, t.ID, "bob"))
	asked := []storage.Step{{Kind: kindGrant, Name: "bob"}, {Kind: kindColumns, Name: "columns"}, {Kind: kindGrant, Name: "bob"}}
	read := func(tx storage.ReadTx) error {
		mine := slices.Clone(asked)
		for i, do := range []func() ([]storage.Node, error){
			func() ([]storage.Node, error) { return tx.Get(e.ctx, t.ID, storage.Want{Beside: mine}) },
			func() ([]storage.Node, error) {
				return tx.Lookup(e.ctx, path("main", "schema", "table"), storage.Want{Beside: mine})
			},
			func() ([]storage.Node, error) { return tx.Get(e.ctx, s.ID, storage.Want{Beside: mine}) },
			func() ([]storage.Node, error) {
				return tx.List(e.ctx, storage.ListQuery{Parent: s.ID}, storage.Want{Beside: mine})
			},
		} {
			copy(mine, asked)
			nodes, err := do()
			if err != nil {
				return err
			}
			if !slices.Equal(mine, asked) {
				e.Errorf("read %d has made %v of %v", i, mine, asked)
			}
			want := "table: columns/columns grant/bob"
			if i == 2 {
				want = "schema:"
			}
			if got := besidesOf(nodes[len(nodes)-1:]); got != want {
				e.Errorf("read %d: %s, want %s", i, got, want)
			}
			for i := range mine {
				mine[i] = storage.Step{Kind: kindGrant, Name: "alice"}
			}
		}
		return nil
	}
	for range 2 {
		if err := e.store.View(e.ctx, read); err != nil {
			e.Errorf("View: %v", err)
		}
		e.update(func(tx storage.Tx) error { return read(tx) })
	}
}

// testBesideChanges: what is beside an object is no part of it.
func testBesideChanges(e *env) {
	_, _, t := e.branch("main")
	before := textOfNode(e.node(t.ID))
	g := e.child(kindGrant, t.ID, "alice")
	e.replace(next(g, "MODIFY"))
	e.same("the table after a grant", textOfNode(e.node(t.ID)), before)
	w := storage.Want{Beside: steps(kindGrant, "alice")}
	if b := e.get(t.ID, w)[3].Beside; len(b) != 1 || string(b[0].Body) != "MODIFY" || b[0].Revision != 2 {
		e.Errorf("the grant after Replace: %s", textOfObjects(b))
	}
	e.delete(g.ID)
	if b := e.get(t.ID, w)[3].Beside; len(b) != 0 {
		e.Errorf("the grant after Delete: %s", textOfObjects(b))
	}
	e.same("the table after a revoke", textOfNode(e.node(t.ID)), before)
}
