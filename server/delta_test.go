package server_test

import (
	"encoding/json"
	"testing"
)

func TestFlow(t *testing.T) {
	onEachStore(t, func(t *testing.T, a *api) {
		m := a.managed("t", nil)
		v := a.ok("GET", m.path, "")
		if got := versions(v); got != " of 0" {
			t.Error(got)
		}
		etag := at(v, "metadata", "etag")
		for i := int64(1); i <= 3; i++ {
			v = m.commit(i, "f")
		}
		if got := versions(v); got != "3 2 1 of 3" {
			t.Error(got)
		}
		v = a.ok("POST", m.path, m.update(backfill(2)))
		if got := versions(v); got != "3 of 3" {
			t.Error(got)
		}
		if got := at(v, "metadata", "etag"); got != etag {
			t.Errorf("etag %v, then %v", etag, got)
		}
		a.ok("POST", m.path+"/rename", `{"new-name":"u"}`)
		a.refused("GET", m.path, "", 404, "NoSuchTableException")
		v = a.ok("GET", t1+"/u", "")
		if got := versions(v); got != "3 of 3" || at(v, "metadata", "table-uuid") != m.id || at(v, "metadata", "etag") == etag {
			t.Error(v)
		}
		a.ok("DELETE", t1+"/u", "")
		a.refused("HEAD", t1+"/u", "", 404, "")
	})
}

// TestMetrics: reports are kept, and add up.
func TestMetricsAreKept(t *testing.T) {
	onEachStore(t, func(t *testing.T, a *api) {
		m := a.managed("t", nil)
		for range 2 {
			a.ok("POST", m.path+"/metrics", body(object{"table-id": m.id, "report": object{"commit-report": object{
				"num-files-added": 3, "num-bytes-added": 9007199254740993, "file-size-histogram": object{
					"sorted-bin-boundaries": []int{0, 1 << 24}, "file-counts": []int{1, 3}, "total-bytes": []int{10, 1 << 26}, "commit-version": 1,
				},
			}}}))
		}
		v := a.ok("GET", m.path+"/metrics", "")
		for key, want := range map[string]string{"num-commits": "2", "num-files-added": "6", "num-bytes-added": "18014398509481986", "small-file-share": "0.25"} {
			if got := v[key]; got != json.Number(want) {
				t.Errorf("%s is %v, want %s", key, got, want)
			}
		}
		if at(v, "last-report", "file-size-histogram", "commit-version") != json.Number("1") || v["table-id"] != m.id {
			t.Error(v)
		}
		a.refused("GET", t1+"/nope/metrics", "", 404, "NoSuchTableException")
	})
}
