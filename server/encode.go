package server

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"github.com/leveelake/catalog/types"
)

// An encoder appends the JSON of a value of its type. It is made once for a type, so that a
// list costs no more than what it says.
type encoder func(dst []byte, v reflect.Value) []byte

// append appends the JSON of v, which is made of structs with tags, lists, maps of strings and scalars.
func (c *codec) append(dst []byte, v any) []byte {
	value := reflect.ValueOf(v)
	return c.encoder(value.Type())(dst, value)
}

func (c *codec) encoder(t reflect.Type) encoder {
	if e, ok := c.encoders.Load(t); ok {
		return e.(encoder)
	}
	e := c.newEncoder(t)
	c.encoders.Store(t, e)
	return e
}

var (
	appenderType = reflect.TypeFor[appender]()
	secretType   = reflect.TypeFor[types.Secret]()
)

func (c *codec) newEncoder(t reflect.Type) encoder {
	if t.Implements(appenderType) {
		return appendAppender
	}
	if t == secretType {
		return func(dst []byte, v reflect.Value) []byte {
			return types.AppendString(dst, types.Secret(v.String()).String())
		}
	}
	if e, ok := enums[t]; ok && c.camel {
		return func(dst []byte, v reflect.Value) []byte {
			return strconv.AppendInt(dst, int64(e.number(v.String())), 10)
		}
	}
	switch t.Kind() {
	case reflect.String:
		return func(dst []byte, v reflect.Value) []byte { return types.AppendString(dst, v.String()) }
	case reflect.Bool:
		return func(dst []byte, v reflect.Value) []byte { return strconv.AppendBool(dst, v.Bool()) }
	case reflect.Int64:
		if c.camel {
			return func(dst []byte, v reflect.Value) []byte {
				return append(strconv.AppendInt(append(dst, '"'), v.Int(), 10), '"')
			}
		}
		return appendInt
	case reflect.Int, reflect.Int32:
		return appendInt
	case reflect.Pointer:
		e := c.encoder(t.Elem())
		return func(dst []byte, v reflect.Value) []byte {
			if v.IsNil() {
				return append(dst, "null"...)
			}
			return e(dst, v.Elem())
		}
	case reflect.Slice:
		return listEncoder(c.encoder(t.Elem()))
	case reflect.Map:
		return func(dst []byte, v reflect.Value) []byte {
			return appendMap(dst, v.Convert(reflect.TypeFor[map[string]string]()).Interface().(map[string]string))
		}
	case reflect.Struct:
		return c.structEncoder(t)
	}
	panic(fmt.Sprintf("server: no JSON for %s", t))
}

func appendInt(dst []byte, v reflect.Value) []byte { return strconv.AppendInt(dst, v.Int(), 10) }

func appendAppender(dst []byte, v reflect.Value) []byte {
	if v.CanAddr() { // without a copy
		return v.Addr().Interface().(appender).AppendJSON(dst)
	}
	return v.Interface().(appender).AppendJSON(dst)
}

// listEncoder encodes a list; one that is nil is empty.
func listEncoder(item encoder) encoder {
	return func(dst []byte, v reflect.Value) []byte {
		dst = append(dst, '[')
		for i := range v.Len() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item(dst, v.Index(i))
		}
		return append(dst, ']')
	}
}

// appendMap appends an object with its names in order; one that is nil is empty.
func appendMap(dst []byte, m map[string]string) []byte {
	dst = append(dst, '{')
	for i, k := range slices.Sorted(maps.Keys(m)) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(types.AppendString(dst, k), ':')
		dst = types.AppendString(dst, m[k])
	}
	return append(dst, '}')
}

func (c *codec) structEncoder(t reflect.Type) encoder {
	type member struct {
		field
		name   string // with quotes and colon
		encode encoder
	}
	other := "root"
	if c.camel {
		other = "unity"
	}
	var members []member
	for _, f := range fieldsOf(t) {
		if f.only == other {
			continue
		}
		f.omitEmpty = f.omitEmpty || c.camel && f.typ.Kind() == reflect.Pointer
		members = append(members, member{f, string(types.AppendString(nil, c.name(f))) + ":", c.encoder(f.typ)})
	}
	return func(dst []byte, v reflect.Value) []byte {
		dst = append(dst, '{')
		empty := len(dst)
		for i := range members {
			m := &members[i]
			value := m.in(v)
			if m.omitEmpty && isEmpty(value) {
				continue
			}
			if len(dst) > empty {
				dst = append(dst, ',')
			}
			dst = m.encode(append(dst, m.name...), value)
		}
		return append(dst, '}')
	}
}

func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map:
		return v.Len() == 0
	}
	return v.IsZero()
}
