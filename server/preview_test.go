package server_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/server"
	"github.com/leveelake/catalog/storage/memory"
)

const preview = unity + "/delta/preview/commits"

// fileInfo is a commit as the commits API spells it; addCommit has the same values.
func fileInfo(version int64, file string) object {
	return object{"version": version, "timestamp": 1000 + version, "file_name": file, "file_size": 10, "file_modification_timestamp": 2000}
}

// preview is a request of the commits API.
func (t *tab) preview(edits ...edit) string {
	return body(edited(object{"table_id": t.id, "table_uri": t.location}, edits...))
}

func withInfo(version int64, file string) edit {
	return func(v object) { v["commit_info"] = fileInfo(version, file) }
}

func withBackfill(version any) edit { return put(version, "latest_backfilled_version") }

// previews sends a request that must succeed, and returns the table.
func (t *tab) previews(edits ...edit) object {
	t.Helper()
	t.same("answer", t.ok("POST", preview, t.preview(edits...)), object{})
	return t.load()
}

// refusesPreview sends a request that must be refused and change nothing. place is what
// the message names, "" for nothing.
func (t *tab) refusesPreview(status int, codes, place string, edits ...edit) {
	t.Helper()
	before := t.load()
	t.fails("POST", preview, t.preview(edits...), status, codes, place)
	if diff := cmp.Diff(before, t.load()); diff != "" {
		t.Errorf("refused, but the table changed:\n%s", diff)
	}
}

func TestPreviewShape(t *testing.T) {
	onEachStore(t, func(t *testing.T, a *api) {
		m := a.table()
		first := withInfo(1, "f1")
		bad := func(place string, edits ...edit) {
			t.Helper()
			m.refusesPreview(400, invalid, place, edits...)
		}
		a.run("120/missing", func(a *api) {
			a.fails("POST", preview, "{}", 400, invalid, "table_id")
			for _, k := range []string{"table_id", "table_uri"} {
				for _, e := range []edit{cut(k), put(nil, k), put("", k), put(7, k), put([]any{}, k)} {
					bad(k, first, e)
				}
			}
			bad("table_uri", first, put(" ", "table_uri"))
			bad("commit_info")
			bad("commit_info", put(nil, "commit_info"), withBackfill(nil))
		})
		a.run("120/table_id", func(a *api) {
			for _, id := range []string{"zz", m.id[1:], "{" + m.id + "}", strings.ReplaceAll(m.id, "-", "")} {
				bad("table_id", first, put(id, "table_id"))
			}
			unknown := []any{absentID, a.stage(a.fresh())["table-id"], a.ok("GET", unity+"/catalogs/c1", "")["id"]}
			for _, id := range unknown {
				a.fails("POST", preview, m.preview(first, put(id, "table_id")), 404, "TABLE_NOT_FOUND", id.(string))
				a.fails("GET", preview, m.preview(put(0, "start_version"), put(id, "table_id")), 404, "TABLE_NOT_FOUND", id.(string))
			}
		})
		a.run("120/fields of the commit", func(a *api) {
			for k := range fileInfo(1, "f") {
				try := func(e edit) {
					a.Helper()
					bad("", first, e)
				}
				try(cut("commit_info", k))
				for _, v := range []any{nil, 0, -1, 1.5, true, object{}, overInt64, json.Number("1.0"), json.Number("1e3")} {
					try(put(v, "commit_info", k))
				}
				if k != "file_name" {
					try(put("17", "commit_info", k))
				}
			}
			for _, name := range []string{"", " ", ".", "..", "a/b", `a\b`, "../00000000000000000001.json", "a\x00", "a\n", strings.Repeat("a", 1025)} {
				bad("", withInfo(1, name))
			}
			bad("commit_info", put([]any{}, "commit_info"))
			for _, v := range []any{"1", 1.5, true, object{}, overInt64} {
				bad("latest_backfilled_version", first, withBackfill(v))
			}
		})
		a.run("120/names are those of this API", func(a *api) {
			n := a.table()
			for k := range fileInfo(1, "f") {
				n.refusesPreview(400, invalid, "commit_info."+k, first, cut("commit_info", k))
			}
			n.previews(first)
			n.refusesPreview(400, invalid, "latest_backfilled_version", withBackfill(9))
			n.refusesPreview(400, invalid, "latest_backfilled_version", withInfo(2, "f2"), withBackfill(2))
		})
		a.run("120/shape before the table", func(a *api) {
			for _, e := range []edit{
				put(0, "commit_info", "version"), put("a/b", "commit_info", "file_name"), cut("commit_info", "file_size"), put("", "table_uri"),
				put(object{}, "metadata"), withMetadata(object{"properties": object{}}, "properties"), withColumns(column("x", "nope")), cut("commit_info"),
			} {
				a.fails("POST", preview, m.preview(first, put(absentID, "table_id"), e), 400, invalid)
			}
		})
		a.run("120/bad bodies", func(a *api) {
			for name, b := range badBodies() {
				a.fails("POST", preview, b, 400, invalid)
				if name != "empty" {
					a.fails("GET", preview, b, 400, invalid)
				}
			}
			long := strings.Repeat(" ", 8<<20)
			a.fails("POST", preview, m.preview(first)+long, 400, invalid)
			a.fails("GET", preview, m.preview(put(0, "start_version"))+long, 400, invalid)
		})
		a.run("unknown fields and nulls", func(a *api) {
			n := a.table()
			new := put("x", "new")
			n.shows(n.previews(first, new, put("x", "commit_info", "new"), put(nil, "metadata"), put(nil, "uniform"), withBackfill(nil)), "1 of 1")
			n.shows(n.previews(withBackfill(1), new, put(nil, "commit_info"), put(nil, "metadata"), put(nil, "uniform")), " of 1")
			v := n.previews(withInfo(2, "f2"), put(object{"new": 1, "description": "c", "schema": nil, "properties": nil}, "metadata"))
			a.same("last-commit-version", metadata(v, "last-commit-version"), 2)
			a.ok("POST", preview, n.preview(withInfo(2, "f2"), put(strings.ToUpper(n.id), "table_id")))
		})
		a.run("121/place of the table", func(a *api) {
			path := strings.TrimPrefix(m.location, "file://")
			for i, uri := range []string{"file:" + path, path, m.location + "/", "file:/" + path, strings.Replace(m.location, "managed/", "managed//", 1), m.location + "/x/../."} {
				v := int64(i + 1)
				m.previews(withInfo(v, fmt.Sprint("f", v)), put(uri, "table_uri"))
				a.ok("GET", preview, m.preview(put(uri, "table_uri"), put(0, "start_version")))
			}
			other := a.table().location
			for _, uri := range []string{other, m.location + "x", m.location + "/x", strings.ToUpper(m.location[:8]) + m.location[8:], "s3://bkt/x", "relative", "s3a://bkt/x", "file:///managed"} {
				bad("table_uri", withInfo(7, "f7"), put(uri, "table_uri"))
				bad("table_uri", withBackfill(1), put(uri, "table_uri"))
				bad("table_uri", withInfo(1, "f1"), put(uri, "table_uri")) // a replay, too
				a.fails("GET", preview, m.preview(put(uri, "table_uri"), put(0, "start_version")), 400, invalid, "table_uri")
			}
		})
		a.run("external table", func(a *api) {
			x := a.external()
			x.refusesPreview(400, invalid, "external", withInfo(1, "f1"))
			x.refusesPreview(400, invalid, "external", withBackfill(1))
			a.fails("GET", preview, x.preview(put(0, "start_version")), 400, invalid, "external")
		})
		a.run("b58/other methods and paths", func(a *api) {
			for _, p := range []string{preview, strings.Replace(preview, "2.1", "2.0", 1), unity + "/staging-tables"} {
				allow := "GET, POST"
				if !strings.HasSuffix(p, "commits") {
					allow = "POST"
				}
				for _, method := range allMethods {
					if slices.Contains(strings.Split(allow, ", "), method) {
						continue
					}
					res := a.serve(method, p, "")
					if res.StatusCode != 405 || res.Header.Get("Allow") != allow {
						a.Errorf("%s %s: %d, Allow %q", method, p, res.StatusCode, res.Header.Get("Allow"))
					}
					if method != "HEAD" {
						a.refusedAs(res, method+" "+p, 405, invalid)
					}
				}
			}
			for _, p := range []string{preview + "/x", preview + "//", strings.Replace(preview, "preview/", "preview//", 1), unity + "/delta/preview", unity + "/delta/preview/commit", unity + "/staging-tables/" + m.id} {
				for _, method := range []string{"GET", "POST", "DELETE"} {
					a.fails(method, p, "", 404, notFound+"|NOT_FOUND")
				}
			}
			a.ok("GET", strings.Replace(preview, "2.1", "2.0", 1), m.preview(put(0, "start_version")))
		})
		a.run("m3/any Content-Type", func(a *api) {
			for _, ct := range []string{"application/json", "application/json; charset=utf-8", "text/plain", ""} {
				if res := a.serve("POST", preview, m.preview(withInfo(1, "f1")), "Content-Type", ct); res.StatusCode != 200 {
					a.Errorf("Content-Type %q: %d", ct, res.StatusCode)
				}
			}
		})
	})
}

// TestPreviewUndecidable: a commit is repeated when the name of its file is forgotten.
func TestPreviewUndecidable(t *testing.T) {
	now := time.Unix(1e9, 0)
	log := slog.New(slog.DiscardHandler)
	c, err := catalog.New(catalog.Config{
		Store: memory.New(), ManagedRoot: "file:///managed", Logger: log, Now: func() time.Time { return now },
		Limits: catalog.Limits{RememberVersions: 1, RememberFor: 24 * time.Hour},
	})
	if err != nil {
		t.Fatal(err)
	}
	a := &api{TB: t, handler: server.New(c, server.Config{Logger: log})}
	a.ok("POST", unity+"/catalogs", `{"name":"c1"}`)
	a.ok("POST", unity+"/schemas", `{"name":"s1","catalog_name":"c1"}`)
	m := a.table()
	m.previews(withInfo(1, "f1"))
	for v := int64(2); v <= 4; v++ {
		now = now.Add(48 * time.Hour)
		m.previews(withInfo(v, fmt.Sprint("f", v)), withBackfill(v-1))
	}
	m.refusesPreview(500, "COMMIT_STATE_UNKNOWN", "1", withInfo(1, "f1"))
	m.refusesPreview(500, "COMMIT_STATE_UNKNOWN", "1", withInfo(1, "other"))
	m.previews(withInfo(4, "f4"))
}

// TestPreviewFault: a fault of ours, too, is told as this API tells errors.
func TestPreviewFault(t *testing.T) {
	a := &api{TB: t, handler: server.New(nil, server.Config{Logger: slog.New(slog.DiscardHandler)})} // no catalog: it panics
	m := &tab{a, absentID, "file:///x", ""}
	a.fails("POST", preview, m.preview(withInfo(1, "f1")), 500, "INTERNAL")
	a.fails("GET", preview, m.preview(put(0, "start_version")), 500, "INTERNAL")
}
