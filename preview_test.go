package catalog_test

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/storage/memory"
	"github.com/leveelake/catalog/storage/storagetest"
	"github.com/leveelake/catalog/types"
)

// previewRequest is a valid request for a staged table of a client older than the Delta API.
func previewRequest(name string, staged types.StagingTable) types.CreateTable {
	return types.CreateTable{
		Name: name, Location: staged.Location, Type: types.Managed, Columns: longColumn, Properties: map[string]string{
			"delta.minReaderVersion": "3", "delta.minWriterVersion": "7", "delta.lastCommitTimestamp": "1",
			"delta.feature.catalogManaged": "supported", "delta.feature.inCommitTimestamp": "supported", "delta.feature.vacuumProtocolCheck": "supported",
			"io.unitycatalog.tableId": string(staged.ID),
		},
	}
}

func createPreview(t testing.TB, c *catalog.Catalog, name string) types.Table {
	t.Helper()
	staged, err := c.CreateStagingTable(t.Context(), s1, types.CreateStagingTable{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	table, err := c.CreatePreviewTable(t.Context(), s1, previewRequest(name, staged))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func previewCommit(table types.Table, version int64, file string) types.PreviewCommit {
	return types.PreviewCommit{TableID: table.ID, Location: table.Location, Commit: new(commit(version, file))}
}

// TestPreviewWindow: an answer has ten commits at most, and a caller gets all of them by asking on.
func TestPreviewWindow(t *testing.T) {
	const last = 25
	c := open(t, catalog.Config{Store: memory.New(), Limits: catalog.Limits{Unbackfilled: last}})
	table := create(t, c, "t1")
	for v := int64(1); v <= last; v++ {
		if err := c.CommitPreview(t.Context(), previewCommit(table, v, "f")); err != nil {
			t.Fatal(err)
		}
	}
	ask := func(start int64, end *int64) string {
		t.Helper()
		got, err := c.PreviewCommits(t.Context(), types.PreviewQuery{TableID: table.ID, Location: table.Location, Start: start, End: end})
		if err != nil || got.LatestVersion != last || got.Commits == nil {
			t.Fatalf("from %d: %+v, %v", start, got, err)
		}
		for i, g := range got.Commits {
			if g != commit(got.Commits[0].Version-int64(i), "f") {
				t.Errorf("from %d: commit %d is %+v", start, i, g)
			}
		}
		if len(got.Commits) == 0 {
			return "none"
		}
		return fmt.Sprint(got.Commits[len(got.Commits)-1].Version, " to ", got.Commits[0].Version)
	}
	type want struct {
		start int64
		end   *int64
		want  string
	}
	check := func(wants ...want) {
		t.Helper()
		for _, w := range wants {
			if got := ask(w.start, w.end); got != w.want {
				t.Errorf("from %d: %s, want %s", w.start, got, w.want)
			}
		}
	}
	check(want{0, nil, "1 to 10"}, want{1, nil, "1 to 10"}, want{11, nil, "11 to 20"}, want{21, nil, "21 to 25"}, want{16, nil, "16 to 25"}, want{25, nil, "25 to 25"},
		want{26, nil, "none"}, want{1<<63 - 1, nil, "none"}, want{3, new(int64(3)), "3 to 3"}, want{3, new(int64(5)), "3 to 5"}, want{3, new(int64(99)), "3 to 12"},
		want{0, new(int64(0)), "none"}, want{20, new(int64(1<<63 - 1)), "20 to 25"})
	if err := c.CommitPreview(t.Context(), types.PreviewCommit{TableID: table.ID, Location: table.Location, Backfilled: new(int64(7))}); err != nil {
		t.Fatal(err)
	}
	// The window begins with the oldest commit that is not backfilled.
	check(want{0, nil, "8 to 17"}, want{8, nil, "8 to 17"}, want{9, nil, "9 to 18"}, want{3, new(int64(5)), "none"}, want{3, new(int64(9)), "8 to 9"}, want{0, new(int64(20)), "8 to 17"})
}

// TestPreviewRefused: what no request over HTTP can ask for.
func TestPreviewRefused(t *testing.T) {
	c := open(t, catalog.Config{Store: memory.New()})
	table := create(t, c, "t1")
	for name, m := range map[string]types.PreviewMetadata{
		"nothing":                     {},
		"partition columns":           {PartitionColumns: []string{"id"}},
		"partition columns, no other": {Comment: new("c"), PartitionColumns: []string{"id"}},
		"no such partition column":    {Columns: &longColumn, PartitionColumns: []string{"x"}},
		"no properties":               {Properties: map[string]string{}},
		"text that is not UTF-8":      {Comment: new("\xff")},
		"key that is not UTF-8":       {Properties: map[string]string{"io.unitycatalog.tableId": string(table.ID), "\xff": ""}},
	} {
		req := previewCommit(table, 1, "f")
		req.Metadata = &m
		if err := c.CommitPreview(t.Context(), req); !errors.Is(err, types.InvalidParameterValue) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got, err := c.LoadTable(t.Context(), t1); err != nil || *got.LatestVersion != 0 || got.ETag != table.ETag {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestPreviewRerun: a store may run the function of a transaction more than once.
func TestPreviewRerun(t *testing.T) {
	answers := map[string]string{}
	for name, s := range map[string]storage.Store{"once": memory.New(), "twice": storagetest.Rerun(memory.New(), nil)} {
		var out strings.Builder
		say := func(v any, err error) { fmt.Fprintf(&out, "%+v %v\n", v, err) }
		c := open(t, catalog.Config{Store: s, Now: func() time.Time { return time.Unix(1e9, 0) }})
		ctx := t.Context()
		table := createPreview(t, c, "t1")
		for v := int64(1); v <= 11; v++ {
			req := previewCommit(table, v, "f")
			req.Metadata = &types.PreviewMetadata{Comment: new(fmt.Sprint("c", v)), Properties: map[string]string{"io.unitycatalog.tableId": string(table.ID), "key": fmt.Sprint(v)}}
			say(v, c.CommitPreview(ctx, req))
		}
		for _, v := range []int64{1, 10, 12} {
			say(v, c.CommitPreview(ctx, previewCommit(table, v, "f")))
		}
		got, err := c.LoadTable(ctx, t1)
		say(fmt.Sprint(got.Comment, got.Properties.Get("key"), got.Properties.Get("delta.lastUpdateVersion"), got.ETag[8:]), err)
		commits, err := c.PreviewCommits(ctx, types.PreviewQuery{TableID: table.ID, Location: table.Location})
		say(commits, err)
		answers[name] = strings.ReplaceAll(out.String(), string(table.ID), "ID")
	}
	if d := cmp.Diff(answers["once"], answers["twice"]); d != "" {
		t.Error(d)
	}
}

// TestPreviewUnknownOutcome: the same request again ends well, whether the store kept the first or not.
func TestPreviewUnknownOutcome(t *testing.T) {
	for name, fault := range map[string]storagetest.Fault{
		"not persisted": storagetest.FailedNotPersisted(),
		"persisted":     storagetest.FailedButPersisted(),
	} {
		t.Run(name, func(t *testing.T) {
			var on bool
			c := open(t, catalog.Config{Store: unsure(fault, &on)})
			table := createPreview(t, c, "t1")
			req := previewCommit(table, 1, "f")
			req.Metadata = &types.PreviewMetadata{Comment: new("c")}
			on = true
			if err := c.CommitPreview(t.Context(), req); !errors.Is(err, types.CommitStateUnknown) {
				t.Fatal(err)
			}
			on = false
			if err := c.CommitPreview(t.Context(), req); err != nil {
				t.Fatal(err)
			}
			got, err := c.LoadTable(t.Context(), t1)
			if err != nil || *got.LatestVersion != 1 || got.Comment != "c" {
				t.Errorf("%+v, %v", got, err)
			}
			if err := c.CommitPreview(t.Context(), previewCommit(table, 1, "g")); !errors.Is(err, types.CommitVersionConflict) {
				t.Errorf("from another file: %v", err)
			}
		})
	}
}

// TestPreviewFiles: clients of this API are believed no more than others.
func TestPreviewFiles(t *testing.T) {
	now := time.Unix(1e9, 0)
	c, d, _ := onDisk(t, catalog.Config{
		Limits: catalog.Limits{RememberVersions: 1, RememberFor: 24 * time.Hour},
		Now:    func() time.Time { return now },
	})
	ctx := t.Context()
	staged, err := c.CreateStagingTable(ctx, s1, types.CreateStagingTable{Name: "t2"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.CreatePreviewTable(ctx, s1, previewRequest("t2", staged)); !errors.Is(err, types.InvalidParameterValue) || !strings.Contains(err.Error(), "version 0") {
		t.Fatalf("version 0 is not written: %v", err)
	}
	d.publish(types.Table{Location: staged.Location}, 0, "v0")
	table, err := c.CreatePreviewTable(ctx, s1, previewRequest("t2", staged))
	if err != nil {
		t.Fatal(err)
	}
	for v := int64(1); v <= 4; v++ {
		now = now.Add(24 * time.Hour)
		req, text := previewCommit(table, v, fmt.Sprint("f", v)), fmt.Sprint("content ", v)
		d.stage(table, req.Commit.FileName, text)
		if v > 1 {
			req.Backfilled = new(v - 1)
			if err := c.CommitPreview(ctx, req); !errors.Is(err, types.InvalidParameterValue) || !strings.Contains(err.Error(), "not published") {
				t.Fatalf("version %d is not published: %v", v-1, err)
			}
			d.publish(table, v-1, fmt.Sprint("content ", v-1))
		}
		if err := c.CommitPreview(ctx, req); err != nil {
			t.Fatal(err)
		}
	}
	d.stage(table, "differs", "content X")
	for file, want := range map[string]types.Code{"f1": "", "differs": types.CommitVersionConflict, "missing": types.CommitStateUnknown} {
		if err := c.CommitPreview(ctx, previewCommit(table, 1, file)); types.CodeOf(err) != want {
			t.Errorf("forgotten version 1 from %s: %v, want %v", file, err, want)
		}
	}
}

// TestPreviewCreate: the request stays the caller's, and the place its principal's.
func TestPreviewCreate(t *testing.T) {
	c := open(t, catalog.Config{Store: memory.New()})
	alice, bob := catalog.WithPrincipal(t.Context(), "alice"), catalog.WithPrincipal(t.Context(), "bob")
	staged, err := c.CreateStagingTable(alice, s1, types.CreateStagingTable{Name: "t1"})
	if err != nil {
		t.Fatal(err)
	}
	req := previewRequest("t1", staged)
	properties := maps.Clone(req.Properties)
	if _, err := c.CreatePreviewTable(bob, s1, req); !errors.Is(err, types.PermissionDenied) {
		t.Errorf("another principal's place: %v", err)
	}
	if _, err := c.CreatePreviewTable(alice, s1, req); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(properties, req.Properties); d != "" {
		t.Error(d)
	}
}

// TestPreviewWithoutType: the location tells what a table without a type is.
func TestPreviewWithoutType(t *testing.T) {
	c := open(t, catalog.Config{Store: memory.New()})
	for location, want := range map[string]types.Code{"s3://b/x": "", "file:///managed/__unitystorage/tables/x": types.NoSuchTable} {
		req := previewRequest("managed", types.StagingTable{ID: "00000000-0000-4000-8000-000000000000", Location: location})
		if req.Type = ""; want == "" {
			req.Name, req.Properties = "external", nil
		}
		if got, err := c.CreatePreviewTable(t.Context(), s1, req); types.CodeOf(err) != want || want == "" && got.Type != types.External {
			t.Errorf("%s: %s, %v", location, got.Type, err)
		}
	}
}
