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
			return nil, types.InvalidParameterValue.Errorf("%s[%d]: there is no column %q", at, i, n)
		}
		if named[exact] {
			return nil, types.InvalidParameterValue.Errorf("%s[%d]: column %q is named twice", at, i, n)
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
	seen := map[string]string{}
	return eachField(&columns, "columns", func(f types.StructField, at string) error {
		id := strings.TrimSpace(string(f.Metadata["delta.columnMapping.id"]))
		if _, err := strconv.ParseInt(id, 10, 64); err != nil {
			return types.InvalidParameterValue.Errorf("%s.metadata: delta.columnMapping.id is missing, and column mapping is on", at)
		}
		if name := string(f.Metadata["delta.columnMapping.physicalName"]); len(name) < len(`"x"`) || name[0] != '"' {
			return types.InvalidParameterValue.Errorf("%s.metadata: delta.columnMapping.physicalName is missing, and column mapping is on", at)
		}
		if other, ok := seen[id]; ok {
			return types.InvalidParameterValue.Errorf("%s.metadata: delta.columnMapping.id %s is also that of %s", at, id, other)
		}
		seen[id] = at
		return nil
	})
}

// eachField visits every field, nested ones too.
func eachField(t types.DataType, at string, visit func(f types.StructField, at string) error) error {
	switch t := t.(type) {
	case *types.StructType:
		for i, f := range t.Fields {
			here := at + ".fields[" + strconv.Itoa(i) + "]"
			if err := visit(f, here); err != nil {
				return err
			}
			if err := eachField(f.Type, here+".type", visit); err != nil {
				return err
			}
		}
	case *types.Array:
		return eachField(t.Element, at+".element-type", visit)
	case *types.Map:
		if err := eachField(t.Key, at+".key-type", visit); err != nil {
			return err
		}
		return eachField(t.Value, at+".value-type", visit)
	}
	return nil
}
