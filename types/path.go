package types

import (
	"strconv"
	"strings"
)

// A path is the place of a value within a request, such as
// columns.fields[1].type.element-type. It is kept as a stack, because only a refusal
// writes it out.
type path struct {
	root  string // "" for the request itself
	steps []step
}

// A step is a member of an object, or with an empty name an element of an array.
type step struct {
	name   string
	index  int
	quoted bool // the name is data, as that of a property is
}

func (p *path) push(name string)    { p.steps = append(p.steps, step{name: name}) }
func (p *path) pushKey(name string) { p.steps = append(p.steps, step{name: name, quoted: true}) }
func (p *path) pushIndex(i int)     { p.steps = append(p.steps, step{index: i}) }
func (p *path) pop()                { p.steps = p.steps[:len(p.steps)-1] }

// String writes the path; the middle of a long one is left out.
func (p *path) String() string {
	const tail = 200
	s := []byte(p.root)
	for _, step := range p.steps {
		switch {
		case step.quoted:
			s = append(append(append(s, '['), quote(step.name)...), ']')
		case step.name == "":
			s = append(strconv.AppendInt(append(s, '['), int64(step.index), 10), ']')
		default:
			if len(s) > 0 {
				s = append(s, '.')
			}
			s = append(s, clip(step.name)...)
		}
	}
	switch {
	case len(s) == 0:
		return "the JSON value"
	case len(s) > 2*tail:
		return clip(string(s)) + strings.ToValidUTF8(string(s[len(s)-tail:]), "")
	}
	return string(s)
}

// wrong answers InvalidParameterValue for the value at the path.
func (p *path) wrong(format string, args ...any) error {
	return p.refuse(InvalidParameterValue, format, args...)
}

// bad answers BadRequest for the value at the path.
func (p *path) bad(format string, args ...any) error {
	return p.refuse(BadRequest, format, args...)
}

func (p *path) refuse(c Code, format string, args ...any) error {
	e := c.Errorf(format, args...)
	e.Message = p.String() + ": " + e.Message
	return e
}

// missing answers for a member that the object at the path must have.
func (p *path) missing(name string) error {
	p.push(name)
	defer p.pop()
	return p.wrong("missing")
}

// noFields answers for the struct at the path.
func (p *path) noFields() error {
	p.push("fields")
	defer p.pop()
	return p.wrong("a struct has at least one field")
}

// want answers BadRequest unless b, with which the value at the path begins, is one of
// those that its kind of JSON begins with.
func (p *path) want(b byte, kind, first string) error {
	if strings.IndexByte(first, b) >= 0 {
		return nil
	}
	return p.bad("want %s, got %s", kind, JSONKind(b))
}

// JSONKind says in a message what kind of JSON value begins with b.
func JSONKind(b byte) string {
	switch b {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "true or false"
	case 'n':
		return "null"
	}
	return "a number"
}

// clip shortens a client's text so that a message stays readable.
func clip(s string) string {
	const most = 100
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// quote shows a client's text in a message.
func quote(s string) string { return strconv.Quote(clip(s)) }
