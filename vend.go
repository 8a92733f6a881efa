package catalog

import (
	"context"
	"fmt"
	"strings"

	"github.com/leveelake/catalog/credentials"
	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// TableCredentials hands out credentials to a table's files.
//
// Errors: BadRequest (operation), NoSuchCatalog, NoSuchSchema, NoSuchTable,
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
// Errors: BadRequest (operation), NoSuchTable, NotImplemented (no vendor for the
// storage), what the vendor returns.
func (c *Catalog) TableCredentialsByID(ctx context.Context, id types.ID, op types.Operation) ([]types.Credential, error) {
	if err := checkOperation(op); err != nil {
		return nil, err
	}
	o, err := c.objectByID(ctx, id)
	if err == nil && o.Kind != types.KindTable {
		err = types.NoSuchTable.Errorf("there is no table with ID %q", id).About(types.KindTable)
	}
	if err != nil {
		return nil, err
	}
	return c.vend(ctx, o.Location, op, o.ID)
}

// StagingTableCredentials hands out read-write credentials to the files of a staging table, or
// of the managed table that it has become, to the principal that staged it.
//
// Errors: NoSuchTable, PermissionDenied (staged by another principal), NotImplemented
// (no vendor for the storage), what the vendor returns.
func (c *Catalog) StagingTableCredentials(ctx context.Context, id types.ID) ([]types.Credential, error) {
	o, err := c.objectByID(ctx, id)
	if err != nil {
		return nil, err
	}
	owner := ""
	switch {
	case o.Kind == types.KindStagingTable:
		s, err := decodeStaging(o)
		if err != nil {
			return nil, err
		}
		owner = s.Owner
	case o.Kind == types.KindTable && isInManaged(o.Location):
		t, err := c.table(storage.Node{Object: o})
		if err != nil {
			return nil, err
		}
		owner = t.record.Owner
	default:
		return nil, types.NoSuchTable.Errorf("there is no staging table with ID %q", id).About(types.KindTable)
	}
	if owner != Principal(ctx) {
		return nil, types.PermissionDenied.Errorf("staging table %s is another principal's", id).About(types.KindStagingTable)
	}
	return c.vend(ctx, o.Location, types.ReadWrite, o.ID)
}

// objectByID is the table or staging table with an ID, or another object.
func (c *Catalog) objectByID(ctx context.Context, id types.ID) (storage.Object, error) {
	return view(ctx, c, func(tx storage.ReadTx) (storage.Object, error) {
		chain, err := tx.Get(ctx, id, storage.Want{})
		if err == nil && len(chain) == 0 {
			err = types.NoSuchTable.Errorf("there is no table with ID %q", id).About(types.KindTable)
		}
		if err != nil {
			return storage.Object{}, err
		}
		return last(chain), nil
	})
}

// PathCredentials hands out credentials to a storage location at which the caller will
// register an external table. It must be free of tables and managed storage.
//
// Errors: BadRequest (operation), InvalidParameterValue (location), PermissionDenied (the location
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
	_, err := types.ParseOperation(string(op))
	return err
}

// vend asks the vendor, and believes no answer that reaches further than what was asked. It is
// never called in a transaction.
func (c *Catalog) vend(ctx context.Context, location string, op types.Operation, id types.ID) (creds []types.Credential, err error) {
	vendor := c.vendor
	if vendor == nil {
		if !strings.HasPrefix(location, "file://") {
			return nil, types.NotImplemented.Errorf("the catalog has no vendor of credentials for %s", location)
		}
		vendor = credentials.Local{Now: c.clock}
	}
	defer func() {
		if recover() != nil {
			// What it panicked with may hold a secret.
			creds, err = nil, fmt.Errorf("the vendor panicked for %s", location)
		}
	}()
	req := credentials.Request{Location: location, Operation: op, Principal: Principal(ctx), Table: id}
	cred, err := vendor.Vend(ctx, req)
	if err != nil {
		return nil, err
	}
	if err := credentials.Verify(req, cred, c.clock()); err != nil {
		return nil, err
	}
	return []types.Credential{cred}, nil
}

// vendIfPossible is vend for an answer in which credentials are a convenience: without them
// the client asks for them by themselves, and then learns why there are none.
func (c *Catalog) vendIfPossible(ctx context.Context, location string, op types.Operation, id types.ID) []types.Credential {
	creds, err := c.vend(ctx, location, op, id)
	if err != nil && types.CodeOf(err) != types.NotImplemented && ctx.Err() == nil {
		c.log.WarnContext(ctx, "no credentials for a new staging table", "table", id, "err", err)
	}
	if err != nil {
		return []types.Credential{}
	}
	return creds
}
