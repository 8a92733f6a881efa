package catalog

import (
	"context"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// This file serves clients that are older than the Delta API. It only translates: the
// log, the rules and the way through them are those of UpdateTable and CreateTable.

// CreatePreviewTable is [Catalog.CreateTable] for a client of the Unity Catalog REST API. Of a managed table it tells the
// protocol in properties (delta.minReaderVersion, delta.feature.*) and does not know all of the
// contract: only the features catalogManaged, inCommitTimestamp and vacuumProtocolCheck
// and the property io.unitycatalog.tableId are demanded. Later updates may not take away
// what the contract demands and the table has. A request without a type is for a managed table if its location lies
// where these do, and else for an external one.
//
// Errors: as of CreateTable.
func (c *Catalog) CreatePreviewTable(ctx context.Context, in types.SchemaName, req types.CreateTable) (types.Table, error) {
	if req.Type == "" {
		req.Type = types.External
		if isInManaged(req.Location) {
			req.Type = types.Managed
		}
	}
	if req.Type != types.Managed {
		return c.CreateTable(ctx, in, req)
	}
	var err error
	if req.Protocol, err = protocolOf(req.Properties); err != nil {
		return types.Table{}, err
	}
	if req.LastCommitTimestamp, err = intProperty(req.Properties, derivedLastTimestamp); err != nil {
		return types.Table{}, err
	}
	return c.create(ctx, in, req, previewContract)
}

// CommitPreview does what a request of the older commits API asks for. Guarantees and
// errors are those of [Catalog.UpdateTable]; the location must be the table's
// (InvalidParameterValue).
func (c *Catalog) CommitPreview(ctx context.Context, req types.PreviewCommit) error {
	if err := checkPreview(req); err != nil {
		return err
	}
	location, err := parseLocation("table_uri", req.Location)
	if err != nil {
		return err
	}
	u := types.UpdateTable{Require: types.Requirement{TableUUID: req.TableID}}
	u.Update.SetBackfilledVersion = req.Backfilled
	if req.Commit != nil {
		u.Update.AddCommit = &types.AddCommit{Commit: *req.Commit, Uniform: req.Uniform}
	}
	if m := req.Metadata; m != nil {
		u.Update.SetComment, u.Update.SetColumns, u.Update.SetPartitionColumns = m.Comment, m.Columns, m.PartitionColumns
		u.Update.SetProperties = m.Properties
	}
	if err := c.rules.checkUpdate(u); err != nil {
		return err
	}
	name := types.TableName{Table: string(req.TableID)} // its name is not known yet
	if err := c.queue.enterTable(name); err != nil {
		return err
	}
	defer c.queue.leaveTable(name)
	find := func(tx storage.ReadTx, w storage.Want) ([]storage.Node, error) {
		return c.reachID(ctx, tx, ActUpdateTable, req.TableID, types.KindTable, w)
	}
	_, err = c.change(ctx, name, find, u, func(old *table) (types.UpdateTable, error) {
		of := u // what is set depends on what there is
		if all := u.Update.SetProperties; all != nil {
			of.Update.SetProperties, of.Update.RemoveProperties = replacement(old.record.Properties, all)
		}
		return of, checkPreviewTable(old, location)
	})
	return err
}

// PreviewCommits returns a window of at most ten of a managed table's unbackfilled
// commits; a caller that needs more asks again with a larger Start.
//
// Errors: InvalidParameterValue (range, location, external table), NoSuchTable, PermissionDenied.
func (c *Catalog) PreviewCommits(ctx context.Context, q types.PreviewQuery) (types.PreviewCommits, error) {
	var out types.PreviewCommits
	switch {
	case q.Start < 0:
		return out, types.InvalidParameterValue.Errorf("start_version is %d; it must not be negative", q.Start)
	case q.End != nil && *q.End < q.Start:
		return out, types.InvalidParameterValue.Errorf("end_version %d is before start_version %d", *q.End, q.Start)
	}
	location, err := parseLocation("table_uri", q.Location)
	if err != nil {
		return out, err
	}
	chain, err := view(ctx, c, func(tx storage.ReadTx) ([]storage.Node, error) {
		return c.reachID(ctx, tx, ActGetTable, q.TableID, types.KindTable, storage.Want{Log: true})
	})
	if err != nil {
		return out, err
	}
	old, err := c.table(chain[len(chain)-1])
	if err != nil {
		return out, err
	}
	if err := checkPreviewTable(old, location); err != nil {
		return out, err
	}
	t, err := old.public(schemaOf(chain))
	if err != nil {
		return out, err
	}
	out.LatestVersion, out.Commits = *t.LatestVersion, []types.Commit{}
	end := max(q.Start, old.log.Backfilled+1) // of the window, which keeps the lowest versions
	end += min(previewWindow-1, old.log.Last-min(end, old.log.Last))
	if q.End != nil {
		end = min(end, *q.End)
	}
	for _, commit := range t.Commits {
		if commit.Version >= q.Start && commit.Version <= end {
			out.Commits = append(out.Commits, commit)
		}
	}
	return out, nil
}

// previewWindow is the most commits that one answer has.
const previewWindow = 10

// previewColumns is the most columns that a request of the older API may have (ColumnInfos of
// its document).
const previewColumns = 32_768

// checkPreview refuses a request that no table could take.
func checkPreview(req types.PreviewCommit) error {
	bad := func(format string, args ...any) error {
		return types.InvalidParameterValue.Errorf(format, args...)
	}
	m := req.Metadata
	switch {
	case req.Commit == nil && req.Backfilled == nil:
		return bad("commit_info and latest_backfilled_version are both missing")
	case req.Commit == nil && m != nil:
		return bad("metadata is given without commit_info")
	case req.Commit == nil && req.Uniform != nil:
		return bad("uniform is given without commit_info")
	case m == nil:
		return nil
	case m.Comment == nil && m.Columns == nil && m.Properties == nil:
		return bad("metadata is empty")
	case m.Columns == nil && m.PartitionColumns != nil:
		return bad("metadata has partition columns, but no columns")
	case m.Columns != nil && len(m.Columns.Fields) > previewColumns:
		return bad("metadata.schema.columns has %d columns; the limit of this API is %d", len(m.Columns.Fields), previewColumns)
	case m.Properties != nil && m.Properties[propertyTableID] != string(req.TableID):
		return bad("metadata.properties: %s must be %s", propertyTableID, req.TableID)
	}
	return nil
}

// checkPreviewTable refuses a table that the older commits API does not serve, or that is
// elsewhere than the client believes.
func checkPreviewTable(t *table, location string) error {
	if t.record.Type != types.Managed {
		return types.InvalidParameterValue.Errorf("table %s is external; only managed tables have commits", t.object.ID).About(types.KindTable)
	}
	if location != t.object.Location {
		return types.InvalidParameterValue.Errorf("table_uri %q is not the location of table %s", location, t.object.ID).About(types.KindTable)
	}
	return nil
}

// replacement turns a whole set of properties into what is to be set and removed. Derived ones
// are neither: clients send the configuration of the log, which does not tell the protocol.
func replacement(old, new map[string]string) (set map[string]string, remove []string) {
	set = map[string]string{}
	for k, v := range new {
		if !isDerived(k) {
			set[k] = v
		}
	}
	for _, k := range sortedKeys(old) {
		if _, ok := new[k]; !ok && !isDerived(k) {
			remove = append(remove, k)
		}
	}
	return set, remove
}
