package types_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/leveelake/catalog/types"
)

func managed() types.Table {
	return types.Table{
		Name: types.TableName{Catalog: "c", Schema: "s", Table: "t"}, Owner: "o", Comment: "not shown", Format: types.FormatDelta,
		ID: id, Type: types.Managed, Location: "s3://b/<t>", ETag: `e"1`,
		Created: time.UnixMilli(1).UTC(), Updated: time.UnixMilli(2).UTC(),
		Columns:           types.RawColumns([]byte(columns1)),
		PartitionColumns:  []string{"a"},
		Protocol:          someProtocol,
		Properties:        types.NewProperties(map[string]string{"z": "<&>", "delta.x": "é\n", "": ""}),
		LastCommitVersion: ptr[int64](0), LastCommitTimestamp: ptr[int64](-5),
		Commits:       []types.Commit{{Version: 2, Timestamp: 9, FileName: "g", FileSize: 8, FileModificationTimestamp: 7}, someCommit},
		LatestVersion: ptr[int64](2),
		Uniform:       &someUniform,
	}
}

func TestTableJSON(t *testing.T) {
	table := managed()
	want := `{"metadata":{"etag":"e\"1","table-type":"MANAGED","table-uuid":"` + id + `","location":"s3://b/<t>","created-time":1,"updated-time":2,` +
		`"columns":` + columns1 + `,"partition-columns":["a"],"properties":{"":"","delta.x":"é\n","z":"<&>"},"last-commit-version":0,"last-commit-timestamp-ms":-5},` +
		`"commits":[{"version":2,"timestamp":9,"file-name":"g","file-size":8,"file-modification-timestamp":7},` + commit1 + `],` +
		`"uniform":` + uniform1 + `,"latest-table-version":2}`
	if got := string(table.AppendJSON([]byte("x"))); got != "x"+want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	for _, v := range []any{table, &table} {
		if got, err := json.Marshal(v); err != nil || !equalJSON(t, got, []byte(want)) {
			t.Errorf("marshalled: %s, %v", got, err)
		}
	}

	var back types.Table
	if err := types.DecodeJSON([]byte(want), &back); err != nil {
		t.Fatal(err)
	}
	table.Name, table.Owner, table.Comment, table.Format, table.Protocol = types.TableName{}, "", "", "", types.Protocol{}
	same(t, back, table)
}

func TestTableJSONOfLittle(t *testing.T) {
	const want = `{"metadata":{"etag":"","table-type":"EXTERNAL","table-uuid":"","location":"","created-time":0,"updated-time":0,` +
		`"columns":{"type":"struct","fields":[]},"partition-columns":[],"properties":{}},"commits":[]}`
	zero := time.UnixMilli(0)
	table := types.Table{Type: types.External, Created: zero, Updated: zero, LatestVersion: ptr[int64](3)}
	if got := string(table.AppendJSON(nil)); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	noIceberg := types.Table{Type: types.External, Uniform: &types.Uniform{}}
	if !json.Valid(noIceberg.AppendJSON(nil)) {
		t.Errorf("not JSON: %s", noIceberg.AppendJSON(nil))
	}
}

func TestTableJSONRead(t *testing.T) {
	table := managed()
	full := string(table.AppendJSON(nil))
	for _, field := range []string{"etag", "table-type", "table-uuid", "location", "created-time", "updated-time", "columns", "properties"} {
		var back types.Table
		text := strings.Replace(full, `"`+field+`":`, `"x":`, 1)
		refused(t, types.DecodeJSON([]byte(text), &back), types.InvalidParameterValue, "metadata."+field+": missing")
	}
	for _, field := range []string{"partition-columns", "last-commit-version", "last-commit-timestamp-ms", "commits", "uniform", "latest-table-version"} {
		var back types.Table
		if err := types.DecodeJSON([]byte(strings.Replace(full, `"`+field+`":`, `"x":`, 1)), &back); err != nil {
			t.Errorf("without %s: %v", field, err)
		}
	}
	var back types.Table
	refused(t, types.DecodeJSON([]byte(`{}`), &back), types.InvalidParameterValue, "metadata: missing")
	refused(t, types.DecodeJSON([]byte(strings.Replace(full, `"long"`, `7`, 1)), &back), types.BadRequest, "metadata.columns.fields[0].type: want a type")
	refused(t, types.DecodeJSON([]byte(strings.Replace(full, `"file-size":3`, `"file-size":"3"`, 1)), &back), types.BadRequest, "commits[1].file-size: want an integer")

	// the columns of other servers, which do not know only Delta's types and spelling
	text := strings.Replace(full, columns1, `{"type":"struct","fields":[{"name":"a","type":{"type":"array","elementType":"void","containsNull":true},"nullable":true,"metadata":{}}]}`, 1)
	if err := types.DecodeJSON([]byte(text), &back); err != nil || !strings.Contains(string(back.Columns.JSON()), `"element-type":"void"`) {
		t.Errorf("columns %s, %v", back.Columns.JSON(), err)
	}
	if err := types.DecodeJSON([]byte(strings.Replace(full, columns1, `{"type":"struct","fields":[]}`, 1)), &back); err != nil || !back.Columns.IsZero() {
		t.Errorf("columns %s, %v", back.Columns.JSON(), err)
	}
}

func wide(columns int) types.Table {
	var s types.StructType
	for i := range columns {
		s.Fields = append(s.Fields, types.StructField{
			Name: "column_" + strconv.Itoa(i), Type: types.String, Nullable: true,
			Metadata: types.Metadata{"delta.columnMapping.id": []byte(strconv.Itoa(i + 1)), "delta.columnMapping.physicalName": []byte(`"col-` + id + `"`)},
		})
	}
	t := managed()
	t.Columns = types.NewColumns(s)
	for i := range 25 {
		t.Properties = t.Properties.With("delta.feature.number"+strconv.Itoa(i), "supported")
	}
	return t
}

func BenchmarkTableAppendJSON(b *testing.B) {
	for _, columns := range []int{100, 3000} {
		t := wide(columns)
		b.Run(fmt.Sprintf("columns=%d", columns), func(b *testing.B) {
			dst := t.AppendJSON(nil)
			b.SetBytes(int64(len(dst)))
			b.ReportAllocs()
			for b.Loop() {
				dst = t.AppendJSON(dst[:0])
			}
		})
	}
}

func BenchmarkParseStruct(b *testing.B) {
	data := wide(3000).Columns.JSON()
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := types.ParseStruct(data, "columns"); err != nil {
			b.Fatal(err)
		}
	}
}
