package types

import "strconv"

// A spelling holds the names of the members of nested types, each with what stands
// before it: the Delta API writes kebab-case, the Delta log camelCase.
type spelling struct{ element, containsNull, key, value, valueNull string }

var (
	kebab = spelling{
		`{"type":"array","element-type":`, `,"contains-null":`,
		`{"type":"map","key-type":`, `,"value-type":`, `,"value-contains-null":`,
	}
	camel = spelling{
		`{"type":"array","elementType":`, `,"containsNull":`,
		`{"type":"map","keyType":`, `,"valueType":`, `,"valueContainsNull":`,
	}
)

// dataType appends t, null for a type that is no type.
func (s *spelling) dataType(dst []byte, t DataType) []byte {
	switch t := t.(type) {
	case Primitive:
		if len(t) > 0 && t[0] == '{' {
			return append(dst, t...)
		}
		return appendString(dst, string(t))
	case Decimal:
		return append(t.appendText(append(dst, '"')), '"')
	case *Array:
		if t != nil {
			dst = s.dataType(append(dst, s.element...), t.Element)
			return append(strconv.AppendBool(append(dst, s.containsNull...), t.ContainsNull), '}')
		}
	case *Map:
		if t != nil {
			dst = s.dataType(append(dst, s.key...), t.Key)
			dst = s.dataType(append(dst, s.value...), t.Value)
			return append(strconv.AppendBool(append(dst, s.valueNull...), t.ValueContainsNull), '}')
		}
	case *StructType:
		if t != nil {
			return s.structType(dst, t)
		}
	}
	return append(dst, "null"...)
}

func (s *spelling) structType(dst []byte, t *StructType) []byte {
	dst = append(dst, `{"type":"struct","fields":[`...)
	for i := range t.Fields {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = s.field(dst, &t.Fields[i])
	}
	return append(dst, "]}"...)
}

func (s *spelling) field(dst []byte, f *StructField) []byte {
	dst = appendString(append(dst, `{"name":`...), f.Name)
	dst = s.dataType(append(dst, `,"type":`...), f.Type)
	dst = strconv.AppendBool(append(dst, `,"nullable":`...), f.Nullable)
	dst = append(dst, `,"metadata":{`...)
	for i, name := range sortedKeys(f.Metadata) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, name), ':')
		dst = append(dst, f.Metadata[name]...)
	}
	return append(dst, "}}"...)
}

func (d Decimal) appendText(dst []byte) []byte {
	dst = strconv.AppendInt(append(dst, "decimal("...), int64(d.Precision), 10)
	return append(strconv.AppendInt(append(dst, ','), int64(d.Scale), 10), ')')
}

// AppendJSON appends t in the spelling of the Delta API. t must be valid, as
// [StructType.Validate] tells; only the types of [ParseFieldLenient] may stand in it too.
func (t StructType) AppendJSON(dst []byte) []byte { return kebab.structType(dst, &t) }

// MarshalJSON returns what [StructType.AppendJSON] appends; its error is nil.
func (t StructType) MarshalJSON() ([]byte, error) { return t.AppendJSON(nil), nil }

// UnmarshalJSON is [ParseStruct] for a struct that stands at the place "columns".
func (t *StructType) UnmarshalJSON(data []byte) error {
	s, err := ParseStruct(data, "columns")
	if err == nil {
		*t = s
	}
	return err
}

// LogJSON is t in the spelling of the Delta log: what schemaString holds.
func (t StructType) LogJSON() []byte { return camel.structType(nil, &t) }

// AppendJSON appends f in the spelling of the Delta API; see [StructType.AppendJSON].
func (f StructField) AppendJSON(dst []byte) []byte { return kebab.field(dst, &f) }

// MarshalJSON is as [StructType.MarshalJSON].
func (f StructField) MarshalJSON() ([]byte, error) { return f.AppendJSON(nil), nil }

// UnmarshalJSON is [ParseField] for a field that stands at the place "field".
func (f *StructField) UnmarshalJSON(data []byte) error {
	got, err := ParseField(data, "field")
	if err == nil {
		*f = got
	}
	return err
}

// LogJSON is f in the spelling of the Delta log: what type_json holds in the Unity
// Catalog REST API.
func (f StructField) LogJSON() []byte { return camel.field(nil, &f) }
