package server_test

import (
	"fmt"
	"maps"
	"testing"
)

// describe sets the description that a commit brings; nil leaves it.
func describe(text any) edit {
	return func(v object) {
		m, _ := v["metadata"].(object)
		v["metadata"] = object{"description": text}
		maps.Copy(v["metadata"].(object), m)
	}
}

func withMetadata(value any, member string) edit {
	return func(v object) {
		if _, ok := v["metadata"]; !ok {
			v["metadata"] = object{}
		}
		v["metadata"].(object)[member] = value
	}
}

// withProperties sends all properties that the table has, as the log would have them, after edits.
func (t *tab) withProperties(edits ...edit) edit {
	p := edited(maps.Clone(metadata(t.load(), "properties").(object)), edits...)
	return withMetadata(object{"properties": p}, "properties")
}

func withColumns(list ...any) edit { return withMetadata(object{"columns": list}, "schema") }

func column(name, text string, edits ...edit) object {
	return edited(object{"name": name, "type_text": text}, edits...)
}

func placed(position, partition int) edit {
	return both(put(position, "position"), put(partition, "partition_index"))
}

func TestPreviewMetadata(t *testing.T) {
	onEachStore(t, func(t *testing.T, a *api) {
		first := withInfo(1, "f1")
		a.run("122/refused", func(a *api) {
			m := a.table()
			bad := func(place string, edits ...edit) {
				a.Helper()
				m.refusesPreview(400, invalid, place, edits...)
			}
			bad("metadata", withBackfill(0), describe("c"))
			bad("commit_info", describe("c"))
			m.commit(1, "f1")
			bad("metadata", withBackfill(1), describe("c"))
			bad("uniform", withBackfill(1), put(isoUniform(m.location+"/m.json", 1), "uniform"))
			second := withInfo(2, "f2")
			for _, v := range []any{object{}, object{"new": 1}, object{"description": nil, "schema": nil, "properties": nil}} {
				bad("metadata", second, put(v, "metadata"))
			}
			for _, v := range []any{"x", []any{}, 7} {
				bad("metadata", second, put(v, "metadata"))
				bad("schema", second, withMetadata(v, "schema"))
				bad("properties", second, withMetadata(v, "properties"))
			}
			bad("description", second, describe(7))
			bad("properties", second, m.withProperties(put(7, "key")))
			bad("properties", second, m.withProperties(put("x", "")))
			for _, v := range []any{object{}, object{"properties": nil}, object{"properties": object{}}, object{"new": object{}}} {
				bad("io.unitycatalog.tableId", second, withMetadata(v, "properties"))
			}
			for _, e := range []edit{cut("io.unitycatalog.tableId"), put("", "io.unitycatalog.tableId"), put(absentID, "io.unitycatalog.tableId"), put("x"+m.id, "io.unitycatalog.tableId")} {
				bad("io.unitycatalog.tableId", second, m.withProperties(e))
			}
			for _, v := range []any{object{}, object{"columns": nil}, object{"columns": []any{}}} {
				bad("", second, withMetadata(v, "schema"))
			}
			// One part that is wrong takes all of them, and the commit, with it.
			bad("", second, describe("c"), withColumns(column("x", "nope")))
			bad("", second, describe("c"), m.withProperties(cut("delta.checkpointPolicy")), withColumns(column("x", "int")))
		})
		a.run("122/description", func(a *api) {
			m := a.table(put("old", "comment"))
			m.previews(first)
			a.same("comment", m.comment(), "old")
			before := m.load()
			after := m.previews(withInfo(2, "f2"), describe("new <&>"))
			a.same("comment", m.comment(), "new <&>")
			m.moved(before, after)
			m.previews(withInfo(3, "f3"), m.withProperties(put("v", "key")))
			m.previews(withInfo(4, "f4"), describe(nil), m.withProperties())
			a.same("comment", m.comment(), "new <&>")
			m.previews(withInfo(5, "f5"), describe(""))
			a.same("comment", m.comment(), nil)
		})
		a.run("122/stamps", func(a *api) {
			m := a.table()
			before := m.load()
			v := m.previews(first)
			m.still(before, v)
			a.same("last-commit-version", metadata(v, "last-commit-version"), 0)
			w := m.previews(withInfo(2, "f2"), describe("c"))
			a.same("last-commit-version", metadata(w, "last-commit-version"), 2)
			a.same("last-commit-timestamp-ms", metadata(w, "last-commit-timestamp-ms"), 1002)
			a.same("delta.lastUpdateVersion", property(w, "delta.lastUpdateVersion"), "2")
			a.same("delta.lastCommitTimestamp", property(w, "delta.lastCommitTimestamp"), "1002")
			x := m.previews(withInfo(3, "f3"), withBackfill(1))
			m.still(w, x)
			a.same("last-commit-version", metadata(x, "last-commit-version"), 2)
		})
		a.run("122/properties", func(a *api) {
			m := a.table()
			m.do(setProperties(object{"gone": "1", "stays": "2", "changes": "3"}))
			had := metadata(m.load(), "properties").(object)
			// Older clients send the whole configuration of the log, which may be older than the table.
			v := m.previews(first, m.withProperties(cut("gone"), put("4", "changes"), put("", "new"),
				put("17", "delta.lastUpdateVersion"), cut("delta.lastCommitTimestamp"), put("9", "delta.minReaderVersion"), cut("delta.feature.catalogManaged"), put("supported", "delta.feature.no")))
			want := edited(maps.Clone(had), cut("gone"), put("4", "changes"), put("", "new"), put("1", "delta.lastUpdateVersion"), put("1001", "delta.lastCommitTimestamp"))
			a.same("properties", metadata(v, "properties"), want)
			w := m.previews(withInfo(2, "f2"), m.withProperties(cut("changes"), cut("new")))
			a.same("properties", metadata(w, "properties"), edited(want, cut("changes"), cut("new"), put("2", "delta.lastUpdateVersion"), put("1002", "delta.lastCommitTimestamp")))
		})
		a.run("122/properties of the contract", func(a *api) {
			m := a.table()
			for k := range a.stage(a.fresh())["required-properties"].(object) {
				m.refusesPreview(400, invalid, k, first, m.withProperties(cut(k)))
				m.refusesPreview(400, invalid, k, first, m.withProperties(put("x", k)))
			}
		})
		a.run("122/domains stay", func(a *api) {
			m := a.table(add("clustering", "protocol", "writer-features"), add("rowTracking", "protocol", "writer-features"), put(object{
				"delta.clustering": object{"clusteringColumns": []any{[]any{"id"}}}, "delta.rowTracking": object{"rowIdHighWaterMark": 7},
			}, "domain-metadata"))
			v := m.previews(first, m.withProperties(cut("clusteringColumns"), put("9", "delta.rowTracking.rowIdHighWaterMark")))
			a.same("clustering", property(v, "clusteringColumns"), `[["id"]]`)
			a.same("high-water mark", property(v, "delta.rowTracking.rowIdHighWaterMark"), "7")
		})
		a.run("122/columns", func(a *api) {
			m := a.table()
			before := m.load()
			v := m.previews(first, withColumns(column("b", "array<int>", put(1, "position")), column("a", "decimal(10,2)", put(0, "position"), put(false, "nullable"), put("c", "comment"))))
			a.same("columns", metadata(v, "columns"), columns(
				edited(field("a", "decimal(10,2)"), put(false, "nullable"), put(object{"comment": "c"}, "metadata")),
				field("b", array("integer"))))
			a.same("last-commit-version", metadata(v, "last-commit-version"), 1)
			m.moved(before, v)
			bad := func(place string, list ...any) {
				a.Helper()
				m.refusesPreview(400, invalid, place, withInfo(2, "f2"), withColumns(list...))
			}
			bad("columns[0]", column("", "int"))
			bad("columns[1]", column("x", "int"), column("X", "int"))
			bad("columns[0]", column("x", "nope"))
			bad("columns[0]", object{"name": "x"})
			bad("columns", nil)
			bad("position", column("x", "int", put("1", "position")))
			// Delta has no such types.
			bad("columns", column("x", "interval day to second"))
			bad("columns", column("x", "void"))
		})
		a.run("122/partitions", func(a *api) {
			m := a.table(put([]any{"ID"}, "partition-columns"))
			version := int64(0)
			parts := func(edits ...edit) any {
				a.Helper()
				version++
				return metadata(m.previews(append(edits, withInfo(version, "f"))...), "partition-columns")
			}
			// Without indexes the table stays partitioned as it is.
			a.same("kept", parts(withColumns(column("Id", "int", put(0, "position")), column("x", "int", put(1, "position")))), []any{"Id"})
			a.same("given", parts(withColumns(column("x", "int", placed(0, 1)), column("y", "int", placed(1, 0)))), []any{"y", "x"})
			a.same("description alone", parts(describe("c")), []any{"y", "x"})
			bad := func(place string, list ...any) {
				a.Helper()
				m.refusesPreview(400, invalid, place, withInfo(4, "f4"), withColumns(list...))
			}
			bad("x", column("y", "int"), column("z", "int")) // a partition column is gone
			bad("partition", column("y", "int", placed(0, 0)), column("x", "int", placed(1, 0)))
			bad("partition", column("y", "int", placed(0, 1)), column("x", "int"))
			bad("partition", column("y", "int", placed(0, -1)), column("x", "int"))
			bad("partition_index", column("y", "int", put("0", "partition_index")), column("x", "int"))
		})
		a.run("122/many columns", func(a *api) {
			m := a.table()
			list := make([]any, 32_769)
			for i := range list {
				list[i] = column(fmt.Sprint("c", i), "int", put(i, "position"))
			}
			a.fails("POST", preview, m.preview(first, withColumns(list...)), 400, invalid, "columns") // maxItems of ColumnInfos is 32,768
			m.previews(first, withColumns(list[1:]...))
		})
		a.run("122/column mapping", func(a *api) {
			m := a.table()
			mapped := func(name, id string) object {
				return column(name, "int", put(`{"name":"`+name+`","type":"integer","nullable":true,"metadata":{"delta.columnMapping.id":`+id+`,"delta.columnMapping.physicalName":"p`+id+`"}}`, "type_json"))
			}
			on := m.withProperties(put("name", "delta.columnMapping.mode"))
			m.refusesPreview(400, invalid, "delta.columnMapping", first, on, withColumns(column("x", "int")))
			m.refusesPreview(400, invalid, "delta.columnMapping", first, on, withColumns(mapped("x", "1"), mapped("y", "1")))
			m.previews(first, on) // as clients do, without columns
			m.refusesPreview(400, invalid, "delta.columnMapping", withInfo(2, "f2"), withColumns(column("x", "int")))
			v := m.previews(withInfo(2, "f2"), withColumns(mapped("x", "1"), mapped("y", "2")))
			a.same("id", at(metadata(v, "columns"), "fields", 1, "metadata", "delta.columnMapping.id"), 2)
		})
		a.run("124/both doors", func(a *api) {
			m := a.table()
			m.do(setProperties(object{"a": "1"}))
			m.previews(first, describe("c"))
			a.same("property", property(m.load(), "a"), "1")
			v := m.commit(2, "f2", setComment("d"))
			a.same("comment", m.comment(), "d")
			m.fails("POST", m.path, m.with(etagIs("wrong"), setComment("e")), 409, requirement)
			m.previews(withInfo(3, "f3"), describe("e"))
			m.fails("POST", m.path, m.with(etagIs(metadata(v, "etag")), setComment("f")), 409, requirement) // it moved
			a.same("comment", m.comment(), "e")
		})
	})
}
