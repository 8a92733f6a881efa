package server_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
)

// oddTexts are texts that JSON allows and that are easily lost or changed.
var oddTexts = map[string]string{
	"NUL": "a\x00b", "control": "a\x1bb", "mark of byte order": "\ufeffa", "right to left": "\u202ea\u200f", "joined": "a\u200db", "NFC": "\u00e9", "NFD": "e\u0301",
	"emoji": "👩‍🚀", "beyond Unicode": "\U0010ffff", "no character": "\uffff", "replacement": "\ufffd", "separators": "\u2028\u2029", "HTML": "<&>'\"\\", "blank": "\u3000",
	"dots": "..", "escape": "%2e%2e%2F%00", "query": "a?b#c;d", "long": strings.Repeat("é", 5000), "format": "%s%n%!d", "lower": "ſKİı",
}

// notTexts are strings of JSON that are no text.
var notTexts = map[string]string{
	"half of a pair": `"\ud800"`, "other half": `"a\udc00b"`, "wrong order": `"\udc00\ud800"`, "half at the end": `"\ud83d\u"`, "UTF-8": "\"\xff\"", "cut UTF-8": "\"\xe2\x82\"",
	"overlong": "\"\xc0\xae\xc0\xae\"", "overlong NUL": "\"\xc0\x80\"", "surrogate": "\"\xed\xa0\x80\"", "too high": "\"\xf4\x90\x80\x80\"", "raw NUL": "\"\x00\"", "raw control": "\"\x1f\"",
}

// TestBadText puts odd texts in the place of each string of each good request: they are
// refused, or taken, but never a fault. What is no text is refused everywhere.
func TestBadText(t *testing.T) {
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, open(t))
			f.bare(f.store, 8*mib)
			for _, section := range slices.Sorted(maps.Keys(f.goods)) {
				g := f.goods[section]
				f.run(section, func(a *api) {
					good := a.decode([]byte(body(g.body)))
					places(good, nil, func(path []any, v any) {
						if _, ok := v.(string); !ok {
							return
						}
						at := func(json string) string {
							return strings.Replace(body(edited(a.decode([]byte(body(good))), put("@here@", path...))), `"@here@"`, json, 1)
						}
						code := badRequest
						if !strings.HasPrefix(g.path, delta) {
							code = invalid
						}
						before := f.dump()
						for _, k := range slices.Sorted(maps.Keys(notTexts)) {
							a.fails(g.method, g.path, at(notTexts[k]), 400, code)
						}
						a.same("objects", len(f.dump()), len(before))
						for _, text := range oddTexts {
							a.noFault(g.method, g.path, at(body(text)))
						}
					})
				})
			}
		})
	}
}

// noFault sends a request that may be answered with anything but a fault.
func (a *api) noFault(method, path, body string) {
	a.Helper()
	status, data, h := a.call(method, path, body)
	if len(body) > 300 {
		body = body[:300]
	}
	if status >= 500 && status != 501 || status >= 300 && status < 400 {
		a.Errorf("%s %s %s: %d %.300s", method, path, body, status, data)
	}
	if status != 204 && (!json.Valid(data) || h.Get("Content-Type") != "application/json") {
		a.Errorf("%s %s %s: %d with no JSON: %.300s", method, path, body, status, data)
	}
	if code, message := refusal(data); status >= 400 && (code == "" || message == "") {
		a.Errorf("%s %s %s: %d is not a refusal of its API: %.300s", method, path, body, status, data)
	}
}

// TestBadTextKept stores each odd text wherever text is free, and finds it again as it was.
func TestBadTextKept(t *testing.T) {
	onEachStore(t, func(t *testing.T, a *api) {
		for k, text := range oddTexts {
			a.run(k, func(a *api) {
				m := a.table(add("clustering", "protocol", "writer-features"))
				cols := columns(field("id", "long"))
				if strings.TrimSpace(text) != "" {
					odd := field(text, columns(field(text, "long")))
					odd["metadata"] = object{text: text, "comment": text, "delta.columnMapping.physicalName": text}
					cols["fields"] = append(cols["fields"].([]any), odd)
				}
				v := m.do(setComment(text), setProperties(object{text: text, "k": text}), act("set-columns", "columns", cols), clustering([]any{text}))
				a.same("columns", metadata(v, "columns"), cols)
				a.same("load", m.load(), v)
				a.same("property", property(v, "k"), text)
				a.same("property of that name", property(v, text), text)
				var paths [][]string
				if err := json.Unmarshal([]byte(property(v, "clusteringColumns").(string)), &paths); err != nil || paths[0][0] != text {
					a.Errorf("clusteringColumns is %q, want %q", property(v, "clusteringColumns"), text)
				}
				info := a.ok("GET", unityTables+"/c1.s1."+m.path[len(t1)+1:], "")
				a.same("comment", info["comment"], text)
				c := a.ok("POST", unity+"/catalogs", body(object{"name": a.fresh(), "comment": text, "properties": object{text: text}}))
				a.same("comment of a catalog", c["comment"], text)
				a.same("properties of a catalog", c["properties"], object{text: text})
			})
		}
	})
}

// TestBadNumbers puts the edges of int64, and numbers of other kinds, in the place of each
// number of each good request.
func TestBadNumbers(t *testing.T) {
	edges := []string{
		"0", "-0", "-1", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "-9223372036854775809", "18446744073709551616", "2147483647", "2147483648", "-2147483649",
		"4294967296", "9007199254740993", "1e400", "1E2", "1.0", "0.1", "-1e-400", strings.Repeat("9", 10_000), "1e" + strings.Repeat("9", 1000),
	}
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, open(t))
			f.bare(f.store, 8*mib)
			for _, section := range slices.Sorted(maps.Keys(f.goods)) {
				g := f.goods[section]
				f.run(section, func(a *api) {
					good := a.decode([]byte(body(g.body)))
					places(good, nil, func(path []any, v any) {
						if _, ok := v.(json.Number); !ok {
							return
						}
						for _, n := range edges {
							a.noFault(g.method, g.path, body(edited(a.decode([]byte(body(good))), put(json.Number(n), path...))))
						}
					})
				})
			}
			f.shown()
		})
	}
}
