//go:build unix

package history_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/leveelake/catalog/types"
)

// TestMetricsBesideCommits has 32 clients report metrics of four tables while four others add commits
// to them. Reports meet at one row for each table, which must neither refuse one nor lose
// one, and are no reason to refuse a commit but that another was first.
func TestMetricsBesideCommits(t *testing.T) { crowds(t, metricsBesideCommits) }

func metricsBesideCommits(c *crowd) {
	t := c.t
	reports := 50
	if testing.Short() || raceDetector {
		reports = 8
	}
	var ids [4]types.ID
	for i := range ids {
		ids[i] = c.create(fmt.Sprint("m", i))
	}
	var sent [len(ids)]atomic.Int64
	var won, lost, slowest atomic.Int64
	over := make(chan struct{})
	var reporters, committers sync.WaitGroup
	for range 32 {
		reporters.Go(func() {
			for range reports {
				i := rand.IntN(len(ids))
				began := time.Now()
				status, text := c.call("POST", fmt.Sprintf("/tables/m%d/metrics", i), types.ReportMetrics{
					TableID: ids[i], Report: &types.MetricReport{Commit: &types.CommitReport{FilesAdded: 3}},
				})
				for took := int64(time.Since(began)); ; {
					if old := slowest.Load(); old >= took || slowest.CompareAndSwap(old, took) {
						break
					}
				}
				if status != http.StatusNoContent {
					c.found.add("a report is answered with %d %.300s", status, text)
				}
				sent[i].Add(1)
			}
		})
	}
	var latest [len(ids)]atomic.Int64
	for range 4 {
		committers.Go(func() {
			for {
				select {
				case <-over:
					return
				default:
				}
				i := rand.IntN(len(ids))
				version := latest[i].Load() + 1
				backfilled := version - 1
				u := types.UpdateTable{Require: types.Requirement{TableUUID: ids[i]}, Update: types.Update{
					AddCommit: &types.AddCommit{Commit: commitOf(version, uint32(c.token.Add(1)))},
				}}
				if backfilled > 0 {
					u.Update.SetBackfilledVersion = &backfilled
				}
				switch status, text := c.call("POST", fmt.Sprint("/tables/m", i), u); status {
				case http.StatusOK:
					won.Add(1)
					latest[i].CompareAndSwap(version-1, version)
				case http.StatusConflict:
					lost.Add(1)
				default:
					c.found.add("a commit is answered with %d %.300s", status, text)
				}
			}
		})
	}
	reporters.Wait()
	close(over)
	committers.Wait()
	c.finish()
	for i := range ids {
		var total types.TableMetrics
		status, text := c.call("GET", fmt.Sprintf("/tables/m%d/metrics", i), nil)
		if err := json.Unmarshal([]byte(text), &total); err != nil || total.Commits != sent[i].Load() || total.FilesAdded != 3*sent[i].Load() {
			t.Errorf("%d reports were taken, but the totals are %d %s", sent[i].Load(), status, text)
		}
	}
	t.Logf("%d reports, %d commits, %d conflicts; the slowest report took %s", 32*reports, won.Load(), lost.Load(), time.Duration(slowest.Load()))
}
