package catalog

import (
	"context"
	"strings"

	"github.com/leveelake/catalog/credentials"
	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// TableCredentials hands out credentials to a table's files.
//
// Errors: InvalidParameterValue (operation), NoSuchCatalog, NoSuchSchema, NoSuchTable,
// NotImplemented (no vendor for the storage), what the vendor returns.
func (c *Catalog) TableCredentials(ctx context.Context, name types.TableName, op types.Operation) ([]types.Credential, error) {
	if err := checkOperation(op); err != nil {
		return nil, err
	}
	chain, err := view(ctx, c, func(tx storage.ReadTx) ([]storage.Node, error) {
		return walk(ctx, tx, tablePath(name), storage.Want{})
	})
	if err != nil {
		return nil, err
	}
	o := last(chain)
	return c.vend(ctx, o.Location, op, o.ID)
}

// TableCredentialsByID is [Catalog.TableCredentials] for a table's ID.
//
// Errors: InvalidParameterValue (operation), NoSuchTable, NotImplemented (no vendor for
// the storage), what the vendor returns.
func (c *Catalog) TableCredentialsByID(ctx context.Context, id types.ID, op types.Operation) ([]types.Credential, error) {
	if err := checkOperation(op); err != nil {
		return nil, err
	}
	return c.vendByID(ctx, id, op, "table", func(o storage.Object) bool { return o.Kind == types.KindTable })
}

// StagingTableCredentials hands out read-write credentials to the files of a staging table, or
// of the managed table that it has become.
//
// Errors: NoSuchTable, PermissionDenied (staged by another principal), NotImplemented
// (no vendor for the storage), what the vendor returns.
func (c *Catalog) StagingTableCredentials(ctx context.Context, id types.ID) ([]types.Credential, error) {
	return c.vendByID(ctx, id, types.ReadWrite, "staging table", func(o storage.Object) bool {
		return o.Kind == types.KindStagingTable || o.Kind == types.KindTable && isInManaged(o.Location)
	})
}

func (c *Catalog) vendByID(ctx context.Context, id types.ID, op types.Operation, what string, fits func(storage.Object) bool) ([]types.Credential, error) {
	o, err := view(ctx, c, func(tx storage.ReadTx) (storage.Object, error) {
		chain, err := tx.Get(ctx, id, storage.Want{})
		if err != nil {
			return storage.Object{}, err
		}
		if len(chain) == 0 || !fits(last(chain)) {
			return storage.Object{}, types.NoSuchTable.Errorf("there is no %s with ID %q", what, id).About(types.KindTable)
		}
		return last(chain), nil
	})
	if err != nil {
		return nil, err
	}
	if o.Kind == types.KindStagingTable || op == types.ReadWrite && what == "staging table" {
		owner, err := ownerOf(o)
		if err != nil {
			return nil, err
		}
		if owner != Principal(ctx) {
			return nil, types.PermissionDenied.Errorf("staging table %s is another principal's", id).About(types.KindStagingTable)
		}
	}
	return c.vend(ctx, o.Location, op, o.ID)
}

// PathCredentials hands out credentials to a storage location at which the caller will
// register an external table. It must be free of tables and managed storage.
//
// Errors: InvalidParameterValue (location, operation), PermissionDenied (the location
// is in use), NotImplemented (no vendor for the storage), what the vendor returns.
func (c *Catalog) PathCredentials(ctx context.Context, location string, op types.Operation) ([]types.Credential, error) {
	if err := checkOperation(op); err != nil {
		return nil, err
	}
	normal, err := parseLocation("location", location)
	if err != nil {
		return nil, err
	}
	if isBucketRoot(normal) {
		return nil, types.InvalidParameterValue.Errorf("location %q is a whole bucket or file system; give a folder in it", location)
	}
	denied := types.PermissionDenied.Errorf("location %q overlaps with managed storage or a table", location)
	if isInManaged(normal) || c.managedRoot != "" && overlaps(normal, c.managedRoot) {
		return nil, denied
	}
	_, err = view(ctx, c, func(tx storage.ReadTx) (struct{}, error) {
		return struct{}{}, checkFree(ctx, tx, "location", normal)
	})
	if types.CodeOf(err) == types.InvalidParameterValue {
		return nil, denied
	}
	if err != nil {
		return nil, err
	}
	return c.vend(ctx, normal, op, "")
}

func checkOperation(op types.Operation) error {
	if op != types.Read && op != types.ReadWrite {
		return types.InvalidParameterValue.Errorf("operation is %q; it must be %s or %s", op, types.Read, types.ReadWrite)
	}
	return nil
}

// vend asks the vendor. It is never called in a transaction.
func (c *Catalog) vend(ctx context.Context, location string, op types.Operation, id types.ID) ([]types.Credential, error) {
	vendor := c.vendor
	if vendor == nil {
		if !strings.HasPrefix(location, "file://") {
			return nil, types.NotImplemented.Errorf("the catalog has no vendor of credentials for %s", location)
		}
		vendor = credentials.Local{Now: c.clock}
	}
	cred, err := vendor.Vend(ctx, credentials.Request{Location: location, Operation: op, Principal: Principal(ctx), Table: id})
	if err != nil {
		return nil, err
	}
	return []types.Credential{cred}, nil
}

// vendIfServed is vend for an answer in which credentials are a convenience: a storage that has no
// vendor gets none.
func (c *Catalog) vendIfServed(ctx context.Context, location string, op types.Operation, id types.ID) ([]types.Credential, error) {
	creds, err := c.vend(ctx, location, op, id)
	if types.CodeOf(err) == types.NotImplemented {
		return []types.Credential{}, nil
	}
	return creds, err
}

// ProtocolConfig tells which version of the Delta API the catalog and a client both
// speak. versions lists the client's, as "1.1,2.3": the highest minor version of each major
// one. The endpoints are for whoever serves them to fill in.
//
// Errors: InvalidParameterValue (versions malformed or none in common), NoSuchCatalog.
func (c *Catalog) ProtocolConfig(ctx context.Context, name, versions string) (types.Config, error) {
	if strings.TrimSpace(name) == "" {
		return types.Config{}, types.InvalidParameterValue.Errorf("catalog is missing")
	}
	version, err := negotiate(versions)
	if err != nil {
		return types.Config{}, err
	}
	if _, err := c.GetCatalog(ctx, name); err != nil {
		return types.Config{}, err
	}
	return types.Config{ProtocolVersion: version}, nil
}
