package types

import (
	"strconv"
	"strings"
)

// aliases holds the names that Spark has for types, beside the bracketed ones.
var aliases = map[string]DataType{
	"boolean": Boolean, "date": Date, "string": String, "binary": Binary, "variant": Variant,
	"tinyint": Byte, "byte": Byte,
	"smallint": Short, "short": Short,
	"int": Integer, "integer": Integer,
	"bigint": Long, "long": Long,
	"float": Float, "real": Float,
	"double":    Double,
	"timestamp": Timestamp, "timestamp_ltz": Timestamp, "timestamp_ntz": TimestampNTZ,
	"void": Primitive("void"), "null": Primitive("void"),
}

// texts holds the primitives that Spark calls otherwise than Delta does.
var texts = map[Primitive]string{Byte: "tinyint", Short: "smallint", Integer: "int", Long: "bigint"}

// appendText appends t as Spark writes types in a catalog. Names of fields are in
// backquotes where Spark could not read them otherwise.
func appendText(dst []byte, t DataType) []byte {
	switch t := t.(type) {
	case Primitive:
		switch text, ok := texts[t]; {
		case ok:
			return append(dst, text...)
		case strings.HasPrefix(string(t), "{"):
			return append(dst, "udt"...)
		}
		return append(dst, t...)
	case Decimal:
		return t.appendText(dst)
	case *Array:
		return append(appendText(append(dst, "array<"...), t.Element), '>')
	case *Map:
		dst = appendText(append(dst, "map<"...), t.Key)
		return append(appendText(append(dst, ','), t.Value), '>')
	case *StructType:
		dst = append(dst, "struct<"...)
		for i, f := range t.Fields {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendText(append(appendName(dst, f.Name), ':'), f.Type)
		}
		return append(dst, '>')
	}
	return dst
}

func appendName(dst []byte, name string) []byte {
	plain := name != "" && (name[0] < '0' || name[0] > '9')
	for i := 0; plain && i < len(name); i++ {
		plain = isWord(name[i])
	}
	if plain {
		return append(dst, name...)
	}
	dst = append(append(dst, '`'), strings.ReplaceAll(name, "`", "``")...)
	return append(dst, '`')
}

func isWord(b byte) bool {
	return b == '_' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}

// parseText parses what appendText writes, in any case and with blanks between words.
func parseText(s string, p *path, depth int) (DataType, error) {
	t := textParser{text: s, path: p, depth: depth}
	got, err := t.dataType()
	if t.peek(); err == nil && t.pos < len(t.text) {
		err = t.unreadable()
	}
	return got, err
}

// A textParser reads types as Spark writes them. All it reads is nullable, since the
// text does not tell.
type textParser struct {
	text  string
	pos   int
	depth int
	*path
}

func (t *textParser) unreadable() error {
	return t.wrong("%s is not a type from character %d on", quote(t.text), t.pos)
}

// peek skips blanks and returns the first byte of what follows, 0 at the end.
func (t *textParser) peek() byte {
	for ; t.pos < len(t.text); t.pos++ {
		if b := t.text[t.pos]; b != ' ' && b != '\t' {
			return b
		}
	}
	return 0
}

// next steps over b, if that is what follows.
func (t *textParser) next(b byte) bool {
	if t.peek() != b {
		return false
	}
	t.pos++
	return true
}

// word reads a word in lower case, "" if none follows.
func (t *textParser) word() string {
	t.peek()
	start := t.pos
	for t.pos < len(t.text) && isWord(t.text[t.pos]) {
		t.pos++
	}
	return strings.ToLower(t.text[start:t.pos])
}

func (t *textParser) dataType() (DataType, error) {
	start := t.pos
	name := t.word()
	switch name {
	case "array", "map", "struct":
		if t.depth == MaxDepth {
			return nil, tooDeep(t.path)
		}
		if !t.next('<') {
			return nil, t.unreadable()
		}
		t.depth++
		got, err := t.nested(name)
		t.depth--
		if err == nil && !t.next('>') {
			err = t.unreadable()
		}
		return got, err
	case "decimal", "dec", "numeric":
		args, err := t.numbers()
		switch {
		case err != nil:
			return nil, err
		case len(args) == 0:
			return Decimal{Precision: 10}, nil
		case len(args) == 1:
			return t.decimal(args[0], 0)
		case len(args) == 2:
			return t.decimal(args[0], args[1])
		}
	case "char", "character", "varchar":
		args, err := t.numbers()
		switch {
		case err != nil:
			return nil, err
		case len(args) == 1:
			name = strings.Replace(name, "character", "char", 1)
			return Primitive(name + "(" + strconv.FormatInt(args[0], 10) + ")"), nil
		}
	case "interval":
		return t.interval()
	}
	if got, ok := aliases[name]; ok {
		return got, nil
	}
	t.pos = start
	return nil, t.unreadable()
}

// nested reads what stands between the angle brackets.
func (t *textParser) nested(name string) (DataType, error) {
	switch name {
	case "array":
		element, err := t.dataType()
		return &Array{Element: element, ContainsNull: true}, err
	case "map":
		key, err := t.dataType()
		if err != nil {
			return nil, err
		}
		if !t.next(',') {
			return nil, t.unreadable()
		}
		value, err := t.dataType()
		return &Map{Key: key, Value: value, ValueContainsNull: true}, err
	}
	s := &StructType{}
	names := names{}
	for t.peek() != '>' {
		if len(s.Fields) > 0 && !t.next(',') {
			return nil, t.unreadable()
		}
		f, err := t.field()
		if err == nil {
			err = names.add(t.path, f.Name, len(s.Fields))
		}
		if err != nil {
			return nil, err
		}
		s.Fields = append(s.Fields, f)
	}
	return s, nil
}

// field reads a name, quoted or up to the colon, and its type.
func (t *textParser) field() (StructField, error) {
	f := StructField{Nullable: true}
	if t.next('`') {
		var name strings.Builder
		for closed := false; !closed; {
			end := strings.IndexByte(t.text[t.pos:], '`')
			if end < 0 {
				return f, t.unreadable()
			}
			name.WriteString(t.text[t.pos : t.pos+end])
			t.pos += end + 1
			if closed = !strings.HasPrefix(t.text[t.pos:], "`"); !closed {
				name.WriteByte('`')
				t.pos++
			}
		}
		f.Name = name.String()
	} else if end := strings.IndexByte(t.text[t.pos:], ':'); end >= 0 {
		f.Name = strings.TrimRight(t.text[t.pos:t.pos+end], " ")
		t.pos += end
	}
	if !t.next(':') {
		return f, t.unreadable()
	}
	var err error
	f.Type, err = t.dataType()
	return f, err
}

// numbers reads a list of unsigned numbers in parentheses, if one follows.
func (t *textParser) numbers() ([]int64, error) {
	if !t.next('(') {
		return nil, nil
	}
	var out []int64
	for {
		n, ok := digits(t.word())
		if !ok {
			return nil, t.unreadable()
		}
		out = append(out, n)
		if t.next(')') {
			return out, nil
		}
		if !t.next(',') {
			return nil, t.unreadable()
		}
	}
}

// interval reads the unit, or the first and the last, behind the word interval. Without
// one it is Spark's old interval of all units.
func (t *textParser) interval() (DataType, error) {
	text := "interval"
	for range 3 {
		start := t.pos
		switch w := t.word(); w {
		case "year", "month", "day", "hour", "minute", "second", "to":
			text += " " + w
		default:
			t.pos = start
			return Primitive(text), nil
		}
	}
	return Primitive(text), nil
}
