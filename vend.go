package catalog

import (
	"context"
	"fmt"

	"github.com/leveelake/catalog/credentials"
	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// TableCredentials hands out credentials to a table's files.
//
// Errors: BadRequest (operation), NoSuchCatalog, NoSuchSchema, NoSuchTable, PermissionDenied (no right; to
// write where the external location is read-only; no external location although there are rights),
// FailedPrecondition (the external location has lost its storage credential), NotImplemented (no vendor for
// the storage), what the vendor returns.
func (c *Catalog) TableCredentials(ctx context.Context, name types.TableName, op types.Operation) ([]types.Credential, error) {
	return c.tableCredentials(ctx, op, func(tx storage.ReadTx, act Action) ([]storage.Node, error) {
		return c.reach(ctx, tx, act, tablePath(name), storage.Want{})
	})
}

// TableCredentialsByID is [Catalog.TableCredentials] for a table's ID.
//
// Errors: BadRequest (operation), NoSuchTable, and the others of [Catalog.TableCredentials].
func (c *Catalog) TableCredentialsByID(ctx context.Context, id types.ID, op types.Operation) ([]types.Credential, error) {
	return c.tableCredentials(ctx, op, func(tx storage.ReadTx, act Action) ([]storage.Node, error) {
		return c.reachID(ctx, tx, act, id, types.KindTable, storage.Want{})
	})
}

// tableCredentials hands out credentials to the files of the table that find finds for an action.
func (c *Catalog) tableCredentials(ctx context.Context, op types.Operation, find func(storage.ReadTx, Action) ([]storage.Node, error)) ([]types.Credential, error) {
	if err := checkOperation(op); err != nil {
		return nil, err
	}
	act := ActReadTableFiles
	if op != types.Read {
		act = ActWriteTableFiles
	}
	p, err := view(ctx, c, func(tx storage.ReadTx) (permit, error) {
		chain, err := find(tx, act)
		if err != nil {
			return permit{}, err
		}
		return c.permitOf(ctx, tx, chain, op)
	})
	if err != nil {
		return nil, err
	}
	return c.vend(ctx, p)
}

// StagingTableCredentials hands out read-write credentials to the files of a staging table, or
// of the managed table that it has become, to the principal that staged it.
//
// Errors: NoSuchTable, PermissionDenied (staged by another principal), and from PermissionDenied on the others of
// [Catalog.TableCredentials].
func (c *Catalog) StagingTableCredentials(ctx context.Context, id types.ID) ([]types.Credential, error) {
	p, err := view(ctx, c, func(tx storage.ReadTx) (permit, error) {
		chain, err := c.staged(ctx, tx, id)
		if err != nil {
			return permit{}, err
		}
		v, err := managedVouch(chain)
		if err != nil {
			return permit{}, err
		}
		return c.permitTable(ctx, tx, v, permit{location: last(chain).Location, op: types.ReadWrite, id: id})
	})
	if err != nil {
		return nil, err
	}
	return c.vend(ctx, p)
}

// staged is the chain to the staging table with an ID, or to the managed table that it has become, of the caller.
func (c *Catalog) staged(ctx context.Context, tx storage.ReadTx, id types.ID) ([]storage.Node, error) {
	chain, _, err := c.find(ctx, tx, id, storage.Want{})
	if err != nil {
		return nil, err
	}
	if len(chain) == 0 {
		return nil, missingID(types.KindStagingTable, id)
	}
	o := last(chain)
	if o.Kind != types.KindStagingTable && (o.Kind != types.KindTable || !isInManaged(o.Location)) {
		return nil, missingID(types.KindStagingTable, id)
	}
	owner, err := c.ownerOf(tx, o)
	if err != nil {
		return nil, err
	}
	if owner != Principal(ctx) {
		return nil, types.PermissionDenied.Errorf("staging table %s is another principal's", id).About(types.KindStagingTable)
	}
	return chain, nil
}

// PathCredentials hands out credentials to a storage location at which the caller will
// register an external table. It must be free of tables and managed storage.
//
// Errors: BadRequest (operation), InvalidParameterValue (location), PermissionDenied (the location
// is in use), and from PermissionDenied on the others of [Catalog.TableCredentials].
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
	taken := types.PermissionDenied.Errorf("location %q overlaps with managed storage or a table", location)
	if isInManaged(normal) || c.managedRoot != "" && overlaps(normal, c.managedRoot) {
		return nil, taken
	}
	p, err := view(ctx, c, func(tx storage.ReadTx) (permit, error) {
		p, err := c.permitPath(ctx, tx, normal, op)
		if err != nil {
			return p, err
		}
		if err := checkFree(ctx, tx, "location", normal); types.CodeOf(err) == types.InvalidParameterValue {
			return p, taken
		} else if err != nil {
			return p, err
		}
		return p, nil
	})
	if err != nil {
		return nil, err
	}
	return c.vend(ctx, p)
}

func checkOperation(op types.Operation) error {
	_, err := types.ParseOperation(string(op))
	return err
}

// vend asks the vendor, and believes no answer that reaches further than what was asked. It is
// never called in a transaction.
func (c *Catalog) vend(ctx context.Context, p permit) (creds []types.Credential, err error) {
	if p.refusal != nil {
		return nil, p.refusal
	}
	vendor := c.vendor
	if vendor == nil {
		if !isLocal(p.location) {
			return nil, types.NotImplemented.Errorf("the catalog has no vendor of credentials for %s", p.location)
		}
		vendor = credentials.Local{Now: c.clock}
	}
	defer func() {
		if recover() != nil {
			// What it panicked with may hold a secret.
			creds, err = nil, fmt.Errorf("the vendor panicked for %s", p.location)
		}
	}()
	req := credentials.Request{Location: p.location, Operation: p.op, Principal: Principal(ctx), Table: p.id}
	cred, err := vendor.Vend(ctx, req)
	if err != nil {
		return nil, err
	}
	if err := credentials.Verify(req, cred, c.clock()); err != nil {
		return nil, err
	}
	c.tellVend(ctx, p.id, p.location, cred)
	return []types.Credential{cred}, nil
}

// vendIfPossible is vend for an answer in which credentials are a convenience: without them
// the client asks for them by themselves, and then learns why there are none.
func (c *Catalog) vendIfPossible(ctx context.Context, p permit) []types.Credential {
	creds, err := c.vend(ctx, p)
	if err != nil && types.CodeOf(err) != types.NotImplemented && ctx.Err() == nil {
		c.log.WarnContext(ctx, "no credentials for a new staging table", "table", p.id, "err", err)
	}
	if err != nil {
		return []types.Credential{}
	}
	return creds
}
