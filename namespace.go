package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// A namespace is the body of a catalog's and of a schema's object.
type namespace struct {
	Comment     string            `json:"comment,omitempty"`
	Properties  map[string]string `json:"properties,omitempty"`
	StorageRoot string            `json:"root,omitempty"`
	Owner       string            `json:"owner,omitempty"`
}

func decodeNamespace(o storage.Object) (namespace, error) {
	var n namespace
	if err := json.Unmarshal(o.Body, &n); err != nil {
		return n, fmt.Errorf("%s %s: stored body: %w", o.Kind, o.ID, err)
	}
	return n, nil
}

// Metastore returns the root of the catalog. It is made durably when it is asked for,
// or a catalog is created, for the first time.
func (c *Catalog) Metastore(ctx context.Context) (types.Metastore, error) {
	o, err := c.ensureMetastore(ctx)
	return types.Metastore{ID: o.ID, Name: o.Name}, err
}

func (c *Catalog) ensureMetastore(ctx context.Context) (storage.Object, error) {
	if o := c.metastore.Load(); o != nil {
		return *o, nil
	}
	find := func(tx storage.ReadTx) (*storage.Object, error) {
		nodes, err := tx.Lookup(ctx, nil, storage.Want{})
		if err != nil || len(nodes) == 0 {
			return nil, err
		}
		return &nodes[0].Object, nil
	}
	o, err := view(ctx, c, find)
	if err == nil && o == nil {
		id, now := newID(), c.now()
		o, err = update(ctx, c, func(tx storage.Tx) (*storage.Object, error) {
			if o, err := find(tx); err != nil || o != nil {
				return o, err
			}
			o := storage.Object{ID: id, Kind: types.KindMetastore, Name: metastoreName, Revision: 1, Created: now, Updated: now, Body: []byte("{}")}
			return &o, tx.Insert(ctx, o)
		})
		if errors.Is(err, types.AlreadyExists) { // another request was faster
			o, err = view(ctx, c, find)
		}
	}
	if err != nil {
		return storage.Object{}, err
	}
	c.metastore.Store(o)
	return *o, nil
}

// CreateCatalog makes a catalog. When it returns, the catalog is durable.
//
// Errors: InvalidParameterValue (name, storage root), AlreadyExists.
func (c *Catalog) CreateCatalog(ctx context.Context, req types.CreateCatalog) (types.Catalog, error) {
	if err := c.rules.checkName("name", req.Name); err != nil {
		return types.Catalog{}, err
	}
	body, folderRoot, err := c.newNamespace(ctx, req.Comment, req.Properties, req.StorageRoot)
	if err != nil {
		return types.Catalog{}, err
	}
	if _, err := c.ensureMetastore(ctx); err != nil {
		return types.Catalog{}, err
	}
	id, now := newID(), c.now()
	o, err := update(ctx, c, func(tx storage.Tx) (storage.Object, error) {
		return insertNamespace(ctx, tx, catalogPath(req.Name), storage.Object{
			ID: id, Created: now, Updated: now, Body: body, Location: managedFolder(folderRoot, "catalogs", id),
		}, folderRoot)
	})
	if err != nil {
		return types.Catalog{}, claimed(err, catalogPath(req.Name))
	}
	return publicCatalog(o)
}

// newNamespace checks what a new catalog or schema is made of and encodes it.
func (c *Catalog) newNamespace(ctx context.Context, comment string, properties map[string]string, rawRoot string) (body []byte, folderRoot string, err error) {
	if err := c.rules.checkProperties("properties", properties); err != nil {
		return nil, "", err
	}
	if err := checkText("comment", comment); err != nil {
		return nil, "", err
	}
	if folderRoot, err = storageRoot(rawRoot); err != nil {
		return nil, "", err
	}
	kept := maps.Clone(properties)
	maps.DeleteFunc(kept, func(key, _ string) bool { return isSecret(key) })
	body = plainJSON(namespace{Comment: comment, Properties: kept, StorageRoot: folderRoot, Owner: Principal(ctx)})
	if len(body) > maxRecord {
		return nil, "", types.InvalidParameterValue.Errorf("properties and comment have %d bytes; the limit is %d", len(body), maxRecord)
	}
	return body, folderRoot, nil
}

// insertNamespace adds o at path.
func insertNamespace(ctx context.Context, tx storage.Tx, path []storage.Step, o storage.Object, folderRoot string) (storage.Object, error) {
	step := path[len(path)-1]
	parents, err := vacant(ctx, tx, path)
	if err != nil {
		return o, err
	}
	if folderRoot != "" {
		inside, err := tx.Overlap(ctx, folderRoot, []types.Kind{types.KindTable, types.KindStagingTable}, 0)
		if err != nil {
			return o, err
		}
		if len(inside) > 0 {
			return o, types.InvalidParameterValue.Errorf("storage_root %q lies inside the location of a table", folderRoot)
		}
	}
	o.Kind, o.Name, o.Parent, o.Revision = step.Kind, step.Name, last(parents).ID, 1
	return o, tx.Insert(ctx, o)
}

// GetCatalog returns a catalog.
//
// Errors: NoSuchCatalog.
func (c *Catalog) GetCatalog(ctx context.Context, name string) (types.Catalog, error) {
	chain, err := view(ctx, c, func(tx storage.ReadTx) ([]storage.Node, error) {
		return walk(ctx, tx, catalogPath(name), storage.Want{})
	})
	if err != nil {
		return types.Catalog{}, err
	}
	return publicCatalog(last(chain))
}

// ListCatalogs returns a page of catalogs and the token of the next page, "" after the
// last.
//
// Errors: InvalidParameterValue (page).
func (c *Catalog) ListCatalogs(ctx context.Context, page types.Page) ([]types.Catalog, string, error) {
	return listPage(ctx, c, listing{kind: types.KindCatalog, page: page}, func(_ storage.ReadTx, n storage.Node) (types.Catalog, bool, error) {
		out, err := publicCatalog(n.Object)
		return out, true, err
	})
}

// DeleteCatalog removes a catalog. With force it removes all schemas and tables in it, at
// once and for good; without force it refuses if there is a schema. When it
// returns, the removal is durable. Files of managed tables go later, those of external
// tables stay.
//
// Errors: NoSuchCatalog, FailedPrecondition (not empty).
func (c *Catalog) DeleteCatalog(ctx context.Context, name string, force bool) error {
	return c.deleteNamespace(ctx, catalogPath(name), types.KindSchema, force)
}

// CreateSchema makes a schema. When it returns, the schema is durable.
//
// Errors: InvalidParameterValue (name, storage root), NoSuchCatalog, AlreadyExists.
func (c *Catalog) CreateSchema(ctx context.Context, req types.CreateSchema) (types.Schema, error) {
	if err := c.rules.checkName("name", req.Name.Schema); err != nil {
		return types.Schema{}, err
	}
	body, folderRoot, err := c.newNamespace(ctx, req.Comment, req.Properties, req.StorageRoot)
	if err != nil {
		return types.Schema{}, err
	}
	id, now := newID(), c.now()
	o, err := update(ctx, c, func(tx storage.Tx) (storage.Object, error) {
		return insertNamespace(ctx, tx, schemaPath(req.Name), storage.Object{
			ID: id, Created: now, Updated: now, Body: body, Location: managedFolder(folderRoot, "schemas", id),
		}, folderRoot)
	})
	if err != nil {
		return types.Schema{}, claimed(err, schemaPath(req.Name))
	}
	return publicSchema(req.Name.Catalog, o)
}

// GetSchema returns a schema.
//
// Errors: NoSuchCatalog, NoSuchSchema.
func (c *Catalog) GetSchema(ctx context.Context, name types.SchemaName) (types.Schema, error) {
	chain, err := view(ctx, c, func(tx storage.ReadTx) ([]storage.Node, error) {
		return walk(ctx, tx, schemaPath(name), storage.Want{})
	})
	if err != nil {
		return types.Schema{}, err
	}
	return publicSchema(name.Catalog, last(chain))
}

// ListSchemas returns a page of the schemas of a catalog and the token of the next
// page, "" after the last.
//
// Errors: InvalidParameterValue (page), NoSuchCatalog.
func (c *Catalog) ListSchemas(ctx context.Context, catalog string, page types.Page) ([]types.Schema, string, error) {
	return listPage(ctx, c, listing{path: catalogPath(catalog), kind: types.KindSchema, page: page}, func(_ storage.ReadTx, n storage.Node) (types.Schema, bool, error) {
		out, err := publicSchema(catalog, n.Object)
		return out, true, err
	})
}

// DeleteSchema removes a schema; force and the rest as of [Catalog.DeleteCatalog]. Staging
// tables do not count as content: they go, too.
//
// Errors: NoSuchCatalog, NoSuchSchema, FailedPrecondition (not empty).
func (c *Catalog) DeleteSchema(ctx context.Context, name types.SchemaName, force bool) error {
	return c.deleteNamespace(ctx, schemaPath(name), types.KindTable, force)
}

func publicCatalog(o storage.Object) (types.Catalog, error) {
	n, err := decodeNamespace(o)
	return types.Catalog{
		ID: o.ID, Name: o.Name, Comment: n.Comment, Properties: n.Properties, StorageRoot: n.StorageRoot,
		Location: o.Location, Owner: n.Owner, Created: o.Created, Updated: o.Updated,
	}, err
}

func publicSchema(catalog string, o storage.Object) (types.Schema, error) {
	n, err := decodeNamespace(o)
	return types.Schema{
		ID: o.ID, Name: types.SchemaName{Catalog: catalog, Schema: o.Name}, Comment: n.Comment, Properties: n.Properties,
		StorageRoot: n.StorageRoot, Location: o.Location, Owner: n.Owner, Created: o.Created, Updated: o.Updated,
	}, err
}
