package server_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// load loads a table with If-None-Match.
func (a *api) load(path string, ifNoneMatch ...string) *http.Response {
	a.Helper()
	r := httptest.NewRequest(http.MethodGet, "http://x"+path, nil)
	for _, v := range ifNoneMatch {
		r.Header.Add("If-None-Match", v)
	}
	w := httptest.NewRecorder()
	a.handler.ServeHTTP(w, r)
	return w.Result()
}

// TestETag: a client that has the table gets 304, and the table itself after any change of it, also
// one which leaves metadata.etag alone.
func TestETag(t *testing.T) {
	onEachStore(t, func(t *testing.T, a *api) {
		m := a.managed("t", func(req object) {
			p := req["protocol"].(object)
			p["writer-features"] = append(p["writer-features"].([]any), "rowTracking", "domainMetadata")
		})
		first := a.load(m.path)
		tag := first.Header.Get("ETag")
		if len(tag) < 10 || tag[0] != '"' || tag[len(tag)-1] != '"' || !strings.Contains(first.Header.Get("Cache-Control"), "no-cache") {
			t.Fatalf("headers %v", first.Header)
		}
		tags := map[string]string{tag: "create"}
		for _, header := range [][]string{{tag}, {"W/" + tag}, {`"x", ` + tag}, {`"x"`, tag}, {"*"}} {
			res := a.load(m.path, header...)
			if res.StatusCode != http.StatusNotModified || res.Header.Get("ETag") != tag || res.ContentLength > 0 {
				t.Errorf("If-None-Match %q: %d %v", header, res.StatusCode, res.Header)
			}
		}
		for _, header := range []string{"", `"x"`, strings.Trim(tag, `"`), tag[:len(tag)-2] + `"`, `"` + a.ok("GET", m.path, "")["metadata"].(object)["etag"].(string) + `"`} {
			if res := a.load(m.path, header); res.StatusCode != http.StatusOK {
				t.Errorf("If-None-Match %q: %d", header, res.StatusCode)
			}
		}
		changed := func(what, path string) {
			t.Helper()
			res := a.load(path, tag)
			now := res.Header.Get("ETag")
			if was, ok := tags[now]; ok || res.StatusCode != http.StatusOK {
				t.Errorf("after %s: %d, the tag is that after %s", what, res.StatusCode, was)
			}
			tags[now], tag = what, now
			if res := a.load(path, tag); res.StatusCode != http.StatusNotModified {
				t.Errorf("after %s: %d with the new tag", what, res.StatusCode)
			}
		}
		m.commit(1, "one")
		changed("a data commit", m.path)
		m.commit(2, "two", backfill(1))
		changed("another", m.path)
		m.ok("POST", m.path, m.update(backfill(2)))
		changed("a backfill", m.path)
		m.ok("POST", m.path, m.update(rowTracking(7)))
		changed("a high-water mark", m.path)
		m.ok("POST", m.path, m.update(object{"action": "set-properties", "updates": object{"a": "b"}}))
		changed("a property", m.path)
		a.ok("POST", m.path+"/rename", `{"new-name":"u"}`)
		if res := a.load(m.path, tag); res.StatusCode != http.StatusNotFound {
			t.Errorf("under the old name: %d", res.StatusCode)
		}
		changed("a rename", t1+"/u")
		a.ok("DELETE", t1+"/u", "")
		if res := a.load(t1+"/u", tag); res.StatusCode != http.StatusNotFound || res.Header.Get("ETag") != "" {
			t.Errorf("dropped: %d %v", res.StatusCode, res.Header)
		}
		a.managed("u", nil)
		changed("a drop and another table of the name", t1+"/u")
	})
}
