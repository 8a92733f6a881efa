package storagetest

import (
	"errors"
	"strings"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

func nameTests() []test {
	return []test{
		{"Exact", testExact},
		{"Case", testCase},
		{"Everywhere", testEverywhere},
	}
}

// awkward are names that were trouble somewhere: wildcards and quotes of SQL,
// separators, spaces that get trimmed, text that looks like something else, and text
// that only a normal form or a collation takes for the same.
func awkward() []string {
	return []string{
		"plain", "Plain", "PLAIN", "_", "%", "%%", "_lain", "p%", `'`, `''`, `"`, `""`, "`", `\`, `\\`, `\'`, "/", "//", "a/b", "a.b", ".", "..",
		" ", "  ", " a", "a ", "a", "\t", "a\nb", "NULL", "null", "0", "00", "1e3", "true", "x'41'", "$1", "?", ":a", "@a", "--", ";", "/*", "{}", "[a]",
		"ü", "u\u0308", "ß", "ss", "SS", "ı", "i", "I", "İ", "ﬁ", "fi", "\u00c5", "\u212b", "A\u030a", "ς", "σ", "Σ", "名前", "اسم", "\u200b", "\u202e", "\ufeff",
		"😀", "👩‍💻", "👩", "\U0010ffff", "\x7f", "\u0080",
		strings.Repeat("x", 255), strings.Repeat("x", 254) + "y", strings.Repeat("é", 255), strings.Repeat("😀", 255),
	}
}

func testExact(e *env) {
	_, s, t := e.branch("main")
	ids := make(map[string]types.ID)
	var objects []storage.Object
	for _, n := range awkward() {
		o := object(kindTable, s.ID, n)
		ids[n] = o.ID
		objects = append(objects, o, object(kindGrant, t.ID, n))
	}
	e.insert(objects...) // none is taken for another
	before := e.dump()
	for _, n := range awkward() {
		nodes := e.lookup(storage.Want{}, path("main", "schema", n)...)
		if len(nodes) != 4 || nodes[3].ID != ids[n] || nodes[3].Name != n {
			e.Errorf("Lookup(%q) found %s", n, names(nodes))
		}
		beside := e.get(t.ID, storage.Want{Beside: steps(kindGrant, n)})[3].Beside
		if len(beside) != 1 || beside[0].Name != n {
			e.Errorf("Beside %q are %s", n, textOfObjects(beside))
		}
		if got := e.list(storage.ListQuery{Parent: s.ID, Kind: kindTable, After: n, Limit: 1}, storage.Want{}); len(got) > 0 && got[0].Name <= n {
			e.Errorf("after %q comes %q", n, got[0].Name)
		}
		if err := e.try(e.insertOne(object(kindTable, s.ID, n))); !errors.Is(err, storage.ErrExists) {
			e.Errorf("a second %q: Update returned %v", n, err)
		}
	}
	e.same("after refusals", e.dump(), before)
}

// testCase: names that differ in case only are different, in every order of writing.
func testCase(e *env) {
	c, _, _ := e.branch("main")
	e.replace(renamed(c, "Main"))
	if got := names(e.lookup(storage.Want{}, path("main")...)); got != "root" {
		e.Errorf("the name in its old case still finds %s", got)
	}
	again := e.child(kindCatalog, e.root.ID, "main")
	e.refused(storage.ErrExists, "rename to the other's name", func(tx storage.Tx) error { return replace(e.ctx, tx, renamed(again, "Main")) })
	e.delete(again.ID)
	if got := names(e.lookup(storage.Want{}, path("Main", "schema", "table")...)); got != "root|Main|schema|table" {
		e.Errorf("a delete of main left %s", got)
	}
}

// testEverywhere: the same texts as kinds, files and locations, and through Replace.
func testEverywhere(e *env) {
	var objects []storage.Object
	for _, n := range awkward() {
		objects = append(objects, at(object(types.Kind("kind "+n), e.root.ID, "name"), "s3://b/"+n+"/x"))
	}
	e.insert(objects...)
	for i, n := range awkward() {
		o := renamed(objects[i], n)
		o.Location = "s3://c/" + n + "/x"
		e.replace(o)
		e.writeLog(o.ID, storage.LogDelta{Revision: 1, Last: 1, Add: &storage.Commit{Version: 1, File: n}})
		got := e.lookup(storage.Want{Log: true}, storage.Step{Kind: o.Kind, Name: n})
		if len(got) != 2 {
			e.Errorf("Lookup of kind and name %q found %d nodes", n, len(got))
			continue
		}
		e.same("object "+n, textOfObject(got[1].Object), textOfObject(o))
		if f := got[1].Log.Commits[0].File; f != n {
			e.Errorf("file %q came back as %q", n, f)
		}
		if n != "/" && n != "//" { // else no normal form
			e.same("Overlap "+n, textOfObjects(e.overlap(o.Location, 0, o.Kind)), textOfObject(o)+"\n")
		}
	}
}
