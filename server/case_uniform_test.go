package server_test

import (
	"fmt"
	"testing"
)

const formats = "delta.universalFormat.enabledFormats"

func uniform(location string, version int64) object {
	return object{"iceberg": object{"metadata-location": location, "converted-delta-version": version, "converted-delta-timestamp": 1000}}
}

// converted is a commit that comes with its conversion.
func (t *tab) converted(version int64, edits ...edit) object {
	c := addCommit(version, fmt.Sprint("f", version))
	c["uniform"] = edited(uniform(t.location+fmt.Sprintf("/metadata/v%d.json", version), version), edits...)
	return c
}

// uniformTable makes a UniForm table.
func (a *api) uniformTable() *tab {
	a.Helper()
	return a.table(func(req object) {
		put("iceberg", "properties", formats)(req)
		put(uniform(req["location"].(string)+"/metadata/v0.json", 0), "uniform")(req)
	})
}

func TestUniform(t *testing.T) {
	onEachStore(t, func(t *testing.T, a *api) {
		a.run("045/create", func(a *api) {
			for name, test := range map[string]struct {
				edit edit
				ok   bool
			}{
				"as it should be":             {func(object) {}, true},
				"version 1":                   {put(1, "uniform", "iceberg", "converted-delta-version"), true},
				"formats with blanks":         {put("hudi , iceberg", "properties", formats), true},
				"dots inside":                 {within("/a/../m.json"), true},
				"no formats":                  {cut("properties", formats), false},
				"other formats":               {put("icebergs,hudi", "properties", formats), false},
				"no uniform":                  {cut("uniform"), false},
				"null uniform":                {put(nil, "uniform"), false},
				"no iceberg":                  {cut("uniform", "iceberg"), false},
				"version 5":                   {put(5, "uniform", "iceberg", "converted-delta-version"), false},
				"version -1":                  {put(-1, "uniform", "iceberg", "converted-delta-version"), false},
				"base":                        {put(0, "uniform", "iceberg", "base-converted-delta-version"), false},
				"no location":                 {cut("uniform", "iceberg", "metadata-location"), false},
				"no version":                  {cut("uniform", "iceberg", "converted-delta-version"), false},
				"no timestamp":                {cut("uniform", "iceberg", "converted-delta-timestamp"), false},
				"timestamp 0":                 {put(0, "uniform", "iceberg", "converted-delta-timestamp"), false},
				"location of another table":   {put("file:///managed/__unitystorage/tables/x/m.json", "uniform", "iceberg", "metadata-location"), false},
				"location in another storage": {put("s3://bkt/m.json", "uniform", "iceberg", "metadata-location"), false},
				"location of the table":       {within(""), false},
				"location with a slash":       {within("/"), false},
				"sibling of the location":     {within("2/m.json"), false},
				"out by dots":                 {within("/../m.json"), false},
			} {
				staged := a.stage(a.fresh())
				req := createBody(a.fresh(), staged)
				req["properties"].(object)[formats] = "iceberg"
				req["uniform"] = uniform(req["location"].(string)+"/metadata/v0.json", 0)
				test.edit(req)
				if !test.ok {
					a.fails("POST", t1, body(req), 400, badInput)
					continue
				}
				v := a.ok("POST", t1, body(req))
				a.same(name, v["uniform"], req["uniform"])
			}
		})
		a.run("106/commit", func(a *api) {
			m := a.table()
			v := m.load()
			m.refuses(400, badValue, m.converted(1))
			on := setProperties(object{formats: "iceberg"})
			m.refuses(400, badValue, addCommit(1, "f1"), on)
			const version, location = "converted-delta-version", "metadata-location"
			for _, e := range []edit{
				put(2, "iceberg", version), put(0, "iceberg", version), cut("iceberg", version),
				put("file:///elsewhere/m.json", "iceberg", location), put(m.location, "iceberg", location), cut("iceberg", location),
				cut("iceberg", "converted-delta-timestamp"), put(0, "iceberg", "converted-delta-timestamp"),
				cut("iceberg"), put(nil, "iceberg"),
			} {
				m.refuses(400, badInput, m.converted(1, e), on)
			}
			w := m.do(m.converted(1), on)
			a.same("uniform", w["uniform"], m.converted(1)["uniform"])
			a.same("load", m.load(), w)
			m.moved(v, w)
			a.same("last-commit-version", metadata(w, "last-commit-version"), 1)
			// The conversion is visible metadata, but no metadata of the commit.
			x := m.do(m.converted(2))
			m.moved(w, x)
			a.same("last-commit-version", metadata(x, "last-commit-version"), 1)
		})
		a.run("107/commit without, and end", func(a *api) {
			for _, off := range []object{setProperties(object{formats: "hudi"}), removeProperties(formats)} {
				m := a.uniformTable()
				m.refuses(400, badValue, addCommit(1, "f1"))
				v := m.do(m.converted(1))
				a.same("uniform after backfill", m.do(backfill(1))["uniform"], v["uniform"])
				if w, ok := m.do(off)["uniform"]; ok {
					a.Errorf("uniform is still %v", w)
				}
				m.shows(m.commit(2, "f2"), "2 of 2")
			}
			m := a.uniformTable()
			if w, ok := m.commit(1, "f1", removeProperties(formats))["uniform"]; ok {
				a.Errorf("uniform is still %v", w)
			}
		})
		a.run("108/base", func(a *api) {
			m := a.uniformTable()
			m.do(m.converted(1))
			base := func(v int64) edit { return put(v, "iceberg", "base-converted-delta-version") }
			m.refuses(409, requirement, m.converted(2, base(0)))
			m.refuses(409, requirement, m.converted(2, base(2)))
			v := m.do(m.converted(2, base(1)))
			a.same("base", at(v, "uniform", "iceberg", "base-converted-delta-version"), 1)
		})
	})
}

// within sets the metadata location to the table's with a suffix.
func within(suffix string) edit {
	return func(req object) {
		put(req["location"].(string)+suffix, "uniform", "iceberg", "metadata-location")(req)
	}
}
