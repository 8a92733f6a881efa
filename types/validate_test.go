package types_test

import (
	"testing"

	"github.com/leveelake/catalog/types"
)

func TestValidate(t *testing.T) {
	one := func(f types.StructField) types.StructType {
		return types.StructType{Fields: []types.StructField{f}}
	}
	typed := func(typ types.DataType) types.StructType { return one(types.StructField{Name: "a", Type: typ}) }
	var noArray *types.Array
	var noMap *types.Map
	var noStruct *types.StructType
	long := types.Long
	cyclic := &types.Array{}
	cyclic.Element = cyclic
	deep := types.DataType(types.Long)
	for range types.MaxDepth - 1 {
		deep = &types.Array{Element: deep}
	}

	for name, ok := range map[string]types.StructType{
		"nil metadata": typed(types.Long),
		"deep":         typed(deep),
		"all kinds": typed(&types.Map{Key: types.Decimal{}, Value: &types.StructType{Fields: []types.StructField{
			{Name: "a", Type: types.Decimal{Precision: 38, Scale: 38}, Metadata: types.Metadata{"k": []byte(` {"x":1} `)}},
		}}}),
	} {
		if err := ok.Validate("columns"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}

	for _, tt := range []struct {
		of   types.StructType
		want string
	}{
		{types.StructType{}, "columns.fields: a struct has at least one field"},
		{typed(nil), "columns.fields[0].type: missing"},
		{typed(noArray), "columns.fields[0].type: missing"},
		{typed(noMap), "columns.fields[0].type: missing"},
		{typed(noStruct), "columns.fields[0].type: missing"},
		{typed(&long), "columns.fields[0].type: not a type of this package"},
		{typed(types.Primitive("")), `columns.fields[0].type: "" is not a type of Delta`},
		{typed(types.Primitive("varchar(5)")), `columns.fields[0].type: "varchar(5)" is not a type of Delta`},
		{typed(types.Decimal{Precision: 39}), "columns.fields[0].type: decimal(39,0)"},
		{typed(types.Decimal{Precision: 3, Scale: 4}), "columns.fields[0].type: decimal(3,4)"},
		{typed(types.Decimal{Precision: 3, Scale: -1}), "columns.fields[0].type: decimal(3,-1)"},
		{typed(&types.Array{}), "columns.fields[0].type.element-type: missing"},
		{typed(&types.Map{Value: types.Long}), "columns.fields[0].type.key-type: missing"},
		{typed(&types.Map{Key: types.Long}), "columns.fields[0].type.value-type: missing"},
		{typed(&types.StructType{}), "columns.fields[0].type.fields: a struct has at least one field"},
		{typed(cyclic), "columns: types lie more than 1000 deep"},
		{typed(&types.Array{Element: deep}), "columns: types lie more than 1000 deep"},
		{one(types.StructField{Name: " ", Type: types.Long}), "columns.fields[0].name: blank"},
		{one(types.StructField{Name: "\xff", Type: types.Long}), "columns.fields[0].name: \"\\xff\" is not valid UTF-8"},
		{one(types.StructField{Name: "a", Type: types.Long, Metadata: types.Metadata{"k": nil}}), `columns.fields[0].metadata: "k" is not valid JSON`},
		{one(types.StructField{Name: "a", Type: types.Long, Metadata: types.Metadata{"k": []byte("1,2")}}), `columns.fields[0].metadata: "k" is not valid JSON`},
		{one(types.StructField{Name: "a", Type: types.Long, Metadata: types.Metadata{"\xff": []byte("1")}}), "is not valid UTF-8"},
		{types.StructType{Fields: []types.StructField{
			{Name: "a", Type: &types.Array{Element: types.Long}},
			{Name: "A", Type: types.Long},
		}}, `columns.fields[1].name: "A" is the name of field 0 too`},
		{types.StructType{Fields: []types.StructField{
			{Name: "a", Type: &types.Map{Key: types.Long, Value: &types.Array{Element: types.Long}}},
			{Name: "b", Type: nil},
		}}, "columns.fields[1].type: missing"},
	} {
		err := tt.of.Validate("columns")
		t.Run(tt.want, func(t *testing.T) { refused(t, err, types.InvalidParameterValue, tt.want) })
	}
}

func TestDelta(t *testing.T) {
	struct1 := func(typ types.DataType) types.StructType {
		return types.StructType{Fields: []types.StructField{{Name: "a", Type: types.Long}, {Name: "b", Type: typ}}}
	}
	if err := struct1(&types.Map{Key: types.Decimal{}, Value: &types.Array{Element: types.Variant}}).Delta(); err != nil {
		t.Error(err)
	}
	inner := struct1(types.Primitive("void"))
	for _, typ := range []types.DataType{
		types.Primitive("interval day"),
		&types.Array{Element: types.Primitive("char(3)")},
		&types.Map{Key: types.Primitive("varchar(3)"), Value: types.Long},
		&types.Map{Key: types.Long, Value: types.Primitive("varchar(3)")},
		&inner,
	} {
		refused(t, struct1(typ).Delta(), types.UnsupportedTableFormat, `column "b"`)
	}
}

func TestValidateProtocol(t *testing.T) {
	if err := someProtocol.Validate("protocol"); err != nil {
		t.Error(err)
	}
	for _, tt := range []struct {
		of   types.Protocol
		want string
	}{
		{types.Protocol{MinReaderVersion: -1}, "protocol.min-reader-version: -1 is not a version"},
		{types.Protocol{MinWriterVersion: 1 << 31}, "protocol.min-writer-version: 2147483648 is not a version"},
		{types.Protocol{ReaderFeatures: []string{"a", " "}}, "protocol.reader-features[1]: blank"},
		{types.Protocol{ReaderFeatures: []string{"a"}, WriterFeatures: []string{"\xff"}}, "protocol.writer-features[0]: \"\\xff\" is not valid UTF-8"},
	} {
		refused(t, tt.of.Validate("protocol"), types.InvalidParameterValue, tt.want)
	}
}
