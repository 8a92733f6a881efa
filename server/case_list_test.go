package server_test

import (
	"fmt"
	"strings"
	"testing"
)

// A lister is a list of tables, as one of the APIs spells it.
type lister struct {
	path, size, token, next, invalid string
}

var listers = map[string]lister{
	"delta": {s1 + "/tables?", "max-results", "page-token", "next-page-token", badValue},
	"unity": {unity + "/tables?catalog_name=c1&schema_name=s1&", "max_results", "page_token", "next_page_token", invalid},
}

// page returns the names on a page, and the token of the next one.
func (l lister) page(a *api, query string) (names []string, next string) {
	a.Helper()
	v := a.ok("GET", l.path+query, "")
	for _, t := range v["tables"].([]any) {
		names = append(names, at(t, "name").(string))
	}
	token, there := v[l.next]
	if next, _ = token.(string); there && next == "" {
		a.Errorf("the token of the last page is %v", token)
	}
	return names, next
}

// pages reads the list in pages of a size.
func (l lister) pages(a *api, size int) (names []string, pages int) {
	a.Helper()
	query := fmt.Sprint(l.size, "=", size)
	for next := "first"; next != ""; pages++ {
		var got []string
		if got, next = l.page(a, query); len(got) > size || len(got) == 0 && pages > 0 {
			a.Fatalf("a page of %d has %d", size, len(got))
		}
		names = append(names, got...)
		query = fmt.Sprint(l.size, "=", size, "&", l.token, "=", next)
	}
	return names, pages
}

func TestLists(t *testing.T) {
	onEachStore(t, func(t *testing.T, a *api) {
		for name, l := range listers {
			a.run(name+"/none", func(a *api) {
				got, next := l.page(a, "")
				a.same("tables", []any{got, next}, []any{nil, ""})
			})
		}
		const n = 120
		a.ok("POST", unity+"/schemas", `{"name":"s2","catalog_name":"c1"}`)
		var want []string
		for i := range n {
			name := fmt.Sprintf("t%03d", (i*77)%n) // in no order
			a.ok("POST", t1, body(externalBody(name)))
			want = append(want, fmt.Sprintf("t%03d", i))
		}
		a.managed("Z", nil)
		a.managed("_", nil)
		a.stage("staged")
		want = append([]string{"Z", "_"}, want...) // byte order

		for name, l := range listers {
			a.run(name+"/pages", func(a *api) {
				for size, pages := range map[int]int{1: n + 2, 61: 2, 60: 3, 121: 2, 122: 1, 100_000: 1} {
					got, count := l.pages(a, size)
					a.same("tables", got, want)
					a.same("pages", count, pages)
				}
				for _, size := range []string{"-1", "x", "1.5", "99999999999999999999"} {
					a.fails("GET", l.path+l.size+"="+size, "", 400, l.invalid, l.size)
				}
				got, _ := l.page(a, l.size+"=3&"+l.token+"=") // an empty token is an absent one
				a.same("tables", got, want[:3])
			})
			a.run(name+"/tokens", func(a *api) {
				_, next := l.page(a, l.size+"=5")
				other := strings.Replace(l.path, "s1", "s2", 1)
				a.fails("GET", other+l.token+"="+next, "", 400, l.invalid, "token")
				for _, token := range []string{"zzzz", next[:len(next)-3], next + "A", "%00", "e30"} {
					a.fails("GET", l.path+l.token+"="+token, "", 400, l.invalid, "token")
				}
				// Tables that come and go do not disturb the others, nor does one that changes.
				first, next := l.page(a, l.size+"=50")
				a.ok("DELETE", t1+"/"+first[49], "")
				a.ok("POST", t1, body(externalBody("a-first")))
				(&tab{a, metadata(a.ok("GET", t1+"/t119", ""), "table-uuid").(string), "", t1 + "/t119"}).do(setComment("c"))
				rest, _ := l.page(a, fmt.Sprint(l.size, "=1000&", l.token, "=", next))
				a.same("tables", append(first, rest...), want)
				a.ok("POST", t1, body(externalBody(first[49])))
				a.ok("DELETE", t1+"/a-first", "")
			})
		}
		a.run("unity/page of the server's size", func(a *api) {
			u := listers["unity"]
			got, next := u.page(a, "")
			a.same("without a size", []any{got, next}, []any{want, ""}) // duckdb reads one page
			// Spark's connector asks for 0 and reads one page: a page of 100 would hide tables.
			got, next = u.page(a, "max_results=0")
			a.same("size 0", []any{got, next}, []any{want, ""})
		})
		a.run("unity/tokens of other lists", func(a *api) {
			_, next := listers["unity"].page(a, "max_results=5")
			a.fails("GET", s1+"/tables?page-token="+next, "", 400, badValue, "token")
			a.fails("GET", unity+"/catalogs?page_token="+next, "", 400, invalid, "token")
			a.fails("GET", unity+"/schemas?catalog_name=c1&page_token="+next, "", 400, invalid, "token")
			a.ok("GET", unity+"/schemas?catalog_name=c1&max_results=1", "")
			if s := a.ok("GET", unity+"/schemas?catalog_name=c1&max_results=1", ""); s["next_page_token"] == nil || len(s["schemas"].([]any)) != 1 {
				a.Errorf("schemas are %v", s)
			}
			for _, list := range []string{"/catalogs?", "/schemas?catalog_name=c1&"} {
				a.fails("GET", unity+list+"max_results=-1", "", 400, invalid, "max_results")
				a.fails("GET", unity+list+"page_token=zzzz", "", 400, invalid, "token")
			}
		})
		a.run("delta/answer", func(a *api) {
			a.ok("POST", unity+"/tables", body(edited(unityTable("parquet"), put("PARQUET", "data_source_format"))))
			v := a.ok("GET", s1+"/tables?max-results=1", "")
			m := a.ok("GET", t1+"/Z", "")
			a.same("tables", v["tables"], []any{object{"name": "Z", "table-uuid": metadata(m, "table-uuid"), "table-type": "MANAGED"}})
			got, _ := listers["delta"].pages(a, 1000)
			a.same("Delta tables", got, want)
			got, _ = listers["unity"].page(a, "")
			a.same("all tables", got, append([]string{"Z", "_", "parquet"}, want[2:]...))
			// What is left out of the list makes no page after the last.
			a.ok("POST", unity+"/tables", body(edited(unityTable("zzz"), put("CSV", "data_source_format"))))
			got, pages := listers["delta"].pages(a, 61)
			a.same("Delta tables", got, want)
			a.same("pages", pages, 2)
			a.fails("GET", delta+"/catalogs/c1/schemas/nope/tables", "", 404, noSchema)
			a.fails("GET", delta+"/catalogs/nope/schemas/s1/tables", "", 404, noCatalog)
		})
	})
}
