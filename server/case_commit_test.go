package server_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// commits ratifies versions first to last, from files f1, f2, …
func (t *tab) commits(first, last int64) object {
	t.Helper()
	var v object
	for i := first; i <= last; i++ {
		v = t.commit(i, fmt.Sprint("f", i))
	}
	return v
}

// shows checks the commits of an answer, and that they go down without a gap.
func (t *tab) shows(v object, want string) {
	t.Helper()
	if got := versions(v); got != want {
		t.Errorf("commits are %q, want %q", got, want)
	}
}

func TestCommits(t *testing.T) {
	onEachStore(t, func(t *testing.T, a *api) {
		a.run("088/first", func(a *api) {
			m := a.table()
			before := m.load()
			v := m.commit(1, "f1")
			m.shows(v, "1 of 1")
			a.same("commits", v["commits"], []any{addCommit(1, "f1")["commit"]})
			a.same("metadata", v["metadata"], before["metadata"])
			a.same("last-commit-version", metadata(v, "last-commit-version"), 0)
			a.same("load", m.load(), v)
		})
		a.run("089/first with backfill 0", func(a *api) {
			m := a.table()
			m.shows(m.commit(1, "f1", backfill(0)), "1 of 1")
		})
		a.run("090/bad version", func(a *api) {
			m := a.table()
			try := func(version any) {
				a.Helper()
				m.refuses(400, badInput, edited(addCommit(1, "f"), put(version, "commit", "version")))
			}
			for _, v := range []any{0, -1, overInt64, json.Number("-9223372036854775809"), 2, 5, maxInt64} {
				try(v)
			}
			m.commit(1, "f1")
			try(maxInt64)
		})
		a.run("091/gap", func(a *api) {
			m := a.table()
			m.commit(1, "f1")
			m.refuses(400, badValue, addCommit(3, "f3"))
		})
		a.run("092/replay and conflict", func(a *api) {
			m := a.table()
			v := m.commit(1, "f1")
			for range 3 {
				a.same("replay", m.commit(1, "f1"), v)
			}
			m.refuses(409, versionTaken, addCommit(1, "zz"))
			// The name decides, not what else the commit says.
			a.same("replay with another size", m.do(edited(addCommit(1, "f1"), put(77, "commit", "file-size"))), v)
		})
		a.run("093/bad fields", func(a *api) {
			m := a.table()
			for _, name := range []string{"version", "timestamp", "file-name", "file-size", "file-modification-timestamp"} {
				try := func(e edit) {
					a.Helper()
					m.refusesBody(m.update(edited(addCommit(1, "f"), e)), 400, badInput, name)
				}
				try(cut("commit", name))
				for _, v := range []any{nil, 0, -1, 1.5, true, object{}, []any{}, overInt64} {
					try(put(v, "commit", name))
				}
				if name != "file-name" {
					for _, v := range []any{"17", json.Number("1.0"), json.Number("1e3")} {
						try(put(v, "commit", name))
					}
				}
			}
			for _, name := range []string{"", " ", ".", "..", "a/b", `a\b`, "/", "../00000000000000000001.json", "a\x00", "a\n", strings.Repeat("a", 1025)} {
				m.refuses(400, badValue, addCommit(1, name))
			}
			for i, name := range []string{"00000000000000000001.5e1b.json", "%2e%2e%2fx", "é <&> \"'", "...", strings.Repeat("a", 300)} {
				v := m.commit(int64(i+1), name)
				a.same("file-name", at(v, "commits", 0, "file-name"), name)
			}
			v := m.do(edited(addCommit(6, "f"), put(json.Number("9007199254740993"), "commit", "timestamp"), put(maxInt64, "commit", "file-size")))
			a.same("timestamp", at(v, "commits", 0, "timestamp"), json.Number("9007199254740993"))
			a.same("file-size", at(m.load(), "commits", 0, "file-size"), maxInt64)
		})
		a.run("094/no commit, not managed", func(a *api) {
			m, x := a.table(), a.external()
			m.refuses(400, badInput, object{"action": "add-commit"})
			m.refuses(400, badInput, act("add-commit", "commit", nil))
			m.refuses(400, badInput, object{"action": "set-latest-backfilled-version"})
			x.refuses(400, badValue, addCommit(1, "f1"))
			x.refuses(400, badValue, backfill(1))
		})
		a.run("095/backfill of nothing", func(a *api) {
			m := a.table()
			for _, v := range []int64{0, 1, -1} {
				m.refuses(400, badValue, backfill(v))
			}
		})
		a.run("096/backfill", func(a *api) {
			m := a.table()
			m.commits(1, 3)
			before := m.load()
			m.refuses(400, badValue, backfill(4))
			m.refuses(400, badValue, backfill(99))
			m.shows(m.do(backfill(2)), "3 of 3")
			for _, v := range []int64{2, 1, 0, -1} {
				m.shows(m.do(backfill(v)), "3 of 3")
			}
			m.shows(m.do(backfill(3)), " of 3")
			m.shows(m.load(), " of 3")
			a.same("metadata", m.load()["metadata"], before["metadata"])
			m.shows(m.commit(4, "f4"), "4 of 4")
		})
		a.run("097/backfill of the commit itself", func(a *api) {
			m := a.table()
			m.commit(1, "f1")
			m.refuses(400, badValue, addCommit(2, "f2"), backfill(2))
			m.shows(m.commit(2, "f2", backfill(1)), "2 of 2")
		})
		a.run("098/order of refusals", func(a *api) {
			m := a.table()
			m.commits(1, 4)
			m.commit(5, "g")
			wrong := etagIs("wrong")
			m.refuses(409, versionTaken, addCommit(5, "h"), backfill(5))
			m.shows(m.commit(5, "g", backfill(99)), "5 4 3 2 1 of 5")
			m.refusesBody(m.with(wrong, addCommit(5, "h")), 409, versionTaken)
			m.refusesBody(m.with(wrong, addCommit(7, "h")), 409, requirement)
			m.refuses(400, badValue, addCommit(6, "f6"), backfill(6))
		})
		a.run("099/limit", func(a *api) {
			m := a.table()
			ten := m.commits(1, 10)
			m.shows(ten, "10 9 8 7 6 5 4 3 2 1 of 10")
			m.refuses(429, exhausted, addCommit(11, "f11"))
			m.refuses(429, exhausted, addCommit(11, "f11"), backfill(0))
			m.refuses(400, badValue, addCommit(12, "f12"))
			m.shows(m.commit(11, "f11", backfill(1)), "11 10 9 8 7 6 5 4 3 2 of 11")
			m.refuses(429, exhausted, addCommit(12, "f12"), backfill(1))
			m.refuses(429, exhausted, addCommit(12, "f12"), setProperties(object{"a": "1"}))
			m.shows(m.do(backfill(11)), " of 11")
			m.shows(m.commit(12, "f12"), "12 of 12")
		})
		a.run("099/limit after a backfill", func(a *api) {
			// A backfill that the limit refuses cannot be an advance: with one, ten wait at most.
			m := a.table()
			m.commits(1, 3)
			m.do(backfill(2))
			m.commits(4, 12) // 3 to 12 wait
			m.refuses(429, exhausted, addCommit(13, "f13"), backfill(2))
			m.shows(m.load(), "12 11 10 9 8 7 6 5 4 3 of 12")
		})
		a.run("100/replay of a backfilled version", func(a *api) {
			m := a.table()
			m.commits(1, 3)
			v := m.do(backfill(3))
			for _, i := range []int64{1, 2, 3} {
				a.same("replay", m.commit(i, fmt.Sprint("f", i)), v)
				m.refuses(409, versionTaken, addCommit(i, "zz"))
			}
		})
		a.run("101/commit with metadata", func(a *api) {
			m := a.table()
			before := m.commit(1, "f1")
			v := m.commit(2, "f2", setProperties(object{"a": "1"}))
			a.same("last-commit-version", metadata(v, "last-commit-version"), 2)
			a.same("last-commit-timestamp-ms", metadata(v, "last-commit-timestamp-ms"), 1002)
			a.same("delta.lastUpdateVersion", property(v, "delta.lastUpdateVersion"), "2")
			a.same("delta.lastCommitTimestamp", property(v, "delta.lastCommitTimestamp"), "1002")
			m.moved(before, v)
		})
		a.run("102/replay with other siblings", func(a *api) {
			m := a.table()
			m.commit(1, "f1")
			v := m.commit(2, "f2", setProperties(object{"a": "1"}))
			got := a.ok("POST", m.path, m.with(etagIs("wrong"), addCommit(2, "f2"), setProperties(object{"a": "2", "b": "3"}), backfill(1)))
			a.same("replay", got, v)
			m.fails("POST", m.path, body(object{
				"requirements": []any{object{"type": "assert-table-uuid", "uuid": absentID}},
				"updates":      []any{addCommit(2, "f2")},
			}), 409, requirement, absentID)
		})
		a.run("103/replay with siblings that no longer do", func(a *api) {
			m := a.table()
			request := m.update(addCommit(1, "f1"), act("set-partition-columns", "partition-columns", []any{"amount"}))
			a.ok("POST", m.path, request)
			v := m.commit(2, "f2", act("set-columns", "columns", columns(field("id", "long"))), act("set-partition-columns", "partition-columns", []any{}))
			a.same("replay", a.ok("POST", m.path, request), v)
			a.same("replay", m.commit(1, "f1", act("set-protocol", "protocol", object{"min-reader-version": 1, "min-writer-version": 1})), v)
		})
		a.run("104/row tracking", func(a *api) {
			m := a.table()
			v := m.commit(1, "f1", m.protocolWith("rowTracking"))
			a.same("last-commit-version", metadata(v, "last-commit-version"), 1)
			w := m.commit(2, "f2", rowTracking(17))
			a.same("last-commit-version", metadata(w, "last-commit-version"), 1)
			a.same("etag", metadata(w, "etag"), metadata(v, "etag"))
			a.same("high-water mark", property(w, "delta.rowTracking.rowIdHighWaterMark"), "17")
		})
		a.run("105/time goes back", func(a *api) {
			m := a.table()
			m.commit(1, "f1")
			v := m.do(edited(addCommit(2, "f2"), put(1, "commit", "timestamp")))
			m.shows(v, "2 1 of 2")
		})
	})
}

// moved checks that etag and time of update changed.
func (t *tab) moved(before, after object) {
	t.Helper()
	if metadata(before, "etag") == metadata(after, "etag") {
		t.Errorf("the etag is still %v", metadata(after, "etag"))
	}
	old, _ := metadata(before, "updated-time").(json.Number).Int64()
	if now, _ := metadata(after, "updated-time").(json.Number).Int64(); now <= old {
		t.Errorf("updated-time is %d, then %d", old, now)
	}
}

// still checks that etag and time of update did not change.
func (t *tab) still(before, after object) {
	t.Helper()
	t.same("etag", metadata(after, "etag"), metadata(before, "etag"))
	t.same("updated-time", metadata(after, "updated-time"), metadata(before, "updated-time"))
}

// protocolWith sets the protocol to the required one and more writer features.
func (t *tab) protocolWith(features ...any) object {
	p := t.stage(t.fresh())["required-protocol"].(object)
	p["writer-features"] = append(p["writer-features"].([]any), features...)
	return act("set-protocol", "protocol", p)
}

func setDomains(d object) object { return act("set-domain-metadata", "updates", d) }

func rowTracking(mark any) object {
	return setDomains(object{"delta.rowTracking": object{"rowIdHighWaterMark": mark}})
}

// Actions of the Delta API.

func act(action string, member string, value any) object {
	return object{"action": action, member: value}
}

func setProperties(p object) object { return act("set-properties", "updates", p) }

func removeProperties(keys ...string) object { return act("remove-properties", "removals", keys) }
