package types

// An ID identifies an object for ever: a UUID in lower case with hyphens. It is
// never used again, not even after the object is gone.
type ID string

// ParseID reads the 36 characters of a UUID in either case. It answers [BadRequest]
// for anything else.
func ParseID(s string) (ID, error) {
	id, ok := lowerUUID(s)
	if !ok {
		return "", BadRequest.Errorf("%s is not a UUID", quote(s))
	}
	return id, nil
}

func lowerUUID(s string) (id ID, ok bool) {
	b := []byte(s)
	ok = len(b) == 36
	for i := 0; ok && i < len(b); i++ {
		switch c := b[i]; {
		case i == 8 || i == 13 || i == 18 || i == 23:
			ok = c == '-'
		case 'A' <= c && c <= 'F':
			b[i] = c + 'a' - 'A'
		default:
			ok = '0' <= c && c <= '9' || 'a' <= c && c <= 'f'
		}
	}
	return ID(b), ok
}

// A Kind is a kind of object (securable) in the catalog.
type Kind string

// The kinds of objects.
const (
	KindMetastore    Kind = "metastore"
	KindCatalog      Kind = "catalog"
	KindSchema       Kind = "schema"
	KindTable        Kind = "table"
	KindStagingTable Kind = "staging-table"

	KindCredential       Kind = "credential" // a storage credential
	KindExternalLocation Kind = "external-location"
	KindToken            Kind = "token"
	KindGrant            Kind = "grant" // what a principal is granted on one securable
)

// A SchemaName names a schema. Names are compared exactly, case included.
type SchemaName struct{ Catalog, Schema string }

func (n SchemaName) String() string { return n.Catalog + "." + n.Schema }

// Table names a table in the schema.
func (n SchemaName) Table(name string) TableName {
	return TableName{Catalog: n.Catalog, Schema: n.Schema, Table: name}
}

// A TableName names a table. Names are compared exactly, case included.
type TableName struct{ Catalog, Schema, Table string }

func (n TableName) String() string { return n.Catalog + "." + n.Schema + "." + n.Table }

// SchemaName is the name of the schema that holds the table.
func (n TableName) SchemaName() SchemaName { return SchemaName{Catalog: n.Catalog, Schema: n.Schema} }
