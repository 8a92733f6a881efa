package server_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// TestRights: who may do what, as the page has it, on every face.
func TestRights(t *testing.T) {
	testRights(t, "memory", func(string) bool { return true })
}

// TestRightsOnStores: some of the page again where rights come out of a database.
func TestRightsOnStores(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	some := []string{"none", "A+data", "sm", "mT+ct", "split", "sib", "L+CEL", "g:CWF"}
	testRights(t, "sqlite", func(who string) bool { return slices.Contains(some, who) })
}

func testRights(t *testing.T, store string, wanted func(who string) bool) {
	page := readRights(t, "testdata/rights.txt")
	seen := map[string]string{}
	for _, rows := range page.rows {
		for _, r := range rows {
			if _, ok := operations[r.operation]; !ok {
				t.Fatalf("line %d: %q is no operation", r.line, r.operation)
			}
			if f, ok := seen[r.operation]; ok && f != r.faces {
				t.Errorf("line %d: %q is on %s here, on %s above", r.line, r.operation, r.faces, f)
			}
			seen[r.operation] = r.faces
		}
	}
	for _, name := range slices.Sorted(maps.Keys(operations)) {
		if seen[name] == "" {
			t.Errorf("the page has no row for %q", name)
		}
	}
	for i, cols := range page.cols {
		for _, who := range cols {
			if !wanted(who) {
				continue
			}
			t.Run(fmt.Sprint(i+1, " ", who), func(t *testing.T) {
				t.Parallel()
				var w *world
				for _, r := range page.rows[i] {
					for _, a := range operations[r.operation].asks(r.faces) {
						if w == nil {
							w = newWorld(t, stores[store](t), page.who[who])
						}
						if w.holds(r, a, r.verdicts[who]) && operations[r.operation].spoils {
							w = nil
						}
					}
				}
			})
		}
	}
}

// TestFacesOfRights: the page leaves out no face that has an operation.
func TestFacesOfRights(t *testing.T) {
	w := newWorld(t, stores["memory"](t), nil)
	for _, rows := range readRights(t, "testdata/rights.txt").rows {
		for _, r := range rows {
			o := operations[r.operation]
			for face, there := range map[string]bool{"D": o.delta != "", "U": o.unity != "", "P": o.commits != ""} {
				if there != strings.Contains(r.faces, face) {
					t.Errorf("line %d: %q on %s: %v", r.line, r.operation, face, there)
				}
			}
			if o.unity == "" || strings.Contains(r.faces, "R") {
				continue
			}
			for _, a := range o.asks("R") {
				if status, _, data := w.send(joe, a.method, a.path, a.body); status != 404 || !strings.Contains(data, "there is nothing at") {
					t.Errorf("line %d: %s %s: %d %s", r.line, a.method, a.path, status, data)
				}
			}
		}
	}
}

// holds sends a request of joe's and reports whether it was done.
func (w *world) holds(r rightsRow, a ask, want string) bool {
	w.Helper()
	w.fresh()
	status, header, data := w.send(joe, a.method, a.path, a.body)
	got := w.verdict(a, operations[r.operation].shows, status, header, data)
	if a.method == "HEAD" && got == "404" && strings.HasPrefix(want, "404") {
		got = want // which is told by no body
	}
	if got != want {
		w.Errorf("line %d: %s: %c: %s %s: got %s, want %s\n%s", r.line, r.operation, a.face, a.method, a.path, got, want, data)
		return status/100 == 2
	}
	if strings.HasPrefix(want, "404") || want == "false" {
		w.asMissing(r, a, want, status, header, data)
	}
	return status/100 == 2
}

// verdict is an answer as the page spells it.
func (w *world) verdict(a ask, shows string, status int, header http.Header, data string) string {
	switch {
	case status/100 == 2 && strings.HasSuffix(a.path, "/exists"):
		for _, v := range (&api{TB: w}).decode([]byte(data)) {
			return fmt.Sprint(v)
		}
	case status/100 == 2 && shows != "":
		has := 0
		names := strings.Fields(w.filler().Replace(shows))
		for _, name := range names {
			if strings.Contains(data, `"`+name+`"`) {
				has++
			}
		}
		switch has {
		case 0:
			return "-"
		case len(names):
			return "+"
		}
		return fmt.Sprintf("%d of %d", has, len(names))
	case status/100 == 2:
		return "200"
	case a.method == "HEAD":
		return fmt.Sprint(status)
	}
	code, _ := refusal(json.RawMessage(data))
	if v, ok := verdicts[fmt.Sprint(status, " ", code)]; ok && header.Get("Content-Type") == "application/json" {
		return v
	}
	return fmt.Sprint(status, " ", code)
}

var verdicts = map[string]string{
	"403 PermissionDeniedException": "403", "403 PERMISSION_DENIED": "403",
	"404 NoSuchCatalogException": "404c", "404 CATALOG_NOT_FOUND": "404c",
	"404 NoSuchSchemaException": "404s", "404 SCHEMA_NOT_FOUND": "404s",
	"404 NoSuchTableException": "404t", "404 TABLE_NOT_FOUND": "404t",
}

// asMissing compares the answer with that for an object that there is none of under a name like it.
func (w *world) asMissing(r rightsRow, a ask, want string, status int, header http.Header, data string) {
	w.Helper()
	missing := map[string]string{"c": "nocat9"}
	switch {
	case want == "404s":
		missing = map[string]string{"s": "nosch9"}
	case want == "404t":
		missing = map[string]string{"mid": absentID, "xid": absentID, "own": absentID, "theirs": absentID}
	}
	there := maps.Clone(w.vars)
	maps.Copy(w.vars, missing)
	status2, header2, data2 := w.send(joe, a.method, a.path, a.body)
	w.vars = there
	for k, v := range missing {
		if v != absentID || strings.Contains(a.path+a.body, "{"+k+"}") {
			data2 = strings.ReplaceAll(data2, v, there[k])
		}
	}
	for _, h := range []http.Header{header, header2} {
		h.Del("X-Request-Id")
	}
	if status != status2 || data != data2 || fmt.Sprint(header) != fmt.Sprint(header2) {
		w.Errorf("line %d: %s: %s %s: %d %v %s\nbut if it is missing: %d %v %s", r.line, r.operation, a.method, a.path, status, header, data, status2, header2, data2)
	}
}
