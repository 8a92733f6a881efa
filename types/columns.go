package types

import (
	"bytes"
	"encoding/json"
)

// Columns is a table's schema as the JSON it is stored and sent in, so that a load
// or a commit costs the same for three columns as for thirty thousand. The zero
// Columns has no fields (external tables that never told). Columns are never changed:
// copies may share their bytes.
type Columns struct{ json json.RawMessage }

const noColumns = `{"type":"struct","fields":[]}`

// NewColumns encodes t, which must be valid; see [StructType.AppendJSON].
func NewColumns(t StructType) Columns {
	if len(t.Fields) == 0 {
		return Columns{}
	}
	return Columns{t.AppendJSON(nil)}
}

// RawColumns is the Columns whose JSON is stored, without a look at it. It keeps the
// bytes, which must not change any more.
func RawColumns(stored []byte) Columns {
	if len(stored) == 0 || string(stored) == noColumns {
		return Columns{}
	}
	return Columns{stored}
}

// JSON is c's struct type in the spelling of the Delta API, a copy of the bytes.
func (c Columns) JSON() []byte { return c.AppendJSON(nil) }

// AppendJSON appends what [Columns.JSON] returns.
func (c Columns) AppendJSON(dst []byte) []byte {
	if c.json == nil {
		return append(dst, noColumns...)
	}
	return append(dst, c.json...)
}

// Len is the length of the JSON in bytes.
func (c Columns) Len() int { return len(c.json) }

// IsZero reports whether c has no fields.
func (c Columns) IsZero() bool { return c.json == nil }

// Equal reports whether c and d are the same JSON.
func (c Columns) Equal(d Columns) bool { return bytes.Equal(c.json, d.json) }

// Struct parses c. Its types are Delta's unless the columns came in by the Unity Catalog
// REST API; [StructType.Delta] tells.
func (c Columns) Struct() (StructType, error) {
	if c.json == nil {
		return StructType{}, nil
	}
	return parse(c.json, "columns", true, (*parser).structType)
}

// MarshalJSON returns what [Columns.JSON] returns.
func (c Columns) MarshalJSON() ([]byte, error) { return c.JSON(), nil }

// UnmarshalJSON takes a struct type in any spelling, one without fields too. Null is
// the zero Columns.
func (c *Columns) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*c = Columns{}
		return nil
	}
	t, err := parse(data, "columns", true, (*parser).structType)
	if err == nil {
		*c = NewColumns(t)
	}
	return err
}
