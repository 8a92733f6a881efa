package types

import (
	"iter"
	"slices"
	"strings"
)

// Properties are the properties of a table as a load shows them. They never change, so copies
// share them; the zero value has none. Their JSON is an object with its names in byte order.
type Properties struct {
	pairs []property // by name
	json  []byte
}

type property struct{ name, value string }

// NewProperties makes properties of a map.
func NewProperties(m map[string]string) Properties {
	if len(m) == 0 {
		return Properties{}
	}
	pairs := make([]property, 0, len(m))
	for name, value := range m {
		pairs = append(pairs, property{name, value})
	}
	slices.SortFunc(pairs, func(a, b property) int { return strings.Compare(a.name, b.name) })
	return newProperties(pairs)
}

func newProperties(pairs []property) Properties {
	size := len("{}")
	for _, p := range pairs {
		size += len(p.name) + len(p.value) + len(`"":"",`)
	}
	json := append(make([]byte, 0, size), '{')
	for i, p := range pairs {
		if i > 0 {
			json = append(json, ',')
		}
		json = append(appendString(json, p.name), ':')
		json = appendString(json, p.value)
	}
	return Properties{pairs, append(json, '}')}
}

// find returns the place of name, or where it would be.
func (p Properties) find(name string) (int, bool) {
	return slices.BinarySearchFunc(p.pairs, name, func(p property, name string) int { return strings.Compare(p.name, name) })
}

// Get returns the value of name, "" if there is no such property.
func (p Properties) Get(name string) string {
	value, _ := p.Lookup(name)
	return value
}

// Lookup returns the value of name, and whether there is such a property.
func (p Properties) Lookup(name string) (string, bool) {
	at, ok := p.find(name)
	if !ok {
		return "", false
	}
	return p.pairs[at].value, true
}

// Len returns how many there are.
func (p Properties) Len() int { return len(p.pairs) }

// All ranges over names and values, by name.
func (p Properties) All() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for _, p := range p.pairs {
			if !yield(p.name, p.value) {
				return
			}
		}
	}
}

// Map returns them in a map of the caller's own.
func (p Properties) Map() map[string]string {
	m := make(map[string]string, len(p.pairs))
	for _, p := range p.pairs {
		m[p.name] = p.value
	}
	return m
}

// With returns p with this property, in the place of one of that name.
func (p Properties) With(name, value string) Properties {
	at, ok := p.find(name)
	pairs := make([]property, 0, len(p.pairs)+1)
	pairs = append(append(pairs, p.pairs[:at]...), property{name, value})
	if ok {
		at++
	}
	return newProperties(append(pairs, p.pairs[at:]...))
}

// Equal reports whether p and q have the same properties.
func (p Properties) Equal(q Properties) bool { return slices.Equal(p.pairs, q.pairs) }

// AppendJSON appends the JSON object.
func (p Properties) AppendJSON(dst []byte) []byte {
	if len(p.pairs) == 0 {
		return append(dst, "{}"...)
	}
	return append(dst, p.json...)
}

// MarshalJSON is [Properties.AppendJSON].
func (p Properties) MarshalJSON() ([]byte, error) { return p.AppendJSON(nil), nil }

// UnmarshalJSON reads an object of strings.
func (p *Properties) UnmarshalJSON(data []byte) error { return unmarshal(p, data, readProperties) }

func readProperties(data []byte, at *path) (Properties, error) {
	m, err := mapOf(readString)(data, at)
	return NewProperties(m), err
}
