package types

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
)

func (p *parser) structType() (StructType, error) {
	if err := p.want(p.peek(), "an object", "{"); err != nil {
		return StructType{}, err
	}
	t, err := p.dataType()
	if err != nil {
		return StructType{}, err
	}
	s, ok := t.(*StructType)
	if !ok {
		p.push("type")
		return StructType{}, p.wrong("want struct")
	}
	return *s, nil
}

func (p *parser) dataType() (DataType, error) {
	if err := p.want(p.peek(), "a type", `"{`); err != nil {
		return nil, err
	}
	if p.data[p.pos] == '"' {
		return p.named(unquote(p.skip()))
	}
	if p.depth == MaxDepth {
		return nil, tooDeep(p.path)
	}
	p.depth++
	start := p.pos
	var t parts
	for p.enter(); p.more('}'); {
		name := p.key()
		p.push(name)
		if err := t.read(p, name); err != nil {
			return nil, err
		}
		p.pop()
	}
	p.depth--
	return t.build(p, p.data[start:p.pos])
}

func tooDeep(p *path) error {
	return InvalidParameterValue.Errorf("%s: types lie more than %d deep", &path{root: p.root}, MaxDepth)
}

// parts are the members of a type that is written as an object. They are read before
// the kind of the type is known, since "type" may come last: to find it first, every
// level would have to be walked over once more. So each is checked wherever it stands.
type parts struct {
	kind             *string
	fields           *[]StructField
	element          pair[DataType]
	containsNull     pair[bool]
	key, value       pair[DataType]
	valueNull        pair[bool]
	precision, scale *int64
}

// A pair is a member in both of its spellings. A repeated name counts once, but two
// spellings must agree.
type pair[T any] struct{ kebab, camel *T }

func (t *parts) read(p *parser, name string) error {
	switch name {
	case "type":
		return take(p, &t.kind, (*parser).text)
	case "fields":
		return take(p, &t.fields, (*parser).fields)
	case "element-type":
		return take(p, &t.element.kebab, (*parser).dataType)
	case "elementType":
		return take(p, &t.element.camel, (*parser).dataType)
	case "contains-null":
		return take(p, &t.containsNull.kebab, (*parser).boolean)
	case "containsNull":
		return take(p, &t.containsNull.camel, (*parser).boolean)
	case "key-type":
		return take(p, &t.key.kebab, (*parser).dataType)
	case "keyType":
		return take(p, &t.key.camel, (*parser).dataType)
	case "value-type":
		return take(p, &t.value.kebab, (*parser).dataType)
	case "valueType":
		return take(p, &t.value.camel, (*parser).dataType)
	case "value-contains-null":
		return take(p, &t.valueNull.kebab, (*parser).boolean)
	case "valueContainsNull":
		return take(p, &t.valueNull.camel, (*parser).boolean)
	case "precision":
		return take(p, &t.precision, (*parser).integer)
	case "scale":
		return take(p, &t.scale, (*parser).integer)
	}
	p.skip()
	return nil
}

// build makes the type of its parts; text is its JSON.
func (t *parts) build(p *parser, text []byte) (DataType, error) {
	if t.kind == nil {
		return nil, p.missing("type")
	}
	switch *t.kind {
	case "struct":
		if t.fields == nil {
			return nil, p.missing("fields")
		}
		if len(*t.fields) == 0 && !p.lenient {
			return nil, p.noFields()
		}
		return &StructType{Fields: *t.fields}, nil
	case "array":
		a := &Array{}
		err := t.element.into(&a.Element, p, "element-type", nil)
		return a, t.containsNull.into(&a.ContainsNull, p, "contains-null", err)
	case "map":
		m := &Map{}
		err := t.key.into(&m.Key, p, "key-type", nil)
		err = t.value.into(&m.Value, p, "value-type", err)
		return m, t.valueNull.into(&m.ValueContainsNull, p, "value-contains-null", err)
	case "decimal":
		switch {
		case t.precision == nil:
			return nil, p.missing("precision")
		case t.scale == nil:
			return nil, p.missing("scale")
		}
		return p.decimal(*t.precision, *t.scale)
	}
	if p.lenient {
		var b bytes.Buffer
		_ = json.Compact(&b, text) // checked JSON
		return Primitive(b.String()), nil
	}
	p.push("type")
	return nil, p.wrong("%s is not array, map, struct or decimal", quote(*t.kind))
}

// into stores the member name into v, unless err tells of an earlier one.
func (pair pair[T]) into(v *T, p *parser, name string, err error) error {
	kebab, camel := pair.kebab, pair.camel
	switch {
	case err != nil:
		return err
	case kebab == nil && camel == nil:
		return p.missing(name)
	case kebab == nil:
		*v = *camel
	case camel == nil || reflect.DeepEqual(kebab, camel):
		*v = *kebab
	default:
		p.push(name)
		return p.wrong("differs from its camelCase spelling")
	}
	return nil
}

// primitives holds the primitive types by name, ready as the interface they are used as.
var primitives = func() map[string]DataType {
	m := map[string]DataType{}
	for _, t := range []Primitive{
		Boolean, Byte, Short, Integer, Long, Float, Double, Date, Timestamp, TimestampNTZ,
		String, Binary, Variant,
	} {
		m[string(t)] = t
	}
	return m
}()

// named makes the type that is written as a string.
func (p *parser) named(s string) (DataType, error) {
	if t, ok := primitives[s]; ok {
		return t, nil
	}
	if precision, scale, ok := cutDecimal(s); ok {
		return p.decimal(precision, scale)
	}
	// A text that begins like an object would be written as one.
	if p.lenient && strings.TrimSpace(s) != "" && s[0] != '{' {
		mark := len(p.steps)
		if t, err := parseText(s, p.path, p.depth); err == nil {
			return t, nil
		}
		p.steps = p.steps[:mark]
		return Primitive(s), nil
	}
	return nil, p.wrong("%s is not a type of Delta", quote(s))
}

// cutDecimal takes decimal(p,s) apart; blanks may stand behind the comma only.
func cutDecimal(s string) (precision, scale int64, ok bool) {
	s, ok1 := strings.CutPrefix(s, "decimal(")
	s, ok2 := strings.CutSuffix(s, ")")
	left, right, ok3 := strings.Cut(s, ",")
	precision, ok4 := digits(left)
	scale, ok5 := digits(strings.TrimLeft(right, " "))
	return precision, scale, ok1 && ok2 && ok3 && ok4 && ok5
}

// digits reads an unsigned number.
func digits(s string) (int64, bool) {
	n, err := strconv.ParseUint(s, 10, 31)
	return int64(n), err == nil
}

func (p *path) decimal(precision, scale int64) (DataType, error) {
	if precision < 0 || precision > 38 || scale < 0 || scale > precision {
		return nil, p.wrong("decimal(%d,%d): want 0 ≤ scale ≤ precision ≤ 38", precision, scale)
	}
	return Decimal{Precision: int(precision), Scale: int(scale)}, nil
}
