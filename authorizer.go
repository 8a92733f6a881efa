package catalog

import (
	"context"

	"github.com/leveelake/catalog/types"
)

// An Authorizer decides who may do what. [Grants] is the one that a catalog has rules for.
type Authorizer interface {
	// Allows reports whether what a says may be done. It is called within transactions, for lists once a
	// line, and again when a transaction runs again: it must be quick and have no effect. An error means that it
	// does not know: the request fails with it.
	Allows(ctx context.Context, a Access) (bool, error)
}

// An Access is what somebody wants to do.
type Access struct {
	Principal string // "": nobody is authenticated
	Groups    []string
	Action    Action
	On        []Level // from the metastore down to what the Action is on; never empty
}

// A Level is a securable as far as rights are concerned.
type Level struct {
	Kind    types.Kind
	ID      types.ID
	Name    string
	Owner   string            // a principal or a group; "" for none
	Granted []types.Privilege // to the caller and the caller's groups, on this level itself
}

// An Action is what an operation does, as far as rights are concerned.
type Action string

// The actions, by what they are on: the last of Access.On. A new object's is on its parent.
const (
	// Of the metastore.
	ActAdminister       Action = "administer"    // tokens, for example
	ActSeeMetastore     Action = "see metastore" // its own grants
	ActCreateCatalog    Action = "create catalogs in metastore"
	ActCreateCredential Action = "create storage credentials in metastore"
	ActCreateLocation   Action = "create external locations in metastore"

	// Of a catalog. Who may not use one is told that it does not exist, when going further down.
	ActUseCatalog      Action = "use catalog"
	ActGetCatalog      Action = "get catalog"
	ActUpdateCatalog   Action = "update catalog"
	ActTransferCatalog Action = "change the owner of catalog"
	ActDeleteCatalog   Action = "delete catalog"
	ActCreateSchema    Action = "create schemas in catalog"

	// Of a schema; using it is as of a catalog.
	ActUseSchema      Action = "use schema"
	ActGetSchema      Action = "get schema"
	ActUpdateSchema   Action = "update schema"
	ActTransferSchema Action = "change the owner of schema"
	ActRenameSchema   Action = "rename schema"
	ActDeleteSchema   Action = "delete schema"
	ActCreateTable    Action = "create tables in schema"

	// Of a table.
	ActGetTable        Action = "get table"
	ActUpdateTable     Action = "update table"
	ActDeleteTable     Action = "delete table"
	ActRenameTable     Action = "rename table"
	ActReadTableFiles  Action = "read the files of table"
	ActWriteTableFiles Action = "write the files of table"

	// Of a storage credential.
	ActGetCredential    Action = "get storage credential"
	ActUpdateCredential Action = "update storage credential"
	ActDeleteCredential Action = "delete storage credential"
	ActUseCredential    Action = "give an external location storage credential"

	// Of an external location.
	ActGetLocation         Action = "get external location"
	ActUpdateLocation      Action = "update external location"
	ActDeleteLocation      Action = "delete external location"
	ActCreateExternalTable Action = "create tables in external location"
	ActCreateStorageRoot   Action = "create storage roots in external location"
	ActReadFiles           Action = "read files in external location"
	ActWriteFiles          Action = "write files in external location"

	// Of any securable.
	ActGrant Action = "see or change all grants on"
)
