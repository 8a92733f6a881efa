package server_test

import (
	"encoding/json"
	"testing"
	"time"
)

// isoUniform is function uniform as the commits API spells it.
func isoUniform(location string, version int64) object {
	return object{"iceberg": object{"metadata_location": location, "converted_delta_version": version, "converted_delta_timestamp": "2025-01-04T03:13:11.423Z"}}
}

func TestPreviewUniform(t *testing.T) {
	const (
		location  = "metadata_location"
		version   = "converted_delta_version"
		timestamp = "converted_delta_timestamp"
		base      = "base_converted_delta_version"
	)
	onEachStore(t, func(t *testing.T, a *api) {
		converted := func(m *tab, v int64, edits ...edit) edit {
			u := edited(isoUniform(m.location+"/metadata/v.json", v), edits...)
			return both(withInfo(v, "f"+string(rune('0'+v))), put(u, "uniform"))
		}
		a.run("106/commit", func(a *api) {
			m := a.table()
			on := m.withProperties(put("iceberg", formats))
			m.refusesPreview(400, invalid, "uniform", converted(m, 1))
			m.refusesPreview(400, invalid, "uniform", withInfo(1, "f1"), on)
			before := m.load()
			v := m.previews(converted(m, 1), on)
			a.same("uniform", v["uniform"], object{"iceberg": object{
				"metadata-location": m.location + "/metadata/v.json", "converted-delta-version": 1,
				"converted-delta-timestamp": time.Date(2025, 1, 4, 3, 13, 11, 423e6, time.UTC).UnixMilli(),
			}})
			m.moved(before, v)
			// The conversion is visible metadata, but no metadata of the commit.
			w := m.previews(converted(m, 2))
			m.moved(v, w)
			a.same("last-commit-version", metadata(w, "last-commit-version"), 1)
			a.same("replay", m.previews(converted(m, 2, put("2025-01-05T00:00:00Z", "iceberg", timestamp))), w)
		})
		a.run("106/refused", func(a *api) {
			m := a.uniformTable()
			bad := func(place string, edits ...edit) {
				a.Helper()
				m.refusesPreview(400, invalid, place, converted(m, 1, edits...))
			}
			bad("iceberg", cut("iceberg"))
			bad("iceberg", put(nil, "iceberg"))
			bad("iceberg", put("x", "iceberg"))
			bad("iceberg", put(object{}, "iceberg"))
			for _, k := range []string{location, version, timestamp} {
				for _, e := range []edit{cut("iceberg", k), put(nil, "iceberg", k), put("", "iceberg", k), put(true, "iceberg", k), put(object{}, "iceberg", k)} {
					bad("", e)
				}
			}
			for _, v := range []any{0, 2, -1, "1", 1.5, overInt64} {
				bad("", put(v, "iceberg", version))
			}
			for _, l := range []string{m.location, m.location + "/", m.location + "2/m.json", m.location + "/../m.json", "s3://bkt/m.json", "relative"} {
				bad("", put(l, "iceberg", location))
			}
			m.refusesPreview(400, invalid, "uniform", withInfo(1, "f1"), put("x", "uniform"))
			m.refusesPreview(400, invalid, "uniform", withInfo(1, "f1")) // the table is UniForm
			m.refusesPreview(400, invalid, "uniform", withInfo(1, "f1"), put(nil, "uniform"))
		})
		a.run("106/names are those of this API", func(a *api) {
			m := a.uniformTable()
			for _, k := range []string{location, version, timestamp} {
				m.refusesPreview(400, invalid, "uniform.iceberg."+k, converted(m, 1, cut("iceberg", k)))
			}
			m.refusesPreview(400, invalid, "uniform.iceberg."+version, converted(m, 1, put(2, "iceberg", version)))
		})
		a.run("d21/instants", func(a *api) {
			m := a.uniformTable()
			instant := func(text any) edit { return put(text, "iceberg", timestamp) }
			for _, text := range []any{
				"2025-01-04T03:13:11+01:00", "2025-01-04T03:13:11.423-00:30", "2025-01-04T03:13:11", "2025-01-04", "2025-01-04 03:13:11Z", "03:13:11Z", "1736000000000", 1736000000000,
				"2025-13-04T03:13:11Z", "2025-02-29T03:13:11Z", "2025-01-04T24:13:11Z", "2025-01-04T03:60:11Z", "2025-01-04T03:13:11Z ", "x", " ",
				"1970-01-01T00:00:00Z", "1969-12-31T23:59:59Z", // not positive
			} {
				m.refusesPreview(400, invalid, "timestamp", converted(m, 1, instant(text)))
			}
			noon := time.Date(2025, 1, 4, 12, 0, 0, 0, time.UTC).UnixMilli()
			for i, c := range []struct {
				text string
				want int64
			}{
				{"2025-01-04T12:00:00Z", noon}, {"2025-01-04T12:00:00+00:00", noon}, {"2025-01-04T12:00:00.5Z", noon + 500}, {"2025-01-04T12:00:00.042+00:00", noon + 42},
				{"2025-01-04T12:00:00.123456Z", noon + 123}, {"2025-01-04T12:00:00.123456789Z", noon + 123}, {"1970-01-01T00:00:00.001Z", 1},
			} {
				v := m.previews(converted(m, int64(i+1), instant(c.text)))
				a.same(c.text, at(v, "uniform", "iceberg", "converted-delta-timestamp"), c.want)
			}
		})
		a.run("107/commit without, and end", func(a *api) {
			m := a.uniformTable()
			v := m.previews(converted(m, 1))
			a.same("uniform after backfill", m.previews(withBackfill(1))["uniform"], v["uniform"])
			if w, ok := m.previews(withInfo(2, "f2"), m.withProperties(cut(formats)))["uniform"]; ok {
				a.Errorf("uniform is still %v", w)
			}
			m.refusesPreview(400, invalid, "uniform", converted(m, 3))
		})
		a.run("108/base", func(a *api) {
			m := a.uniformTable()
			m.previews(converted(m, 1, put(nil, "iceberg", base)))
			for _, v := range []int64{0, 2} {
				m.refusesPreview(409, "ABORTED", "", converted(m, 2, put(v, "iceberg", base)))
			}
			v := m.previews(converted(m, 2, put(1, "iceberg", base)))
			a.same("base", at(v, "uniform", "iceberg", "base-converted-delta-version"), 1)
			m.do(m.converted(3)) // by the other door
			m.refusesPreview(409, "ABORTED", "", converted(m, 4, put(2, "iceberg", base)))
			m.previews(converted(m, 4, put(3, "iceberg", base)))
		})
	})
}

// TestPreviewWrongKinds puts a value of each wrong kind at each place of a good request.
func TestPreviewWrongKinds(t *testing.T) {
	onEachStore(t, func(t *testing.T, a *api) {
		m := a.uniformTable()
		all := both(withInfo(1, "f1"), withBackfill(0), describe("c"), m.withProperties(put("v", "key")), put(isoUniform(m.location+"/m.json", 1), "uniform"), withColumns(column("x", "decimal(5,1)",
			put("DECIMAL", "type_name"), put(`"decimal(5,1)"`, "type_json"), put(5, "type_precision"), put(1, "type_scale"), put("c", "comment"), put(true, "nullable"), placed(0, 0))))
		good := m.preview(all)
		try := func(path []any, value any) {
			t.Helper()
			place := ""
			for _, step := range path {
				if s, ok := step.(string); ok && place != "properties" {
					place = s
				}
			}
			a.fails("POST", preview, body(edited(a.decode([]byte(good)), put(value, path...))), 400, invalid, place)
		}
		before := m.load()
		for k, v := range a.decode([]byte(good)) {
			places(v, []any{k}, func(path []any, v any) {
				for _, w := range wrongKinds(v) {
					try(path, w)
				}
				if _, ok := v.(json.Number); ok {
					for _, w := range []any{overInt64, json.Number("1e3"), json.Number("1.0"), "1"} {
						try(path, w)
					}
				}
			})
		}
		a.same("table", m.load(), before)
		a.ok("POST", preview, good) // after all this it is still good
	})
}
