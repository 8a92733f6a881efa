package catalog_test

import (
	"context"
	"errors"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/storage/memory"
	"github.com/leveelake/catalog/types"
)

type sink struct {
	got []types.ReportMetrics
	err error
}

func (s *sink) Report(_ context.Context, _ types.TableName, r types.ReportMetrics) error {
	s.got = append(s.got, r)
	return s.err
}

func TestMetrics(t *testing.T) {
	s := &sink{err: errors.New("full")}
	now := time.UnixMilli(1e12)
	c := open(t, catalog.Config{Store: memory.New(), Metrics: s, Now: func() time.Time { return now }})
	table := create(t, c, "t1")
	ctx := t.Context()
	total := func() types.TableMetrics {
		t.Helper()
		m, err := c.TableMetrics(ctx, t1)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	if d := cmp.Diff(types.TableMetrics{TableID: table.ID}, total()); d != "" {
		t.Error(d)
	}
	report := func(r types.CommitReport) {
		t.Helper()
		if err := c.ReportMetrics(ctx, t1, types.ReportMetrics{TableID: table.ID, Report: &types.MetricReport{Commit: &r}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.ReportMetrics(ctx, t1, types.ReportMetrics{TableID: table.ID}); err != nil || total().Commits != 0 {
		t.Errorf("a report of nothing: %v, %+v", err, total())
	}
	report(types.CommitReport{FilesAdded: 1, BytesAdded: 2, FilesRemoved: 3, BytesRemoved: 4, RowsInserted: 5, RowsRemoved: 6, RowsUpdated: 7})
	last := types.CommitReport{BytesAdded: math.MaxInt64, FileSizes: &types.FileSizeHistogram{
		SortedBinBoundaries: []int64{0, 1 << 20, 16 << 20, 32 << 20}, FileCounts: []int64{1, 2, 3, 6}, TotalBytes: []int64{1, 1, 1, 1},
	}}
	report(last)
	want := types.TableMetrics{
		TableID: table.ID, Commits: 2, FilesAdded: 1, BytesAdded: math.MaxInt64, FilesRemoved: 3, BytesRemoved: 4, RowsInserted: 5, RowsRemoved: 6, RowsUpdated: 7,
		SmallFileShare: new(0.25), LastReport: &last, LastReportTime: 1e12,
	}
	if d := cmp.Diff(want, total()); d != "" {
		t.Error(d)
	}
	if len(s.got) != 2 {
		t.Errorf("the sink got %d reports", len(s.got))
	}
	if loaded, err := c.LoadTable(ctx, t1); err != nil || loaded.ETag != table.ETag {
		t.Errorf("the table moved: %v, %v", loaded.ETag, err)
	}
	if err := c.RenameTable(ctx, t1, types.RenameTable{NewName: "t2"}); err != nil {
		t.Fatal(err)
	}
	if m, err := c.TableMetrics(ctx, s1.Table("t2")); err != nil || m.Commits != 2 {
		t.Errorf("after the rename: %+v, %v", m, err)
	}
	if err := c.DeleteTable(ctx, s1.Table("t2")); err != nil {
		t.Fatal(err)
	}
	create(t, c, "t2")
	if m, err := c.TableMetrics(ctx, s1.Table("t2")); err != nil || m.Commits != 0 {
		t.Errorf("of a new table of the name: %+v, %v", m, err)
	}
}

// TestMetricsBesideCommits: reports and commits to the same tables at once all succeed.
func TestMetricsBesideCommits(t *testing.T) {
	c := open(t, catalog.Config{Store: memory.New()})
	var group sync.WaitGroup
	const reports = 50
	for _, name := range []string{"a", "b"} {
		table := create(t, c, name)
		group.Go(func() {
			for v := int64(1); v <= 50; v++ {
				if _, err := c.AddCommit(t.Context(), table.Name, table.ID, commit(v, "f"), new(v-1)); err != nil {
					t.Error(err)
				}
			}
		})
		for range 4 {
			group.Go(func() {
				for range reports {
					if err := c.ReportMetrics(t.Context(), table.Name, types.ReportMetrics{TableID: table.ID, Report: &types.MetricReport{Commit: &types.CommitReport{FilesAdded: 1}}}); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	group.Wait()
	for _, name := range []string{"a", "b"} {
		if m, err := c.TableMetrics(t.Context(), s1.Table(name)); err != nil || m.FilesAdded != 4*reports {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
	}
}
