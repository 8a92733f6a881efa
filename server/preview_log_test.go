package server_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// asks asks the commits API for commits; its answer is spelled as that of function versions.
func (t *tab) asks(edits ...edit) string {
	t.Helper()
	return seen(t.ok("GET", preview, t.preview(append([]edit{put(0, "start_version")}, edits...)...)))
}

func seen(v object) string {
	var out []string
	for _, c := range v["commits"].([]any) {
		out = append(out, fmt.Sprint(at(c, "version")))
	}
	return fmt.Sprintf("%s of %v", strings.Join(out, " "), v["latest_table_version"])
}

func TestPreviewLog(t *testing.T) {
	onEachStore(t, func(t *testing.T, a *api) {
		a.run("121/replay and conflict", func(a *api) {
			m := a.table()
			v := m.previews(withInfo(1, "f1"))
			a.same("metadata", v["metadata"], m.load()["metadata"])
			for range 3 {
				a.same("replay", m.previews(withInfo(1, "f1")), v)
			}
			a.same("replay with another size", m.previews(withInfo(1, "f1"), put(77, "commit_info", "file_size")), v)
			m.refusesPreview(409, "COMMIT_VERSION_CONFLICT", "1", withInfo(1, "zz"))
			m.refusesPreview(409, "COMMIT_VERSION_CONFLICT", "1", withInfo(1, "zz"), withBackfill(1)) // not 400: it lost a race
			m.refusesPreview(400, invalid, "", withInfo(3, "f3"))
			m.refusesPreview(400, invalid, "", withInfo(1<<63-1, "f"))
			// Of a replay only the commit counts.
			m.previews(withInfo(2, "f2"), describe("c"))
			v = m.load()
			a.same("replay", m.previews(withInfo(2, "f2"), describe("d"), withBackfill(99)), v)
		})
		a.run("121/first", func(a *api) {
			m := a.table()
			for _, v := range []int64{2, 5, 1<<63 - 1} {
				m.refusesPreview(400, invalid, "", withInfo(v, "f"))
			}
			a.same("commits", m.previews(withInfo(1, "f1"), withBackfill(0))["latest-table-version"], 1)
		})
		a.run("121/limit", func(a *api) {
			m := a.table()
			for v := int64(1); v <= 10; v++ {
				m.previews(withInfo(v, fmt.Sprint("f", v)))
			}
			m.refusesPreview(429, "RESOURCE_EXHAUSTED", "", withInfo(11, "f11"))
			m.refusesPreview(429, "RESOURCE_EXHAUSTED", "", withInfo(11, "f11"), withBackfill(0))
			m.refusesPreview(400, invalid, "", withInfo(12, "f12"))
			m.shows(m.previews(withInfo(11, "f11"), withBackfill(1)), "11 10 9 8 7 6 5 4 3 2 of 11")
			m.refusesPreview(429, "RESOURCE_EXHAUSTED", "", withInfo(12, "f12"), describe("c"))
			m.previews(withInfo(1, "f1")) // a replay is none too many
		})
		a.run("121/backfill", func(a *api) {
			m := a.table()
			for _, v := range []int64{0, 1, -1} {
				m.refusesPreview(400, invalid, "", withBackfill(v))
			}
			for v := int64(1); v <= 3; v++ {
				m.previews(withInfo(v, fmt.Sprint("f", v)))
			}
			before := m.load()
			m.refusesPreview(400, invalid, "4", withBackfill(4))
			m.refusesPreview(400, invalid, "4", withInfo(4, "f4"), withBackfill(4))
			m.shows(m.previews(withBackfill(2)), "3 of 3")
			for _, v := range []int64{2, 1, 0, -1} {
				m.shows(m.previews(withBackfill(v)), "3 of 3")
			}
			m.shows(m.previews(withBackfill(3)), " of 3")
			a.same("metadata", m.load()["metadata"], before["metadata"])
			m.previews(withInfo(2, "f2"))
			m.refusesPreview(409, "COMMIT_VERSION_CONFLICT", "2", withInfo(2, "zz"))
			m.shows(m.previews(withInfo(4, "f4"), withBackfill(3)), "4 of 4")
		})
		a.run("123/window", func(a *api) {
			m := a.table()
			for v := int64(1); v <= 5; v++ {
				m.previews(withInfo(v, fmt.Sprint("f", v)))
			}
			m.previews(withBackfill(1))
			from := func(v any) edit { return put(v, "start_version") }
			to := func(v any) edit { return put(v, "end_version") }
			for want, edits := range map[string][]edit{
				"5 4 3 2 of 5": {},
				"5 4 of 5":     {from(4)},
				"4 3 of 5":     {from(3), to(4)},
				"3 of 5":       {from(3), to(3)},
				"3 2 of 5":     {to(3)},
				" of 5":        {to(1)}, // backfilled
				"5 of 5":       {from(5), to(99)},
			} {
				if got := m.asks(edits...); got != want {
					a.Errorf("commits are %q, want %q", got, want)
				}
			}
			for _, e := range []edit{from(6), from(maxInt64), both(from(6), to(maxInt64)), both(from(1), to(1)), both(from(0), to(0))} {
				if got := m.asks(e); got != " of 5" {
					a.Errorf("commits are %q", got)
				}
			}
			for _, e := range []edit{to(nil), both(to(maxInt64), put("x", "new"))} {
				if got := m.asks(e); got != "5 4 3 2 of 5" {
					a.Errorf("commits are %q", got)
				}
			}
			refused := func(place string, edits ...edit) {
				a.Helper()
				a.fails("GET", preview, m.preview(edits...), 400, invalid, place)
			}
			refused("start_version")
			refused("start_version", to(3))
			for _, v := range []any{nil, -1, "0", 1.5, overInt64, true} {
				refused("start_version", from(v))
			}
			for _, v := range []any{-1, 2, "9", 9.5, overInt64} {
				refused("end_version", from(3), to(v))
			}
			for _, k := range []string{"table_id", "table_uri"} {
				for _, e := range []edit{cut(k), put(nil, k), put("", k), put(7, k)} {
					refused(k, from(0), e)
				}
			}
			refused("table_id", from(0), put("zz", "table_id"))
		})
		a.run("123/query", func(a *api) {
			m, other := a.table(), a.table()
			m.previews(withInfo(1, "f1"))
			m.previews(withInfo(2, "f2"))
			ask := func(body string, pairs ...string) (string, string) {
				q := url.Values{}
				for i := 0; i < len(pairs); i += 2 {
					q.Set(pairs[i], pairs[i+1])
				}
				return preview + "?" + q.Encode(), body
			}
			ok := func(want, body string, pairs ...string) {
				a.Helper()
				path, body := ask(body, pairs...)
				if got := seen(a.ok("GET", path, body)); got != want {
					a.Errorf("%s: commits are %q, want %q", path, got, want)
				}
			}
			refused := func(place string, pairs ...string) {
				a.Helper()
				path, _ := ask("", pairs...)
				a.fails("GET", path, "", 400, invalid, place)
			}
			table := []string{"table_id", m.id, "table_uri", m.location + "/"}
			with := func(pairs ...string) []string { return append(table[:4:4], pairs...) }
			ok("2 1 of 2", "", with("start_version", "0", "new", "x")...)
			ok("1 of 2", "", with("start_version", "1", "end_version", "1")...)
			ok("2 of 2", "", with("start_version", "2", "end_version", "")...)
			ok("2 1 of 2", m.preview(put(0, "start_version")), "table_id", other.id, "table_uri", other.location, "start_version", "0") // the body is the question
			refused("table_id", "start_version", "0")
			refused("table_uri", "table_id", m.id, "start_version", "0")
			refused("start_version", table...)
			for _, v := range []string{"", "x", "-1", "1.5", "9223372036854775808"} {
				refused("start_version", with("start_version", v)...)
			}
			for _, v := range []string{"x", "0", "9223372036854775808"} {
				refused("end_version", with("start_version", "1", "end_version", v)...)
			}
			a.fails("GET", preview, "", 400, invalid, "table_id")
		})
		a.run("123/shape", func(a *api) {
			m := a.table()
			c := edited(fileInfo(1, "00000000000000000001.é<&>.json"), put(json.Number("9007199254740993"), "timestamp"), put(maxInt64, "file_size"))
			m.previews(put(c, "commit_info"))
			a.same("answer", a.ok("GET", preview, m.preview(put(0, "start_version"))), object{"commits": []any{c}, "latest_table_version": 1})
			a.same("commit", at(m.load(), "commits", 0, "timestamp"), json.Number("9007199254740993"))
		})
		a.run("124/fresh", func(a *api) {
			m := a.table()
			for _, v := range []int64{0, 1, 17} {
				a.same("answer", a.ok("GET", preview, m.preview(put(v, "start_version"))), object{"commits": []any{}, "latest_table_version": 0})
			}
		})
		a.run("124/one log", func(a *api) {
			m := a.table()
			m.commit(1, "f1")
			m.shows(m.previews(withInfo(2, "f2")), "2 1 of 2")
			v := m.commit(3, "f3")
			a.same("seen", m.asks(), "3 2 1 of 3")
			// What came by one door is known at the other.
			a.same("replay", m.previews(withInfo(1, "f1")), v)
			a.same("replay", m.previews(withInfo(3, "f3")), v)
			a.same("replay", m.commit(2, "f2"), v)
			m.refusesPreview(409, "COMMIT_VERSION_CONFLICT", "", withInfo(1, "zz"))
			m.refuses(409, versionTaken, addCommit(2, "zz"))
			m.do(backfill(1))
			a.same("seen", m.asks(), "3 2 of 3")
			m.shows(m.previews(withBackfill(2)), "3 of 3")
			m.shows(m.commit(2, "f2"), "3 of 3")
			for v := int64(4); v <= 12; v += 2 {
				m.previews(withInfo(v, fmt.Sprint("f", v)))
				if v < 12 {
					m.commit(v+1, fmt.Sprint("f", v+1))
				}
			}
			m.refusesPreview(429, "RESOURCE_EXHAUSTED", "", withInfo(13, "f13"))
			m.refuses(429, exhausted, addCommit(13, "f13"))
		})
		a.run("124/commits equal", func(a *api) {
			m, n := a.table(), a.table()
			m.previews(withInfo(1, "f1"))
			n.commit(1, "f1")
			a.same("commits", m.load()["commits"], n.load()["commits"])
		})
		a.run("124/life of the table", func(a *api) {
			m := a.table()
			m.previews(withInfo(1, "f1"))
			name := a.fresh()
			a.ok("POST", m.path+"/rename", body(object{"new-name": name}))
			m.path = t1 + "/" + name
			m.shows(m.previews(withInfo(2, "f2")), "2 1 of 2") // by its ID
			a.ok("DELETE", m.path, "")
			for _, method := range []string{"GET", "POST"} {
				a.fails(method, preview, m.preview(withInfo(3, "f3"), put(0, "start_version")), 404, "TABLE_NOT_FOUND", m.id)
			}
			n := a.managed(name, nil)
			a.fails("POST", preview, m.preview(withInfo(1, "f1")), 404, "TABLE_NOT_FOUND", m.id)
			a.fails("POST", preview, n.preview(withInfo(1, "f1"), put(m.location, "table_uri")), 400, invalid, "table_uri")
			n.shows(n.previews(withInfo(1, "f1")), "1 of 1")
		})
		a.run("109/race through both doors", func(a *api) {
			m := a.table()
			file := func(i int) string { return fmt.Sprint("f", i) }
			door := func(i int, version int64, file string) (string, string, string) {
				if i%2 == 0 {
					return "POST", preview, m.preview(withInfo(version, file))
				}
				return "POST", m.path, m.update(addCommit(version, file))
			}
			got := a.parallel(20, func(i int) (string, string, string) { return door(i, 1, file(i)) })
			if got["200"] != 1 || got["409 COMMIT_VERSION_CONFLICT"]+got["409 "+versionTaken] != 19 {
				a.Errorf("answers are %v", got)
			}
			got = a.parallel(20, func(i int) (string, string, string) { return door(i, 2, "same") })
			if got["200"] != 20 {
				a.Errorf("answers are %v", got)
			}
			a.same("seen", m.asks(), "2 1 of 2")
		})
	})
}
