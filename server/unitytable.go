package server

import (
	"errors"
	"fmt"
	"strings"

	"github.com/leveelake/catalog/types"
)

// Tables of the Unity Catalog REST API and of the root mount.

type tableInfo struct {
	Name            string           `json:"name"`
	CatalogName     string           `json:"catalog_name"`
	SchemaName      string           `json:"schema_name"`
	FullName        string           `json:"full_name"`
	TableType       types.TableType  `json:"table_type"`
	Format          dataSourceFormat `json:"data_source_format"`
	Columns         []columnInfo     `json:"columns"`
	StorageLocation string           `json:"storage_location"`
	CredentialName  string           `json:"storage_credential_name,omitempty" only:"root"`
	Comment         string           `json:"comment,omitempty"`
	Properties      types.Properties `json:"properties"`
	stamps
	TableID types.ID `json:"table_id"`
}

// tableInfoOf shows t. If its stored columns cannot be read, it shows the rest, and tells of them.
func tableInfoOf(t types.Table) (tableInfo, error) {
	info := tableInfo{
		Name: t.Name.Table, CatalogName: t.Name.Catalog, SchemaName: t.Name.Schema, FullName: t.Name.String(),
		TableType: t.Type, Format: dataSourceFormat(t.Format), StorageLocation: t.Location, Comment: t.Comment, Properties: t.Properties,
		stamps: stamped(t.Owner, t.Created, t.CreatedBy, t.Updated, t.UpdatedBy), TableID: t.ID,
	}
	if t.Columns.IsZero() {
		return info, nil
	}
	schema, err := t.Columns.Struct()
	if err != nil { // which blames the client, who is not to blame
		return info, fmt.Errorf("table %s: stored columns: %v", t.ID, err)
	}
	info.Columns = each(types.ColumnInfos(schema, t.PartitionColumns), columnInfoOf)
	for i, f := range schema.Fields {
		info.Columns[i].ColumnID = strings.Trim(string(f.Metadata[columnID]), `"`)
	}
	return info, nil
}

// columnID is the metadata of a column that is mapped by ID.
const columnID = "delta.columnMapping.id"

// createUnityTable registers an external table of any format, or a managed table of a client that
// is older than the Delta API.
func (s *Server) createUnityTable(r *request) (any, error) {
	req, err := body[struct {
		Name            string            `json:"name"`
		CatalogName     string            `json:"catalog_name"`
		SchemaName      string            `json:"schema_name"`
		TableType       types.TableType   `json:"table_type"`
		Format          dataSourceFormat  `json:"data_source_format"`
		Columns         []columnInfo      `json:"columns"`
		StorageLocation string            `json:"storage_location"`
		Comment         *string           `json:"comment"`
		Properties      map[string]string `json:"properties"`
	}](r)
	if err != nil {
		return nil, err
	}
	in, err := r.parent(req.CatalogName, req.SchemaName)
	if err != nil {
		return nil, err
	}
	switch req.TableType {
	case types.Managed, types.External, "":
	default:
		return nil, types.NotImplemented.Errorf("%s is %s; this catalog has no tables but %s and %s", r.face.codec.spell("table_type"), req.TableType, types.External, types.Managed)
	}
	if req.StorageLocation == "" {
		return nil, types.InvalidParameterValue.Errorf("%s is missing; for a managed table it is that of a staging table: POST %s/staging-tables first", r.face.codec.spell("storage_location"), unityPrefix)
	}
	schema, partition, err := columnsOf(req.Columns)
	if err != nil {
		return nil, err
	}
	t, err := s.catalog.CreatePreviewTable(r.Context(), in, types.CreateTable{
		Name: req.Name, Location: req.StorageLocation, Type: req.TableType, Format: string(req.Format), Comment: req.Comment,
		Columns: schema, PartitionColumns: partition, Properties: req.Properties,
	})
	if err != nil {
		return nil, err
	}
	return tableInfoOf(t)
}

// parent is the schema that a body names.
func (r *request) parent(catalog, schema string) (types.SchemaName, error) {
	switch "" {
	case catalog:
		return types.SchemaName{}, r.missing("catalog_name")
	case schema:
		return types.SchemaName{}, r.missing("schema_name")
	}
	return types.SchemaName{Catalog: catalog, Schema: schema}, nil
}

// tableFlags are those of the API that change nothing here.
var tableFlags = []string{"include_browse", "include_delta_metadata", "include_manifest_capabilities"}

func (s *Server) listUnityTables(r *request) (any, error) {
	p := r.params()
	in := types.SchemaName{Catalog: p.need("catalog_name"), Schema: p.need("schema_name")}
	omitColumns, omitProperties, omitUsername := p.flag("omit_columns"), p.flag("omit_properties"), p.flag("omit_username")
	p.ignored(tableFlags...)
	page := p.page(mostListed)
	if p.err != nil {
		return nil, p.err
	}
	list, next, err := s.catalog.ListTables(r.Context(), in, false, page)
	if err != nil {
		return nil, err
	}
	out := struct {
		Tables []tableInfo `json:"tables"`
		Next   string      `json:"next_page_token,omitempty"`
	}{make([]tableInfo, len(list)), next}
	for i, t := range list {
		if omitColumns {
			t.Columns = types.Columns{}
		}
		if omitProperties {
			t.Properties = types.Properties{}
		}
		if omitUsername {
			t.Owner, t.CreatedBy, t.UpdatedBy = "", "", ""
		}
		if out.Tables[i], err = tableInfoOf(t); err != nil { // the others are well
			s.log.ErrorContext(r.Context(), "a table is listed without its columns", "err", err)
		}
	}
	return out, nil
}

// tableName is the table in the path.
func (r *request) tableName() (types.TableName, error) {
	p, err := r.fullName(3)
	if err != nil {
		return types.TableName{}, err
	}
	return types.TableName{Catalog: p[0], Schema: p[1], Table: p[2]}, nil
}

func (s *Server) getUnityTable(r *request) (any, error) {
	p := r.params()
	if p.ignored(tableFlags...); p.err != nil {
		return nil, p.err
	}
	name, err := r.tableName()
	if err != nil {
		return nil, err
	}
	t, err := s.catalog.GetTable(r.Context(), name)
	if err != nil {
		return nil, err
	}
	info, err := tableInfoOf(t)
	if err == nil && r.face == s.root {
		info.CredentialName, err = s.catalog.StorageCredentialOf(r.Context(), t.Location)
	}
	return info, err
}

func (s *Server) deleteUnityTable(r *request) (any, error) {
	name, err := r.tableName()
	if err != nil {
		return nil, err
	}
	return done(s.catalog.DeleteTable(r.Context(), name))
}

// unityTableExists tells of a table of any format, and of one whose schema does not exist either.
func (s *Server) unityTableExists(r *request) (any, error) {
	name, err := r.tableName()
	if err != nil {
		return nil, err
	}
	err = s.catalog.TableExists(r.Context(), name)
	missing := errors.Is(err, types.NoSuchCatalog) || errors.Is(err, types.NoSuchSchema) || errors.Is(err, types.NoSuchTable)
	if missing {
		err = nil
	}
	return struct {
		Exists bool `json:"table_exists"`
	}{!missing}, err
}

func (s *Server) listTableSummaries(r *request) (any, error) {
	p := r.params()
	in := p.need("catalog_name")
	like := types.TablePatterns{Schema: p.text("schema_name_pattern"), Table: p.text("table_name_pattern")}
	p.ignored("include_manifest_capabilities")
	page := p.page(mostSummarized)
	if p.err != nil {
		return nil, p.err
	}
	list, next, err := s.catalog.ListTableSummaries(r.Context(), in, like, page)
	type summary struct {
		FullName string          `json:"full_name"`
		Type     types.TableType `json:"table_type"`
	}
	return struct {
		Tables []summary `json:"tables"`
		Next   string    `json:"next_page_token,omitempty"`
	}{each(list, func(t types.TableListing) summary { return summary{t.Name.String(), t.Type} }), next}, err
}
