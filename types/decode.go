package types

import (
	"encoding/json"
	"errors"
	"reflect"
)

// DecodeJSON decodes the body of a request into v, a pointer: one JSON object in UTF-8
// and nothing behind it. A refusal is an [*Error]: [BadRequest] if data is not such an
// object or a value is of the wrong kind, naming its place; an Error of v's own
// UnmarshalJSON comes through as it is.
//
// The types of this package take the names of fields exactly. Other types are decoded
// by encoding/json, which also takes a name in another case.
func DecodeJSON(data []byte, v any) error {
	data, err := CheckJSON(data)
	if err != nil {
		return err
	}
	if u, ok := v.(json.Unmarshaler); ok {
		err = u.UnmarshalJSON(data)
	} else {
		err = json.Unmarshal(data, v)
	}
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return &Error{
			Code:    BadRequest,
			Message: (&path{root: e.Field}).String() + ": want " + wanted(e.Type) + ", got " + clip(e.Value),
			Err:     err,
		}
	}
	return &Error{Code: BadRequest, Message: "the JSON does not have the expected shape", Err: err}
}

// wanted names the kind of JSON that encoding/json reads into a Go type.
func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a string"
	case reflect.Int, reflect.Int64, reflect.Uint, reflect.Uint64:
		return "an integer of 64 bits"
	case reflect.Int32, reflect.Uint32:
		return "an integer of 32 bits"
	case reflect.Int8, reflect.Int16, reflect.Uint8, reflect.Uint16:
		return "a small integer"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Slice, reflect.Array:
		return "an array"
	}
	return "an object"
}
