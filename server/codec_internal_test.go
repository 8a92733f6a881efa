package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/leveelake/catalog/types"
)

// wideList is an answer with n tables of some columns.
func wideList(n int) any {
	type list struct {
		Tables []tableInfo `json:"tables"`
		Next   string      `json:"next_page_token,omitempty"`
	}
	out := list{Tables: make([]tableInfo, n)}
	yes := true
	for i := range out.Tables {
		name := fmt.Sprintf("table_%05d", i)
		t := tableInfo{
			Name: name, CatalogName: "c1", SchemaName: "s1", FullName: "c1.s1." + name, TableType: types.External, Format: "DELTA", StorageLocation: "s3://bucket/" + name,
			Properties: types.NewProperties(map[string]string{"delta.minReaderVersion": "1", "delta.minWriterVersion": "2"}), TableID: "00000000-0000-4000-8000-000000000000",
			stamps: stamps{CreatedAt: 1700000000000, UpdatedAt: 1700000000000},
		}
		for j := range 10 {
			column := fmt.Sprintf("column_%d", j)
			t.Columns = append(t.Columns, columnInfo{
				Name: column, TypeText: "bigint", TypeJSON: `{"name":"` + column + `","type":"long","nullable":true,"metadata":{}}`, TypeName: "LONG", Position: int32(j), Nullable: &yes,
			})
		}
		out.Tables[i] = t
	}
	return out
}

// BenchmarkList compares the encoding of 10,000 tables, for each mount, with that by encoding/json.
// What counts is x-json.
func BenchmarkList(b *testing.B) {
	list := wideList(10_000)
	for name, c := range map[string]*codec{"unity": {}, "root": {camel: true}} {
		b.Run(name, func(b *testing.B) {
			var ours, theirs []byte
			var buffer bytes.Buffer
			var ratios []float64
			for b.Loop() {
				start := time.Now()
				ours = c.append(ours[:0], list)
				took := time.Since(start)
				start = time.Now()
				buffer.Reset()
				e := json.NewEncoder(&buffer)
				e.SetEscapeHTML(false)
				if err := e.Encode(list); err != nil {
					b.Fatal(err)
				}
				theirs = buffer.Bytes()
				ratios = append(ratios, took.Seconds()/time.Since(start).Seconds())
			}
			slices.Sort(ratios)
			b.ReportMetric(ratios[len(ratios)/2], "x-json")
			b.ReportMetric(float64(len(ours))/float64(len(theirs)), "x-bytes")
		})
	}
}

// TestCodecIsJSON: on the mount of the Unity Catalog REST API, what is said in the names of the tags is what
// encoding/json says.
func TestCodecIsJSON(t *testing.T) {
	type inner struct {
		Text   string  `json:"text"`
		Absent *string `json:"absent"`
	}
	v := struct {
		inner
		Empty  string            `json:"empty,omitempty"`
		Int    int64             `json:"int_64"`
		Small  *int32            `json:"small"`
		List   []inner           `json:"list"`
		Map    map[string]string `json:"map"`
		Bool   bool              `json:"bool"`
		Secret types.Secret      `json:"secret"`
	}{
		inner: inner{Text: "<a>&\"\\\n\x01é🙂"}, Int: 1 << 53, Small: new(int32(-5)), List: []inner{{Text: "x"}}, Map: map[string]string{"b": "1", "a_b": "2"}, Secret: "s",
	}
	var want bytes.Buffer
	e := json.NewEncoder(&want)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	if got := (&codec{}).append(nil, v); string(got)+"\n" != want.String() {
		t.Errorf("got  %s\nwant %s", got, &want)
	}
	const root = `{"text":"<a>&\"\\\n\u0001é🙂","int64":"9007199254740992","small":-5,"list":[{"text":"x"}],"map":{"a_b":"2","b":"1"},"bool":false,"secret":"***"}`
	if got := (&codec{camel: true}).append(nil, v); string(got) != root {
		t.Errorf("got  %s\nwant %s", got, root)
	}
}

// TestDecode reads what has its own rules.
func TestDecode(t *testing.T) {
	type part struct {
		Count int64 `json:"count"`
	}
	type whole struct {
		TableName  string            `json:"table_name"`
		BigNumber  *int64            `json:"big_number"`
		Small      int32             `json:"small"`
		Kind       types.TableType   `json:"kind"`
		On         *bool             `json:"on"`
		Parts      []part            `json:"parts"`
		Part       *part             `json:"part"`
		Properties map[string]string `json:"properties"`
	}
	unity, root, strict := &codec{}, &codec{camel: true}, &codec{strict: true}
	for _, test := range []struct {
		c          *codec
		body, want string // the value by encoding/json, or the refusal
	}{
		{unity, `{"table_name":"a","tableName":"a"}`, `{"table_name":"a"}`},
		{unity, `{"table_name":"a","tableName":"b"}`, "tableName: it differs from table_name"},
		{unity, `{"table_name":null,"tableName":"b"}`, `{"table_name":"b"}`},
		{unity, `{"big_number":"12","bigNumber":12}`, `{"big_number":12}`},
		{unity, `{"table_name":"a","table_name":"b"}`, `{"table_name":"b"}`},
		{unity, `{"table_name":"a","table_name":null}`, `{}`},
		{unity, `{"part":{"count":1},"part":{}}`, `{"part":{"count":0}}`},
		{unity, `{"TABLE_NAME":1,"Table_name":2,"x":[{"y":null}]}`, `{}`},
		{unity, `{"big_number":9223372036854775807}`, `{"big_number":9223372036854775807}`},
		{unity, `{"big_number":9223372036854775808}`, "big_number: want an integer of 64 bits, got 9223372036854775808"},
		{unity, `{"small":2147483648}`, "small: want an integer of 32 bits, got 2147483648"},
		{unity, `{"small":"-5"}`, `{"small":-5}`},
		{unity, `{"small":"0x5"}`, "small: want an integer of 32 bits, got 0x5"},
		{unity, `{"small":true}`, "small: want an integer, got true or false"},
		{unity, `{"kind":"external"}`, `{"kind":"EXTERNAL"}`},
		{unity, `{"kind":2}`, `{"kind":"EXTERNAL"}`},
		{unity, `{"kind":"2"}`, `{"kind":"EXTERNAL"}`},
		{unity, `{"kind":0}`, `{}`},
		{unity, `{"kind":6}`, `kind: want one of MANAGED, EXTERNAL, VIEW, MATERIALIZED_VIEW, STREAMING_TABLE, got "6"`},
		{unity, `{"kind":[]}`, "kind: want a string, got an array"},
		{unity, `{"on":"true"}`, "on: want true or false, got a string"},
		{unity, `{"on":false}`, `{"on":false}`},
		{unity, `{"parts":[{"count":1},{"count":"x"}]}`, "parts[1].count: want an integer of 64 bits, got x"},
		{unity, `{"parts":[null]}`, "parts[0]: want an object, got null"},
		{unity, `{"parts":{}}`, "parts: want an array, got an object"},
		{unity, `{"properties":{"k":"v","tableName":"w"}}`, `{"properties":{"k":"v","tableName":"w"}}`},
		{unity, `{"properties":{"k":null}}`, `properties["k"]: want a string, got null`},
		{root, `{"properties":{"k":null,"l":[1, "x"]}}`, `{"properties":{"k":"null","l":"[1, \"x\"]"}}`},
		{root, `{"table_name":1}`, "tableName: want a string, got a number"},
		{strict, `{"tableName":"a","table_name":"b"}`, `{"table_name":"b"}`},
		{strict, `{"small":"1"}`, "small: want an integer, got a string"},
		{strict, `{"kind":1}`, "kind: want a string, got a number"},
	} {
		var v whole
		err := test.c.decode([]byte(test.body), &v)
		want := whole{}
		if json.Unmarshal([]byte(test.want), &want) != nil {
			if e, ok := err.(*types.Error); !ok || e.Code != types.BadRequest || e.Message != test.want { //nolint:errorlint // it is not wrapped
				t.Errorf("%s: %v, want %s", test.body, err, test.want)
			}
			continue
		}
		got, _ := json.Marshal(v)
		if wanted, _ := json.Marshal(want); err != nil || string(got) != string(wanted) {
			t.Errorf("%s: %s, %v, want %s", test.body, got, err, wanted)
		}
	}
	if err := unity.decode([]byte(`{"parts":[`+string(bytes.Repeat([]byte("{},"), maxItems))+`{}]}`), &whole{}); types.CodeOf(err) != types.InvalidParameterValue {
		t.Errorf("a long list: %v", err)
	}
}
