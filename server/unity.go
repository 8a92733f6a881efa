package server

import (
	"net/http"
	"strings"
	"time"

	"github.com/leveelake/catalog/types"
)

// The endpoints of the Unity Catalog REST API: snake_case, with lists as whole as
// clients expect that read one page only.

const unityPage = 10_000

// fullName splits a dotted name into n parts. %1F stands for a dot in some clients.
func fullName(r *http.Request, n int) ([]string, error) {
	full := strings.ReplaceAll(r.PathValue("full_name"), "\x1f", ".")
	parts := strings.Split(full, ".")
	for _, p := range parts {
		if len(parts) != n || p == "" {
			return nil, types.InvalidParameterValue.Errorf("name %q must have %d parts, separated by dots", full, n)
		}
	}
	return parts, nil
}

func millis(t time.Time) int64 { return t.UnixMilli() }

func (s *Server) metastoreSummary(r *http.Request) (any, error) {
	m, err := s.catalog.Metastore(r.Context())
	return struct {
		ID   types.ID `json:"metastore_id"`
		Name string   `json:"name"`
	}{m.ID, m.Name}, err
}

// namespaceInfo is what CatalogInfo and SchemaInfo have in common.
type namespaceInfo struct {
	Name            string            `json:"name"`
	Comment         string            `json:"comment,omitempty"`
	Properties      map[string]string `json:"properties"`
	Owner           *string           `json:"owner"`
	StorageRoot     string            `json:"storage_root,omitempty"`
	StorageLocation string            `json:"storage_location,omitempty"`
	CreatedAt       int64             `json:"created_at"`
	CreatedBy       *string           `json:"created_by"`
	UpdatedAt       int64             `json:"updated_at"`
	UpdatedBy       *string           `json:"updated_by"`
}

type catalogInfo struct {
	namespaceInfo
	ID   types.ID `json:"id"`
	Type string   `json:"catalog_type"`
}

type schemaInfo struct {
	namespaceInfo
	ID       types.ID `json:"schema_id"`
	Catalog  string   `json:"catalog_name"`
	FullName string   `json:"full_name"`
}

// orNull is nil for a principal that is not known.
func orNull(principal string) *string {
	if principal == "" {
		return nil
	}
	return &principal
}

// orEmpty makes an absent map an empty one: clients dereference it.
func orEmpty(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return m
}

func catalogInfoOf(c types.Catalog) catalogInfo {
	return catalogInfo{
		namespaceInfo: namespaceInfo{
			Name: c.Name, Comment: c.Comment, Properties: orEmpty(c.Properties), Owner: orNull(c.Owner),
			StorageRoot: c.StorageRoot, StorageLocation: c.Location,
			CreatedAt: millis(c.Created), CreatedBy: orNull(c.Owner), UpdatedAt: millis(c.Updated),
		},
		ID: c.ID, Type: "MANAGED_CATALOG",
	}
}

func schemaInfoOf(c types.Schema) schemaInfo {
	return schemaInfo{
		namespaceInfo: namespaceInfo{
			Name: c.Name.Schema, Comment: c.Comment, Properties: orEmpty(c.Properties), Owner: orNull(c.Owner),
			StorageRoot: c.StorageRoot, StorageLocation: c.Location,
			CreatedAt: millis(c.Created), CreatedBy: orNull(c.Owner), UpdatedAt: millis(c.Updated),
		},
		ID: c.ID, Catalog: c.Name.Catalog, FullName: c.Name.String(),
	}
}

// namespaceRequest is what CreateCatalog and CreateSchema have in common.
type namespaceRequest struct {
	Name        string     `json:"name"`
	Comment     string     `json:"comment"`
	Properties  properties `json:"properties"`
	StorageRoot string     `json:"storage_root"`
}

func (s *Server) createCatalog(r *http.Request) (any, error) {
	req, err := body[namespaceRequest](r)
	if err != nil {
		return nil, err
	}
	c, err := s.catalog.CreateCatalog(r.Context(), types.CreateCatalog{
		Name: req.Name, Comment: req.Comment, Properties: req.Properties, StorageRoot: req.StorageRoot,
	})
	return catalogInfoOf(c), err
}

func (s *Server) listCatalogs(r *http.Request) (any, error) {
	page, err := pageOf(r, "max_results", "page_token", unityPage)
	if err != nil {
		return nil, err
	}
	list, next, err := s.catalog.ListCatalogs(r.Context(), page)
	return struct {
		Catalogs []catalogInfo `json:"catalogs"`
		Next     string        `json:"next_page_token,omitempty"`
	}{each(list, catalogInfoOf), next}, err
}

func each[In, Out any](list []In, f func(In) Out) []Out {
	out := make([]Out, len(list))
	for i, v := range list {
		out[i] = f(v)
	}
	return out
}

func (s *Server) getCatalog(r *http.Request) (any, error) {
	c, err := s.catalog.GetCatalog(r.Context(), r.PathValue("name"))
	return catalogInfoOf(c), err
}

// done is the answer of a deletion.
func done(err error) (any, error) { return struct{}{}, err }

func (s *Server) deleteCatalog(r *http.Request) (any, error) {
	force, err := flag(r, "force")
	if err != nil {
		return nil, err
	}
	return done(s.catalog.DeleteCatalog(r.Context(), r.PathValue("name"), force))
}

func (s *Server) createSchema(r *http.Request) (any, error) {
	req, err := body[struct {
		namespaceRequest
		Catalog string `json:"catalog_name"`
	}](r)
	if err != nil {
		return nil, err
	}
	if req.Catalog == "" {
		return nil, types.InvalidParameterValue.Errorf("catalog_name is missing")
	}
	c, err := s.catalog.CreateSchema(r.Context(), types.CreateSchema{
		Name:    types.SchemaName{Catalog: req.Catalog, Schema: req.Name},
		Comment: req.Comment, Properties: req.Properties, StorageRoot: req.StorageRoot,
	})
	return schemaInfoOf(c), err
}

func (s *Server) listSchemas(r *http.Request) (any, error) {
	catalog, err := query(r, "catalog_name")
	if err != nil {
		return nil, err
	}
	page, err := pageOf(r, "max_results", "page_token", unityPage)
	if err != nil {
		return nil, err
	}
	list, next, err := s.catalog.ListSchemas(r.Context(), catalog, page)
	return struct {
		Schemas []schemaInfo `json:"schemas"`
		Next    string       `json:"next_page_token,omitempty"`
	}{each(list, schemaInfoOf), next}, err
}

func unitySchemaName(r *http.Request) (types.SchemaName, error) {
	p, err := fullName(r, 2)
	if err != nil {
		return types.SchemaName{}, err
	}
	return types.SchemaName{Catalog: p[0], Schema: p[1]}, nil
}

func (s *Server) getSchema(r *http.Request) (any, error) {
	name, err := unitySchemaName(r)
	if err != nil {
		return nil, err
	}
	c, err := s.catalog.GetSchema(r.Context(), name)
	return schemaInfoOf(c), err
}

func (s *Server) deleteSchema(r *http.Request) (any, error) {
	name, err := unitySchemaName(r)
	if err != nil {
		return nil, err
	}
	force, err := flag(r, "force")
	if err != nil {
		return nil, err
	}
	return done(s.catalog.DeleteSchema(r.Context(), name, force))
}
