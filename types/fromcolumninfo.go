package types

import (
	"cmp"
	"slices"
	"strings"
)

// inSchema is how deep the type of a column lies.
const inSchema = 1

// FromColumnInfos is the struct type and the partition columns that infos show, in the
// order of their positions. A column's type is that of its type_json, which is a field, a
// field without a name or a bare type; without one that of its type_text; without that
// one its type_name. What else tells of the type must agree with it. Types that are not
// Delta's are kept as [Primitive] tells. Refusals are [InvalidParameterValue] or
// [BadRequest] and name the place, such as columns[2].type_json.
func FromColumnInfos(infos []ColumnInfo) (t StructType, partition []string, err error) {
	order := make([]int, len(infos)) // places are told as they were sent
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(infos[a].Position, infos[b].Position) })
	p := &path{root: "columns"}
	names := make(names, len(infos))
	places := make(map[int]string)
	for _, i := range order {
		c := &infos[i]
		p.pushIndex(i)
		if err := names.add(p, c.Name, i); err != nil {
			return StructType{}, nil, err
		}
		f, err := c.field(p)
		if err != nil {
			return StructType{}, nil, err
		}
		t.Fields = append(t.Fields, f)
		if place := c.PartitionIndex; place != nil {
			if _, taken := places[*place]; taken {
				return StructType{}, nil, p.wrong("partition index %d is there twice", *place)
			}
			places[*place] = c.Name
		}
		p.pop()
	}
	for i := range len(places) {
		name, ok := places[i]
		if !ok {
			return StructType{}, nil, p.wrong("no column has partition index %d of %d", i, len(places))
		}
		partition = append(partition, name)
	}
	return t, partition, nil
}

func (c *ColumnInfo) field(p *path) (StructField, error) {
	f, err := c.typed(p)
	if err == nil {
		err = c.agrees(f.Type, p)
	}
	if err != nil {
		return StructField{}, err
	}
	f.Name = c.Name
	if c.Comment != nil {
		if f.Metadata == nil {
			f.Metadata = Metadata{}
		}
		f.Metadata["comment"] = appendString(nil, *c.Comment)
	}
	return f, nil
}

// typed makes the field of the best that c tells of its type.
func (c *ColumnInfo) typed(p *path) (StructField, error) {
	f := StructField{Nullable: c.Nullable}
	var err error
	switch json := strings.TrimSpace(c.TypeJSON); {
	case json != "" && (json[0] == '{' || json[0] == '"'):
		p.push("type_json")
		f, err = fieldOrType([]byte(json), p, c.Nullable)
		p.pop()
	case json != "":
		p.push("type_json")
		f.Type, err = parseText(json, p, inSchema)
		p.pop()
	case strings.TrimSpace(c.TypeText) != "":
		p.push("type_text")
		f.Type, err = parseText(c.TypeText, p, inSchema)
		p.pop()
	default:
		p.push("type_name")
		f.Type, err = c.named(p)
		p.pop()
	}
	return f, err
}

// fieldOrType reads a type_json, which clients fill with a field document or with the
// type alone.
func fieldOrType(data []byte, p *path, nullable bool) (StructField, error) {
	if err := check(data); err != nil {
		return StructField{}, p.bad("%s", err.(*Error).Message)
	}
	parser := newParser(data, p, true)
	parser.depth = inSchema
	if data[0] == '{' {
		if err := open(data, p).err; err != nil {
			return StructField{}, err
		}
	}
	if isType(data, p) {
		t, err := parser.dataType()
		return StructField{Type: t, Nullable: nullable}, err
	}
	f, err := parser.field()
	if err == nil && open(data, p).value("nullable") == nil {
		f.Nullable = nullable
	}
	return f, err
}

// isType tells the type {"type":"array",…} from the field {"type":"long"}.
func isType(data []byte, p *path) bool {
	if data[0] == '"' {
		return true
	}
	o := open(data, p)
	switch string(o.value("type")) {
	case `"array"`, `"map"`, `"struct"`, `"decimal"`, `"udt"`:
		return o.value("name") == nil
	}
	return false
}

// named makes the type of a type_name that says it all.
func (c *ColumnInfo) named(p *path) (DataType, error) {
	name := strings.ToLower(strings.TrimSpace(c.TypeName))
	switch {
	case name == "":
		return nil, p.wrong("missing, as are type_text and type_json")
	case name == "decimal" && c.Precision != nil && c.Scale != nil:
		return p.decimal(int64(*c.Precision), int64(*c.Scale))
	case name == "interval":
		return parseText("interval "+c.IntervalType, p, inSchema)
	case aliases[name] != nil:
		return aliases[name], nil
	}
	return nil, p.wrong("%s does not tell the whole type", quote(c.TypeName))
}

// agrees answers for what c tells beside its type and against it.
func (c *ColumnInfo) agrees(t DataType, p *path) error {
	name := typeName(t)
	if name == "USER_DEFINED_TYPE" {
		return nil
	}
	if said := strings.ToUpper(strings.TrimSpace(c.TypeName)); said != "" && !sameName(said, t) {
		return p.wrong("type_name is %s, but the type is %s", quote(c.TypeName), name)
	}
	if said, err := parseText(c.TypeText, &path{}, inSchema); err == nil && !sameName(typeName(said), t) {
		return p.wrong("type_text is %s, but the type is %s", quote(c.TypeText), name)
	}
	d, ok := t.(Decimal)
	if !ok {
		return nil
	}
	if c.Precision != nil && *c.Precision != d.Precision || c.Scale != nil && *c.Scale != d.Scale {
		return p.wrong("type_precision and type_scale differ from those of %s", d.appendText(nil))
	}
	return nil
}

// sameName reports whether a type_name fits t. Clients write a char and a varchar also as
// the string that Delta stores it in, and types by the names Spark has for them.
func sameName(said string, t DataType) bool {
	name := typeName(t)
	if alias := aliases[strings.ToLower(said)]; alias != nil {
		said = typeName(alias)
	}
	text := func(s string) bool { return s == "STRING" || s == "CHAR" || s == "VARCHAR" }
	return said == name || text(said) && text(name)
}
