package server

import (
	"bytes"
	"encoding/json"

	"github.com/leveelake/catalog/types"
)

// Bodies of the Unity Catalog REST API are read by encoding/json, which reads a repeated
// field into what the first one left and takes null for an empty string. These types are
// read as the types of package types are: of a repeated field the last counts, and what must be
// a string is one.

// only is a part of a body that is an object.
type only[T any] struct{ value T }

func (o *only[T]) UnmarshalJSON(data []byte) error {
	*o = only[T]{}
	return json.Unmarshal(data, &o.value)
}

// properties are strings by name.
type properties map[string]string

func (p *properties) UnmarshalJSON(data []byte) error {
	var got map[string]*string
	if err := json.Unmarshal(data, &got); err != nil {
		return err
	}
	*p = nil
	if got == nil {
		return nil
	}
	*p = make(properties, len(got))
	for k, v := range got {
		if v == nil {
			return types.BadRequest.Errorf("properties[%q] is null; it must be a string", k)
		}
		(*p)[k] = *v
	}
	return nil
}

// maxItems bounds lists of columns (ColumnInfos of the commits API).
const maxItems = 32_768

// items are the objects of a list, none of them null.
type items[T any] []T

func (l *items[T]) UnmarshalJSON(data []byte) error {
	*l = nil
	d := json.NewDecoder(bytes.NewReader(data))
	if t, err := d.Token(); err != nil || t != json.Delim('[') {
		if t == nil && err == nil {
			return nil // null
		}
		return types.BadRequest.Errorf("columns: want an array")
	}
	for d.More() {
		if len(*l) == maxItems {
			return types.InvalidParameterValue.Errorf("columns has more than %d items", maxItems)
		}
		var v *T
		err := d.Decode(&v)
		if err == nil && v == nil {
			err = types.BadRequest.Errorf("columns[%d] is null; it must be an object", len(*l))
		}
		if err != nil {
			return err
		}
		*l = append(*l, *v)
	}
	return nil
}
