package server_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func setComment(c any) object { return act("set-table-comment", "comment", c) }

func removeDomains(names ...any) object { return act("remove-domain-metadata", "domains", names) }

func clustering(paths ...any) object {
	return setDomains(object{"delta.clustering": object{"clusteringColumns": append([]any{}, paths...)}})
}

// comment is the table's comment, which only the Unity Catalog REST API shows.
func (t *tab) comment() any {
	t.Helper()
	return t.ok("GET", unity+"/tables/c1.s1."+t.path[len(t1)+1:], "")["comment"]
}

func TestUpdateProperties(t *testing.T) {
	onEachStore(t, func(t *testing.T, a *api) {
		a.run("074/set", func(a *api) {
			m := a.table()
			v := m.load()
			w := m.do(setProperties(object{"a": "1", "b.c": ""}))
			a.same("a", property(w, "a"), "1")
			a.same("b.c", property(w, "b.c"), "")
			m.moved(v, w)
			m.refusesBody(m.update(object{"action": "set-properties"}), 400, badInput, "updates")
			for _, x := range []any{nil, []any{}, "a=1"} {
				m.refusesBody(m.update(act("set-properties", "updates", x)), 400, badInput, "updates")
			}
			for _, x := range []any{nil, 1, true, object{}} {
				m.refusesBody(m.update(setProperties(object{"key": x})), 400, badInput, "key")
			}
			m.refuses(400, badValue, setProperties(object{"": "x"}))
			m.do(setProperties(object{}))
		})
		a.run("075/remove", func(a *api) {
			m := a.table(put("1", "properties", "a"))
			m.do(removeProperties("nope"))
			m.refusesBody(m.update(object{"action": "remove-properties"}), 400, badInput, "removals")
			for _, x := range []any{nil, "a", object{}, []any{nil}, []any{1}} {
				m.refusesBody(m.update(act("remove-properties", "removals", x)), 400, badInput, "removals")
			}
			v := m.load()
			w := m.do(removeProperties("a", "a"))
			a.same("a", property(w, "a"), nil)
			m.moved(v, w)
			m.do(act("remove-properties", "removals", []any{}))
		})
		a.run("076/contract", func(a *api) {
			m := a.table()
			m.do(setProperties(object{"io.unitycatalog.tableId": m.id}))
			for k, v := range a.stage(a.fresh())["required-properties"].(object) {
				if k != "io.unitycatalog.tableId" {
					m.do(setProperties(object{k: v}))
				}
				m.refusesBody(m.update(setProperties(object{k: "false"})), 400, badValue, k)
				m.refusesBody(m.update(removeProperties(k)), 400, badValue, k)
				m.refuses(400, badValue, addCommit(1, "f1"), removeProperties(k))
			}
			m.refuses(400, badValue, setProperties(object{"io.unitycatalog.tableId": strings.ToUpper(m.id)}))
		})
		a.run("076/derived", func(a *api) {
			m := a.table(both(add("clustering", "protocol", "writer-features"), put(object{"delta.clustering": object{"clusteringColumns": []any{}}}, "domain-metadata")))
			for _, k := range []string{
				"delta.minReaderVersion", "delta.minWriterVersion", "delta.feature.catalogManaged", "delta.feature.x", "clusteringColumns",
				"delta.rowTracking.rowIdHighWaterMark", "delta.lastUpdateVersion", "delta.lastCommitTimestamp",
			} {
				m.refusesBody(m.update(setProperties(object{k: "9"})), 400, badValue, k)
				m.refusesBody(m.update(removeProperties(k)), 400, badValue, k)
				if now := property(m.load(), k); now != nil {
					a.same(k, property(m.do(setProperties(object{k: now})), k), now)
				}
			}
		})
		a.run("b45/long", func(a *api) {
			long, key := strings.Repeat("ü", 20_000), strings.Repeat("k", 300)
			p := object{"long": long, key: "v", "zero": "\x00", "html": "<&>", "emoji🙂": "日本"}
			for i := range 500 {
				p[fmt.Sprint("k", i)] = fmt.Sprint(i)
			}
			check := func(v object) {
				a.Helper()
				for k, want := range p {
					if property(v, k) != want {
						a.Errorf("property %.20q is %.20q", k, property(v, k))
					}
				}
			}
			m := a.table()
			check(m.do(setProperties(p), setComment(strings.Repeat("c", 70_000))))
			check(m.load())
			if c, _ := m.comment().(string); len(c) != 70_000 {
				a.Errorf("the comment has %d bytes", len(c))
			}
			check(a.table(func(req object) {
				for k, v := range p {
					put(v, "properties", k)(req)
				}
			}).load())
		})
		a.run("b47/secrets", func(a *api) {
			secrets := object{"fs.s3a.secret.key": "hush", "fs.azure.sas.c.a": "hush", "option.fs.gs.auth.access.token": "hush"}
			m := a.table()
			status, data, _ := a.call("POST", m.path, m.update(setProperties(secrets)))
			if status != 200 && status != 400 || strings.Contains(string(data), "hush") {
				a.Errorf("%d %s", status, data)
			}
			x := externalBody(a.fresh())
			x["properties"] = secrets
			status, data, _ = a.call("POST", t1, body(x))
			if status != 200 && status != 400 || strings.Contains(string(data), "hush") {
				a.Errorf("%d %s", status, data)
			}
			for _, path := range []string{m.path, unity + "/tables?catalog_name=c1&schema_name=s1"} {
				if _, data, _ := a.call("GET", path, ""); strings.Contains(string(data), "hush") {
					a.Errorf("GET %s shows a secret", path)
				}
			}
		})
	})
}

func TestUpdateMetadata(t *testing.T) {
	onEachStore(t, func(t *testing.T, a *api) {
		a.run("080/protocol and domain", func(a *api) {
			for _, swap := range []bool{false, true} {
				m := a.table()
				m.refuses(400, badValue, clustering([]any{"id"}))
				actions := []object{m.protocolWith("clustering"), clustering([]any{"id"})}
				if swap {
					actions[0], actions[1] = actions[1], actions[0]
				}
				v := m.do(actions...)
				a.same("clusteringColumns", property(v, "clusteringColumns"), `[["id"]]`)
				a.same("feature", property(v, "delta.feature.clustering"), "supported")
			}
		})
		a.run("081/protocol", func(a *api) {
			m, x := a.table(), a.external()
			good := m.protocolWith()
			try := func(place string, edits ...edit) {
				a.Helper()
				m.refusesBody(m.update(edited(m.protocolWith(), edits...)), 400, badInput, place)
			}
			for _, list := range []string{"reader-features", "writer-features"} {
				for _, f := range at(good, "protocol", list).([]any) {
					try(f.(string), drop(f, "protocol", list))
				}
				try(list, add(" ", "protocol", list))
				try(list, add(nil, "protocol", list))
				try(list, put("x", "protocol", list))
			}
			for _, version := range []string{"min-reader-version", "min-writer-version"} {
				try(version, put(2, "protocol", version))
				try(version, cut("protocol", version))
				x.refusesBody(x.update(edited(m.protocolWith(), cut("protocol", version))), 400, badInput, version)
				for _, v := range []any{nil, "3", 3.5, json.Number("4294967299"), -1} {
					try(version, put(v, "protocol", version))
				}
			}
			try("protocol", cut("protocol"))
			try("protocol", put(nil, "protocol"))
			for _, r := range []int{1, 3, 99} {
				v := x.do(act("set-protocol", "protocol", object{"min-reader-version": r, "min-writer-version": 7, "writer-features": []any{"y"}}))
				a.same("delta.minReaderVersion", property(v, "delta.minReaderVersion"), fmt.Sprint(r))
				a.same("delta.feature.y", property(v, "delta.feature.y"), "supported")
			}
			m.do(good)
		})
		a.run("082/row tracking goes", func(a *api) {
			m := a.table(add("rowTracking", "protocol", "writer-features"))
			m.do(rowTracking(5))
			m.refuses(400, badValue, m.protocolWith())
			v := m.do(m.protocolWith(), removeDomains("delta.rowTracking"))
			a.same("feature", property(v, "delta.feature.rowTracking"), nil)
			a.same("mark", property(v, "delta.rowTracking.rowIdHighWaterMark"), nil)
			m.refuses(400, badValue, rowTracking(6))
		})
		a.run("083/comment", func(a *api) {
			m := a.table()
			m.refusesBody(m.update(object{"action": "set-table-comment"}), 400, badInput, "comment")
			m.refuses(400, badInput, setComment(nil))
			m.refuses(400, badInput, setComment(1))
			for _, c := range []string{"it's \"<b>\"\n\x00", ""} {
				v := m.load()
				m.moved(v, m.do(setComment(c)))
				if got := m.comment(); got != c && (c != "" || got != nil) {
					a.Errorf("comment is %q, want %q", got, c)
				}
			}
		})
		a.run("084/domains", func(a *api) {
			m := a.table(both(add("clustering", "protocol", "writer-features"), add("rowTracking", "protocol", "writer-features")))
			for _, d := range []any{
				object{}, nil, []any{}, object{"acme.x": object{}}, object{"acme.x": object{}, "delta.rowTracking": object{"rowIdHighWaterMark": 1}},
				object{"delta.clustering": nil}, object{"delta.clustering": object{}}, object{"delta.clustering": object{"clusteringColumns": nil}},
				object{"delta.clustering": object{"clusteringColumns": []any{[]any{}}}}, object{"delta.clustering": object{"clusteringColumns": []any{[]any{""}}}},
				object{"delta.clustering": object{"clusteringColumns": []any{"id"}}}, object{"delta.rowTracking": object{}},
				object{"delta.rowTracking": object{"rowIdHighWaterMark": nil}}, object{"delta.rowTracking": object{"rowIdHighWaterMark": "1"}},
				object{"delta.rowTracking": object{"rowIdHighWaterMark": overInt64}},
			} {
				m.refusesBody(m.update(act("set-domain-metadata", "updates", d)), 400, badInput, "updates")
			}
			m.refuses(400, badInput, object{"action": "set-domain-metadata"})
			m.refuses(400, badInput, removeDomains("foo"))
			m.refuses(400, badInput, removeDomains(nil))
			m.refuses(400, badInput, object{"action": "remove-domain-metadata"})
			m.refuses(400, badInput, act("remove-domain-metadata", "domains", nil))
			m.do(removeDomains("delta.clustering", "delta.clustering"))
			m.do(act("remove-domain-metadata", "domains", []any{}))
			// A column that is not in the schema may be the physical name of one that is.
			v := m.do(clustering([]any{"col-77"}, []any{"a", "b"}), removeDomains("delta.rowTracking"))
			a.same("clusteringColumns", property(v, "clusteringColumns"), `[["col-77"],["a","b"]]`)
			a.same("no more", property(m.do(removeDomains("delta.clustering")), "clusteringColumns"), nil)
		})
		a.run("085/high-water mark", func(a *api) {
			const key = "delta.rowTracking.rowIdHighWaterMark"
			m := a.table(both(add("clustering", "protocol", "writer-features"), add("rowTracking", "protocol", "writer-features")))
			v := m.load()
			for _, mark := range []json.Number{"0", maxInt64, "-1", "9007199254740993"} {
				w := m.do(rowTracking(mark))
				a.same("mark", property(w, key), string(mark))
				m.still(v, w)
			}
			a.same("mark of a load", property(m.load(), key), "9007199254740993")
			w := m.do(setDomains(object{"delta.rowTracking": object{"rowIdHighWaterMark": 9}, "delta.clustering": object{"clusteringColumns": []any{}}}))
			a.same("mark", property(w, key), "9")
			m.moved(v, w)
			x := m.do(removeDomains("delta.rowTracking"))
			m.moved(w, x)
			a.same("last-commit-version", metadata(x, "last-commit-version"), 0)
		})
		a.run("086/snapshot version", func(a *api) {
			m, x := a.table(), a.external()
			snapshot := func(version, timestamp any) object {
				return object{"action": "update-metadata-snapshot-version", "last-commit-version": version, "last-commit-timestamp-ms": timestamp}
			}
			v := x.load()
			w := x.do(snapshot(42, 4242))
			a.same("last-commit-version", metadata(w, "last-commit-version"), 42)
			a.same("last-commit-timestamp-ms", metadata(w, "last-commit-timestamp-ms"), 4242)
			a.same("delta.lastUpdateVersion", property(w, "delta.lastUpdateVersion"), "42")
			x.moved(v, w)
			x.refuses(400, badInput, edited(snapshot(43, 1), cut("last-commit-version")))
			x.refuses(400, badInput, edited(snapshot(43, 1), cut("last-commit-timestamp-ms")))
			for _, bad := range []any{nil, -1, "43", 1.5, overInt64} {
				x.refuses(400, badInput, snapshot(bad, 1))
				x.refuses(400, badInput, snapshot(43, bad))
			}
			m.refuses(400, badValue, snapshot(1, 1))
			a.same("last-commit-version", metadata(x.do(snapshot(3, 0)), "last-commit-version"), 3)
		})
		a.run("087/all or nothing", func(a *api) {
			m := a.table()
			m.refuses(400, badValue, setProperties(object{"a": "1"}), act("set-partition-columns", "partition-columns", []any{"zz"}))
			m.refuses(400, badValue, setProperties(object{"a": "1"}), setComment("c"), addCommit(3, "f3"))
			a.same("comment", m.comment(), nil)
			m.refuses(400, badValue, addCommit(1, "f1"), clustering([]any{"id"}))
		})
	})
}
