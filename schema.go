package catalog

import (
	"strconv"
	"strings"

	"github.com/leveelake/catalog/types"
)

// setColumns replaces the columns (nil: they stay) and the partitioning (nil: it is
// carried over by name).
func (t *table) setColumns(columns *types.StructType, partition []string) error {
	if columns == nil {
		current, err := t.columns.Struct()
		if err != nil {
			return err
		}
		t.record.PartitionColumns, err = resolvePartition(current, partition, "set-partition-columns.partition-columns")
		return err
	}
	at := "set-partition-columns.partition-columns"
	if partition == nil {
		partition, at = t.record.PartitionColumns, "set-columns keeps the table's partition columns; they"
	}
	resolved, err := resolvePartition(*columns, partition, at)
	if err != nil {
		return err
	}
	t.columns = types.NewColumns(*columns)
	t.record.Columns++
	t.record.PartitionColumns = resolved
	return nil
}

// resolvePartition finds each name among the columns, ASCII case aside, and returns the
// names as the columns spell them.
func resolvePartition(columns types.StructType, names []string, at string) ([]string, error) {
	byFold := make(map[string]string, len(columns.Fields))
	for _, f := range columns.Fields {
		byFold[foldASCII(f.Name)] = f.Name
	}
	named := make(map[string]bool, len(names))
	out := make([]string, 0, len(names))
	for i, n := range names {
		exact, ok := byFold[foldASCII(n)]
		if !ok {
			return nil, types.InvalidParameterValue.Errorf("%s[%d]: there is no column %.100q", at, i, n)
		}
		if named[exact] {
			return nil, types.InvalidParameterValue.Errorf("%s[%d]: column %.100q is named twice", at, i, n)
		}
		named[exact] = true
		out = append(out, exact)
	}
	return out, nil
}

func foldASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// checkColumnMapping checks that under column mapping every field has an ID of its own and a physical
// name (Delta protocol, "Column Mapping"): without them readers would mix columns up.
func checkColumnMapping(columns types.StructType, mode string) error {
	if mode != "id" && mode != "name" {
		return nil
	}
	m := mapping{seen: map[string]bool{}, at: []string{"columns"}}
	return m.check(&columns)
}

// A mapping walks over fields, nested ones too. Where it is becomes text only in a refusal.
type mapping struct {
	seen map[string]bool // IDs
	at   []string
}

func (m *mapping) check(t types.DataType) error {
	switch t := t.(type) {
	case *types.StructType:
		for i, f := range t.Fields {
			if err := m.in(".fields["+strconv.Itoa(i)+"]", func() error { return m.field(f) }); err != nil {
				return err
			}
		}
	case *types.Array:
		return m.in(".element-type", func() error { return m.check(t.Element) })
	case *types.Map:
		if err := m.in(".key-type", func() error { return m.check(t.Key) }); err != nil {
			return err
		}
		return m.in(".value-type", func() error { return m.check(t.Value) })
	}
	return nil
}

func (m *mapping) in(step string, check func() error) error {
	m.at = append(m.at, step)
	err := check()
	m.at = m.at[:len(m.at)-1]
	return err
}

func (m *mapping) field(f types.StructField) error {
	bad := func(what string) error {
		return types.InvalidParameterValue.Errorf("%s.metadata: %s, and column mapping is on", strings.Join(m.at, ""), what)
	}
	id := strings.TrimSpace(string(f.Metadata["delta.columnMapping.id"]))
	if _, err := strconv.ParseInt(id, 10, 64); err != nil {
		return bad("delta.columnMapping.id is missing")
	}
	if name := string(f.Metadata["delta.columnMapping.physicalName"]); len(name) < len(`"x"`) || name[0] != '"' {
		return bad("delta.columnMapping.physicalName is missing")
	}
	if m.seen[id] {
		return bad("delta.columnMapping.id " + id + " is also that of another field")
	}
	m.seen[id] = true
	return m.in(".type", func() error { return m.check(f.Type) })
}
