package server

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/leveelake/catalog/types"
)

// A decoder reads checked JSON, other than null, into a value of its type. Names of fields count to the
// letter, in the spelling of either mount; unknown ones are ignored, of a repeated one the last counts,
// and null is an absent one.
type decoder func(data []byte, v reflect.Value) *misfit

// decode reads a body into v, a pointer to a struct.
func (c *codec) decode(data []byte, v any) error {
	data, err := types.CheckJSON(data)
	if err != nil {
		return err
	}
	to := reflect.ValueOf(v).Elem()
	if m := c.decoder(to.Type())(data, to); m != nil {
		return m.code.Errorf("%s: %s", strings.TrimPrefix(m.place, "."), m.text)
	}
	return nil
}

// A misfit is a value that is refused. Its place is told from within outwards.
type misfit struct {
	code        types.Code
	place, text string
}

func misfits(format string, args ...any) *misfit {
	return &misfit{types.BadRequest, "", fmt.Sprintf(format, args...)}
}

// under puts m into the place where the value stands.
func (m *misfit) under(step string) *misfit {
	m.place = step + m.place
	return m
}

func (c *codec) decoder(t reflect.Type) decoder {
	if d, ok := c.decoders.Load(t); ok {
		return d.(decoder)
	}
	d := c.newDecoder(t)
	c.decoders.Store(t, d)
	return d
}

func (c *codec) newDecoder(t reflect.Type) decoder {
	if e, ok := enums[t]; ok {
		return c.enumDecoder(e)
	}
	switch t.Kind() {
	case reflect.String:
		return func(data []byte, v reflect.Value) *misfit {
			if data[0] != '"' {
				return wanted("a string", data)
			}
			v.SetString(types.Text(data))
			return nil
		}
	case reflect.Bool:
		return func(data []byte, v reflect.Value) *misfit {
			if data[0] != 't' && data[0] != 'f' {
				return wanted("true or false", data)
			}
			v.SetBool(data[0] == 't')
			return nil
		}
	case reflect.Int32, reflect.Int64:
		return c.intDecoder(t.Bits())
	case reflect.Pointer:
		d := c.decoder(t.Elem())
		return func(data []byte, v reflect.Value) *misfit {
			v.Set(reflect.New(t.Elem()))
			return d(data, v.Elem())
		}
	case reflect.Slice:
		return listDecoder(t, c.decoder(t.Elem()))
	case reflect.Map:
		return c.decodeMap
	case reflect.Struct:
		return c.structDecoder(t)
	}
	panic(fmt.Sprintf("server: no JSON for %s", t))
}

// wanted refuses a value of the wrong kind of JSON.
func wanted(kind string, data []byte) *misfit {
	return misfits("want %s, got %s", kind, types.JSONKind(data[0]))
}

var integer = regexp.MustCompile(`^-?[0-9]{1,40}$`)

func (c *codec) intDecoder(bits int) decoder {
	return func(data []byte, v reflect.Value) *misfit {
		text := string(data)
		if data[0] == '"' && !c.strict {
			text = types.Text(data)
		} else if strings.IndexByte("-0123456789", data[0]) < 0 {
			return wanted("an integer", data)
		}
		n, err := strconv.ParseInt(text, 10, bits)
		if err != nil || !integer.MatchString(text) {
			return misfits("want an integer of %d bits, got %s", bits, clip(text))
		}
		v.SetInt(n)
		return nil
	}
}

func (c *codec) enumDecoder(e enum) decoder {
	return func(data []byte, v reflect.Value) *misfit {
		var text string
		switch {
		case data[0] == '"':
			text = types.Text(data)
		case c.strict || strings.IndexByte("-0123456789", data[0]) < 0:
			return wanted("a string", data)
		default:
			text = string(data)
		}
		name, ok := e.parse(text)
		if !ok {
			return misfits("want one of %s, got %q", strings.Join(e.names, ", "), clip(text))
		}
		v.SetString(name)
		return nil
	}
}

// maxItems bounds lists, of columns above all.
const maxItems = 32_768

func listDecoder(t reflect.Type, item decoder) decoder {
	return func(data []byte, v reflect.Value) *misfit {
		if data[0] != '[' {
			return wanted("an array", data)
		}
		v.Set(reflect.MakeSlice(t, 0, 0))
		for i, element := range types.Elements(data) {
			if i == maxItems {
				return &misfit{types.InvalidParameterValue, "", fmt.Sprintf("more than %d items", maxItems)}
			}
			v.Grow(1)
			v.SetLen(i + 1)
			v.Index(i).SetZero()
			if m := item(element, v.Index(i)); m != nil {
				return m.under(fmt.Sprintf("[%d]", i))
			}
		}
		return nil
	}
}

// decodeMap reads properties. On the root mount their values may be of any kind, and are kept as text.
func (c *codec) decodeMap(data []byte, v reflect.Value) *misfit {
	if data[0] != '{' {
		return wanted("an object", data)
	}
	out := map[string]string{}
	for name, value := range types.Members(data) {
		switch {
		case value[0] == '"':
			out[name] = types.Text(value)
		case c.camel:
			out[name] = string(value)
		default:
			return wanted("a string", value).under(fmt.Sprintf("[%q]", clip(name)))
		}
	}
	v.Set(reflect.ValueOf(out).Convert(v.Type()))
	return nil
}

func (c *codec) structDecoder(t reflect.Type) decoder {
	fields := fieldsOf(t)
	decoders := make([]decoder, len(fields))
	type spelled struct{ field, spelling int }
	names := map[string]spelled{}
	for i, f := range fields {
		decoders[i] = c.decoder(f.typ)
		if !c.strict {
			names[f.camel] = spelled{i, 1}
		}
		names[f.snake] = spelled{i, 0} // where both are one
	}
	return func(data []byte, v reflect.Value) *misfit {
		if data[0] != '{' {
			return wanted("an object", data)
		}
		given := make([][2][]byte, len(fields))
		for name, value := range types.Members(data) {
			if at, ok := names[name]; ok {
				given[at.field][at.spelling] = value
			}
		}
		for i, f := range fields {
			values := slices.DeleteFunc(given[i][:], func(b []byte) bool { return b == nil || b[0] == 'n' })
			if len(values) == 0 {
				continue
			}
			to := f.in(v)
			if m := decoders[i](values[0], to); m != nil {
				return m.under("." + c.name(f))
			}
			if len(values) == 1 {
				continue
			}
			other := reflect.New(f.typ).Elem()
			if m := decoders[i](values[1], other); m != nil {
				return m.under("." + f.camel)
			}
			if !reflect.DeepEqual(to.Interface(), other.Interface()) {
				return misfits("it differs from %s", f.snake).under("." + f.camel)
			}
		}
		return nil
	}
}
