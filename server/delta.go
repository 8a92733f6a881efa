package server

import (
	"github.com/leveelake/catalog/types"
)

// The endpoints of the UC Delta API.

func schemaName(r *request) types.SchemaName {
	return types.SchemaName{Catalog: r.PathValue("catalog"), Schema: r.PathValue("schema")}
}

func tableName(r *request) types.TableName {
	return schemaName(r).Table(r.PathValue("table"))
}

func (s *Server) config(r *request) (any, error) {
	p := r.params()
	name, versions := p.need("catalog"), p.text("protocol-versions")
	if p.err != nil {
		return nil, p.err
	}
	cfg, err := s.catalog.ProtocolConfig(r.Context(), name, versions)
	cfg.Endpoints = s.endpoints
	return cfg, err
}

func (s *Server) createStagingTable(r *request) (any, error) {
	req, err := body[types.CreateStagingTable](r)
	if err != nil {
		return nil, err
	}
	return s.catalog.CreateStagingTable(r.Context(), schemaName(r), req)
}

func (s *Server) createTable(r *request) (any, error) {
	req, err := body[types.CreateTable](r)
	if err != nil {
		return nil, err
	}
	return loaded(s.catalog.CreateTable(r.Context(), schemaName(r), req))
}

// loaded makes a table the result that writes its own JSON.
func loaded(t types.Table, err error) (any, error) { return &t, err }

func (s *Server) listTables(r *request) (any, error) {
	p := r.params()
	page := p.sized("max-results", "page-token")
	if p.err != nil {
		return nil, p.err
	}
	tables, next, err := s.catalog.ListTables(r.Context(), schemaName(r), true, page)
	if err != nil {
		return nil, err
	}
	list := make([]types.TableSummary, len(tables))
	for i, t := range tables {
		list[i] = types.TableSummary{Name: t.Name.Table, ID: t.ID, Type: t.Type}
	}
	return struct {
		Tables []types.TableSummary `json:"tables"`
		Next   string               `json:"next-page-token,omitempty"`
	}{list, next}, nil
}

func (s *Server) loadTable(r *request) (any, error) {
	t, err := s.catalog.LoadTable(r.Context(), tableName(r))
	if err != nil {
		return nil, err
	}
	return tag(r, &t), nil
}

func (s *Server) updateTable(r *request) (any, error) {
	req, err := body[types.UpdateTable](r)
	if err != nil {
		return nil, err
	}
	return loaded(s.catalog.UpdateTable(r.Context(), tableName(r), req))
}

func (s *Server) deleteTable(r *request) (any, error) {
	return nil, s.catalog.DeleteTable(r.Context(), tableName(r))
}

func (s *Server) tableExists(r *request) (any, error) {
	return nil, s.catalog.TableExists(r.Context(), tableName(r))
}

func (s *Server) renameTable(r *request) (any, error) {
	req, err := body[types.RenameTable](r)
	if err != nil {
		return nil, err
	}
	return nil, s.catalog.RenameTable(r.Context(), tableName(r), req)
}

func (s *Server) reportMetrics(r *request) (any, error) {
	req, err := body[types.ReportMetrics](r)
	if err != nil {
		return nil, err
	}
	return nil, s.catalog.ReportMetrics(r.Context(), tableName(r), req)
}

func (s *Server) tableMetrics(r *request) (any, error) {
	return s.catalog.TableMetrics(r.Context(), tableName(r))
}

// credentials is the answer to all requests for credentials.
func credentials(creds []types.Credential, err error) (any, error) {
	return struct {
		Credentials []types.Credential `json:"storage-credentials"`
	}{creds}, err
}

func (s *Server) tableCredentials(r *request) (any, error) {
	p := r.params()
	op := p.need("operation")
	if p.err != nil {
		return nil, p.err
	}
	return credentials(s.catalog.TableCredentials(r.Context(), tableName(r), types.Operation(op)))
}

func (s *Server) stagingTableCredentials(r *request) (any, error) {
	id, err := idOf("table_id", r.PathValue("table_id"))
	if err != nil {
		return nil, err
	}
	return credentials(s.catalog.StagingTableCredentials(r.Context(), id))
}

func (s *Server) pathCredentials(r *request) (any, error) {
	p := r.params()
	location, op := p.need("location"), p.need("operation")
	if p.err != nil {
		return nil, p.err
	}
	return credentials(s.catalog.PathCredentials(r.Context(), location, types.Operation(op)))
}
