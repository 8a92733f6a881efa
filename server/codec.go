package server

import (
	"reflect"
	"strings"
	"sync"
)

// A codec is how a face spells JSON. Types say their fields once, in the names of the Unity Catalog
// REST API (snake_case); what they are called elsewhere is derived from these.
type codec struct {
	// camel is the spelling of the root mount, that of Protocol Buffers: lowerCamelCase, integers of
	// 64 bits in strings, enums as numbers, and absent fields left out, not null. Properties may be any JSON.
	camel bool

	// strict takes only what the codec itself writes: other faces take both spellings of names
	// and numbers, too.
	strict bool

	encoders sync.Map // reflect.Type -> encoder
	decoders sync.Map // reflect.Type -> decoder
}

// A field is one of a struct, those of embedded structs included.
type field struct {
	snake, camel string
	index        []int
	typ          reflect.Type
	omitEmpty    bool
	only         string // the face whose answers have it: "root" or "unity"; "" for all
}

// name is what c calls f.
func (c *codec) name(f field) string { return c.spell(f.snake) }

// spell is what c calls a field or parameter.
func (c *codec) spell(snake string) string {
	if c != nil && c.camel {
		return camelOf(snake)
	}
	return snake
}

// camelOf makes storageRoot of storage_root.
func camelOf(snake string) string {
	words := strings.Split(snake, "_")
	for i, w := range words[1:] {
		if w != "" {
			words[i+1] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, "")
}

// fieldsOf reads the tags of a struct.
func fieldsOf(t reflect.Type) []field {
	var out []field
	for f := range t.Fields() {
		if f.Anonymous {
			for _, inner := range fieldsOf(f.Type) {
				inner.index = append([]int{f.Index[0]}, inner.index...)
				out = append(out, inner)
			}
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		out = append(out, field{name, camelOf(name), f.Index, f.Type, options == "omitempty", f.Tag.Get("only")})
	}
	return out
}

// in is f of a struct value.
func (f field) in(v reflect.Value) reflect.Value {
	for _, i := range f.index {
		v = v.Field(i)
	}
	return v
}
