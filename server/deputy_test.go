package server_test

import (
	"fmt"
	"io"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
)

// Rights as users of other catalogs found them broken. The numbers are those of the collection of bugs.

// newDeputy makes a world in which joe owns the catalog mine, with the same names in it as in thecat.
func newDeputy(t *testing.T) *world {
	w := newWorld(t, stores["memory"](t), nil)
	w.must("ann", "POST", unity+"/catalogs", `{"name":"mine"}`)
	w.must("ann", "PATCH", unity+"/catalogs/mine", `{"owner":"joe"}`)
	w.must("joe", "POST", unity+"/schemas", `{"name":"{s}","catalog_name":"mine"}`)
	w.vars["my"] = strings.ReplaceAll(deltaTables, "{c}", "mine")
	v := w.must("joe", "POST", w.vars["my"], body(edited(externalBody("{x}"), put("file:///my/x", "location"))))
	w.vars["myid"] = at(v, "metadata", "table-uuid").(string)
	return w
}

// theirs is all of thecat as its owner sees it.
func (w *world) theirs() string {
	all := ""
	for _, path := range []string{
		"/catalogs/{c}", "/schemas?catalog_name={c}", "/tables?catalog_name={c}&schema_name={s}", "/permissions/catalog/{c}", "/permissions/schema/{c}.{s}", "/permissions/table/{c}.{s}.{x}",
	} {
		status, _, data := w.send("ann", "GET", unity+path, "")
		all += fmt.Sprintln(path, status, data)
	}
	return all
}

// TestConfusedDeputy (100): what is decided on is what is done, however a request says it.
func TestConfusedDeputy(t *testing.T) {
	w := newDeputy(t)
	before := w.theirs()
	table := func(catalogs string) string {
		return `{"name":"{n}",` + catalogs + `,"schema_name":"{s}","table_type":"EXTERNAL","data_source_format":"DELTA","storage_location":"file:///n/{n}","columns":[]}`
	}
	utf16Of := func(s string) string {
		var b strings.Builder
		b.WriteString("\xff\xfe")
		for _, u := range utf16.Encode([]rune(s)) {
			b.WriteByte(byte(u))
			b.WriteByte(byte(u >> 8))
		}
		return b.String()
	}
	for _, try := range []struct{ method, path, body string }{
		{"POST", "/schemas", `{"name":"{n}","catalog_name":"mine","catalog_name":"{c}"}`},
		{"POST", "/schemas", `{"name":"{n}","catalog_name":"{c}","catalog_name":"mine"}`},
		{"POST", "/schemas", `{"name":"{n}","catalog_name":"mine","catalogName":"{c}"}`},
		{"POST", "/schemas", `{"name":"{n}","catalogName":"{c}","catalog_name":"mine"}`},
		{"POST", "/schemas", `{"name":"{n}","catalog_name":"mine","CATALOG_NAME":"{c}"}`},
		{"POST", "/schemas", `{"name":"{n}","catalog_name":"mine"}{"name":"{n}","catalog_name":"{c}"}`},
		{"POST", "/schemas", `{"name":"{c}.{n}","catalog_name":"mine"}`},
		{"POST", "/schemas", utf16Of(`{"name":"u","catalog_name":"thecat"}`)},
		{"POST", "/schemas?catalog_name={c}", `{"name":"{n}","catalog_name":"mine"}`},
		{"POST", "/tables", table(`"catalog_name":"mine","catalog_name":"{c}"`)},
		{"POST", "/tables", table(`"catalog_name":"mine","catalogName":"{c}"`)},
		{"POST", "/tables?catalog_name={c}", table(`"catalog_name":"mine"`)},
		{"PATCH", "/catalogs/mine", `{"name":"{c}","comment":"x"}`},
		{"PATCH", "/catalogs/{c}", `{"name":"mine","comment":"x"}`},
		{"PATCH", "/schemas/mine.{s}", `{"full_name":"{c}.{s}","comment":"x"}`},
		{"PATCH", "/schemas/mine.{s}?full_name={c}.{s}", `{"comment":"x"}`},
		{"PATCH", "/schemas/{s}?full_name=mine.{s}&full_name={c}.{s}", `{"comment":"x"}`},
		{"PATCH", "/schemas/{s}?full_name=mine.{s}&fullName={c}.{s}", `{"comment":"x"}`},
		{"DELETE", "/schemas/mine.{s}/../{c}.{s}?force=true", ""},
		{"DELETE", "/schemas/mine.{s}%2F..%2F{c}.{s}?force=true", ""},
		{"DELETE", "/catalogs/mine/%2e%2e/{c}?force=true", ""},
		{"DELETE", "/catalogs/mine%00{c}?force=true", ""},
		{"DELETE", "/catalogs/%74hecat?force=true", ""},
		{"DELETE", "/tables/mine.{s}.{x};{c}.{s}.{x}", ""},
		{"DELETE", "/tables/{c}%1F{s}%1F{x}", ""},
		{"POST", "/temporary-table-credentials", `{"table_id":"{myid}","table_id":"{xid}","operation":"READ"}`},
		{"POST", "/temporary-table-credentials", `{"table_id":"{myid}","tableId":"{xid}","operation":"READ"}`},
		{"POST", "/temporary-table-credentials?table_id={myid}", `{"table_id":"{xid}","operation":"READ"}`},
		{"POST", "/delta/preview/commits", `{"table_id":"{mid}","table_uri":"file:///my/x","commit_info":{"version":1,"timestamp":1,"file_name":"f","file_size":1,"file_modification_timestamp":1}}`},
		{"GET", "/delta/preview/commits?table_id={myid}&table_uri=x&start_version=0", `{"table_id":"{mid}","table_uri":"{at}","start_version":0}`},
		{"PATCH", "/permissions/table/{c}.{s}.{x}", `{"changes":[{"principal":"joe","add":["SELECT"]}]}`},
		{"PATCH", "/permissions/table/mine.{s}.{x}/../../{c}.{s}.{x}", `{"changes":[{"principal":"joe","add":["SELECT"]}]}`},
		{"PATCH", "/permissions/schema/mine.{s}?full_name={c}.{s}&securable_type=catalog", `{"full_name":"{c}.{s}","changes":[{"principal":"joe","add":["USE SCHEMA"]}]}`},
	} {
		w.fresh()
		w.tries(unity, try.method, try.path, try.body)
		w.tries("", try.method, try.path, try.body)
	}
	update := `{"requirements":[{"type":"assert-table-uuid","uuid":"{xid}"}],"updates":[{"action":"set-table-comment","comment":"x"}]}`
	for _, path := range []string{"/schemas/{s}/tables/{x}", "/schemas/%2e%2e/%2e%2e/{c}/schemas/{s}/tables/{x}", "/schemas/{s}/tables/..%2F..%2F..%2F{c}%2Fschemas%2F{s}%2Ftables%2F{x}"} {
		w.tries(delta+"/catalogs/mine", "POST", path, update)
		w.tries(delta+"/catalogs/mine", "POST", path+"/rename", `{"new-name":"{x}","new-name":"{c}.{s}.{n}"}`)
	}
	if after := w.theirs(); after != before {
		t.Errorf("somebody else's catalog was\n%s\nand is\n%s", before, after)
	}
}

// tries sends a request of joe's which may do to what is his what it likes, but tell nothing of what is not.
func (w *world) tries(prefix, method, path, body string) {
	w.Helper()
	status, _, data := w.send("joe", method, prefix+path, body)
	refused := slices.Contains([]int{400, 403, 404, 405, 409}, status)
	if !refused && status != 200 && status != 204 {
		w.Errorf("%s %s%s %s: %d %s", method, prefix, path, body, status, data)
	}
	told := strings.Contains(data, w.vars["xid"]) || strings.Contains(data, w.vars["mid"]) || strings.Contains(data, w.vars["at"])
	if !refused && (strings.Contains(data, "thecat") || told) {
		w.Errorf("%s %s%s %s: %d %s", method, prefix, path, body, status, data)
	}
}

// TestMethodOverride (100): the method is that of the request line.
func TestMethodOverride(t *testing.T) {
	w := newWorld(t, stores["memory"](t), []clause{{"USE CATALOG", "c", ""}, {"USE SCHEMA", "s", ""}, {"SELECT", "t", ""}})
	for _, h := range []string{"X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"} {
		for _, method := range []string{"GET", "POST"} {
			for _, who := range []string{"joe", "ann"} {
				r := httptest.NewRequest(method, "http://x"+unity+"/tables/thecat.thesch.xtab?_method=DELETE", nil)
				r.Header.Set("Authorization", "Bearer "+who)
				r.Header.Set(h, "DELETE")
				rec := httptest.NewRecorder()
				w.handler.ServeHTTP(rec, r)
				data, _ := io.ReadAll(rec.Result().Body)
				if want := map[string]int{"GET": 200, "POST": 405}[method]; rec.Code != want {
					t.Errorf("%s %s: %d %s", who, method, rec.Code, data)
				}
			}
		}
	}
	w.must("ann", "GET", unity+"/tables/{c}.{s}.{x}", "")
}

// TestListsOfMine (100): a list is of the parent that was looked at.
func TestListsOfMine(t *testing.T) {
	w := newDeputy(t)
	for _, path := range []string{
		"/schemas?catalog_name=mine&catalog_name={c}", "/schemas?catalog_name={c}&catalog_name=mine", "/schemas?catalog_name=mine&catalogName={c}", "/schemas?catalogName={c}&catalog_name=mine",
		"/tables?catalog_name=mine&catalog_name={c}&schema_name={s}", "/tables?catalog_name=mine&schema_name={s}&catalogName={c}", "/table-summaries?catalog_name=mine&catalogName={c}",
		"/table-summaries?catalog_name=mine&schema_name_pattern=%25&catalog_name={c}", "/schemas/{s}?full_name=mine.{s}&full_name={c}.{s}", "/tables/mine.{s}.{x}?full_name={c}.{s}.{x}",
	} {
		for _, face := range theFaces {
			w.tries(face, "GET", path, "")
		}
	}
	// The token of a page of one list is none for another.
	w.must("joe", "POST", unity+"/schemas", `{"name":"zz","catalog_name":"mine"}`)
	next := w.must("joe", "GET", unity+"/schemas?catalog_name=mine&max_results=1", "")["next_page_token"].(string)
	for _, who := range []string{"ann", "joe"} {
		if status, _, data := w.send(who, "GET", unity+"/schemas?catalog_name={c}&page_token="+next, ""); status/100 != 4 {
			t.Errorf("%s: a page token of another list: %d %s", who, status, data)
		}
	}
}
