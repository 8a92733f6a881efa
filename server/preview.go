package server

import (
	"errors"
	"io"
	"strings"
	"time"

	"github.com/leveelake/catalog/types"
)

// The endpoints of the commits API, which is older than the Delta API and spelled like
// the Unity Catalog REST API, and the reservation of a managed table that its clients begin with.

func (s *Server) createUnityStagingTable(r *request) (any, error) {
	req, err := body[struct {
		Name        string `json:"name"`
		CatalogName string `json:"catalog_name"`
		SchemaName  string `json:"schema_name"`
	}](r)
	if err != nil {
		return nil, err
	}
	in, err := r.parent(req.CatalogName, req.SchemaName)
	if err != nil {
		return nil, err
	}
	staged, err := s.catalog.CreateStagingTable(r.Context(), in, types.CreateStagingTable{Name: req.Name})
	return struct {
		ID              types.ID `json:"id"`
		CatalogName     string   `json:"catalog_name"`
		SchemaName      string   `json:"schema_name"`
		Name            string   `json:"name"`
		StagingLocation string   `json:"staging_location"`
	}{staged.ID, in.Catalog, in.Schema, req.Name, staged.Location}, err
}

// commitInfo is DeltaCommitInfo of the commits API; all its fields are required, and
// none may be 0, so an absent one is refused as 0 is.
type commitInfo struct {
	Version                   int64  `json:"version"`
	Timestamp                 int64  `json:"timestamp"`
	FileName                  string `json:"file_name"`
	FileSize                  int64  `json:"file_size"`
	FileModificationTimestamp int64  `json:"file_modification_timestamp"`
}

// previewRequest is DeltaCommit of the commits API.
type previewRequest struct {
	TableID    string           `json:"table_id"`
	TableURI   string           `json:"table_uri"`
	CommitInfo *commitInfo      `json:"commit_info"`
	Backfilled *int64           `json:"latest_backfilled_version"`
	Metadata   *previewMetadata `json:"metadata"`
	Uniform    *previewUniform  `json:"uniform"`
}

// previewMetadata is DeltaMetadata of the commits API.
type previewMetadata struct {
	Description *string `json:"description"`
	Schema      *struct {
		Columns []columnInfo `json:"columns"`
	} `json:"schema"`
	Properties *struct {
		Properties map[string]string `json:"properties"`
	} `json:"properties"`
}

func (m previewMetadata) typed() (*types.PreviewMetadata, error) {
	out := &types.PreviewMetadata{Comment: m.Description}
	if m.Schema != nil {
		schema, partition, err := columnsOf(m.Schema.Columns)
		if err != nil {
			return nil, err
		}
		out.Columns = &schema
		if len(partition) > 0 {
			out.PartitionColumns = partition
		}
	}
	if m.Properties != nil {
		out.Properties = orEmpty(m.Properties.Properties)
	}
	return out, nil
}

// previewUniform is DeltaUniform of the commits API.
type previewUniform struct {
	Iceberg *struct {
		MetadataLocation          string `json:"metadata_location"`
		ConvertedDeltaVersion     *int64 `json:"converted_delta_version"`
		ConvertedDeltaTimestamp   string `json:"converted_delta_timestamp"`
		BaseConvertedDeltaVersion *int64 `json:"base_converted_delta_version"`
	} `json:"iceberg"`
}

func (u previewUniform) typed() (*types.Uniform, error) {
	if u.Iceberg == nil || u.Iceberg.ConvertedDeltaVersion == nil {
		return nil, types.InvalidParameterValue.Errorf("uniform.iceberg.converted_delta_version is missing")
	}
	ice := u.Iceberg
	at, err := time.Parse(time.RFC3339, ice.ConvertedDeltaTimestamp)
	if _, offset := at.Zone(); err != nil || offset != 0 {
		return nil, types.InvalidParameterValue.Errorf("uniform.iceberg.converted_delta_timestamp %q is not an instant in UTC by ISO 8601", ice.ConvertedDeltaTimestamp)
	}
	return &types.Uniform{Iceberg: &types.Iceberg{
		MetadataLocation:          ice.MetadataLocation,
		ConvertedDeltaVersion:     *ice.ConvertedDeltaVersion,
		ConvertedDeltaTimestamp:   unixMillis(at),
		BaseConvertedDeltaVersion: ice.BaseConvertedDeltaVersion,
	}}, nil
}

func (s *Server) previewCommit(r *request) (any, error) {
	req, err := body[previewRequest](r)
	if err != nil {
		return nil, err
	}
	commit := types.PreviewCommit{Location: req.TableURI, Backfilled: req.Backfilled}
	if commit.TableID, err = tableID(req.TableID); err != nil {
		return nil, err
	}
	if req.CommitInfo != nil {
		c := types.Commit(*req.CommitInfo)
		commit.Commit = &c
	}
	if req.Metadata != nil {
		if commit.Metadata, err = req.Metadata.typed(); err != nil {
			return nil, err
		}
	}
	if req.Uniform != nil {
		if commit.Uniform, err = req.Uniform.typed(); err != nil {
			return nil, err
		}
	}
	return done(inOwnWords(s.catalog.CommitPreview(r.Context(), commit)))
}

// previewWords turns the Delta API's names of fields, in which the catalog speaks, into those of
// the commits API.
var previewWords = strings.NewReplacer(
	"add-commit.commit.version", "commit_info.version",
	"add-commit.commit.timestamp", "commit_info.timestamp",
	"add-commit.commit.file-name", "commit_info.file_name",
	"add-commit.commit.file-size", "commit_info.file_size",
	"add-commit.commit.file-modification-timestamp", "commit_info.file_modification_timestamp",
	"set-latest-backfilled-version", "latest_backfilled_version",
	"set-columns.columns", "metadata.schema.columns",
	"set-columns", "metadata.schema",
	"set-properties", "metadata.properties",
	"set-table-comment.comment", "metadata.description",
	"metadata-location", "metadata_location",
	"base-converted-delta-version", "base_converted_delta_version",
	"converted-delta-version", "converted_delta_version",
	"converted-delta-timestamp", "converted_delta_timestamp",
)

func inOwnWords(err error) error {
	if e, ok := errors.AsType[*types.Error](err); ok {
		own := *e
		own.Message = previewWords.Replace(e.Message)
		return &own
	}
	return err
}

// tableID reads the field table_id, which must be there.
func tableID(text string) (types.ID, error) {
	if text == "" {
		return "", types.InvalidParameterValue.Errorf("table_id is missing")
	}
	return idOf("table_id", text)
}

// previewCommits answers a GET that carries its arguments in a JSON body; clients that cannot
// send one may put them in the query.
func (s *Server) previewCommits(r *request) (any, error) {
	type query struct {
		TableID  string `json:"table_id"`
		TableURI string `json:"table_uri"`
		Start    *int64 `json:"start_version"`
		End      *int64 `json:"end_version"`
	}
	var q query
	data, err := io.ReadAll(r.Body)
	switch {
	case err != nil:
		err = unreadable(err)
	case len(data) > 0:
		err = r.face.codec.decode(data, &q)
	default:
		p := r.params()
		q = query{p.text("table_id"), p.text("table_uri"), p.number("start_version"), p.number("end_version")}
		err = p.err
	}
	if err != nil {
		return nil, err
	}
	id, err := tableID(q.TableID)
	if err != nil {
		return nil, err
	}
	if q.Start == nil {
		return nil, types.InvalidParameterValue.Errorf("start_version is missing")
	}
	got, err := s.catalog.PreviewCommits(r.Context(), types.PreviewQuery{TableID: id, Location: q.TableURI, Start: *q.Start, End: q.End})
	return struct {
		Commits []commitInfo `json:"commits"`
		Latest  int64        `json:"latest_table_version"`
	}{each(got.Commits, func(c types.Commit) commitInfo { return commitInfo(c) }), got.LatestVersion}, err
}
