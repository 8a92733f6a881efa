package server_test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/credentials/static"
	"github.com/leveelake/catalog/server"
	"github.com/leveelake/catalog/storage"
)

// What Spark sends for its statements, as recorded of delta-spark 4.4.0.

const (
	sparkToken   = "t0ken-of-the-session"
	sparkTables  = unity + "/tables"
	sparkSchema  = delta + "/catalogs/unity/schemas/sp"
	sparkFlags   = "?read_streaming_table_as_managed=true&read_materialized_view_as_managed=true"
	sparkMetrics = `"num-files-added":1,"num-bytes-added":700,"num-files-removed":0,"num-bytes-removed":0,"num-rows-inserted":2,"num-rows-removed":0,"num-rows-updated":0`
)

// sparkSettings are what the client sends as the properties of a table that is not of Delta, and besides with option. before them.
var sparkSettings = []string{
	"fs.AbstractFileSystem.s3.impl", "fs.AbstractFileSystem.s3.impl.original", "fs.AbstractFileSystem.s3a.impl", "fs.AbstractFileSystem.s3a.impl.original",
	"fs.s3.impl", "fs.s3.impl.disable.cache", "fs.s3.impl.original", "fs.s3a.aws.credentials.provider", "fs.s3a.impl", "fs.s3a.impl.disable.cache",
	"fs.s3a.impl.original", "fs.s3a.init.access.key", "fs.s3a.init.credential.expired.time", "fs.s3a.init.secret.key", "fs.s3a.init.session.token",
	"fs.s3a.path.style.access", "fs.unitycatalog.auth.token", "fs.unitycatalog.auth.type", "fs.unitycatalog.cred.context.id", "fs.unitycatalog.cred.prefixes",
	"fs.unitycatalog.credentials.type", "fs.unitycatalog.engine.version.Delta", "fs.unitycatalog.engine.version.Java", "fs.unitycatalog.engine.version.Scala",
	"fs.unitycatalog.engine.version.Spark", "fs.unitycatalog.path", "fs.unitycatalog.path.operation", "fs.unitycatalog.uri",
}

// A spark is the client side of a session with catalog unity.
type spark struct {
	*api
	store  storage.Store
	cloud  bool   // the files are in s3: credentials are asked for
	data   string // where external tables go
	tables map[string]*sparkTable
}

// A sparkTable is what Spark knows of a managed table.
type sparkTable struct {
	name, id string
	version  int
	metadata object // as it was created
}

func newSpark(t *testing.T, store storage.Store, scheme string) *spark {
	t.Helper()
	cfg := catalog.Config{Store: store, ManagedRoot: "file:///lake/root"}
	s := &spark{store: store, data: "file:///lake/data", tables: map[string]*sparkTable{}}
	if s.cloud = scheme == "s3"; s.cloud {
		keys := map[string]string{"s3.access-key-id": "AKEY", "s3.secret-access-key": "sEcret", "s3.session-token": "stoken"}
		vendor, err := static.New(static.Config{Prefix: "s3://lake", Keys: keys})
		if err != nil {
			t.Fatal(err)
		}
		cfg.Vendor, cfg.ManagedRoot, s.data = vendor, "s3://lake/root", "s3://lake/data"
	}
	c, err := catalog.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	s.api = &api{TB: t, handler: validated(t, server.New(c, server.Config{}))}
	s.ok("POST", unity+"/catalogs", `{"name":"unity"}`)
	return s
}

// statement replays one.
func (s *spark) statement(name string, fn func(s *spark)) {
	s.TB.(*testing.T).Run(name, func(t *testing.T) {
		here := *s
		here.api = &api{TB: t, handler: s.handler}
		fn(&here)
	})
}

// send sends a request as the client does on a new connection.
func (s *spark) send(method, path, body string) *http.Response {
	header := []string{
		"Connection", "Upgrade, HTTP2-Settings", "Upgrade", "h2c", "HTTP2-Settings", "AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA",
		"Accept", "application/json", "Authorization", "Bearer " + sparkToken,
		"User-Agent", "UnityCatalog-Java-Client/0.6.0 Delta/4.4.0 Spark/4.1.0 Scala/2.13.17 Java/17.0.15",
	}
	if body != "" {
		header = append(header, "Content-Type", "application/json")
	}
	return s.serve(method, path, body, header...)
}

// gets sends a request that must be answered with 200, or with 204 and nothing.
func (s *spark) gets(method, path string, request any) object {
	s.Helper()
	sent := ""
	if request != nil {
		sent = body(request)
	}
	res := s.send(method, path, sent)
	data, err := io.ReadAll(res.Body)
	if res.StatusCode == http.StatusNoContent && len(data) == 0 {
		return nil
	}
	if err != nil || res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "application/json" {
		s.Fatalf("%s %s %.500s: %d %s %.500s %v", method, path, sent, res.StatusCode, res.Header.Get("Content-Type"), data, err)
	}
	return s.decode(data)
}

func (s *spark) misses(method, path string, status int, code string, words ...string) {
	s.Helper()
	s.refusedAs(s.send(method, path, ""), method+" "+path, status, code, words...)
}

// schema is what CREATE TABLE with columns asks, times and again.
func (s *spark) schema(times int) {
	s.Helper()
	for range times {
		s.has(s.gets("GET", unity+"/schemas/unity.sp", nil), object{"name": "sp", "catalog_name": "unity", "full_name": "unity.sp"})
	}
}

// list is SHOW TABLES. The Java server takes 0 for its usual page, and here it is all.
func (s *spark) list(schema string, want ...string) {
	s.Helper()
	v := s.gets("GET", sparkTables+"?catalog_name=unity&schema_name="+schema+"&max_results=0", nil)
	var got []string
	for _, t := range v["tables"].([]any) {
		got = append(got, t.(object)["name"].(string))
	}
	s.same("tables", got, want)
	s.same("next page", v["next_page_token"], nil)
}

func (s *spark) missing(name string, times int) {
	s.Helper()
	for range times {
		s.misses("GET", sparkSchema+"/tables/"+name, 404, noTable)
	}
}

// load loads a managed table, of which all but the last commit must be backfilled.
func (s *spark) load(name string, times int) {
	s.Helper()
	t := s.tables[name]
	for range times {
		v := s.gets("GET", sparkSchema+"/tables/"+name, nil)
		s.same("version", v["latest-table-version"], t.version)
		s.same("commits", len(v["commits"].([]any)), min(t.version, 1))
		s.same("uuid", metadata(v, "table-uuid"), t.id)
	}
}

func (s *spark) credentials(path, prefix string) {
	s.Helper()
	if !s.cloud {
		return
	}
	s.has(at(s.gets("GET", path, nil), "storage-credentials", 0).(object), object{
		"prefix": prefix + "/", "operation": "READ_WRITE",
		"config": object{"s3.access-key-id": "AKEY", "s3.secret-access-key": "sEcret", "s3.session-token": "stoken"},
	})
}

// create makes a managed table, after its name was found to be free.
func (s *spark) create(name string, partition []string, domains object, columns ...string) {
	s.Helper()
	staged := s.gets("POST", sparkSchema+"/staging-tables", object{"name": name})
	id, location := staged["table-id"].(string), staged["location"].(string)
	s.credentials(delta+"/staging-tables/"+id+"/credentials", location)

	// All that is suggested is taken.
	protocol := maps.Clone(staged["required-protocol"].(object))
	for _, f := range []string{"reader-features", "writer-features"} {
		protocol[f] = append(protocol[f].([]any), at(staged, "suggested-protocol", f).([]any)...)
	}
	protocol["writer-features"] = append(protocol["writer-features"].([]any), "invariants", "appendOnly")
	if domains["delta.clustering"] != nil {
		protocol["writer-features"] = append(protocol["writer-features"].([]any), "clustering")
	}
	properties := maps.Clone(staged["required-properties"].(object))
	maps.Copy(properties, staged["suggested-properties"].(object))
	properties["delta.columnMapping.maxColumnId"] = fmt.Sprint(len(columns))
	properties["delta.rowTracking.materializedRowIdColumnName"] = "_row-id-col-" + uuid.NewString()
	properties["delta.rowTracking.materializedRowCommitVersionColumnName"] = "_row-commit-version-col-" + uuid.NewString()

	t := &sparkTable{name: name, id: id, metadata: sparkColumns(columns...)}
	request := object{
		"name": name, "location": location, "table-type": "MANAGED", "columns": t.metadata, "partition-columns": partition,
		"protocol": protocol, "properties": properties, "last-commit-timestamp-ms": 1000,
	}
	if domains != nil {
		request["domain-metadata"] = domains
	}
	s.has(s.gets("POST", sparkSchema+"/tables", request), object{"latest-table-version": 0, "commits": []any{}})
	s.tables[name] = t
	s.credentials(sparkSchema+"/tables/"+name+"/credentials?operation=READ_WRITE", location)
	s.load(name, 1)
}

// sparkColumns are columns, each given as its name and type, mapped by name.
func sparkColumns(list ...string) object {
	var fields []any
	for i, c := range list {
		name, kind, _ := strings.Cut(c, " ")
		fields = append(fields, edited(field(name, kind), put(object{"delta.columnMapping.id": i + 1, "delta.columnMapping.physicalName": "col-" + uuid.NewString()}, "metadata")))
	}
	return columns(fields...)
}

// commit is a statement that writes, with all that it loads before and after.
func (s *spark) commit(name string, before, after int, more ...object) {
	s.Helper()
	s.load(name, before)
	t := s.tables[name]
	t.version++
	add := addCommit(int64(t.version), fmt.Sprintf("%020d.%s.json", t.version, uuid.NewString()))
	v := s.gets("POST", sparkSchema+"/tables/"+name, object{
		"requirements": []any{object{"type": "assert-table-uuid", "uuid": t.id}},
		"updates":      append([]object{add, backfill(int64(t.version - 1))}, more...),
	})
	s.has(v, object{"latest-table-version": t.version})
	s.load(name, after)
	bins := strings.Repeat("0,", 94) + "0"
	bounds := "0"
	for i := range 94 {
		bounds += fmt.Sprint(",", (i+1)*8192)
	}
	report := fmt.Sprintf(`{"table-id":%q,"report":{"commit-report":{%s,"file-size-histogram":{"sorted-bin-boundaries":[%s],"file-counts":[%s],"total-bytes":[%s],"commit-version":%d}}}}`,
		t.id, sparkMetrics, bounds, bins, bins, t.version)
	if res := s.send("POST", sparkSchema+"/tables/"+name+"/metrics", report); res.StatusCode != http.StatusNoContent {
		s.Errorf("metrics: %d", res.StatusCode)
	}
}
