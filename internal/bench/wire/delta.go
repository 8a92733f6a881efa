package wire

import (
	"net/url"
	"strconv"

	"github.com/leveelake/catalog/types"
)

// Prefix is where the Unity Catalog API is mounted.
const Prefix = "/api/2.1/unity-catalog"

// SchemaPath is the path of a schema in the Delta API.
func SchemaPath(n types.SchemaName) string {
	return Prefix + "/delta/v1/catalogs/" + url.PathEscape(n.Catalog) + "/schemas/" + url.PathEscape(n.Schema)
}

// TablePath is the path of a table in the Delta API.
func TablePath(n types.TableName) string {
	return SchemaPath(n.SchemaName()) + "/tables/" + url.PathEscape(n.Table)
}

// AppendCommit appends the body of a request that ratifies version of a table, and tells that all
// versions up to backfilled (0: none) are published: what a writer sends that backfills as it goes.
func AppendCommit(dst []byte, table types.ID, version, backfilled int64) []byte {
	dst = append(append(dst, `{"requirements":[{"type":"assert-table-uuid","uuid":"`...), table...)
	dst = append(dst, `"}],"updates":[{"action":"add-commit","commit":{"version":`...)
	dst = strconv.AppendInt(dst, version, 10)
	dst = append(dst, `,"timestamp":1767225600000,"file-name":"`...)
	dst = AppendFile(dst, version)
	dst = append(dst, `","file-size":1234,"file-modification-timestamp":1767225600000}}`...)
	if backfilled > 0 {
		dst = append(dst, `,{"action":"set-latest-backfilled-version","latest-published-version":`...)
		dst = append(strconv.AppendInt(dst, backfilled, 10), '}')
	}
	return append(dst, `]}`...)
}

// AppendFile appends the name of the file of a version.
func AppendFile(dst []byte, version int64) []byte {
	digits := strconv.AppendInt(nil, version, 10)
	dst = append(dst, "00000000000000000000"[len(digits):]...)
	return append(append(dst, digits...), ".0b0b3bd8-1f5b-4b1e-a1e2-1c2f5c8a7a11.json"...)
}
