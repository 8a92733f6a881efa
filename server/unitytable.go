package server

import (
	"net/http"
	"strings"

	"github.com/leveelake/catalog/types"
)

// columnInfo is ColumnInfo of the Unity Catalog REST API.
type columnInfo struct {
	Name           string  `json:"name"`
	TypeText       string  `json:"type_text"`
	TypeJSON       string  `json:"type_json"`
	TypeName       string  `json:"type_name"`
	TypePrecision  *int32  `json:"type_precision,omitempty"`
	TypeScale      *int32  `json:"type_scale,omitempty"`
	IntervalType   string  `json:"type_interval_type,omitempty"`
	Position       int32   `json:"position"`
	Comment        *string `json:"comment,omitempty"`
	Nullable       *bool   `json:"nullable"` // absent in a request: true
	PartitionIndex *int32  `json:"partition_index,omitempty"`
}

func columnInfoOf(c types.ColumnInfo) columnInfo {
	return columnInfo{
		Name: c.Name, TypeText: c.TypeText, TypeJSON: c.TypeJSON, TypeName: c.TypeName, TypePrecision: convert[int32](c.Precision),
		TypeScale: convert[int32](c.Scale), IntervalType: c.IntervalType, Position: int32(c.Position), Comment: c.Comment,
		Nullable: &c.Nullable, PartitionIndex: convert[int32](c.PartitionIndex),
	}
}

func (c columnInfo) typed() types.ColumnInfo {
	return types.ColumnInfo{
		Name: c.Name, TypeText: c.TypeText, TypeJSON: c.TypeJSON, TypeName: c.TypeName, Precision: convert[int](c.TypePrecision),
		Scale: convert[int](c.TypeScale), IntervalType: c.IntervalType, Position: int(c.Position), Comment: c.Comment,
		Nullable: c.Nullable == nil || *c.Nullable, PartitionIndex: convert[int](c.PartitionIndex),
	}
}

func convert[To, From int | int32](p *From) *To {
	if p == nil {
		return nil
	}
	return new(To(*p))
}

// tableInfo is TableInfo of the Unity Catalog REST API.
type tableInfo struct {
	Name            string           `json:"name"`
	CatalogName     string           `json:"catalog_name"`
	SchemaName      string           `json:"schema_name"`
	TableType       types.TableType  `json:"table_type"`
	Format          string           `json:"data_source_format"`
	Columns         []columnInfo     `json:"columns"`
	StorageLocation string           `json:"storage_location"`
	Comment         string           `json:"comment,omitempty"`
	Properties      types.Properties `json:"properties"`
	Owner           *string          `json:"owner"`
	CreatedAt       int64            `json:"created_at"`
	CreatedBy       *string          `json:"created_by"`
	UpdatedAt       int64            `json:"updated_at"`
	UpdatedBy       *string          `json:"updated_by"`
	TableID         types.ID         `json:"table_id"`
}

func tableInfoOf(t types.Table) (tableInfo, error) {
	info := tableInfo{
		Name: t.Name.Table, CatalogName: t.Name.Catalog, SchemaName: t.Name.Schema, TableType: t.Type, Format: t.Format,
		Columns: []columnInfo{}, StorageLocation: t.Location, Comment: t.Comment, Properties: t.Properties,
		Owner: orNull(t.Owner), CreatedAt: millis(t.Created), CreatedBy: orNull(t.Owner), UpdatedAt: millis(t.Updated), TableID: t.ID,
	}
	if t.Columns.IsZero() {
		return info, nil
	}
	schema, err := t.Columns.Struct()
	if err != nil {
		return info, err
	}
	info.Columns = each(types.ColumnInfos(schema, t.PartitionColumns), columnInfoOf)
	return info, nil
}

// createUnityTable registers an external table of any format, or a managed table of a client that
// is older than the Delta API.
func (s *Server) createUnityTable(r *http.Request) (any, error) {
	req, err := body[struct {
		Name            string            `json:"name"`
		CatalogName     string            `json:"catalog_name"`
		SchemaName      string            `json:"schema_name"`
		TableType       types.TableType   `json:"table_type"`
		Format          string            `json:"data_source_format"`
		Columns         items[columnInfo] `json:"columns"`
		StorageLocation string            `json:"storage_location"`
		Comment         *string           `json:"comment"`
		Properties      properties        `json:"properties"`
	}](r)
	if err != nil {
		return nil, err
	}
	kind := types.TableType(strings.ToUpper(string(req.TableType)))
	in, err := parent(req.CatalogName, req.SchemaName)
	if err != nil {
		return nil, err
	}
	create := s.catalog.CreateTable
	switch {
	case kind == types.Managed:
		create = s.catalog.CreatePreviewTable
	case kind == "":
		kind = types.External
	case kind != types.External:
		return nil, types.InvalidParameterValue.Errorf("table_type is %q; it must be %s or %s", req.TableType, types.External, types.Managed)
	}
	if req.StorageLocation == "" {
		return nil, types.InvalidParameterValue.Errorf("storage_location is missing; for a managed table it is that of a staging table: POST %s/staging-tables first", unityPrefix)
	}
	schema, partition, err := types.FromColumnInfos(each(req.Columns, columnInfo.typed))
	if err != nil {
		return nil, err
	}
	t, err := create(r.Context(), in, types.CreateTable{
		Name: req.Name, Location: req.StorageLocation, Type: kind, Format: strings.ToUpper(req.Format), Comment: req.Comment,
		Columns: schema, PartitionColumns: partition, Properties: req.Properties,
	})
	if err != nil {
		return nil, err
	}
	return tableInfoOf(t)
}

func (s *Server) listUnityTables(r *http.Request) (any, error) {
	catalog, err := query(r, "catalog_name")
	if err != nil {
		return nil, err
	}
	schema, err := query(r, "schema_name")
	if err != nil {
		return nil, err
	}
	omitColumns, err := flag(r, "omit_columns")
	if err != nil {
		return nil, err
	}
	omitProperties, err := flag(r, "omit_properties")
	if err != nil {
		return nil, err
	}
	page, err := pageOf(r, "max_results", "page_token", unityPage)
	if err != nil {
		return nil, err
	}
	list, next, err := s.catalog.ListTables(r.Context(), types.SchemaName{Catalog: catalog, Schema: schema}, false, page)
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
		if out.Tables[i], err = tableInfoOf(t); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func unityTableName(r *http.Request) (types.TableName, error) {
	p, err := fullName(r, 3)
	if err != nil {
		return types.TableName{}, err
	}
	return types.TableName{Catalog: p[0], Schema: p[1], Table: p[2]}, nil
}

func (s *Server) getUnityTable(r *http.Request) (any, error) {
	name, err := unityTableName(r)
	if err != nil {
		return nil, err
	}
	t, err := s.catalog.GetTable(r.Context(), name)
	if err != nil {
		return nil, err
	}
	return tableInfoOf(t)
}

func (s *Server) deleteUnityTable(r *http.Request) (any, error) {
	name, err := unityTableName(r)
	if err != nil {
		return nil, err
	}
	return done(s.catalog.DeleteTable(r.Context(), name))
}

// temporaryTableCredentials hands out credentials to the table with an ID, each cloud's in a
// field of its own.
func (s *Server) temporaryTableCredentials(r *http.Request) (any, error) {
	req, err := body[struct {
		TableID   string          `json:"table_id"`
		Operation types.Operation `json:"operation"`
	}](r)
	if err != nil {
		return nil, err
	}
	id, err := uuid("table_id", req.TableID)
	if err != nil {
		return nil, err
	}
	creds, err := s.catalog.TableCredentialsByID(r.Context(), id, req.Operation)
	if err != nil {
		return nil, err
	}
	type aws struct {
		AccessKeyID     string `json:"access_key_id"`
		SecretAccessKey string `json:"secret_access_key"`
		SessionToken    string `json:"session_token"`
	}
	type azure struct {
		SASToken string `json:"sas_token"`
	}
	type gcp struct {
		OAuthToken string `json:"oauth_token"`
	}
	out := struct {
		AWS        *aws   `json:"aws_temp_credentials,omitempty"`
		Azure      *azure `json:"azure_user_delegation_sas,omitempty"`
		GCP        *gcp   `json:"gcp_oauth_token,omitempty"`
		URL        string `json:"url"`
		Expiration int64  `json:"expiration_time"`
	}{}
	for _, c := range creds {
		out.URL, out.Expiration = c.Prefix, millis(c.Expiration)
		if k := c.Config[types.S3AccessKeyID]; k != "" {
			out.AWS = &aws{k, c.Config[types.S3SecretAccessKey], c.Config[types.S3SessionToken]}
		}
		if k := c.Config[types.AzureSASToken]; k != "" {
			out.Azure = &azure{k}
		}
		if k := c.Config[types.GCSOAuthToken]; k != "" {
			out.GCP = &gcp{k}
		}
	}
	return out, nil
}
