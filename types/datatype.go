package types

import "encoding/json"

// A DataType is the type of a column, element, key or value: a [Primitive], a
// [Decimal], an [*Array], a [*Map] or a [*StructType] (Delta protocol, "Schema
// Serialization Format").
type DataType interface{ dataType() }

// A Primitive is a type without parameters, by its name in the Delta protocol.
//
// A table that is not served by the Delta API may have types that only the Unity Catalog
// REST API knows, such as "interval day", "void" or "varchar(5)": such a type is a
// Primitive of its text, a user-defined type one of its JSON object.
// [StructType.Delta] tells whether there are any.
type Primitive string

// The primitive types of Delta.
const (
	Boolean      Primitive = "boolean"
	Byte         Primitive = "byte"
	Short        Primitive = "short"
	Integer      Primitive = "integer"
	Long         Primitive = "long"
	Float        Primitive = "float"
	Double       Primitive = "double"
	Date         Primitive = "date"
	Timestamp    Primitive = "timestamp"
	TimestampNTZ Primitive = "timestamp_ntz"
	String       Primitive = "string"
	Binary       Primitive = "binary"
	Variant      Primitive = "variant"
)

// A Decimal has Precision digits, Scale of them after the point: 0 ≤ Scale ≤ Precision ≤ 38.
type Decimal struct{ Precision, Scale int }

// An Array is a list of elements.
type Array struct {
	Element      DataType
	ContainsNull bool
}

// A Map maps keys to values.
type Map struct {
	Key, Value        DataType
	ValueContainsNull bool
}

// A StructType is a list of named fields, at least one.
type StructType struct{ Fields []StructField }

// A StructField is a column or a field of a struct. Names are unique within a struct,
// ASCII case aside.
type StructField struct {
	Name     string
	Type     DataType
	Nullable bool
	Metadata Metadata
}

// Metadata is what a client keeps with a field. The catalog stores it to the last
// digit and does not interpret it, but for column mapping.
type Metadata map[string]json.RawMessage

func (Primitive) dataType()   {}
func (Decimal) dataType()     {}
func (*Array) dataType()      {}
func (*Map) dataType()        {}
func (*StructType) dataType() {}
