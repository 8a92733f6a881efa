package catalog

import (
	"context"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// CreateCatalog makes a catalog, which the caller owns. When it returns, the catalog is durable.
//
// Errors: InvalidParameterValue (name, storage root), AlreadyExists, PermissionDenied.
func (c *Catalog) CreateCatalog(ctx context.Context, req types.CreateCatalog) (types.Catalog, error) {
	if err := c.rules.checkName("name", req.Name); err != nil {
		return types.Catalog{}, err
	}
	if err := checkShared(req); err != nil {
		return types.Catalog{}, err
	}
	n, err := c.newNamespace(ctx, req.Comment, req.Properties, req.StorageRoot)
	if err != nil {
		return types.Catalog{}, err
	}
	n.Provider, n.Share = req.Provider, req.Share
	if _, err := c.ensureMetastore(ctx); err != nil {
		return types.Catalog{}, err
	}
	o, err := c.createNamespace(ctx, catalogPath(req.Name), ActCreateCatalog, n, "catalogs")
	if err != nil {
		return types.Catalog{}, err
	}
	return publicCatalog(o)
}

// checkShared refuses half of what a catalog needs that shows what another shares.
func checkShared(req types.CreateCatalog) error {
	if (req.Provider == "") != (req.Share == "") {
		return types.InvalidParameterValue.Errorf("provider_name and share_name must be given both or not at all")
	}
	if req.Share != "" && req.StorageRoot != "" {
		return types.InvalidParameterValue.Errorf("a catalog with a share_name has no storage_root")
	}
	for field, v := range map[string]string{"provider_name": req.Provider, "share_name": req.Share} {
		if v == "" {
			continue
		}
		if err := checkPrincipal(field, v); err != nil {
			return err
		}
	}
	return nil
}

// GetCatalog returns a catalog.
//
// Errors: NoSuchCatalog, PermissionDenied.
func (c *Catalog) GetCatalog(ctx context.Context, name string) (types.Catalog, error) {
	chain, err := view(ctx, c, func(tx storage.ReadTx) ([]storage.Node, error) {
		return c.reach(ctx, tx, ActGetCatalog, catalogPath(name), storage.Want{})
	})
	if err != nil {
		return types.Catalog{}, err
	}
	return publicCatalog(last(chain))
}

// ListCatalogs returns a page of the catalogs that the caller may see and the token of the next page, "" after the
// last.
//
// Errors: InvalidParameterValue (page).
func (c *Catalog) ListCatalogs(ctx context.Context, page types.Page) ([]types.Catalog, string, error) {
	return listPage(ctx, c, listing{kind: types.KindCatalog, act: ActGetCatalog, page: page}, func(_ storage.ReadTx, n storage.Node) (types.Catalog, bool, error) {
		out, err := publicCatalog(n.Object)
		return out, true, err
	})
}

// UpdateCatalog changes a catalog, all of the request or nothing, and returns it as it is then. What changes
// nothing leaves its times alone. Under a new name its schemas, tables and grants stay what they are. When it
// returns, the change is durable.
//
// Errors: InvalidParameterValue (names, properties), NoSuchCatalog, AlreadyExists (the new name),
// PermissionDenied.
func (c *Catalog) UpdateCatalog(ctx context.Context, name string, u types.UpdateCatalog) (types.Catalog, error) {
	o, err := c.updateNamespace(ctx, catalogPath(name), renewal{
		name: u.NewName, comment: u.Comment, owner: u.Owner, properties: u.Properties,
		update: ActUpdateCatalog, transfer: ActTransferCatalog, rename: ActUpdateCatalog,
	})
	if err != nil {
		return types.Catalog{}, err
	}
	return publicCatalog(o)
}

// DeleteCatalog removes a catalog. With force it removes all schemas and tables in it, at
// once and for good; without force it refuses if there is a schema. When it
// returns, the removal is durable. Files of managed tables go later, those of external
// tables stay.
//
// Errors: NoSuchCatalog, FailedPrecondition (not empty), PermissionDenied.
func (c *Catalog) DeleteCatalog(ctx context.Context, name string, force bool) error {
	return c.deleteNamespace(ctx, catalogPath(name), ActDeleteCatalog, types.KindSchema, force)
}

func publicCatalog(o storage.Object) (types.Catalog, error) {
	n, err := decodeNamespace(o)
	return types.Catalog{
		ID: o.ID, Name: o.Name, Comment: n.Comment, Properties: n.Properties, StorageRoot: n.StorageRoot,
		Provider: n.Provider, Share: n.Share, Location: o.Location, Owner: n.Owner,
		Created: o.Created, CreatedBy: n.CreatedBy, Updated: o.Updated, UpdatedBy: n.UpdatedBy,
	}, err
}
