package types_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/leveelake/catalog/types"
)

const (
	id        = "01234567-89ab-cdef-0123-456789abcdef"
	commit1   = `{"version":1,"timestamp":2,"file-name":"f","file-size":3,"file-modification-timestamp":4}`
	protocol1 = `{"min-reader-version":3,"min-writer-version":7,"reader-features":["r"],"writer-features":["r","w"]}`
	uniform1  = `{"iceberg":{"metadata-location":"s3://b/t/m","converted-delta-version":1,"converted-delta-timestamp":2}}`
	columns1  = `{"type":"struct","fields":[{"name":"a","type":"long","nullable":true,"metadata":{}}]}`
	create1   = `{"name":"t","location":"s3://b/t","table-type":"EXTERNAL","columns":` + columns1 + `,"protocol":` + protocol1 + `,"last-commit-timestamp-ms":5}`
	cred1     = `{"prefix":"s3://b/t","operation":"READ","expiration-time-ms":1000,"config":{"s3.access-key-id":"AK"}}`
	staging1  = `{"table-id":"` + id + `","table-type":"MANAGED","location":"s3://b/t","storage-credentials":[` + cred1 + `],"required-protocol":` + protocol1 + `,"required-properties":{"a":"1","b":null}}`
	histogram = `{"sorted-bin-boundaries":[0,10],"file-counts":[1,2],"total-bytes":[3,4]}`
)

var (
	someCommit   = types.Commit{Version: 1, Timestamp: 2, FileName: "f", FileSize: 3, FileModificationTimestamp: 4}
	someProtocol = types.Protocol{MinReaderVersion: 3, MinWriterVersion: 7, ReaderFeatures: []string{"r"}, WriterFeatures: []string{"r", "w"}}
	someUniform  = types.Uniform{Iceberg: &types.Iceberg{MetadataLocation: "s3://b/t/m", ConvertedDeltaVersion: 1, ConvertedDeltaTimestamp: 2}}
	someColumns  = types.StructType{Fields: []types.StructField{{Name: "a", Type: types.Long, Nullable: true}}}
	someCred     = types.Credential{Prefix: "s3://b/t", Operation: types.Read, Expiration: time.UnixMilli(1000).UTC(), Config: map[string]string{"s3.access-key-id": "AK"}}
)

// Each value is read from its JSON, written, and read again.
func TestShapes(t *testing.T) {
	for _, tt := range []struct {
		text string
		want any
	}{
		{commit1, someCommit},
		{`{"commit":` + commit1 + `}`, types.AddCommit{Commit: someCommit}},
		{`{"commit":` + commit1 + `,"uniform":` + uniform1 + `}`, types.AddCommit{Commit: someCommit, Uniform: &someUniform}},
		{`{"last-commit-version":0,"last-commit-timestamp-ms":-1}`, types.SnapshotVersion{LastCommitTimestamp: -1}},
		{uniform1, someUniform},
		{strings.Replace(uniform1, `"metadata-l`, `"base-converted-delta-version":0,"metadata-l`, 1), types.Uniform{Iceberg: &types.Iceberg{MetadataLocation: "s3://b/t/m", ConvertedDeltaVersion: 1, ConvertedDeltaTimestamp: 2, BaseConvertedDeltaVersion: ptr[int64](0)}}},
		{uniform1[len(`{"iceberg":`) : len(uniform1)-1], *someUniform.Iceberg},
		{protocol1, someProtocol},
		{`{"min-reader-version":0,"min-writer-version":2147483647,"reader-features":null}`, types.Protocol{MinWriterVersion: 2147483647}},
		{`{"reader-features":["a"]}`, types.Features{ReaderFeatures: []string{"a"}}},
		{`{"endpoints":["GET /v1/config"],"protocol-version":"1.0"}`, types.Config{Endpoints: []string{"GET /v1/config"}, ProtocolVersion: "1.0"}},
		{`{}`, types.DomainMetadata{}},
		{`{"delta.clustering":null}`, types.DomainMetadata{}},
		{`{"delta.clustering":{"clusteringColumns":[]}}`, types.DomainMetadata{Clustering: &types.Clustering{}}},
		{`{"delta.clustering":{"clusteringColumns":[["a"],["b","c"]],"domainName":7},"delta.rowTracking":{"rowIdHighWaterMark":-1}}`, types.DomainMetadata{Clustering: &types.Clustering{ClusteringColumns: [][]string{{"a"}, {"b", "c"}}}, RowTracking: &types.RowTracking{RowIDHighWaterMark: -1}}},
		{`{"name":"t"}`, types.CreateStagingTable{Name: "t"}},
		{`{"new-name":""}`, types.RenameTable{}},
		{`{"name":"t","table-uuid":"` + id + `","table-type":"MANAGED"}`, types.TableSummary{Name: "t", ID: id, Type: types.Managed}},
		{create1, types.CreateTable{Name: "t", Location: "s3://b/t", Type: types.External, Columns: someColumns, Protocol: someProtocol, LastCommitTimestamp: ptr[int64](5)}},
		{
			strings.Replace(create1, `"name":"t"`, `"name":"t","comment":"","partition-columns":["A"],"properties":{"<":"&"},"domain-metadata":{"delta.rowTracking":{"rowIdHighWaterMark":1}},"uniform":`+uniform1, 1),
			types.CreateTable{Name: "t", Location: "s3://b/t", Type: types.External, Columns: someColumns, Protocol: someProtocol, LastCommitTimestamp: ptr[int64](5), Comment: ptr(""), PartitionColumns: []string{"A"}, Properties: map[string]string{"<": "&"}, Domains: types.DomainMetadata{RowTracking: &types.RowTracking{RowIDHighWaterMark: 1}}, Uniform: &someUniform},
		},
		{strings.Replace(create1, `"name":"t"`, `"name":"t","comment":null,"partition-columns":null,"properties":null,"domain-metadata":null,"uniform":null`, 1), types.CreateTable{Name: "t", Location: "s3://b/t", Type: types.External, Columns: someColumns, Protocol: someProtocol, LastCommitTimestamp: ptr[int64](5)}},
		{`{"table-id":"` + strings.ToUpper(id) + `"}`, types.ReportMetrics{TableID: id}},
		{`{"table-id":"` + id + `","report":null}`, types.ReportMetrics{TableID: id}},
		{`{"table-id":"` + id + `","report":{"commit-report":{"num-rows-added":7,"num-files-added":1,"num-rows-updated":-2,"file-size-histogram":` + histogram + `}}}`, types.ReportMetrics{TableID: id, Report: &types.MetricReport{Commit: &types.CommitReport{FilesAdded: 1, RowsUpdated: -2, FileSizes: &types.FileSizeHistogram{SortedBinBoundaries: []int64{0, 10}, FileCounts: []int64{1, 2}, TotalBytes: []int64{3, 4}}}}}},
		{cred1, someCred},
		{`{"prefix":"","operation":"READ_WRITE","expiration-time-ms":0,"config":{"azure.sas-token":null}}`, types.Credential{Operation: types.ReadWrite, Expiration: time.UnixMilli(0).UTC()}},
		{staging1, types.StagingTable{ID: id, Type: types.Managed, Location: "s3://b/t", Credentials: []types.Credential{someCred}, RequiredProtocol: someProtocol, RequiredProperties: map[string]*string{"a": ptr("1"), "b": nil}}},
	} {
		got := reflect.New(reflect.TypeOf(tt.want))
		if err := types.DecodeJSON([]byte(tt.text), got.Interface()); err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		same(t, got.Elem().Interface(), tt.want)
		written, err := json.Marshal(tt.want)
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		again := reflect.New(reflect.TypeOf(tt.want))
		if err := types.DecodeJSON(written, again.Interface()); err != nil {
			t.Errorf("%s: %v", written, err)
			continue
		}
		same(t, again.Elem().Interface(), tt.want)
	}
}

func TestShapesWritten(t *testing.T) {
	for _, tt := range []struct {
		of   any
		want string
	}{
		{someCommit, commit1},
		{someUniform, uniform1},
		{types.DomainMetadata{Clustering: &types.Clustering{}}, `{"delta.clustering":{"clusteringColumns":[]}}`},
		{types.Clustering{ClusteringColumns: [][]string{{"a"}, {"b", "c"}}}, `{"clusteringColumns":[["a"],["b","c"]]}`},
		{someCred, cred1},
		{types.Credential{Expiration: time.UnixMilli(1)}, `{"prefix":"","operation":"","expiration-time-ms":1,"config":{}}`},
		{
			types.StagingTable{Type: types.Managed, SuggestedProperties: map[string]*string{"k": nil}},
			`{"table-id":"","table-type":"MANAGED","location":"","storage-credentials":[],"required-protocol":{"min-reader-version":0,"min-writer-version":0},"suggested-protocol":{},"required-properties":{},"suggested-properties":{"k":null}}`,
		},
	} {
		got, err := json.Marshal(tt.of)
		if err != nil || string(got) != tt.want {
			t.Errorf("%T:\n got %s, %v\nwant %s", tt.of, got, err, tt.want)
		}
	}
}

func TestShapeRefusals(t *testing.T) {
	const invalid, bad = types.InvalidParameterValue, types.BadRequest
	drop := func(text, field string) string { return strings.Replace(text, `"`+field+`":`, `"x":`, 1) }
	swap := func(text, old, new string) string {
		if !strings.Contains(text, old) {
			t.Fatalf("%s has no %s", text, old)
		}
		return strings.Replace(text, old, new, 1)
	}
	add := func(text, members string) string { return "{" + members + "," + text[1:] }
	metrics := func(histogram string) string {
		return `{"table-id":"` + id + `","report":{"commit-report":{"file-size-histogram":` + histogram + `}}}`
	}
	for _, tt := range []struct {
		into any
		text string
		code types.Code
		want string
	}{
		{&types.Commit{}, drop(commit1, "version"), invalid, "version: missing"},
		{&types.Commit{}, drop(commit1, "timestamp"), invalid, "timestamp: missing"},
		{&types.Commit{}, drop(commit1, "file-name"), invalid, "file-name: missing"},
		{&types.Commit{}, drop(commit1, "file-size"), invalid, "file-size: missing"},
		{&types.Commit{}, drop(commit1, "file-modification-timestamp"), invalid, "file-modification-timestamp: missing"},
		{&types.Commit{}, swap(commit1, "1", "null"), invalid, "version: missing"},
		{&types.Commit{}, swap(commit1, `"version"`, `"Version"`), invalid, "version: missing"},
		{&types.Commit{}, swap(commit1, "1", `"1"`), bad, "version: want an integer, got a string"},
		{&types.Commit{}, swap(commit1, "1", "1.0"), bad, "version: want an integer of 64 bits, got 1.0"},
		{&types.Commit{}, swap(commit1, "1", "1e0"), bad, "version: want an integer of 64 bits, got 1e0"},
		{&types.Commit{}, swap(commit1, "1", "9223372036854775808"), bad, "version: want an integer of 64 bits"},
		{&types.Commit{}, swap(commit1, "1", "-9223372036854775809"), bad, "version: want an integer of 64 bits"},
		{&types.Commit{}, swap(commit1, `"f"`, "7"), bad, "file-name: want a string, got a number"},
		{&types.AddCommit{}, `{}`, invalid, "commit: missing"},
		{&types.AddCommit{}, `{"commit":{}}`, invalid, "commit.version: missing"},
		{&types.SnapshotVersion{}, `{"last-commit-timestamp-ms":1}`, invalid, "last-commit-version: missing"},
		{&types.SnapshotVersion{}, `{"last-commit-version":1}`, invalid, "last-commit-timestamp-ms: missing"},

		{&types.Uniform{}, `{}`, invalid, "iceberg: missing"},
		{&types.Uniform{}, `{"iceberg":null}`, invalid, "iceberg: missing"},
		{&types.Uniform{}, drop(uniform1, "metadata-location"), invalid, "iceberg.metadata-location: missing"},
		{&types.Uniform{}, drop(uniform1, "converted-delta-version"), invalid, "iceberg.converted-delta-version: missing"},
		{&types.Uniform{}, drop(uniform1, "converted-delta-timestamp"), invalid, "iceberg.converted-delta-timestamp: missing"},

		{&types.Protocol{}, drop(protocol1, "min-reader-version"), invalid, "min-reader-version: missing"},
		{&types.Protocol{}, drop(protocol1, "min-writer-version"), invalid, "min-writer-version: missing"},
		{&types.Protocol{}, swap(protocol1, "3", "2147483648"), bad, "min-reader-version: want an integer of 32 bits"},
		{&types.Protocol{}, swap(protocol1, "3", "-2147483649"), bad, "min-reader-version: want an integer of 32 bits"},
		{&types.Protocol{}, swap(protocol1, "7", "-1"), invalid, "min-writer-version: -1 is negative"},
		{&types.Protocol{}, swap(protocol1, `["r"]`, `[null]`), bad, "reader-features[0]: want a string, got null"},
		{&types.Protocol{}, swap(protocol1, `"w"`, `" "`), invalid, "writer-features[1]: blank"},
		{&types.Protocol{}, swap(protocol1, `["r"]`, `"r"`), bad, "reader-features: want an array, got a string"},
		{&types.Features{}, `{"writer-features":[""]}`, invalid, "writer-features[0]: blank"},
		{&types.Config{}, `{"protocol-version":"1.0"}`, invalid, "endpoints: missing"},

		{&types.DomainMetadata{}, `{"delta.foo":{}}`, invalid, `unknown domain "delta.foo"`},
		{&types.DomainMetadata{}, `{"delta.foo":null}`, invalid, `unknown domain "delta.foo"`},
		{&types.DomainMetadata{}, `{"delta.clustering":{}}`, invalid, "delta.clustering.clusteringColumns: missing"},
		{&types.DomainMetadata{}, `{"delta.clustering":{"clusteringColumns":null}}`, invalid, "delta.clustering.clusteringColumns: missing"},
		{&types.DomainMetadata{}, `{"delta.clustering":{"clusteringColumns":["a"]}}`, bad, "delta.clustering.clusteringColumns[0]: want an array"},
		{&types.DomainMetadata{}, `{"delta.clustering":{"clusteringColumns":[[]]}}`, invalid, "delta.clustering.clusteringColumns[0]: empty"},
		{&types.DomainMetadata{}, `{"delta.clustering":{"clusteringColumns":[["a"],["b",""]]}}`, invalid, "delta.clustering.clusteringColumns[1][1]: empty"},
		{&types.DomainMetadata{}, `{"delta.rowTracking":{}}`, invalid, "delta.rowTracking.rowIdHighWaterMark: missing"},
		{&types.DomainMetadata{}, `{"delta.rowTracking":[]}`, bad, "delta.rowTracking: want an object, got an array"},
		{&types.Clustering{}, `{}`, invalid, "clusteringColumns: missing"},
		{&types.RowTracking{}, `{"rowIdHighWaterMark":"1"}`, bad, "rowIdHighWaterMark: want an integer"},

		{&types.CreateStagingTable{}, `{}`, invalid, "name: missing"},
		{&types.CreateStagingTable{}, `{"name":null}`, invalid, "name: missing"},
		{&types.RenameTable{}, `{"new-name":null}`, invalid, "new-name: missing"},
		{&types.TableSummary{}, `{"name":"t","table-uuid":"` + id + `","table-type":"VIEW"}`, bad, `table-type: want one of [MANAGED EXTERNAL], got "VIEW"`},

		// in the order of the checks, whatever the order of the fields
		{&types.CreateTable{}, `{}`, invalid, "name: missing"},
		{&types.CreateTable{}, `{"columns":{},"name":"t"}`, invalid, "location: missing"},
		{&types.CreateTable{}, `{"table-type":"VIEW","name":"t","location":"l"}`, invalid, "columns: missing"},
		{&types.CreateTable{}, swap(swap(create1, "EXTERNAL", "VIEW"), `"long"`, `"int"`), invalid, `columns.fields[0].type: "int" is not a type`},
		{&types.CreateTable{}, drop(drop(create1, "table-type"), "protocol"), invalid, "table-type: missing"},
		{&types.CreateTable{}, drop(drop(create1, "last-commit-timestamp-ms"), "protocol"), invalid, "protocol: missing"},
		{&types.CreateTable{}, add(drop(create1, "last-commit-timestamp-ms"), `"properties":1`), invalid, "last-commit-timestamp-ms: missing"},
		{&types.CreateTable{}, swap(create1, "EXTERNAL", "managed"), bad, `table-type: want one of [MANAGED EXTERNAL], got "managed"`},
		{&types.CreateTable{}, swap(create1, `"min-writer-version":7`, `"x":7`), invalid, "protocol.min-writer-version: missing"},
		{&types.CreateTable{}, swap(create1, `ms":5`, `ms":"5"`), bad, "last-commit-timestamp-ms: want an integer, got a string"},
		{&types.CreateTable{}, add(create1, `"comment":7`), bad, "comment: want a string"},
		{&types.CreateTable{}, add(create1, `"properties":{"a":null}`), bad, `properties["a"]: want a string, got null`},
		{&types.CreateTable{}, add(create1, `"properties":{"a.b":{}}`), bad, `properties["a.b"]: want a string, got an object`},
		{&types.CreateTable{}, add(create1, `"properties":{"":1}`), bad, `properties[""]: want a string, got a number`},
		{&types.CreateTable{}, add(create1, `"properties":[]`), bad, `properties: want an object, got an array`},
		{&types.CreateTable{}, add(create1, `"partition-columns":["a",null]`), bad, `partition-columns[1]: want a string, got null`},
		{&types.CreateTable{}, add(create1, `"partition-columns":"a"`), bad, `partition-columns: want an array, got a string`},
		{&types.CreateTable{}, add(create1, `"domain-metadata":{"x":1}`), invalid, `domain-metadata: unknown domain "x"`},
		{&types.CreateTable{}, add(create1, `"uniform":{}`), invalid, `uniform.iceberg: missing`},

		{&types.ReportMetrics{}, `{}`, invalid, "table-id: missing"},
		{&types.ReportMetrics{}, `{"table-id":"zz"}`, bad, `table-id: "zz" is not a UUID`},
		{&types.ReportMetrics{}, `{"table-id":7}`, bad, `table-id: want a string`},
		{&types.ReportMetrics{}, `{"table-id":"` + id + `","report":{"commit-report":{"num-files-added":1.5}}}`, bad, "report.commit-report.num-files-added: want an integer of 64 bits"},
		{&types.ReportMetrics{}, metrics(drop(histogram, "sorted-bin-boundaries")), invalid, "report.commit-report.file-size-histogram.sorted-bin-boundaries: missing"},
		{&types.ReportMetrics{}, metrics(drop(histogram, "file-counts")), invalid, "report.commit-report.file-size-histogram.file-counts: missing"},
		{&types.ReportMetrics{}, metrics(drop(histogram, "total-bytes")), invalid, "report.commit-report.file-size-histogram.total-bytes: missing"},
		{&types.ReportMetrics{}, metrics(swap(histogram, "[3,", "[null,")), bad, "report.commit-report.file-size-histogram.total-bytes[0]: want an integer, got null"},

		{&types.Credential{}, drop(cred1, "prefix"), invalid, "prefix: missing"},
		{&types.Credential{}, drop(cred1, "operation"), invalid, "operation: missing"},
		{&types.Credential{}, drop(cred1, "expiration-time-ms"), invalid, "expiration-time-ms: missing"},
		{&types.Credential{}, drop(cred1, "config"), invalid, "config: missing"},
		{&types.Credential{}, swap(cred1, `"READ"`, `"read"`), bad, `operation: want one of [READ READ_WRITE], got "read"`},
		{&types.StagingTable{}, swap(staging1, id, "x"), bad, `table-id: "x" is not a UUID`},
		{&types.StagingTable{}, drop(staging1, "required-properties"), invalid, `required-properties: missing`},
		{&types.StagingTable{}, swap(staging1, `"READ"`, `"x"`), bad, `storage-credentials[0].operation: want one of`},
		{&types.StagingTable{}, swap(staging1, `"b":null`, `"b":1`), bad, `required-properties["b"]: want a string`},
	} {
		err := types.DecodeJSON([]byte(tt.text), tt.into)
		t.Run(tt.want, func(t *testing.T) { refused(t, err, tt.code, tt.want) })
	}
}

func TestNames(t *testing.T) {
	s := types.SchemaName{Catalog: "c", Schema: "s"}
	table := s.Table("t")
	if s.String() != "c.s" || table.String() != "c.s.t" || table.SchemaName() != s {
		t.Errorf("%s, %s, %s", s, table, table.SchemaName())
	}
}

func TestParseID(t *testing.T) {
	for _, s := range []string{id, strings.ToUpper(id)} {
		if got, err := types.ParseID(s); err != nil || got != id {
			t.Errorf("%s: %s, %v", s, got, err)
		}
	}
	for _, s := range []string{
		"", "zz", id + "0", id[1:], strings.ReplaceAll(id, "-", ""), "{" + id + "}", strings.Replace(id, "0", "g", 1),
		strings.Replace(id, "-", "0", 1), strings.Replace(id, "1", "-", 1), " " + id[1:], "0123456é" + id[9:],
	} {
		_, err := types.ParseID(s)
		refused(t, err, types.BadRequest, "is not a UUID")
	}
}

func TestParseOperation(t *testing.T) {
	for _, op := range []types.Operation{types.Read, types.ReadWrite} {
		if got, err := types.ParseOperation(string(op)); err != nil || got != op {
			t.Errorf("%s: %s, %v", op, got, err)
		}
	}
	for _, s := range []string{"", "read", "WRITE"} {
		_, err := types.ParseOperation(s)
		refused(t, err, types.BadRequest, "is not an operation")
	}
}
