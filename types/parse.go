package types

// MaxDepth is how many arrays, maps and structs may lie within each other in a schema,
// the schema itself being the first.
const MaxDepth = 1000

// ParseStruct parses a struct type, such as the columns of a table, in the spelling of
// the Delta API or of the Delta log (Delta protocol, "Schema Serialization Format").
// Refusals name the place in the struct, which itself stands at the place at: they are
// [BadRequest] for a wrong kind of JSON, else [InvalidParameterValue].
func ParseStruct(data []byte, at string) (StructType, error) {
	return parse(data, at, false, (*parser).structType)
}

// ParseType parses any type; see [ParseStruct].
func ParseType(data []byte, at string) (DataType, error) {
	return parse(data, at, false, (*parser).dataType)
}

// ParseField parses a field of a struct; see [ParseStruct].
func ParseField(data []byte, at string) (StructField, error) {
	return parse(data, at, false, (*parser).lone)
}

// ParseFieldLenient parses a field as the Unity Catalog REST API knows it. Beyond
// [ParseField] it takes a type that is not Delta's, as [Primitive] tells, a struct
// without fields, and a field of which only the type is told: it has no name then, is
// nullable and has no metadata.
func ParseFieldLenient(data []byte, at string) (StructField, error) {
	return parse(data, at, true, (*parser).lone)
}

// parse checks data and reads a type or a field from it.
func parse[T any](data []byte, at string, lenient bool, read func(*parser) (T, error)) (T, error) {
	if err := check(data); err != nil {
		var zero T
		return zero, err
	}
	return read(newParser(trim(data), &path{root: at}, lenient))
}

// readStruct reads a struct from checked JSON.
func readStruct(data []byte, p *path) (StructType, error) {
	return newParser(data, p, false).structType()
}

// A parser reads types in one pass: every byte is looked at once however deep it lies.
type parser struct {
	cursor
	*path
	depth   int
	lenient bool // see ParseFieldLenient
}

func newParser(data []byte, p *path, lenient bool) *parser {
	return &parser{cursor: cursor{data: data}, path: p, lenient: lenient}
}

// take reads a value into v, where null stands for none.
func take[T any](p *parser, v **T, read func(*parser) (T, error)) error {
	if p.data[p.pos] == 'n' {
		p.skip()
		*v = nil
		return nil
	}
	got, err := read(p)
	*v = &got
	return err
}

func (p *parser) text() (string, error)   { return readString(p.skip(), p.path) }
func (p *parser) boolean() (bool, error)  { return readBool(p.skip(), p.path) }
func (p *parser) integer() (int64, error) { return readInt64(p.skip(), p.path) }

func (p *parser) metadata() (Metadata, error) {
	if err := p.want(p.peek(), "an object", "{"); err != nil {
		return nil, err
	}
	var m Metadata
	for p.enter(); p.more('}'); {
		name := p.key()
		if m == nil {
			m = Metadata{}
		}
		m[name] = append([]byte(nil), p.skip()...)
	}
	return m, nil
}

// lone reads a field that does not lie in its struct, which would be the first level.
func (p *parser) lone() (StructField, error) {
	p.depth = inSchema
	return p.field()
}

func (p *parser) field() (StructField, error) {
	if err := p.want(p.peek(), "an object", "{"); err != nil {
		return StructField{}, err
	}
	var (
		name     *string
		typ      *DataType
		nullable *bool
		metadata *Metadata
	)
	for p.enter(); p.more('}'); {
		var err error
		key := p.key()
		p.push(key)
		switch key {
		case "name":
			err = take(p, &name, (*parser).text)
		case "type":
			err = take(p, &typ, (*parser).dataType)
		case "nullable":
			err = take(p, &nullable, (*parser).boolean)
		case "metadata":
			err = take(p, &metadata, (*parser).metadata)
		default:
			p.skip()
		}
		if err != nil {
			return StructField{}, err
		}
		p.pop()
	}
	if p.lenient {
		name, nullable, metadata = or(name, ""), or(nullable, true), or(metadata, nil)
	}
	switch {
	case name == nil:
		return StructField{}, p.missing("name")
	case typ == nil:
		return StructField{}, p.missing("type")
	case nullable == nil:
		return StructField{}, p.missing("nullable")
	case metadata == nil:
		return StructField{}, p.missing("metadata")
	}
	return StructField{Name: *name, Type: *typ, Nullable: *nullable, Metadata: *metadata}, nil
}

// or is v, or a default for an absent one.
func or[T any](v *T, absent T) *T {
	if v == nil {
		return &absent
	}
	return v
}

func (p *parser) fields() ([]StructField, error) {
	if err := p.want(p.peek(), "an array", "["); err != nil {
		return nil, err
	}
	fields := []StructField{}
	names := names{}
	for p.enter(); p.more(']'); {
		p.pushIndex(len(fields))
		f, err := p.field()
		if err == nil {
			err = names.add(p.path, f.Name, len(fields))
		}
		if err != nil {
			return nil, err
		}
		p.pop()
		fields = append(fields, f)
	}
	return fields, nil
}
