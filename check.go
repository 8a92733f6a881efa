package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// checkUpdate refuses an update that no table could take.
func checkUpdate(req types.UpdateTable) error {
	bad := func(format string, args ...any) error {
		return types.InvalidParameterValue.Errorf(format, args...)
	}
	u := &req.Update
	if req.Require.TableUUID == "" {
		return bad("requirements: assert-table-uuid is missing")
	}
	if e := req.Require.ETag; e != nil && *e == "" {
		return bad("requirements: assert-etag.etag is empty")
	}
	if u.SetColumns == nil && u.SetPartitionColumns == nil && u.SetProtocol == nil && u.SetProperties == nil &&
		u.RemoveProperties == nil && u.SetDomains == nil && u.RemoveDomains == nil && u.SetComment == nil &&
		u.SetSnapshotVersion == nil && u.AddCommit == nil && u.SetBackfilledVersion == nil {
		return bad("updates: there is no action")
	}
	if u.SetColumns != nil {
		if err := u.SetColumns.Validate("set-columns.columns"); err != nil {
			return err
		}
	}
	if u.SetProtocol != nil {
		if err := u.SetProtocol.Validate("set-protocol.protocol"); err != nil {
			return err
		}
	}
	for _, k := range u.RemoveProperties {
		if _, ok := u.SetProperties[k]; ok {
			return bad("updates: property %q is set and removed", k)
		}
	}
	if d := u.SetDomains; d != nil {
		if d.Clustering == nil && d.RowTracking == nil {
			return bad("set-domain-metadata.updates is empty")
		}
		if err := checkDomains(*d, "set-domain-metadata.updates"); err != nil {
			return err
		}
		if d.Clustering != nil && slices.Contains(u.RemoveDomains, types.DomainClustering) ||
			d.RowTracking != nil && slices.Contains(u.RemoveDomains, types.DomainRowTracking) {
			return bad("updates: a domain is set and removed")
		}
	}
	for i, d := range u.RemoveDomains {
		if d != types.DomainClustering && d != types.DomainRowTracking {
			return bad("remove-domain-metadata.domains[%d]: domain %q is unknown", i, d)
		}
	}
	if s := u.SetSnapshotVersion; s != nil && (s.LastCommitVersion < 0 || s.LastCommitTimestamp < 0) {
		return bad("update-metadata-snapshot-version: a value is negative")
	}
	if u.AddCommit != nil {
		return checkCommit(u.AddCommit.Commit)
	}
	return nil
}

// checkDomains checks the paths of clustering columns.
func checkDomains(d types.DomainMetadata, at string) error {
	if d.Clustering == nil {
		return nil
	}
	for i, p := range d.Clustering.ClusteringColumns {
		if len(p) == 0 || slices.Contains(p, "") {
			return types.InvalidParameterValue.Errorf("%s.%s.clusteringColumns[%d]: a path has no name, or an empty one", at, types.DomainClustering, i)
		}
	}
	return nil
}

// ReportMetrics takes a report of what a commit did. It is checked, but not kept yet.
//
// Errors: InvalidParameterValue (the report, another table's ID), NoSuchCatalog,
// NoSuchSchema, NoSuchTable.
func (c *Catalog) ReportMetrics(ctx context.Context, name types.TableName, req types.ReportMetrics) error {
	if err := checkReport(req.Report); err != nil {
		return err
	}
	chain, err := view(ctx, c, func(tx storage.ReadTx) ([]storage.Node, error) {
		return walk(ctx, tx, tablePath(name), storage.Want{})
	})
	if err != nil {
		return err
	}
	if id := last(chain).ID; id != req.TableID {
		return types.InvalidParameterValue.Errorf("table-id %q is not that of table %q", req.TableID, name)
	}
	return nil
}

func checkReport(r *types.MetricReport) error {
	if r == nil || r.Commit == nil {
		return nil
	}
	const at = "report.commit-report."
	bad := func(format string, args ...any) error {
		return types.InvalidParameterValue.Errorf(at+format, args...)
	}
	c := r.Commit
	for _, n := range []struct {
		name  string
		value int64
	}{
		{"num-files-added", c.FilesAdded}, {"num-bytes-added", c.BytesAdded},
		{"num-files-removed", c.FilesRemoved}, {"num-bytes-removed", c.BytesRemoved},
		{"num-rows-inserted", c.RowsInserted}, {"num-rows-removed", c.RowsRemoved}, {"num-rows-updated", c.RowsUpdated},
	} {
		if n.value < 0 {
			return bad("%s is %d; it must not be negative", n.name, n.value)
		}
	}
	h := c.FileSizes
	if h == nil {
		return nil
	}
	if len(h.FileCounts) != len(h.SortedBinBoundaries) || len(h.TotalBytes) != len(h.SortedBinBoundaries) {
		return bad("file-size-histogram: its lists have %d, %d and %d items; they must have as many", len(h.SortedBinBoundaries), len(h.FileCounts), len(h.TotalBytes))
	}
	for i := range h.SortedBinBoundaries {
		switch {
		case i == 0 && h.SortedBinBoundaries[0] != 0:
			return bad("file-size-histogram.sorted-bin-boundaries[0] is %d; it must be 0", h.SortedBinBoundaries[0])
		case i > 0 && h.SortedBinBoundaries[i] <= h.SortedBinBoundaries[i-1]:
			return bad("file-size-histogram.sorted-bin-boundaries[%d] does not ascend", i)
		case h.FileCounts[i] < 0 || h.TotalBytes[i] < 0:
			return bad("file-size-histogram: bin %d has a negative count", i)
		}
	}
	if v := h.CommitVersion; v != nil && *v < 0 {
		return bad("file-size-histogram.commit-version is %d; it must not be negative", *v)
	}
	return nil
}

// ownerOf is the principal that staged the table o, or that staged what became the table o.
func ownerOf(o storage.Object) (string, error) {
	if o.Kind == types.KindTable {
		t, err := decodeTable(storage.Node{Object: o})
		if err != nil {
			return "", err
		}
		return t.record.Owner, nil
	}
	var s staging
	if err := json.Unmarshal(o.Body, &s); err != nil {
		return "", fmt.Errorf("staging table %s: stored body: %w", o.ID, err)
	}
	return s.Owner, nil
}
