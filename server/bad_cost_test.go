package server_test

import (
	"fmt"
	"strings"
	"testing"
)

// deep is columns of structs within each other, with n fields in the innermost. Each field has
// metadata of its own.
func deep(levels, n int, name string, metadata func(i int) string) string {
	var b strings.Builder
	b.WriteString(`{"type":"struct","fields":[`)
	for i := range levels {
		fmt.Fprintf(&b, `{"name":%q,"nullable":true,"metadata":{%s},"type":{"type":"struct","fields":[`, name, metadata(i))
	}
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"name":"%d","type":"long","nullable":true,"metadata":{%s}}`, i, metadata(levels+i))
	}
	return b.String() + `]}` + strings.Repeat(`}]}`, levels)
}

// TestBadCost holds what a request costs to its length, by what it allocates: more than a
// constant for each byte means work that grows with the square of the length, or memory that
// one request can use up.
func TestBadCost(t *testing.T) {
	heavy(t)
	const perByte, most = 100, 8 * mib
	a := newWide(t, stores["memory"](t))
	external := func(columns string) string {
		return with(body(edited(externalBody(a.fresh()), put("X", "columns"))), columns)
	}
	classic := func(column object) string {
		return body(edited(unityTable(a.fresh()), put([]any{column}, "columns")))
	}
	typed := func(text string) string { return classic(object{"name": "x", "type_text": text}) }
	plain := func(int) string { return "" }
	mapped := func(i int) string {
		return fmt.Sprintf(`"delta.columnMapping.id":%d,"delta.columnMapping.physicalName":"p"`, i)
	}
	known := field("id", "long")
	known["metadata"] = object{"delta.columnMapping.id": 1, "delta.columnMapping.physicalName": "p"}
	m := a.table(add("clustering", "protocol", "writer-features"), put("name", "properties", mapping), put(columns(known), "columns"))
	commit := body(object{"table_id": m.id, "table_uri": m.location, "metadata": object{"schema": object{"columns": "X"}}, "commit_info": object{
		"version": 1, "timestamp": 3, "file_name": "f", "file_size": 1, "file_modification_timestamp": 1,
	}})
	many := func(item string) string { return `[` + strings.Repeat(item+`,`, 300_000) + item + `]` }
	properties := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `"k%d":"v",`, i)
		}
		return `{` + b.String() + `"last":"v"}`
	}
	for _, test := range []struct{ name, path, body string }{
		{"columns", t1, external(wideJSON(mib, 0))},
		{"columns that lie deep", t1, external(deep(900, 20_000, strings.Repeat("n", 99), plain))},
		{"columns that lie deep, under column mapping", m.path, with(m.update(object{"action": "set-columns", "columns": "X"}), deep(990, 20_000, "n", mapped))},
		{"metadata of a column", t1, external(`{"type":"struct","fields":[{"name":"a","type":"long","nullable":true,"metadata":` + properties(50_000) + `}]}`)},
		{"properties", t1, with(body(edited(externalBody(a.fresh()), put("X", "properties"))), properties(9_000))},
		{"properties of a catalog", unity + "/catalogs", with(body(object{"name": "props", "properties": "X"}), properties(9_000))},
		{"clustering columns", m.path, with(m.update(act("set-domain-metadata", "updates", object{"delta.clustering": object{"clusteringColumns": "X"}})), `[`+strings.Repeat(`["a"],`, 90_000)+`["a"]]`)},
		{"a type_text of backquotes", unityTables, typed("struct<`" + strings.Repeat("``", 20_000) + "`:int>")},
		{"a type_text of fields", unityTables, typed("struct<" + strings.Repeat("a:int,", 50_000) + "b:int>")},
		{"a type_text of numbers", unityTables, typed("decimal(" + strings.Repeat("1,", 300_000) + "1)")},
		{"empty columns of Unity Catalog", unityTables, with(body(edited(unityTable(a.fresh()), put("X", "columns"))), many("{}"))},
		{"no columns of Unity Catalog", unityTables, with(body(edited(unityTable(a.fresh()), put("X", "columns"))), many("null"))},
		{"empty columns of a commit", commits, with(commit, many("{}"))},
	} {
		t.Run(test.name, func(t *testing.T) {
			status, data, bytes := a.allocated("POST", test.path, test.body)
			t.Logf("%d: %d bytes of request made %d bytes, %d for each", status, len(test.body), bytes, bytes/uint64(len(test.body)))
			if status >= 500 {
				t.Errorf("got %d %.300s", status, data)
			}
			if limit := uint64(perByte*len(test.body) + most); bytes > limit {
				t.Errorf("%d bytes of request made %d MiB of garbage, want at most %d", len(test.body), bytes>>20, limit>>20)
			}
		})
	}
}
