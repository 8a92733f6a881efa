package types_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/leveelake/catalog/types"
)

// everything holds every kind of type, odd names and odd metadata.
const everything = `{"type":"struct","fields":[` +
	`{"name":"<a&\u0001\"\\\n\r\t/ é😀>","type":"decimal(10,2)","nullable":false,"metadata":{` +
	`"<b>":"<&>","delta.columnMapping.id":9007199254740993,"n":1.50e+400,"z":{"b": [null,true] , "a":"\u00e9"}}},` +
	`{"name":"m","type":{"type":"map","key-type":"string","value-type":{"type":"array","element-type":` +
	`{"type":"struct","fields":[{"name":"x","type":"variant","nullable":true,"metadata":{}}]},` +
	`"contains-null":true},"value-contains-null":false},"nullable":true,"metadata":{}}]}`

func TestEncodeTypes(t *testing.T) {
	parsed, err := types.ParseStruct([]byte(everything), "columns")
	if err != nil {
		t.Fatal(err)
	}
	if got := string(parsed.AppendJSON([]byte("x"))); got != "x"+everything {
		t.Errorf("kebab-case:\n got %s\nwant %s", got, everything)
	}
	log := strings.NewReplacer("key-type", "keyType", "value-type", "valueType", "element-type", "elementType",
		"value-contains-null", "valueContainsNull", "contains-null", "containsNull").Replace(everything)
	if got := string(parsed.LogJSON()); got != log {
		t.Errorf("log:\n got %s\nwant %s", got, log)
	}
	field := parsed.Fields[1]
	if got := string(field.AppendJSON(nil)); !strings.Contains(everything, got) || !strings.HasPrefix(got, `{"name":"m"`) {
		t.Errorf("field: %s", got)
	}
	if got := string(field.LogJSON()); !strings.Contains(log, got) || !strings.HasPrefix(got, `{"name":"m"`) {
		t.Errorf("field: %s", got)
	}
	for _, v := range []any{parsed, &parsed, field, types.NewColumns(parsed)} {
		marshalled, err := json.Marshal(v)
		if err != nil || !json.Valid(marshalled) {
			t.Errorf("%T: %s, %v", v, marshalled, err)
		}
	}
	again, err := types.ParseStruct(parsed.LogJSON(), "columns")
	if err != nil {
		t.Fatal(err)
	}
	same(t, again, parsed)
}

func TestParseKeepsNothingOfItsInput(t *testing.T) {
	data := []byte(everything)
	parsed, err := types.ParseStruct(data, "columns")
	if err != nil {
		t.Fatal(err)
	}
	clear(data)
	if got := string(parsed.AppendJSON(nil)); got != everything {
		t.Errorf("changed with its input: %s", got)
	}
}

func TestEncodeWhatIsNoType(t *testing.T) {
	long := types.Long
	var none *types.StructType
	for _, typ := range []types.DataType{nil, &long, none, (*types.Array)(nil), (*types.Map)(nil)} {
		got := string(types.StructField{Name: "a", Type: typ}.AppendJSON(nil))
		if want := `{"name":"a","type":null,"nullable":false,"metadata":{}}`; got != want {
			t.Errorf("%T: %s, want %s", typ, got, want)
		}
	}
	if got := string(types.StructField{Name: "\xffa"}.AppendJSON(nil)); !strings.Contains(got, `"�a"`) {
		t.Errorf("bad UTF-8: %s", got)
	}
}

func TestColumns(t *testing.T) {
	parsed, err := types.ParseStruct([]byte(everything), "columns")
	if err != nil {
		t.Fatal(err)
	}
	const empty = `{"type":"struct","fields":[]}`
	for _, zero := range []types.Columns{
		{}, types.NewColumns(types.StructType{}), types.RawColumns(nil), types.RawColumns([]byte(empty)),
	} {
		if !zero.IsZero() || string(zero.JSON()) != empty || string(zero.AppendJSON(nil)) != empty {
			t.Errorf("zero: %s", zero.JSON())
		}
		if s, err := zero.Struct(); err != nil || len(s.Fields) != 0 {
			t.Errorf("zero: %v, %v", s, err)
		}
	}

	c := types.NewColumns(parsed)
	if c.IsZero() || string(c.JSON()) != everything || !c.Equal(types.RawColumns([]byte(everything))) {
		t.Errorf("columns: %s", c.JSON())
	}
	back, err := c.Struct()
	if err != nil {
		t.Fatal(err)
	}
	same(t, back, parsed)

	var d types.Columns
	if err := json.Unmarshal(parsed.LogJSON(), &d); err != nil || !d.Equal(c) {
		t.Errorf("columns of the log: %s, %v", d.JSON(), err)
	}
	if err := json.Unmarshal([]byte("null"), &d); err != nil || !d.IsZero() {
		t.Errorf("columns of null: %s, %v", d.JSON(), err)
	}
	refused(t, d.UnmarshalJSON([]byte(`{"type":"struct"}`)), types.InvalidParameterValue, "columns.fields: missing")
	_, err = types.RawColumns([]byte("garbage")).Struct()
	refused(t, err, types.BadRequest, "not valid JSON")
}

func TestParseFieldLenient(t *testing.T) {
	for text, want := range map[string]types.StructField{
		`{"type":"long"}`: {Type: types.Long, Nullable: true},
		`{"name":"a","type":"varchar(5)","nullable":false,"metadata":{"k":1}}`: {Name: "a", Type: types.Primitive("varchar(5)"), Metadata: types.Metadata{"k": []byte("1")}},
		`{"name":"a","type":"int"}`:                                                     {Name: "a", Type: types.Integer, Nullable: true},
		`{"name":"a","type":"INTERVAL DAY TO SECOND"}`:                                  {Name: "a", Type: types.Primitive("interval day to second"), Nullable: true},
		`{"name":"a","type":"geometry(3857)"}`:                                          {Name: "a", Type: types.Primitive("geometry(3857)"), Nullable: true},
		`{"name":"a","type":{"type":"struct","fields":[]}}`:                             {Name: "a", Type: &types.StructType{}, Nullable: true},
		`{"name":"a","type":{"type":"udt", "class":"x.Y"}}`:                             {Name: "a", Type: types.Primitive(`{"type":"udt","class":"x.Y"}`), Nullable: true},
		`{"name":"a","type":{"type":"array","elementType":"void","containsNull":true}}`: {Name: "a", Type: &types.Array{Element: types.Primitive("void"), ContainsNull: true}, Nullable: true},
	} {
		got, err := types.ParseFieldLenient([]byte(text), "f")
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		same(t, got, want)
		again, err := types.ParseFieldLenient(got.LogJSON(), "f")
		if err != nil {
			t.Errorf("%s: %v", got.LogJSON(), err)
			continue
		}
		same(t, again, got)
	}
	_, err := types.ParseFieldLenient([]byte(`{"name":"a"}`), "f")
	refused(t, err, types.InvalidParameterValue, "f.type: missing")
	_, err = types.ParseFieldLenient([]byte(`{"type":" "}`), "f")
	refused(t, err, types.InvalidParameterValue, `f.type: " " is not a type`)
	_, err = types.ParseFieldLenient([]byte(`{"type":"`+strings.Repeat("array<", 5000)+`"}`), "f")
	if err != nil {
		t.Errorf("text that is no type: %v", err)
	}
}
