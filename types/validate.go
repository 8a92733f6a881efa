package types

import (
	"strings"
	"unicode/utf8"
)

// Validate checks a struct that was built in Go by the rules that [ParseStruct] checks
// JSON by. Refusals are [InvalidParameterValue] and name the place in the struct, which
// itself stands at the place at.
func (t StructType) Validate(at string) error {
	v := validator{path: path{root: at}}
	return v.dataType(&t)
}

// ValidateForeign is Validate for the columns of a table that need not be one of Delta:
// types that only the Unity Catalog REST API knows are fine; see [StructType.Delta].
func (t StructType) ValidateForeign(at string) error {
	v := validator{path: path{root: at}, foreign: true}
	return v.dataType(&t)
}

// A validator walks over a type as a parser does.
type validator struct {
	path
	depth   int
	foreign bool // any name of a type goes
}

func (v *validator) dataType(t DataType) error {
	switch t := t.(type) {
	case Primitive:
		if _, ok := primitives[string(t)]; !ok && (!v.foreign || strings.TrimSpace(string(t)) == "") {
			return v.wrong("%s is not a type of Delta", quote(string(t)))
		}
		return nil
	case Decimal:
		_, err := v.decimal(int64(t.Precision), int64(t.Scale))
		return err
	}
	if v.depth == MaxDepth {
		return tooDeep(&v.path)
	}
	v.depth++
	defer func() { v.depth-- }()
	switch t := t.(type) {
	case *Array:
		if t != nil {
			return v.at("element-type", t.Element)
		}
	case *Map:
		if t != nil {
			if err := v.at("key-type", t.Key); err != nil {
				return err
			}
			return v.at("value-type", t.Value)
		}
	case *StructType:
		if t != nil {
			return v.fields(t.Fields)
		}
	case nil:
	default: // a pointer to a Primitive or a Decimal
		return v.wrong("not a type of this package")
	}
	return v.wrong("missing")
}

// at checks the type of a member.
func (v *validator) at(name string, t DataType) error {
	v.push(name)
	err := v.dataType(t)
	v.pop()
	return err
}

func (v *validator) fields(fields []StructField) error {
	if len(fields) == 0 {
		return v.noFields()
	}
	names := make(names, len(fields))
	v.push("fields")
	for i, f := range fields {
		v.pushIndex(i)
		err := names.add(&v.path, f.Name, i)
		if err == nil {
			err = v.field(f)
		}
		if err != nil {
			return err
		}
		v.pop()
	}
	v.pop()
	return nil
}

func (v *validator) field(f StructField) error {
	if !utf8.ValidString(f.Name) {
		v.push("name")
		return v.wrong("%s is not valid UTF-8", quote(f.Name))
	}
	if err := v.at("type", f.Type); err != nil {
		return err
	}
	v.push("metadata")
	for _, name := range sortedKeys(f.Metadata) {
		switch raw := f.Metadata[name]; {
		case !utf8.ValidString(name):
			return v.wrong("%s is not valid UTF-8", quote(name))
		case check(raw) != nil:
			return v.wrong("%s is not valid JSON", quote(name))
		}
	}
	v.pop()
	return nil
}
