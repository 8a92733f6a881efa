package server_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// TestSparkReplay sends what Spark sent for each statement of a long session, on managed storage of both kinds.
func TestSparkReplay(t *testing.T) {
	for _, scheme := range []string{"file", "s3"} {
		for name, open := range stores {
			t.Run(scheme+"/"+name, func(t *testing.T) {
				t.Parallel()
				s := newSpark(t, open(t), scheme)
				s.namespaces()
				s.tableLife()
				s.otherTables()
				s.externalDelta()
				s.externalParquet()
				s.frames()
				s.drops()
			})
		}
	}
}

func (s *spark) namespaces() {
	s.statement("SHOW SCHEMAS", func(s *spark) {
		s.same("schemas", s.gets("GET", unity+"/schemas?catalog_name=unity&max_results=0", nil), object{"schemas": []any{}})
	})
	s.statement("CREATE SCHEMA unity.sp", func(s *spark) {
		s.misses("GET", unity+"/schemas/unity.sp", 404, "SCHEMA_NOT_FOUND")
		s.gets("POST", unity+"/schemas", object{"name": "sp", "catalog_name": "unity", "properties": object{"owner": "root"}})
	})
	s.statement("DESCRIBE SCHEMA unity.sp", func(s *spark) { s.schema(1) })
	s.statement("SHOW TABLES IN unity.sp", func(s *spark) { s.list("sp") })
	s.statement("SHOW TABLES IN unity.many", func(s *spark) {
		s.gets("POST", unity+"/schemas", object{"name": "many", "catalog_name": "unity"})
		var names []string
		for i := range 101 {
			names = append(names, fmt.Sprintf("t%03d", i))
			s.gets("POST", sparkTables, object{
				"name": names[i], "catalog_name": "unity", "schema_name": "many", "table_type": "EXTERNAL", "data_source_format": "DELTA",
				"columns": []any{}, "storage_location": s.data + "/many/" + names[i], "properties": object{},
			})
		}
		s.list("many", names...)
	})
}

// tableLife is the life of managed1.
func (s *spark) tableLife() {
	for _, name := range []string{"managed1", "managed2"} {
		s.statement("CREATE TABLE "+name, func(s *spark) {
			s.schema(7)
			s.missing(name, 1)
			s.create(name, []string{}, nil, "id integer", "name string")
		})
	}
	s.statement("CREATE TABLE IF NOT EXISTS managed1", func(s *spark) {
		s.schema(7)
		s.load("managed1", 1)
	})
	reads := func(times int, statements ...string) {
		for _, name := range statements {
			s.statement(name, func(s *spark) { s.load("managed1", times) })
		}
	}
	writes := func(statement string, before, after int, more ...object) {
		s.statement(statement, func(s *spark) { s.commit("managed1", before, after, more...) })
	}
	writes("INSERT", 3, 1)
	reads(3, "SELECT")
	writes("INSERT", 3, 1)
	writes("UPDATE", 3, 1)
	writes("DELETE", 3, 1)
	writes("MERGE", 3, 1)
	reads(3, "SELECT", "DESCRIBE HISTORY", "DESCRIBE DETAIL")
	reads(2, "DESCRIBE EXTENDED", "SHOW TBLPROPERTIES")

	wider := sparkColumns("id integer", "name string", "extra double")
	writes("ADD COLUMN", 6, 2, object{"action": "set-columns", "columns": wider}, setProperties(object{"delta.columnMapping.maxColumnId": "3"}))
	writes("INSERT", 3, 1)
	writes("SET TBLPROPERTIES", 4, 2, setProperties(object{"myprop": "v"}))
	writes("UNSET TBLPROPERTIES", 4, 2, object{"action": "remove-properties", "removals": []any{"myprop"}})
	reads(2, "RENAME COLUMN, which the client refuses")
	put("nm", "fields", 1, "metadata", "comment")(wider)
	writes("ALTER COLUMN COMMENT", 5, 3, object{"action": "set-columns", "columns": wider})
	writes("COMMENT ON TABLE", 4, 2, object{"action": "set-table-comment", "comment": "hello"})
	reads(4, "VERSION AS OF 1")
	reads(3, "OPTIMIZE, which the client refuses", "VACUUM, which the client refuses")
	reads(2, "RENAME TO, which the client refuses")

	s.statement("all of it", func(s *spark) {
		v := s.gets("GET", sparkSchema+"/tables/managed1", nil)
		s.same("columns", metadata(v, "columns"), wider)
		s.same("myprop", property(v, "myprop"), nil)
		s.same("maxColumnId", property(v, "delta.columnMapping.maxColumnId"), "3")
		s.has(s.gets("GET", sparkTables+"/unity.sp.managed1"+sparkFlags, nil), object{"comment": "hello", "table_type": "MANAGED", "data_source_format": "DELTA"})
		s.list("sp", "managed1", "managed2")
	})
}

// otherTables are tables that are made with a query, parted and clustered.
func (s *spark) otherTables() {
	s.statement("CREATE TABLE ctas AS SELECT", func(s *spark) {
		s.missing("ctas", 1)
		s.create("ctas", []string{}, object{"delta.rowTracking": object{"rowIdHighWaterMark": 0}}, "id integer", "v string")
	})
	s.statement("CREATE OR REPLACE TABLE ctas AS SELECT", func(s *spark) { s.commit("ctas", 5, 2) })
	s.statement("SELECT", func(s *spark) { s.load("ctas", 3) })
	s.statement("INSERT OVERWRITE", func(s *spark) { s.commit("ctas", 3, 1) })
	s.statement("TRUNCATE TABLE", func(s *spark) { s.commit("ctas", 3, 3) })
	s.statement("CREATE TABLE part PARTITIONED BY (p)", func(s *spark) {
		s.schema(7)
		s.missing("part", 1)
		s.create("part", []string{"p"}, nil, "id integer", "p string")
	})
	s.statement("INSERT INTO part", func(s *spark) { s.commit("part", 3, 1) })
	s.statement("CREATE TABLE clus CLUSTER BY (p)", func(s *spark) {
		s.schema(7)
		s.missing("clus", 1)
		s.create("clus", []string{}, object{"delta.clustering": object{"clusteringColumns": []any{[]any{"col-1"}}}}, "id integer", "p string")
	})
	s.statement("INSERT INTO clus", func(s *spark) { s.commit("clus", 3, 1) })
}

// createExternal registers a table at a location that Spark spells in a way of its own.
func (s *spark) createExternal(name, format string, columns []any, properties object) object {
	s.Helper()
	location := s.data + "/" + name
	sent := strings.Replace(location, "file:///", "file:/", 1)
	s.schema(7)
	s.missing(name, 1)
	if s.cloud {
		v := s.gets("POST", unity+"/temporary-path-credentials", object{"url": location, "operation": "PATH_CREATE_TABLE"})
		s.same("key", at(v, "aws_temp_credentials", "access_key_id"), "AKEY")
	}
	s.gets("POST", sparkTables, object{
		"name": name, "catalog_name": "unity", "schema_name": "sp", "table_type": "EXTERNAL", "data_source_format": format,
		"columns": columns, "storage_location": sent, "properties": properties,
	})
	v := s.gets("GET", sparkTables+"/unity.sp."+name+sparkFlags, nil)
	s.has(v, object{"storage_location": location, "table_type": "EXTERNAL", "data_source_format": format, "properties": object{}})
	if s.cloud {
		keys := s.gets("POST", unity+"/temporary-table-credentials", object{"table_id": v["table_id"], "operation": "READ_WRITE"})
		s.same("key", at(keys, "aws_temp_credentials", "secret_access_key"), "sEcret")
	}
	return v
}

func (s *spark) externalDelta() {
	load := func(s *spark, times int) {
		s.Helper()
		for range times {
			v := s.gets("GET", sparkSchema+"/tables/ext1", nil)
			s.same("version", v["latest-table-version"], nil)
			s.same("columns", metadata(v, "columns"), columns([]any{}...))
		}
	}
	s.statement("CREATE TABLE ext1 USING DELTA LOCATION", func(s *spark) {
		s.createExternal("ext1", "DELTA", []any{}, object{})
		load(s, 1)
		s.credentials(sparkSchema+"/tables/ext1/credentials?operation=READ_WRITE", s.data+"/ext1")
	})
	s.statement("INSERT, SELECT and ALTER TABLE ext1", func(s *spark) { load(s, 6) })
	s.statement("SELECT FROM delta.`…`", func(s *spark) {
		s.misses("GET", delta+"/catalogs/unity/schemas/delta/tables/s3%3A%2F%2Flake%2Ftmp%2Fuc%2Fspark%2Fext%2Fext1", 404, noSchema)
	})
}

// externalParquet: the settings, with the session's token and keys among them, are nowhere afterwards.
func (s *spark) externalParquet() {
	settings := object{}
	for _, k := range sparkSettings {
		settings[k], settings["option."+k] = sparkToken+" of "+k, sparkToken+" of "+k
	}
	other := func(s *spark) {
		s.Helper()
		s.misses("GET", sparkSchema+"/tables/pq", 400, unsupported)
		v := s.gets("GET", sparkTables+"/unity.sp.pq"+sparkFlags, nil)
		s.has(at(v, "columns", 0).(object), object{"name": "id", "type_text": "int", "type_name": "INT", "position": 0, "nullable": true})
	}
	s.statement("CREATE TABLE pq USING PARQUET LOCATION", func(s *spark) {
		column := object{"name": "id", "type_text": "int", "type_json": `{"name":"id","type":"integer","nullable":true,"metadata":{}}`, "type_name": "INT", "position": 0, "nullable": true}
		s.createExternal("pq", "PARQUET", []any{column}, settings)
		for _, n := range dump(s, s.store) {
			for _, kept := range [][]byte{n.Body, n.Log.State, fmt.Append(nil, n.Name, n.Location)} {
				if bytes.Contains(kept, []byte(sparkToken)) || bytes.Contains(kept, []byte("fs.")) {
					s.Errorf("%s %s has settings of the session: %s", n.Kind, n.Name, kept)
				}
			}
		}
	})
	s.statement("INSERT INTO and SELECT FROM pq", func(s *spark) { other(s); other(s) })
	s.statement("SELECT FROM nope", func(s *spark) { s.missing("nope", 1) })
	s.statement("INSERT INTO nosuch.t", func(s *spark) {
		s.misses("GET", delta+"/catalogs/unity/schemas/nosuch/tables/t", 404, noSchema, "nosuch")
	})
}

// frames is what data frames and streams do.
func (s *spark) frames() {
	s.statement("saveAsTable(managed2)", func(s *spark) { s.commit("managed2", 3, 1) })
	s.statement("saveAsTable(dfnew)", func(s *spark) {
		s.missing("dfnew", 2)
		s.create("dfnew", []string{}, object{"delta.rowTracking": object{"rowIdHighWaterMark": 1}}, "id integer", "name string")
	})
	s.statement("writeTo(managed2).append()", func(s *spark) { s.commit("managed2", 3, 1) })
	s.statement("streaming write", func(s *spark) {
		s.commit("managed2", 3, 1)
		s.commit("managed2", 3, 4)
	})
	s.statement("streaming read", func(s *spark) { s.load("managed2", 10) })
	s.statement("17 inserts", func(s *spark) {
		for range 17 {
			s.commit("managed2", 3, 1)
		}
		s.load("managed2", 1)
	})
	s.statement("SHOW TABLES", func(s *spark) { s.list("sp", "clus", "ctas", "dfnew", "ext1", "managed1", "managed2", "part", "pq") })
}

// drops ends all. The answer to a DELETE is {}, and not a text as of the Java server: the client takes both.
func (s *spark) drops() {
	for _, name := range []string{"managed1", "managed1r", "managed2", "ctas", "part", "clus", "ext1", "pq", "dfnew"} {
		s.statement("DROP TABLE IF EXISTS "+name, func(s *spark) {
			switch name {
			case "managed1r":
				s.missing(name, 1)
				return
			case "pq":
				s.misses("GET", sparkSchema+"/tables/pq", 400, unsupported)
			default:
				s.gets("GET", sparkSchema+"/tables/"+name, nil)
			}
			s.gets("GET", sparkTables+"/unity.sp."+name+sparkFlags, nil)
			s.same("deleted", s.gets("DELETE", sparkTables+"/unity.sp."+name, nil), object{})
		})
	}
	s.statement("DROP SCHEMA unity.sp", func(s *spark) {
		s.list("sp")
		s.schema(1)
		s.same("deleted", s.gets("DELETE", unity+"/schemas/unity.sp?force=false", nil), object{})
		s.misses("GET", unity+"/schemas/unity.sp", 404, "SCHEMA_NOT_FOUND")
	})
}
