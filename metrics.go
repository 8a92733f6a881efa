package catalog

import (
	"context"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

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
