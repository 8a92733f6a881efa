package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// A MetricsSink takes reports of what commits did, beside the totals that the catalog keeps. It is
// called after a report is counted; an error is logged and fails nothing.
type MetricsSink interface {
	Report(ctx context.Context, table types.TableName, report types.ReportMetrics) error
}

// kindMetrics is the kind of the object, a child of its table, that holds the totals.
const kindMetrics types.Kind = "metrics"

const metricsName = "metrics"

// ReportMetrics takes a report of what a commit did and adds it to the table's totals. When it
// returns, they are durable. It touches neither the table nor its commits. A report that is sent again
// is counted again.
//
// Errors: InvalidParameterValue (the report, another table's ID), NoSuchCatalog,
// NoSuchSchema, NoSuchTable, PermissionDenied.
func (c *Catalog) ReportMetrics(ctx context.Context, name types.TableName, req types.ReportMetrics) error {
	if err := checkReport(req.Report); err != nil {
		return err
	}
	id, now := newID(), c.now()
	report := func(tx storage.Tx) (none struct{}, err error) {
		t, old, totals, err := c.findMetrics(ctx, tx, ActUpdateTable, name)
		switch {
		case err != nil:
			return none, err
		case t.ID != req.TableID:
			return none, types.InvalidParameterValue.Errorf("table-id %q is not that of table %q", req.TableID, name)
		case req.Report == nil || req.Report.Commit == nil:
			return none, nil
		}
		count(&totals, *req.Report.Commit, now)
		body, err := json.Marshal(totals)
		if err != nil {
			return none, err
		}
		if old == nil {
			return none, tx.Insert(ctx, storage.Object{
				ID: id, Kind: kindMetrics, Parent: t.ID, Name: metricsName, Revision: 1, Created: now, Updated: now, Body: body,
			})
		}
		new := *old
		new.Body = body
		touch(&new, now)
		return none, tx.Replace(ctx, *old, new)
	}
	_, err := updateAgain(ctx, c, report)
	if err == nil && c.metrics != nil && req.Report != nil && req.Report.Commit != nil {
		if err := c.tellSink(ctx, name, req); err != nil {
			c.log.WarnContext(ctx, "the metrics sink refused a report", "table", name, "err", err)
		}
	}
	return err
}

// tellSink hands a report to the sink, whose panic must not make the client send it again.
func (c *Catalog) tellSink(ctx context.Context, name types.TableName, req types.ReportMetrics) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	return c.metrics.Report(ctx, name, req)
}

// TableMetrics returns what the reports on a table add up to; zeros if there was none.
//
// Errors: NoSuchCatalog, NoSuchSchema, NoSuchTable, PermissionDenied.
func (c *Catalog) TableMetrics(ctx context.Context, name types.TableName) (types.TableMetrics, error) {
	return view(ctx, c, func(tx storage.ReadTx) (types.TableMetrics, error) {
		t, _, totals, err := c.findMetrics(ctx, tx, ActGetTable, name)
		totals.TableID = t.ID
		return totals, err
	})
}

// findMetrics looks up a table, the object of its totals (nil if there is none) and the totals.
func (c *Catalog) findMetrics(ctx context.Context, tx storage.ReadTx, act Action, name types.TableName) (table storage.Object, o *storage.Object, totals types.TableMetrics, err error) {
	chain, err := c.reach(ctx, tx, act, tablePath(name), storage.Want{Beside: []storage.Step{{Kind: kindMetrics, Name: metricsName}}})
	if err != nil {
		return table, nil, totals, err
	}
	n := chain[len(chain)-1]
	if o = beside(n, kindMetrics); o == nil {
		return n.Object, nil, totals, nil
	}
	if err := json.Unmarshal(o.Body, &totals); err != nil {
		return table, nil, totals, corrupt(*o, "body", err)
	}
	return n.Object, o, totals, nil
}

// smallFile is the size in bytes below which a file counts as small.
const smallFile = 16 << 20

// count adds a report to totals.
func count(totals *types.TableMetrics, r types.CommitReport, now time.Time) {
	add := func(sum *int64, n int64) { // up to the largest number, not beyond
		*sum += min(n, math.MaxInt64-*sum)
	}
	add(&totals.Commits, 1)
	add(&totals.FilesAdded, r.FilesAdded)
	add(&totals.BytesAdded, r.BytesAdded)
	add(&totals.FilesRemoved, r.FilesRemoved)
	add(&totals.BytesRemoved, r.BytesRemoved)
	add(&totals.RowsInserted, r.RowsInserted)
	add(&totals.RowsRemoved, r.RowsRemoved)
	add(&totals.RowsUpdated, r.RowsUpdated)
	totals.LastReport, totals.LastReportTime = &r, now.UnixMilli()
	if h := r.FileSizes; h != nil {
		small, all := 0.0, 0.0
		for i, n := range h.FileCounts {
			all += float64(n)
			if i+1 < len(h.SortedBinBoundaries) && h.SortedBinBoundaries[i+1] <= smallFile {
				small += float64(n)
			}
		}
		if all > 0 {
			totals.SmallFileShare = new(small / all)
		}
	}
}

// maxBins bounds a histogram: it is stored with the totals.
const maxBins = 1000

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
	if n := len(h.SortedBinBoundaries); n > maxBins {
		return bad("file-size-histogram has %d bins; at most %d are allowed", n, maxBins)
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
