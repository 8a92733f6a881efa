package types_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/leveelake/catalog/types"
)

// column is a schema of one column of a type.
func column(typ string) string {
	return `{"type":"struct","fields":[{"name":"a","type":` + typ + `,"nullable":true,"metadata":{}}]}`
}

func TestParsePrimitives(t *testing.T) {
	for _, name := range strings.Fields("boolean byte short integer long float double date timestamp timestamp_ntz string binary variant") {
		got, err := types.ParseType([]byte(`"`+name+`"`), "columns")
		if err != nil || got != types.Primitive(name) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

func TestParseDecimal(t *testing.T) {
	for text, want := range map[string]types.Decimal{
		`"decimal(10,2)"`:                             {Precision: 10, Scale: 2},
		`"decimal(10,  2)"`:                           {Precision: 10, Scale: 2},
		`"decimal(38,38)"`:                            {Precision: 38, Scale: 38},
		`"decimal(0,0)"`:                              {},
		`"deci\u006dal(1,0)"`:                         {Precision: 1},
		`{"type":"decimal","precision":10,"scale":2}`: {Precision: 10, Scale: 2},
		`{"scale":0,"x":[{}],"precision":1,"type":"decimal"}`:         {Precision: 1},
		`{"type":"decimal","precision":9,"scale":2,"precision":10}`:   {Precision: 10, Scale: 2},
		` { "type" : "decimal" , "precision" : 10 , "scale" : 2 } `:   {Precision: 10, Scale: 2},
		"{\n\t\"type\":\r\n\"decimal\",\"precision\":3,\"scale\":-0}": {Precision: 3},
	} {
		got, err := types.ParseType([]byte(text), "columns")
		if err != nil || got != types.DataType(want) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
}

func TestParseNested(t *testing.T) {
	leaf := types.StructField{Name: "x.y", Type: types.Long, Metadata: types.Metadata{"k": []byte(`[ 1.50, null]`)}}
	want := types.StructType{Fields: []types.StructField{
		{Name: "a", Nullable: true, Type: &types.Map{
			Key:               types.String,
			Value:             &types.Array{Element: &types.StructType{Fields: []types.StructField{leaf}}, ContainsNull: true},
			ValueContainsNull: false,
		}},
	}}
	leafText := `{"name":"x.y","type":"long","nullable":false,"metadata":{"k":[ 1.50, null]}}`
	for name, text := range map[string]string{
		"kebab":                                  column(`{"type":"map","key-type":"string","value-type":{"type":"array","element-type":{"type":"struct","fields":[` + leafText + `]},"contains-null":true},"value-contains-null":false}`),
		"camel":                                  column(`{"type":"map","keyType":"string","valueType":{"type":"array","elementType":{"type":"struct","fields":[` + leafText + `]},"containsNull":true},"valueContainsNull":false}`),
		"both":                                   column(`{"type":"map","key-type":"string","keyType":"string","value-type":{"type":"array","element-type":{"type":"struct","fields":[` + leafText + `]},"elementType":{"fields":[` + leafText + `],"type":"struct"},"contains-null":true,"containsNull":true},"value-contains-null":false}`),
		"type last, unknown keys, repeated keys": column(`{"value-contains-null":true,"value-contains-null":false,"key-type":"long","key-type":"string","z":{"type":1},"value-type":{"contains-null":true,"element-type":{"fields":[` + leafText + `],"type":"struct"},"type":"array"},"type":"array","type":"map"}`),
		"null of a spelling":                     column(`{"type":"map","keyType":null,"key-type":"string","value-type":{"type":"array","element-type":{"type":"struct","fields":[` + leafText + `]},"contains-null":true},"value-contains-null":false}`),
	} {
		got, err := types.ParseStruct([]byte(text), "columns")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		same(t, got, want)
	}
}

func TestParseRefusals(t *testing.T) {
	const invalid, bad = types.InvalidParameterValue, types.BadRequest
	field := func(members string) string { return `{"type":"struct","fields":[{` + members + `}]}` }
	for _, tt := range []struct {
		text string
		code types.Code
		want string
	}{
		// the root
		{`null`, bad, "columns: want an object, got null"},
		{`"long"`, bad, "columns: want an object, got a string"},
		{`[]`, bad, "columns: want an object, got an array"},
		{`{}`, invalid, "columns.type: missing"},
		{`{"type":"array","element-type":"long","contains-null":true}`, invalid, "columns.type: want struct"},
		{`{"type":"long"}`, invalid, `columns.type: "long" is not array`},
		{`{"type":"struct"}`, invalid, "columns.fields: missing"},
		{`{"type":"struct","fields":null}`, invalid, "columns.fields: missing"},
		{`{"type":"struct","fields":[]}`, invalid, "columns.fields: a struct has at least one field"},
		{`{"type":"struct","fields":{}}`, bad, "columns.fields: want an array, got an object"},
		{`{"type":"struct","fields":[null]}`, bad, "columns.fields[0]: want an object, got null"},
		{`{"type":7,"fields":[]}`, bad, "columns.type: want a string, got a number"},
		{``, bad, "not valid JSON"},
		{`{"type":"struct","fields":[`, bad, "not valid JSON"},
		{column(`"long"`) + "x", bad, "not valid JSON"},
		{"{\"type\":\"\xff\"}", bad, "UTF-8"},
		{`{"type":"\ud800"}`, bad, "surrogate"},
		{`{"type":"\udc00\ud800"}`, bad, "surrogate"},

		// fields
		{field(`"type":"long","nullable":true,"metadata":{}`), invalid, "columns.fields[0].name: missing"},
		{field(`"name":null,"type":"long","nullable":true,"metadata":{}`), invalid, "columns.fields[0].name: missing"},
		{field(`"name":"a","name":null,"type":"long","nullable":true,"metadata":{}`), invalid, "columns.fields[0].name: missing"},
		{field(`"Name":"a","type":"long","nullable":true,"metadata":{}`), invalid, "columns.fields[0].name: missing"},
		{field(`"name":" \u2003\t","type":"long","nullable":true,"metadata":{}`), invalid, "columns.fields[0].name: blank"},
		{field(`"name":1,"type":"long","nullable":true,"metadata":{}`), bad, "columns.fields[0].name: want a string, got a number"},
		{field(`"name":"a","nullable":true,"metadata":{}`), invalid, "columns.fields[0].type: missing"},
		{field(`"name":"a","type":null,"nullable":true,"metadata":{}`), invalid, "columns.fields[0].type: missing"},
		{field(`"name":"a","type":"long","metadata":{}`), invalid, "columns.fields[0].nullable: missing"},
		{field(`"name":"a","type":"long","nullable":null,"metadata":{}`), invalid, "columns.fields[0].nullable: missing"},
		{field(`"name":"a","type":"long","nullable":"true","metadata":{}`), bad, "columns.fields[0].nullable: want true or false, got a string"},
		{field(`"name":"a","type":"long","nullable":true`), invalid, "columns.fields[0].metadata: missing"},
		{field(`"name":"a","type":"long","nullable":true,"metadata":null`), invalid, "columns.fields[0].metadata: missing"},
		{field(`"name":"a","type":"long","nullable":true,"metadata":[]`), bad, "columns.fields[0].metadata: want an object, got an array"},

		// nested types
		{column(`{"type":"array","contains-null":true}`), invalid, "columns.fields[0].type.element-type: missing"},
		{column(`{"type":"array","element-type":"long"}`), invalid, "columns.fields[0].type.contains-null: missing"},
		{column(`{"type":"array","element-type":"long","contains-null":1}`), bad, "columns.fields[0].type.contains-null: want true or false, got a number"},
		{column(`{"type":"array","element-type":"long","elementType":"short","contains-null":true}`), invalid, "columns.fields[0].type.element-type: differs"},
		{column(`{"type":"array","element-type":"long","contains-null":true,"containsNull":false}`), invalid, "columns.fields[0].type.contains-null: differs"},
		{column(`{"type":"map","value-type":"long","value-contains-null":true}`), invalid, "columns.fields[0].type.key-type: missing"},
		{column(`{"type":"map","key-type":"long","value-contains-null":true}`), invalid, "columns.fields[0].type.value-type: missing"},
		{column(`{"type":"map","key-type":"long","value-type":"long"}`), invalid, "columns.fields[0].type.value-contains-null: missing"},
		{column(`{"type":"map","keyType":"long","key-type":"int","value-type":"long","value-contains-null":true}`), invalid, `columns.fields[0].type.key-type: "int" is not a type`},
		{column(`{"type":"struct","fields":[]}`), invalid, "columns.fields[0].type.fields: a struct has at least one field"},
		{column(`{"type":"struct"}`), invalid, "columns.fields[0].type.fields: missing"},
		{column(`{"type":"array","contains-null":true,"element-type":` + field(`"name":1`) + `}`), bad, "columns.fields[0].type.element-type.fields[0].name: want a string"},
		{column(`{"type":"array","contains-null":true,"elementType":` + field(`"name":1`) + `}`), bad, "columns.fields[0].type.elementType.fields[0].name: want a string"},
		{column(`17`), bad, "columns.fields[0].type: want a type, got a number"},
		{column(`{"type":"void"}`), invalid, `columns.fields[0].type.type: "void" is not`},

		// decimals in object form
		{column(`{"type":"decimal","scale":1}`), invalid, "columns.fields[0].type.precision: missing"},
		{column(`{"type":"decimal","precision":1}`), invalid, "columns.fields[0].type.scale: missing"},
		{column(`{"type":"decimal","precision":1,"scale":2}`), invalid, "columns.fields[0].type: decimal(1,2): want 0"},
		{column(`{"type":"decimal","precision":39,"scale":2}`), invalid, "columns.fields[0].type: decimal(39,2)"},
		{column(`{"type":"decimal","precision":5,"scale":-1}`), invalid, "columns.fields[0].type: decimal(5,-1)"},
		{column(`{"type":"decimal","precision":"5","scale":1}`), bad, "columns.fields[0].type.precision: want an integer, got a string"},
		{column(`{"type":"decimal","precision":5.0,"scale":1}`), bad, "columns.fields[0].type.precision: want an integer of 64 bits, got 5.0"},
	} {
		_, err := types.ParseStruct([]byte(tt.text), "columns")
		t.Run(tt.want, func(t *testing.T) { refused(t, err, tt.code, tt.want) })
	}
}

func TestParseUnknownNames(t *testing.T) {
	for _, name := range []string{
		"", "int", "bigint", "LONG", "Long", "void", "null", "interval day", "char(3)", "varchar(5)", "array<int>",
		"string collate x", "geometry", "decimal", "decimal(10)", "decimal( 10,2)", "decimal(10 ,2)", "decimal(10,2 )",
		"decimal(10,\\t2)", "DECIMAL(1,0)", "decimal(+1,0)", "decimal(1,-0)", "decimal(1,0) ", "decimal(1,2,3)", "decimal(,)",
		"decimal(0x1,0)", "decimal(1_0,0)", "decimal(99999999999999999999,0)",
	} {
		_, err := types.ParseStruct([]byte(column(`"`+name+`"`)), "columns")
		t.Run(name, func(t *testing.T) { refused(t, err, types.InvalidParameterValue, "columns.fields[0].type: ") })
	}
	_, err := types.ParseStruct([]byte(column(`"decimal(39,0)"`)), "columns")
	refused(t, err, types.InvalidParameterValue, "decimal(39,0): want 0 ≤ scale ≤ precision ≤ 38")
}

func TestParseNames(t *testing.T) {
	field := func(name, typ string) string {
		return fmt.Sprintf(`{"name":%q,"type":%s,"nullable":true,"metadata":{}}`, name, typ)
	}
	schema := func(fields ...string) string {
		return `{"type":"struct","fields":[` + strings.Join(fields, ",") + `]}`
	}
	for _, names := range [][]string{
		{"a.b", "a/b", "`q`", "日本", "😀", "a b", " a", "a"},
		{"É", "é"},
		{"\u017f", "s", "\u212a", "k"}, // long s and the Kelvin sign: other letters, whatever Unicode folds them to
	} {
		var fields []string
		for _, n := range names {
			fields = append(fields, field(n, `"long"`))
		}
		got, err := types.ParseStruct([]byte(schema(fields...)), "columns")
		if err != nil {
			t.Errorf("%q: %v", names, err)
			continue
		}
		for i, n := range names {
			if got.Fields[i].Name != n {
				t.Errorf("name %q came back as %q", n, got.Fields[i].Name)
			}
		}
	}

	_, err := types.ParseStruct([]byte(schema(field("Id", `"long"`), field("b", `"long"`), field("iD", `"long"`))), "columns")
	refused(t, err, types.InvalidParameterValue, `columns.fields[2].name: "iD" is the name of field 0 too`)
	inner := schema(field("x", `"long"`), field("X", `"long"`))
	_, err = types.ParseStruct([]byte(schema(field("a", inner))), "columns")
	refused(t, err, types.InvalidParameterValue, "columns.fields[0].type.fields[1].name")
	_, err = types.ParseStruct([]byte(schema(field("a", schema(field("a", schema(field("A", `"long"`))))))), "columns")
	if err != nil {
		t.Errorf("one name on several levels: %v", err)
	}
}

func nest(depth int) string {
	return strings.Repeat(`{"type":"array","contains-null":true,"element-type":`, depth) + `"long"` + strings.Repeat("}", depth)
}

func TestParseDepth(t *testing.T) {
	if _, err := types.ParseStruct([]byte(column(nest(types.MaxDepth-1))), "columns"); err != nil {
		t.Errorf("%d levels: %v", types.MaxDepth, err)
	}
	_, err := types.ParseStruct([]byte(column(nest(types.MaxDepth))), "columns")
	refused(t, err, types.InvalidParameterValue, "columns: types lie more than 1000 deep")
	_, err = types.ParseStruct([]byte(column(nest(100_000))), "columns")
	refused(t, err, types.BadRequest, "depth")
	_, err = types.ParseStruct([]byte(column(strings.Repeat("[", 100_000))), "columns")
	refused(t, err, types.BadRequest, "not valid JSON")
}

// Deep and large at once: the large part must not be walked over once for each level
// above it.
func TestParseLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("large")
	}
	junk := `{"type":"string","junk":"` + strings.Repeat("x", 32<<20) + `"}`
	deep := strings.Replace(column(nest(types.MaxDepth-2)), `"long"`, junk, 1)
	deep = strings.ReplaceAll(deep, `"type":"array",`, "")
	deep = strings.ReplaceAll(deep, `"contains-null":true`, `"containsNull":true`)
	start := time.Now()
	_, err := types.ParseStruct([]byte(deep), "columns")
	refused(t, err, types.InvalidParameterValue, `"string" is not array`)
	if d := time.Since(start); d > 20*time.Second {
		t.Errorf("took %v", d)
	}
}

func TestParseWide(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"type":"struct","fields":[`)
	for i := range 32_768 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"name":"column_%d","type":"string","nullable":true,"metadata":{}}`, i)
	}
	b.WriteString("]}")
	got, err := types.ParseStruct([]byte(b.String()), "columns")
	if err != nil || len(got.Fields) != 32_768 {
		t.Fatalf("%d fields, %v", len(got.Fields), err)
	}
	if string(got.AppendJSON(nil)) != b.String() {
		t.Error("the columns changed on the way")
	}
}

// Depth is that of one column within another, not of one after another.
func TestManyNestedColumns(t *testing.T) {
	var s types.StructType
	for i := range types.MaxDepth + 1 {
		s.Fields = append(s.Fields, types.StructField{Name: fmt.Sprint(i), Type: &types.Array{Element: types.Long}, Nullable: true})
	}
	if err := s.Validate("columns"); err != nil {
		t.Error(err)
	}
	if _, err := types.ParseStruct(s.AppendJSON(nil), "columns"); err != nil {
		t.Error(err)
	}
	if _, _, err := types.FromColumnInfos([]types.ColumnInfo{{Name: "a", TypeText: types.ColumnInfos(types.StructType{
		Fields: []types.StructField{{Name: "a", Type: &s}},
	}, nil)[0].TypeText}}); err != nil {
		t.Error(err)
	}
}

func TestParseLongPlace(t *testing.T) {
	text := strings.Replace(column(nest(900)), `"long"`, `"no such type"`, 1)
	_, err := types.ParseStruct([]byte(text), "columns")
	refused(t, err, types.InvalidParameterValue, "element-type: \"no such type\"")
	if n := len(err.Error()); n > 600 {
		t.Errorf("message of %d bytes", n)
	}
	_, err = types.ParseStruct([]byte(column(`"`+strings.Repeat("é", 1<<20)+`"`)), "columns")
	if n := len(err.Error()); n > 600 {
		t.Errorf("message of %d bytes", n)
	}
}

func TestUnmarshalTypes(t *testing.T) {
	var s types.StructType
	refused(t, s.UnmarshalJSON([]byte(`{"type":"struct","fields":[{}]}`)), types.InvalidParameterValue, "columns.fields[0].name: missing")
	if err := s.UnmarshalJSON([]byte(column(`"long"`))); err != nil || len(s.Fields) != 1 {
		t.Errorf("%v, %v", s, err)
	}
	var f types.StructField
	refused(t, f.UnmarshalJSON([]byte(`{"name":"a"}`)), types.InvalidParameterValue, "field.type: missing")
	if err := f.UnmarshalJSON([]byte(`{"name":"a","type":"long","nullable":true,"metadata":{}}`)); err != nil || f.Name != "a" {
		t.Errorf("%v, %v", f, err)
	}
	got, err := types.ParseField([]byte(`{"name":"a","type":"long","nullable":true,"metadata":{}}`), "x")
	if err != nil {
		t.Error(err)
	}
	same(t, got, f)
}
