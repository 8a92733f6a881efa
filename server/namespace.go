package server

import (
	"strings"

	"github.com/leveelake/catalog/types"
)

// Catalogs and schemas of the Unity Catalog REST API and of the root mount.

// namespaceInfo is what CatalogInfo and SchemaInfo have in common.
type namespaceInfo struct {
	Name       string            `json:"name"`
	Comment    *string           `json:"comment,omitempty"`
	Properties map[string]string `json:"properties"`
	stamps
}

type catalogInfo struct {
	namespaceInfo
	StorageRoot     string      `json:"storage_root,omitempty"`
	StorageLocation string      `json:"storage_location,omitempty" only:"unity"`
	Provider        string      `json:"provider_name,omitempty"`
	Share           string      `json:"share_name,omitempty"`
	ID              types.ID    `json:"id"`
	Type            catalogType `json:"catalog_type"`
}

type schemaInfo struct {
	namespaceInfo
	StorageRoot     string   `json:"storage_root,omitempty" only:"unity"`
	StorageLocation string   `json:"storage_location,omitempty" only:"unity"`
	ID              types.ID `json:"schema_id"`
	Catalog         string   `json:"catalog_name"`
	FullName        string   `json:"full_name"`
}

func catalogInfoOf(c types.Catalog) catalogInfo {
	info := catalogInfo{
		namespaceInfo: namespaceInfo{c.Name, c.Comment, c.Properties, stamped(c.Owner, c.Created, c.CreatedBy, c.Updated, c.UpdatedBy)},
		StorageRoot:   c.StorageRoot, StorageLocation: c.Location, Provider: c.Provider, Share: c.Share,
		ID: c.ID, Type: managedCatalog,
	}
	if c.Share != "" {
		info.Type = deltaSharingCatalog
	}
	return info
}

func schemaInfoOf(c types.Schema) schemaInfo {
	return schemaInfo{
		namespaceInfo: namespaceInfo{c.Name.Schema, c.Comment, c.Properties, stamped(c.Owner, c.Created, c.CreatedBy, c.Updated, c.UpdatedBy)},
		StorageRoot:   c.StorageRoot, StorageLocation: c.Location, ID: c.ID, Catalog: c.Name.Catalog, FullName: c.Name.String(),
	}
}

func (s *Server) createCatalog(r *request) (any, error) {
	req, err := body[struct {
		Name        string            `json:"name"`
		Comment     string            `json:"comment"`
		Properties  map[string]string `json:"properties"`
		StorageRoot string            `json:"storage_root"`
		Provider    string            `json:"provider_name"`
		Share       string            `json:"share_name"`
	}](r)
	if err != nil {
		return nil, err
	}
	c, err := s.catalog.CreateCatalog(r.Context(), types.CreateCatalog(req))
	return catalogInfoOf(c), err
}

func (s *Server) listCatalogs(r *request) (any, error) {
	p := r.params()
	p.ignored("include_browse")
	page := p.page(mostListed)
	if p.err != nil {
		return nil, p.err
	}
	list, next, err := s.catalog.ListCatalogs(r.Context(), page)
	return struct {
		Catalogs []catalogInfo `json:"catalogs"`
		Next     string        `json:"next_page_token,omitempty"`
	}{each(list, catalogInfoOf), next}, err
}

func (s *Server) getCatalog(r *request) (any, error) {
	p := r.params()
	if p.ignored("include_browse"); p.err != nil {
		return nil, p.err
	}
	c, err := s.catalog.GetCatalog(r.Context(), r.PathValue("name"))
	return catalogInfoOf(c), err
}

// namespaceUpdate is UpdateCatalog and UpdateSchema.
type namespaceUpdate struct {
	Name       string            `json:"name"`
	FullName   string            `json:"full_name"`
	NewName    *string           `json:"new_name"`
	Comment    *string           `json:"comment"`
	Owner      *string           `json:"owner"`
	Properties map[string]string `json:"properties"`
}

func (s *Server) updateCatalog(r *request) (any, error) {
	name := r.PathValue("name")
	req, err := body[namespaceUpdate](r)
	if err == nil {
		err = r.sameName("name", req.Name, name)
	}
	if err != nil {
		return nil, err
	}
	c, err := s.catalog.UpdateCatalog(r.Context(), name, types.UpdateCatalog{
		NewName: req.NewName, Comment: req.Comment, Owner: req.Owner, Properties: req.Properties,
	})
	return catalogInfoOf(c), err
}

func (s *Server) deleteCatalog(r *request) (any, error) {
	p := r.params()
	force := p.flag("force")
	if p.err != nil {
		return nil, p.err
	}
	return done(s.catalog.DeleteCatalog(r.Context(), r.PathValue("name"), force))
}

func (s *Server) createSchema(r *request) (any, error) {
	req, err := body[struct {
		Name        string            `json:"name"`
		Catalog     string            `json:"catalog_name"`
		Comment     string            `json:"comment"`
		Properties  map[string]string `json:"properties"`
		StorageRoot string            `json:"storage_root"`
	}](r)
	if err == nil && req.Catalog == "" {
		err = r.missing("catalog_name")
	}
	if err != nil {
		return nil, err
	}
	c, err := s.catalog.CreateSchema(r.Context(), types.CreateSchema{
		Name:    types.SchemaName{Catalog: req.Catalog, Schema: req.Name},
		Comment: req.Comment, Properties: req.Properties, StorageRoot: req.StorageRoot,
	})
	return schemaInfoOf(c), err
}

func (s *Server) listSchemas(r *request) (any, error) {
	p := r.params()
	p.ignored("include_browse")
	catalog, page := p.need("catalog_name"), p.page(mostListed)
	if p.err != nil {
		return nil, p.err
	}
	list, next, err := s.catalog.ListSchemas(r.Context(), catalog, page)
	return struct {
		Schemas []schemaInfo `json:"schemas"`
		Next    string       `json:"next_page_token,omitempty"`
	}{each(list, schemaInfoOf), next}, err
}

// schemaName is the schema in the path. Its name there may be the last part alone, if the query has the full one.
func (r *request) schemaName(p *params) (types.SchemaName, error) {
	name, full := undotted.Replace(r.PathValue("full_name")), undotted.Replace(p.text("full_name"))
	if p.err != nil {
		return types.SchemaName{}, p.err
	}
	if full != "" && full != name && (strings.Contains(name, ".") || !strings.HasSuffix(full, "."+name)) {
		return types.SchemaName{}, types.InvalidParameterValue.Errorf("the schema is %q in the path, but %q in the query", clip(name), clip(full))
	}
	if full == "" {
		full = name
	}
	of, err := parts(full, 2)
	if err != nil {
		return types.SchemaName{}, err
	}
	return types.SchemaName{Catalog: of[0], Schema: of[1]}, nil
}

func (s *Server) getSchema(r *request) (any, error) {
	name, err := r.schemaName(r.params())
	if err != nil {
		return nil, err
	}
	c, err := s.catalog.GetSchema(r.Context(), name)
	return schemaInfoOf(c), err
}

func (s *Server) updateSchema(r *request) (any, error) {
	name, err := r.schemaName(r.params())
	if err != nil {
		return nil, err
	}
	req, err := body[namespaceUpdate](r)
	if err == nil && req.Name != name.Schema {
		err = r.sameName("name", req.Name, name.String())
	}
	if err == nil {
		err = r.sameName("full_name", req.FullName, name.String())
	}
	if err != nil {
		return nil, err
	}
	c, err := s.catalog.UpdateSchema(r.Context(), name, types.UpdateSchema{
		NewName: req.NewName, Comment: req.Comment, Owner: req.Owner, Properties: req.Properties,
	})
	return schemaInfoOf(c), err
}

func (s *Server) deleteSchema(r *request) (any, error) {
	p := r.params()
	force := p.flag("force")
	name, err := r.schemaName(p)
	if err != nil {
		return nil, err
	}
	return done(s.catalog.DeleteSchema(r.Context(), name, force))
}
