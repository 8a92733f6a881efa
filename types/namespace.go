package types

import "time"

// A Metastore is the root of all that a catalog server knows.
type Metastore struct {
	ID   ID
	Name string
}

// A Catalog is the first level of a table's name.
type Catalog struct {
	ID          ID
	Name        string
	Comment     string
	Properties  map[string]string
	StorageRoot string // where managed tables go, in normal form; "" if none
	Location    string // StorageRoot/__unitystorage/catalogs/ID; "" without a StorageRoot
	Owner       string
	Created     time.Time
	Updated     time.Time
}

// A Schema is the second level of a table's name.
type Schema struct {
	ID          ID
	Name        SchemaName
	Comment     string
	Properties  map[string]string
	StorageRoot string // as of Catalog; a schema's comes before its catalog's
	Location    string // StorageRoot/__unitystorage/schemas/ID; "" without a StorageRoot
	Owner       string
	Created     time.Time
	Updated     time.Time
}

// CreateCatalog asks for a new catalog.
type CreateCatalog struct {
	Name        string
	Comment     string
	Properties  map[string]string
	StorageRoot string // storage URL below which managed tables of the catalog are put; "" for none
}

// CreateSchema asks for a new schema.
type CreateSchema struct {
	Name        SchemaName
	Comment     string
	Properties  map[string]string
	StorageRoot string // as of CreateCatalog
}

// A Page asks for one page of a list. Lists are ordered by name in byte order.
type Page struct {
	Size  int    // most items to return; 0 means the server's choice
	Token string // Next of the page before; "" for the first page
}
