package server

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/leveelake/catalog/types"
)

// Enums that package types has no type for.
type (
	catalogType      string
	dataSourceFormat string
	columnTypeName   string
)

const (
	managedCatalog      catalogType = "MANAGED_CATALOG"
	deltaSharingCatalog catalogType = "DELTASHARING_CATALOG"
)

var purposeType = reflect.TypeFor[types.Purpose]()

// An enum has a name for each number from 1; 0 is that of an absent value.
type enum struct {
	names []string
	open  bool // other names are left to the catalog, which knows more of them
}

// enums are those of the API by their Go types.
var enums = map[reflect.Type]enum{
	reflect.TypeFor[catalogType]():      {names: []string{"MANAGED_CATALOG", "DELTASHARING_CATALOG", "SYSTEM_CATALOG"}},
	purposeType:                         {names: []string{"STORAGE", "SERVICE"}},
	reflect.TypeFor[types.TableType]():  {names: []string{"MANAGED", "EXTERNAL", "VIEW", "MATERIALIZED_VIEW", "STREAMING_TABLE"}},
	reflect.TypeFor[dataSourceFormat](): {names: types.Formats()},
	reflect.TypeFor[columnTypeName](): {open: true, names: []string{
		"BOOLEAN", "BYTE", "SHORT", "INT", "LONG", "FLOAT", "DOUBLE", "DATE", "TIMESTAMP", "STRING", "BINARY", "DECIMAL", "INTERVAL",
		"ARRAY", "STRUCT", "MAP", "CHAR", "NULL", "USER_DEFINED_TYPE", "TIMESTAMP_NTZ", "VARIANT", "TABLE_TYPE",
	}},
}

// number is that of a name, 0 if it has none.
func (e enum) number(name string) int { return slices.Index(e.names, name) + 1 }

// parse reads a name in any case, or a number.
func (e enum) parse(text string) (name string, ok bool) {
	if n, err := strconv.Atoi(text); err == nil {
		if n <= 0 || n > len(e.names) {
			return "", n == 0
		}
		return e.names[n-1], true
	}
	if name = strings.ToUpper(text); len(name) != len(text) { // letters that are not of ASCII
		return "", false
	}
	return name, text == "" || e.open || slices.Contains(e.names, name)
}
