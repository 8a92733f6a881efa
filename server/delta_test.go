package server_test

import (
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
