package types

import "time"

// A Metastore is the root of all that a catalog server knows.
type Metastore struct {
	ID    ID
	Name  string
	Owner string // a principal or a group: the admins; "" for none
}

// A Catalog is the first level of a table's name.
type Catalog struct {
	ID          ID
	Name        string
	Comment     *string // nil: never given
	Properties  map[string]string
	StorageRoot string // where managed tables go, in normal form; "" if none
	Provider    string // with Share: of whom the catalog is a shared one; "" if it is not
	Share       string
	Location    string // StorageRoot/__unitystorage/catalogs/ID; "" without a StorageRoot
	Owner       string
	Created     time.Time
	CreatedBy   string
	Updated     time.Time
	UpdatedBy   string
}

// A Schema is the second level of a table's name.
type Schema struct {
	ID          ID
	Name        SchemaName
	Comment     *string // nil: never given
	Properties  map[string]string
	StorageRoot string // as of Catalog; a schema's comes before its catalog's
	Location    string // StorageRoot/__unitystorage/schemas/ID; "" without a StorageRoot
	Owner       string
	Created     time.Time
	CreatedBy   string
	Updated     time.Time
	UpdatedBy   string
}

// CreateCatalog asks for a new catalog.
type CreateCatalog struct {
	Name        string
	Comment     string
	Properties  map[string]string
	StorageRoot string // storage URL below which managed tables of the catalog are put; "" for none
	Provider    string // with Share, and then without StorageRoot: as of Catalog
	Share       string
}

// UpdateCatalog changes a catalog; nil leaves things as they are, and so does an empty map of
// properties, which generated clients send: any other replaces the properties.
type UpdateCatalog struct {
	NewName, Comment, Owner *string
	Properties              map[string]string
}

// CreateSchema asks for a new schema.
type CreateSchema struct {
	Name        SchemaName
	Comment     string
	Properties  map[string]string
	StorageRoot string // as of CreateCatalog
}

// UpdateSchema changes a schema, as UpdateCatalog does a catalog. NewName is without the catalog's.
type UpdateSchema struct {
	NewName, Comment, Owner *string
	Properties              map[string]string
}

// A Page asks for one page of a list. Lists are ordered by name in byte order.
type Page struct {
	Size  int    // most items to return; 0 means the server's choice
	Token string // Next of the page before; "" for the first page
}
