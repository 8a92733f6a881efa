package catalog

import (
	"context"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// CreateSchema makes a schema, which the caller owns. When it returns, the schema is durable.
//
// Errors: InvalidParameterValue (name, storage root), NoSuchCatalog, AlreadyExists, PermissionDenied.
func (c *Catalog) CreateSchema(ctx context.Context, req types.CreateSchema) (types.Schema, error) {
	if err := c.rules.checkName("name", req.Name.Schema); err != nil {
		return types.Schema{}, err
	}
	n, err := c.newNamespace(ctx, req.Comment, req.Properties, req.StorageRoot)
	if err != nil {
		return types.Schema{}, err
	}
	o, err := c.createNamespace(ctx, schemaPath(req.Name), ActCreateSchema, n, "schemas")
	if err != nil {
		return types.Schema{}, err
	}
	return publicSchema(req.Name.Catalog, o)
}

// GetSchema returns a schema.
//
// Errors: NoSuchCatalog, NoSuchSchema, PermissionDenied.
func (c *Catalog) GetSchema(ctx context.Context, name types.SchemaName) (types.Schema, error) {
	chain, err := view(ctx, c, func(tx storage.ReadTx) ([]storage.Node, error) {
		return c.reach(ctx, tx, ActGetSchema, schemaPath(name), storage.Want{})
	})
	if err != nil {
		return types.Schema{}, err
	}
	return publicSchema(name.Catalog, last(chain))
}

// ListSchemas returns a page of the schemas of a catalog that the caller may see and the token of the next
// page, "" after the last.
//
// Errors: InvalidParameterValue (page), NoSuchCatalog.
func (c *Catalog) ListSchemas(ctx context.Context, catalog string, page types.Page) ([]types.Schema, string, error) {
	l := listing{path: catalogPath(catalog), kind: types.KindSchema, act: ActGetSchema, page: page}
	return listPage(ctx, c, l, func(_ storage.ReadTx, n storage.Node) (types.Schema, bool, error) {
		out, err := publicSchema(catalog, n.Object)
		return out, true, err
	})
}

// UpdateSchema changes a schema, as [Catalog.UpdateCatalog] does a catalog.
//
// Errors: InvalidParameterValue (names, properties), NoSuchCatalog, NoSuchSchema, AlreadyExists (the
// new name), PermissionDenied.
func (c *Catalog) UpdateSchema(ctx context.Context, name types.SchemaName, u types.UpdateSchema) (types.Schema, error) {
	o, err := c.updateNamespace(ctx, schemaPath(name), renewal{
		name: u.NewName, comment: u.Comment, owner: u.Owner, properties: u.Properties,
		update: ActUpdateSchema, transfer: ActTransferSchema, rename: ActRenameSchema,
	})
	if err != nil {
		return types.Schema{}, err
	}
	return publicSchema(name.Catalog, o)
}

// DeleteSchema removes a schema; force and the rest as of [Catalog.DeleteCatalog]. Staging
// tables do not count as content: they go, too.
//
// Errors: NoSuchCatalog, NoSuchSchema, FailedPrecondition (not empty), PermissionDenied.
func (c *Catalog) DeleteSchema(ctx context.Context, name types.SchemaName, force bool) error {
	return c.deleteNamespace(ctx, schemaPath(name), ActDeleteSchema, types.KindTable, force)
}

func publicSchema(catalog string, o storage.Object) (types.Schema, error) {
	n, err := decodeNamespace(o)
	return types.Schema{
		ID: o.ID, Name: types.SchemaName{Catalog: catalog, Schema: o.Name}, Comment: n.Comment, Properties: n.Properties,
		StorageRoot: n.StorageRoot, Location: o.Location, Owner: n.Owner,
		Created: o.Created, CreatedBy: n.CreatedBy, Updated: o.Updated, UpdatedBy: n.UpdatedBy,
	}, err
}
