package types_test

import (
	"strings"
	"testing"

	"github.com/leveelake/catalog/types"
)

func structOf(fields ...types.StructField) *types.StructType {
	return &types.StructType{Fields: fields}
}

// texts pairs types with the text that Spark has for them.
var texts = []struct {
	typ        types.DataType
	text, name string
}{
	{types.Boolean, "boolean", "BOOLEAN"},
	{types.Byte, "tinyint", "BYTE"},
	{types.Short, "smallint", "SHORT"},
	{types.Integer, "int", "INT"},
	{types.Long, "bigint", "LONG"},
	{types.Float, "float", "FLOAT"},
	{types.Double, "double", "DOUBLE"},
	{types.Date, "date", "DATE"},
	{types.Timestamp, "timestamp", "TIMESTAMP"},
	{types.TimestampNTZ, "timestamp_ntz", "TIMESTAMP_NTZ"},
	{types.String, "string", "STRING"},
	{types.Binary, "binary", "BINARY"},
	{types.Variant, "variant", "VARIANT"},
	{types.Decimal{Precision: 10, Scale: 2}, "decimal(10,2)", "DECIMAL"},
	{types.Primitive("void"), "void", "NULL"},
	{types.Primitive("char(3)"), "char(3)", "CHAR"},
	{types.Primitive("varchar(5)"), "varchar(5)", "STRING"},
	{types.Primitive("interval"), "interval", "INTERVAL"},
	{types.Primitive("interval day to second"), "interval day to second", "INTERVAL"},
	{&types.Array{Element: types.Long, ContainsNull: true}, "array<bigint>", "ARRAY"},
	{&types.Map{Key: types.String, Value: &types.Array{Element: types.Byte, ContainsNull: true}, ValueContainsNull: true}, "map<string,array<tinyint>>", "MAP"},
	{structOf(), "struct<>", "STRUCT"},
	{structOf(
		types.StructField{Name: "a", Type: types.Long, Nullable: true},
		types.StructField{Name: "x.y", Type: types.String, Nullable: true},
		types.StructField{Name: "1st", Type: types.Decimal{Precision: 3}, Nullable: true},
		types.StructField{Name: "q`:,>", Type: structOf(types.StructField{Name: "é", Type: types.Date, Nullable: true}), Nullable: true},
	), "struct<a:bigint,`x.y`:string,`1st`:decimal(3,0),`q``:,>`:struct<`é`:date>>", "STRUCT"},
}

func TestColumnInfos(t *testing.T) {
	s := types.StructType{Fields: []types.StructField{
		{Name: "Id", Type: types.Long, Metadata: types.Metadata{"comment": []byte(`"a \"key\""`)}},
		{Name: "amount", Type: types.Decimal{Precision: 10, Scale: 2}, Nullable: true, Metadata: types.Metadata{"comment": []byte(`7`)}},
		{Name: "tags", Type: &types.Array{Element: types.String}, Nullable: true},
		{Name: "span", Type: types.Primitive("interval day to second"), Nullable: true},
	}}
	got := types.ColumnInfos(s, []string{"tags", "ID"})
	same(t, got, []types.ColumnInfo{
		{
			Name: "Id", TypeText: "bigint", TypeName: "LONG", Position: 0, PartitionIndex: ptr(1), Comment: ptr(`a "key"`),
			TypeJSON: `{"name":"Id","type":"long","nullable":false,"metadata":{"comment":"a \"key\""}}`,
		}, {
			Name: "amount", TypeText: "decimal(10,2)", TypeName: "DECIMAL", Position: 1, Nullable: true, Precision: ptr(10), Scale: ptr(2),
			TypeJSON: `{"name":"amount","type":"decimal(10,2)","nullable":true,"metadata":{"comment":7}}`,
		}, {
			Name: "tags", TypeText: "array<string>", TypeName: "ARRAY", Position: 2, Nullable: true, PartitionIndex: ptr(0),
			TypeJSON: `{"name":"tags","type":{"type":"array","elementType":"string","containsNull":false},"nullable":true,"metadata":{}}`,
		}, {
			Name: "span", TypeText: "interval day to second", TypeName: "INTERVAL", IntervalType: "day to second", Position: 3, Nullable: true,
			TypeJSON: `{"name":"span","type":"interval day to second","nullable":true,"metadata":{}}`,
		},
	})

	back, partition, err := types.FromColumnInfos(got)
	if err != nil {
		t.Fatal(err)
	}
	same(t, back, s)
	same(t, partition, []string{"tags", "Id"})
}

func TestTypeTexts(t *testing.T) {
	for _, tt := range texts {
		c := types.ColumnInfos(*structOf(types.StructField{Name: "a", Type: tt.typ, Nullable: true}), nil)[0]
		if c.TypeText != tt.text || c.TypeName != tt.name {
			t.Errorf("%v: %s, %s; want %s, %s", tt.typ, c.TypeText, c.TypeName, tt.text, tt.name)
		}
		got, _, err := types.FromColumnInfos([]types.ColumnInfo{{Name: "a", TypeText: tt.text, TypeName: tt.name, Nullable: true}})
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		same(t, got.Fields[0].Type, tt.typ)
	}
	udt := types.StructField{Name: "a", Type: types.Primitive(`{"type":"udt"}`)}
	if c := types.ColumnInfos(*structOf(udt), nil)[0]; c.TypeText != "udt" || c.TypeName != "USER_DEFINED_TYPE" {
		t.Errorf("user-defined type: %+v", c)
	}
}

func TestReadTypeText(t *testing.T) {
	for text, want := range map[string]types.DataType{
		" BIGINT ":               types.Long,
		"byte":                   types.Byte,
		"Short":                  types.Short,
		"integer":                types.Integer,
		"real":                   types.Float,
		"timestamp_ltz":          types.Timestamp,
		"null":                   types.Primitive("void"),
		"decimal":                types.Decimal{Precision: 10},
		"dec(5)":                 types.Decimal{Precision: 5},
		"NUMERIC ( 5 , 2 )":      types.Decimal{Precision: 5, Scale: 2},
		"character(3)":           types.Primitive("char(3)"),
		"INTERVAL YEAR TO MONTH": types.Primitive("interval year to month"),
		"ARRAY < INT >":          &types.Array{Element: types.Integer, ContainsNull: true},
		"STRUCT<Aa: INT, b c :STRING,` d`:int>": structOf(
			types.StructField{Name: "Aa", Type: types.Integer, Nullable: true},
			types.StructField{Name: "b c", Type: types.String, Nullable: true},
			types.StructField{Name: " d", Type: types.Integer, Nullable: true}),
	} {
		got, _, err := types.FromColumnInfos([]types.ColumnInfo{{Name: "a", TypeText: text}})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		same(t, got.Fields[0].Type, want)
	}
	for _, text := range []string{
		"foo", "bigint x", "array", "array<", "array<int", "array<int>>", "map<int>", "map<int,int,int>", "struct<a>", "struct<a:>", "struct<a:int b:int>",
		"struct<`a:int>", "struct<a:int,A:int>", "struct<:int>", "decimal(39,0)", "decimal(5,6)", "decimal(5,", "decimal()", "decimal(1,2,3)",
		"char", "char(1,2)", "varchar(x)", "interval parsec", "interval day to second x", "array(int)", "(int)", "`int`",
		strings.Repeat("array<", 1001) + "int" + strings.Repeat(">", 1001),
	} {
		_, _, err := types.FromColumnInfos([]types.ColumnInfo{{Name: "a", TypeText: text}})
		t.Run(text[:min(len(text), 30)], func(t *testing.T) { refused(t, err, types.InvalidParameterValue, "columns") })
	}
}

func TestFromColumnInfos(t *testing.T) {
	long := types.StructField{Name: "a", Type: types.Long, Nullable: true}
	array := types.StructField{Name: "a", Type: &types.Array{Element: types.Integer, ContainsNull: true}, Nullable: true}
	for name, tt := range map[string]struct {
		from types.ColumnInfo
		want types.StructField
	}{
		"field document":      {types.ColumnInfo{TypeJSON: `{"name":"other","type":"long","nullable":true,"metadata":{}}`}, long},
		"nullable of its own": {types.ColumnInfo{TypeJSON: `{"name":"a","type":"long","nullable":false,"metadata":{}}`, Nullable: true}, types.StructField{Name: "a", Type: types.Long}},
		"only the type":       {types.ColumnInfo{TypeJSON: `{"type":"long"}`, Nullable: true}, long},
		"nullable of column":  {types.ColumnInfo{TypeJSON: `{"type":"long"}`}, types.StructField{Name: "a", Type: types.Long}},
		"only a nested type":  {types.ColumnInfo{TypeJSON: `{"type":{"type":"array","elementType":"integer","containsNull":true}}`, Nullable: true}, array},
		"bare name":           {types.ColumnInfo{TypeJSON: ` "long" `, Nullable: true}, long},
		"bare word":           {types.ColumnInfo{TypeJSON: `bigint`, Nullable: true}, long},
		"bare array":          {types.ColumnInfo{TypeJSON: `{"type":"array","elementType":"integer","containsNull":true}`, Nullable: true}, array},
		"bare decimal":        {types.ColumnInfo{TypeJSON: `{"type":"decimal","precision":3,"scale":1}`, Nullable: true}, types.StructField{Name: "a", Type: types.Decimal{Precision: 3, Scale: 1}, Nullable: true}},
		"json before text":    {types.ColumnInfo{TypeJSON: `"array<int>"`, TypeText: "array<string>", TypeName: "ARRAY", Nullable: true}, array},
		"text that is odd":    {types.ColumnInfo{TypeJSON: `"long"`, TypeText: "bigint not null", TypeName: "LONG", Nullable: true}, long},
		"name alone":          {types.ColumnInfo{TypeName: "LONG", Nullable: true}, long},
		"name by Spark":       {types.ColumnInfo{TypeName: "bigint", Nullable: true}, long},
		"decimal by name":     {types.ColumnInfo{TypeName: "DECIMAL", Precision: ptr(3), Scale: ptr(1)}, types.StructField{Name: "a", Type: types.Decimal{Precision: 3, Scale: 1}}},
		"interval by name":    {types.ColumnInfo{TypeName: "INTERVAL", IntervalType: "YEAR"}, types.StructField{Name: "a", Type: types.Primitive("interval year")}},
		"precision alone":     {types.ColumnInfo{TypeText: "decimal(3,1)", TypeName: "DECIMAL", Precision: ptr(3)}, types.StructField{Name: "a", Type: types.Decimal{Precision: 3, Scale: 1}}},
		"precision of a long": {types.ColumnInfo{TypeText: "bigint", Precision: ptr(0), Scale: ptr(0), Nullable: true}, long},
		"varchar as string":   {types.ColumnInfo{TypeJSON: `"string"`, TypeText: "varchar(5)", TypeName: "CHAR"}, types.StructField{Name: "a", Type: types.String}},
		"user-defined":        {types.ColumnInfo{TypeJSON: `{"type":"udt","class":"P"}`, TypeText: "point", TypeName: "STRUCT"}, types.StructField{Name: "a", Type: types.Primitive(`{"type":"udt","class":"P"}`)}},
		"comment":             {types.ColumnInfo{TypeJSON: `{"type":"long","metadata":{"comment":"old","k":1}}`, Comment: ptr("<new>")}, types.StructField{Name: "a", Type: types.Long, Metadata: types.Metadata{"comment": []byte(`"<new>"`), "k": []byte("1")}}},
		"comment of metadata": {types.ColumnInfo{TypeJSON: `{"type":"long","metadata":{"comment":"old"}}`}, types.StructField{Name: "a", Type: types.Long, Metadata: types.Metadata{"comment": []byte(`"old"`)}}},
		"empty comment":       {types.ColumnInfo{TypeName: "LONG", Comment: ptr("")}, types.StructField{Name: "a", Type: types.Long, Metadata: types.Metadata{"comment": []byte(`""`)}}},
	} {
		t.Run(name, func(t *testing.T) {
			tt.from.Name = "a"
			got, partition, err := types.FromColumnInfos([]types.ColumnInfo{tt.from})
			if err != nil {
				t.Fatal(err)
			}
			same(t, got.Fields, []types.StructField{tt.want})
			if partition != nil {
				t.Errorf("partition %q", partition)
			}
		})
	}
	if got, partition, err := types.FromColumnInfos(nil); err != nil || got.Fields != nil || partition != nil {
		t.Errorf("no columns: %v, %v, %v", got, partition, err)
	}
}

// What comes in as the deepest column must come out of the stored schema.
func TestFromColumnInfosDepth(t *testing.T) {
	text := func(depth int) string { return strings.Repeat("array<", depth) + "int" + strings.Repeat(">", depth) }
	for _, c := range []types.ColumnInfo{
		{Name: "a", TypeText: text(types.MaxDepth - 1)},
		{Name: "a", TypeJSON: nest(types.MaxDepth - 1)},
		{Name: "a", TypeJSON: `{"type":` + nest(types.MaxDepth-1) + `}`},
	} {
		got, _, err := types.FromColumnInfos([]types.ColumnInfo{c})
		if err != nil {
			t.Error(err)
			continue
		}
		if _, err := types.NewColumns(got).Struct(); err != nil {
			t.Error(err)
		}
	}
	for _, c := range []types.ColumnInfo{
		{Name: "a", TypeText: text(types.MaxDepth)},
		{Name: "a", TypeJSON: nest(types.MaxDepth)},
		{Name: "a", TypeJSON: `{"type":` + nest(types.MaxDepth) + `}`},
	} {
		_, _, err := types.FromColumnInfos([]types.ColumnInfo{c})
		refused(t, err, types.InvalidParameterValue, "columns: types lie more than 1000 deep")
	}
	_, err := types.ParseField([]byte(`{"name":"a","nullable":true,"metadata":{},"type":`+nest(types.MaxDepth)+`}`), "f")
	refused(t, err, types.InvalidParameterValue, "f: types lie more than 1000 deep")
}

func TestFromColumnInfosOrder(t *testing.T) {
	infos := []types.ColumnInfo{
		{Name: "c", TypeName: "LONG", Position: 2, PartitionIndex: ptr(0)},
		{Name: "a", TypeName: "LONG", Position: 0, PartitionIndex: ptr(1)},
		{Name: "b", TypeName: "LONG", Position: 1},
	}
	got, partition, err := types.FromColumnInfos(infos)
	if err != nil || got.Fields[0].Name != "a" || got.Fields[2].Name != "c" {
		t.Errorf("%v, %v", got, err)
	}
	same(t, partition, []string{"c", "a"})
	if infos[0].Name != "c" {
		t.Error("the argument was sorted")
	}
}

func TestFromColumnInfosRefusals(t *testing.T) {
	const invalid, bad = types.InvalidParameterValue, types.BadRequest
	long := func(name string, place *int) types.ColumnInfo {
		return types.ColumnInfo{Name: name, TypeName: "LONG", PartitionIndex: place}
	}
	for _, tt := range []struct {
		infos []types.ColumnInfo
		code  types.Code
		want  string
	}{
		{[]types.ColumnInfo{long("", nil)}, invalid, "columns[0].name: blank"},
		{[]types.ColumnInfo{long("a", nil), long("A", nil)}, invalid, `columns[1].name: "A" is the name of field 0 too`},
		{[]types.ColumnInfo{long("a", ptr(0)), long("b", ptr(0))}, invalid, "columns[1]: partition index 0 is there twice"},
		{[]types.ColumnInfo{long("a", ptr(0)), long("b", ptr(2))}, invalid, "columns: no column has partition index 1 of 2"},
		{[]types.ColumnInfo{long("a", ptr(-1))}, invalid, "columns: no column has partition index 0 of 1"},
		{[]types.ColumnInfo{{Name: "a"}}, invalid, "columns[0].type_name: missing"},
		{[]types.ColumnInfo{{Name: "a", TypeName: "ARRAY"}}, invalid, `columns[0].type_name: "ARRAY" does not tell the whole type`},
		{[]types.ColumnInfo{{Name: "a", TypeName: "DECIMAL", Scale: ptr(1)}}, invalid, `columns[0].type_name: "DECIMAL" does not tell`},
		{[]types.ColumnInfo{{Name: "a", TypeName: "DECIMAL", Precision: ptr(1), Scale: ptr(2)}}, invalid, "columns[0].type_name: decimal(1,2)"},
		{[]types.ColumnInfo{{Name: "a", TypeName: "INTERVAL", IntervalType: "parsec"}}, invalid, "columns[0].type_name: "},
		{[]types.ColumnInfo{{Name: "a", TypeText: "foo"}}, invalid, `columns[0].type_text: "foo" is not a type`},
		{[]types.ColumnInfo{{Name: "a", TypeJSON: "{"}}, bad, "columns[0].type_json: not valid JSON"},
		{[]types.ColumnInfo{{Name: "a", TypeJSON: "foo"}}, invalid, `columns[0].type_json: "foo" is not a type`},
		{[]types.ColumnInfo{{Name: "a", TypeJSON: `{"type":{"type":"array","containsNull":true}}`}}, invalid, "columns[0].type_json.type.element-type: missing"},
		{[]types.ColumnInfo{{Name: "a", TypeJSON: `{"name":1}`}}, bad, "columns[0].type_json.name: want a string"},
		{[]types.ColumnInfo{{Name: "a", TypeJSON: `"long"`, TypeName: "STRING"}}, invalid, `columns[0]: type_name is "STRING", but the type is LONG`},
		{[]types.ColumnInfo{{Name: "a", TypeJSON: `"long"`, TypeText: "string"}}, invalid, `columns[0]: type_text is "string", but the type is LONG`},
		{[]types.ColumnInfo{{Name: "a", TypeText: "decimal(10,2)", Precision: ptr(9)}}, invalid, "columns[0]: type_precision and type_scale differ from those of decimal(10,2)"},
		{[]types.ColumnInfo{{Name: "a", TypeText: "decimal(10,2)", Precision: ptr(10), Scale: ptr(0)}}, invalid, "differ"},
	} {
		_, _, err := types.FromColumnInfos(tt.infos)
		t.Run(tt.want, func(t *testing.T) { refused(t, err, tt.code, tt.want) })
	}
}
