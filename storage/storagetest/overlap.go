package storagetest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

func overlapTests() []test {
	return []test{
		{"Segments", testSegments},
		{"Characters", testCharacters},
		{"Kinds", testOverlapKinds},
		{"Below", testBelow},
		{"Order", testOverlapOrder},
		{"Moved", testMoved},
		{"Deep", testDeep},
	}
}

// located inserts a table at each location, in one schema.
func (e *env) located(locations ...string) {
	e.Helper()
	var objects []storage.Object
	for i, l := range locations {
		objects = append(objects, at(object(kindTable, e.root.ID, fmt.Sprint(i, " ", l)), l))
	}
	e.insert(objects...)
}

func (e *env) overlaps(location string, below int, want ...string) {
	e.Helper()
	var got []string
	for _, o := range e.overlap(location, below, kindTable) {
		got = append(got, o.Location)
	}
	if !slices.Equal(got, want) {
		e.Errorf("Overlap(%q, below %d): %q, want %q", location, below, got, want)
	}
}

func testSegments(e *env) {
	e.located("", "", "s3://b/a", "s3://b/a/b/c", "s3://b/ab", "s3://b/a-b", "s3://b/a0", "s3://b/a/b/c/d", "s3://c/a", "gs://b/a", "file:///a", "s3://bb")
	e.overlaps("s3://b/a", 9, "s3://b/a", "s3://b/a/b/c", "s3://b/a/b/c/d")
	e.overlaps("s3://b/a/b", 9, "s3://b/a", "s3://b/a/b/c", "s3://b/a/b/c/d")
	e.overlaps("s3://b/a/b/c", 9, "s3://b/a", "s3://b/a/b/c", "s3://b/a/b/c/d")
	e.overlaps("s3://b/a/b/c/d/e", 9, "s3://b/a", "s3://b/a/b/c", "s3://b/a/b/c/d")
	e.overlaps("s3://b/a/bc", 9, "s3://b/a")
	e.overlaps("s3://b/abc", 9)
	e.overlaps("s3://b", 9, "s3://b/a", "s3://b/a-b", "s3://b/a/b/c", "s3://b/a/b/c/d", "s3://b/a0", "s3://b/ab")
	e.overlaps("s3://bb/x", 9, "s3://bb")
	e.overlaps("file://", 9, "file:///a")
	e.overlaps("file:///a/x", 9, "file:///a")
	e.overlaps("gs://b/a", 0, "gs://b/a")
	e.overlaps("s3://x", 9)
	e.overlaps("", 9) // no Location is not a location
}

// testCharacters: a location is no pattern, has no case and no collation.
func testCharacters(e *env) {
	for i, c := range []string{"_", "%", "*", "?", "[a]", "'", `"`, "\\", " ", "é", "😀", "+", "&", "=", "@", ".", "%2F", "A"} {
		base := fmt.Sprintf("s3://b%d", i)
		in, sibling, lower := base+"/x"+c+"y", base+"/xay", base+"/x"+c+"Y"
		e.located(in, sibling, lower, in+"/z", sibling+"/z")
		e.overlaps(in, 9, in, in+"/z")
		e.overlaps(in+"/z/q", 9, in, in+"/z")
		e.overlaps(lower, 9, lower)
	}
	e.located("s3://n/\u00e9", "s3://n/e\u0301", "s3://n/E\u0301")
	e.overlaps("s3://n/\u00e9/x", 9, "s3://n/\u00e9")
	e.overlaps("s3://n/e\u0301", 9, "s3://n/e\u0301")
}

func testOverlapKinds(e *env) {
	e.insert(at(object(kindTable, e.root.ID, "t"), "s3://b/a"), at(object(kindStaging, e.root.ID, "s"), "s3://b/a/s"),
		at(object(kindCatalog, e.root.ID, "c"), "s3://b"), at(object(kindTable, e.root.ID, "u"), "s3://b/a/u"))
	for _, c := range []struct {
		kinds []types.Kind
		below int
		want  string
	}{
		{nil, 9, ""},
		{[]types.Kind{kindSchema}, 9, ""},
		{[]types.Kind{kindTable}, 9, "t|u"},
		{[]types.Kind{kindTable}, 1, "t|u"}, // the staging table below does not count
		{[]types.Kind{kindStaging, kindCatalog}, 9, "c|s"},
		{[]types.Kind{kindCatalog, kindTable, kindStaging, kindSchema}, 9, "c|t|s|u"},
		{[]types.Kind{kindTable, kindTable}, 9, "t|u"},
	} {
		var got []string
		for _, o := range e.overlap("s3://b/a", c.below, c.kinds...) {
			got = append(got, o.Name)
		}
		if strings.Join(got, "|") != c.want {
			e.Errorf("kinds %q, below %d: %q, want %s", c.kinds, c.below, got, c.want)
		}
	}
}

func testBelow(e *env) {
	e.located("s3://b/a/3", "s3://b/a/1/x", "s3://b/a/2", "s3://b/a/1", "s3://b/a", "s3://b", "s3://b/a/1-")
	all := []string{"s3://b", "s3://b/a", "s3://b/a/1", "s3://b/a/1-", "s3://b/a/1/x", "s3://b/a/2", "s3://b/a/3"}
	for below := range 7 {
		e.overlaps("s3://b/a", below, all[:min(2+below, len(all))]...)
	}
}

// testOverlapOrder: several objects may be at one location; then their IDs decide.
func testOverlapOrder(e *env) {
	var at1, at2 []storage.Object
	for i := range 6 {
		at1 = append(at1, at(object(kindTable, e.root.ID, fmt.Sprint("at1 ", i)), "s3://b/a"))
		at2 = append(at2, at(object(kindTable, e.root.ID, fmt.Sprint("at2 ", i)), "s3://b/a/b"))
	}
	e.insert(append(slices.Clone(at2), at1...)...)
	byID := func(a, b storage.Object) int { return strings.Compare(string(a.ID), string(b.ID)) }
	slices.SortFunc(at1, byID)
	slices.SortFunc(at2, byID)
	want := slices.Concat(at1, at2)
	e.same("at and below", textOfObjects(e.overlap("s3://b/a", 4, kindTable)), textOfObjects(want[:10]))
	e.same("above and at", textOfObjects(e.overlap("s3://b/a/b", 0, kindTable)), textOfObjects(want))
}

// testMoved: Overlap follows Insert, Replace and Delete.
func testMoved(e *env) {
	o := at(object(kindTable, e.root.ID, "t"), "s3://b/a")
	e.insert(o, at(object(kindTable, e.root.ID, "u"), "s3://b/a/u"))
	for _, l := range []string{"s3://b/c/d", "", "s3://b/a"} {
		o = at(next(o, ""), l)
		e.replace(o)
		if l != "s3://b/a" {
			e.overlaps("s3://b/a", 9, "s3://b/a/u")
		}
		if l != "" {
			e.same("Overlap of "+l, textOfObject(e.overlap(l, 0, kindTable)[0]), textOfObject(o))
		}
	}
	e.delete(o.ID)
	e.overlaps("s3://b", 9, "s3://b/a/u")
}

// testDeep: long locations with many segments.
func testDeep(e *env) {
	l := "s3://bucket"
	var all []string
	for i := range 60 {
		l += fmt.Sprintf("/segment-%06d", i)
		all = append(all, l)
	}
	e.located(all...)
	e.overlaps(l+"/x", 9, all...)
	e.overlaps(all[29], 5, all[:35]...)
}
