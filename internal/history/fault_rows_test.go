package history_test

import (
	"context"
	"slices"

	"github.com/leveelake/catalog/types"
)

var (
	background  = context.Background()
	faultSchema = types.SchemaName{Catalog: "c", Schema: "s"}
	faultTable  = faultSchema.Table("t")
)

func hasCatalog(e *faultEnv) {
	_, err := e.c.CreateCatalog(background, types.CreateCatalog{Name: "c"})
	e.must(err)
}

func hasSchema(e *faultEnv) {
	_, err := e.c.CreateSchema(background, types.CreateSchema{Name: faultSchema})
	e.must(err)
}

func hasStaged(e *faultEnv) {
	var err error
	e.staged, err = e.c.CreateStagingTable(background, faultSchema, types.CreateStagingTable{Name: "t"})
	e.must(err)
}

// createStaged is the request to create the table that was staged.
func createStaged(e *faultEnv) error {
	_, err := e.c.CreateTable(background, faultSchema, createManaged("t", e.staged.ID, e.staged.Location))
	return err
}

func hasTable(e *faultEnv) {
	hasStaged(e)
	e.must(createStaged(e))
	var err error
	e.table, err = e.c.LoadTable(background, faultTable)
	e.must(err)
}

func createExternal(e *faultEnv) error {
	_, err := e.c.CreateTable(background, faultSchema, types.CreateTable{Name: "t", Location: "s3://b/t", Type: types.External})
	return err
}

func hasExternal(e *faultEnv) {
	e.must(createExternal(e))
	var err error
	e.table, err = e.c.LoadTable(background, faultTable)
	e.must(err)
}

func hasVersions(n int64) func(e *faultEnv) {
	return func(e *faultEnv) {
		for v := range n {
			_, err := e.c.AddCommit(background, faultTable, e.table.ID, commitOf(v+1, 1), nil)
			e.must(err)
		}
	}
}

var (
	inSchema   = []func(e *faultEnv){hasCatalog, hasSchema}
	withTable  = append(slices.Clone(inSchema), hasTable)
	withCommit = append(slices.Clone(withTable), hasVersions(2))
	withOther  = append(slices.Clone(inSchema), hasExternal)
)

// update sends an update of the table.
func update(u types.Update, etag bool) func(e *faultEnv) error {
	return func(e *faultEnv) error {
		req := types.UpdateTable{Require: types.Requirement{TableUUID: e.table.ID}, Update: u}
		if etag {
			req.Require.ETag = &e.table.ETag
		}
		_, err := e.c.UpdateTable(background, faultTable, req)
		return err
	}
}

// is checks the ID of the table of a name: what a client does that was told that a name is taken.
func is(name string) func(e *faultEnv) {
	return func(e *faultEnv) {
		e.Helper()
		id := e.table.ID
		if id == "" {
			id = e.staged.ID
		}
		t, err := e.c.LoadTable(background, faultSchema.Table(name))
		if err != nil || t.ID != id {
			e.Errorf("%s is table %s, %v; want %s", name, t.ID, err, id)
		}
	}
}

// writeRows are about the operations that change something.
func writeRows() []faultRow {
	add := func(version int64) *types.AddCommit { return &types.AddCommit{Commit: commitOf(version, 7)} }
	property := map[string]string{"p": "1"}
	return slices.Concat(createRows(), dropRows(), []faultRow{
		{method: "UpdateTable", name: "commit", before: withTable, do: update(types.Update{AddCommit: add(1)}, false), write: "WriteLog"},
		{method: "UpdateTable", name: "commit with metadata and ETag", before: withCommit, write: "WriteLog",
			do: update(types.Update{AddCommit: add(3), SetProperties: property, SetBackfilledVersion: new(int64(2))}, true)},
		{method: "UpdateTable", name: "commit, then others went on", before: withTable, write: "WriteLog",
			do: update(types.Update{AddCommit: add(1), SetProperties: property}, true),
			meanwhile: func(e *faultEnv) { // a reader of the log goes on after what it finds
				t, err := e.c.LoadTable(background, faultTable)
				e.must(err)
				next := *t.LatestVersion + 1
				_, err = e.c.AddCommit(background, faultTable, e.table.ID, commitOf(next, 8), nil)
				e.must(err)
				_, err = e.c.Backfill(background, faultTable, e.table.ID, next)
				e.must(err)
			},
			otherwise: types.CommitVersionConflict},
		{method: "UpdateTable", name: "metadata with ETag", before: withTable, do: update(types.Update{SetProperties: property}, true),
			write: "Replace", kind: types.KindTable, again: types.UpdateRequirementConflict},
		{method: "UpdateTable", name: "metadata with ETag, then others went on", before: withTable, do: update(types.Update{SetProperties: property}, true),
			write: "Replace", kind: types.KindTable, again: types.UpdateRequirementConflict,
			meanwhile: func(e *faultEnv) { e.must(update(types.Update{SetComment: new("theirs")}, false)(e)) },
			otherwise: types.UpdateRequirementConflict},
		{method: "UpdateTable", name: "metadata", before: withTable, do: update(types.Update{SetComment: new("x"), SetProperties: property}, false)},
		{method: "UpdateTable", name: "columns", before: withTable, do: update(types.Update{SetColumns: &someColumns[1], SetPartitionColumns: []string{"day"}}, false)},
		{method: "UpdateTable", name: "snapshot version", before: withOther, do: update(types.Update{SetSnapshotVersion: &types.SnapshotVersion{LastCommitVersion: 4, LastCommitTimestamp: 5}}, false)},
		{method: "AddCommit", before: withCommit, write: "WriteLog", do: func(e *faultEnv) error {
			_, err := e.c.AddCommit(background, faultTable, e.table.ID, commitOf(3, 7), new(int64(1)))
			return err
		}},
		{method: "Backfill", before: withCommit, do: func(e *faultEnv) error {
			_, err := e.c.Backfill(background, faultTable, e.table.ID, 2)
			return err
		}},
		{method: "CommitPreview", name: "commit", before: withCommit, do: func(e *faultEnv) error {
			c := commitOf(3, 7)
			return e.c.CommitPreview(background, types.PreviewCommit{
				TableID: e.table.ID, Location: e.table.Location, Commit: &c, Backfilled: new(int64(1)),
				Metadata: &types.PreviewMetadata{Comment: new("x")},
			})
		}},
		{method: "CommitPreview", name: "backfill", before: withCommit, do: func(e *faultEnv) error {
			return e.c.CommitPreview(background, types.PreviewCommit{TableID: e.table.ID, Location: e.table.Location, Backfilled: new(int64(2))})
		}},
		// A report is no state of the table: one that is sent again may count twice, but never less than once.
		{method: "ReportMetrics", before: withCommit, do: func(e *faultEnv) error {
			report := &types.MetricReport{Commit: &types.CommitReport{FilesAdded: 1}}
			return e.c.ReportMetrics(background, faultTable, types.ReportMetrics{TableID: e.table.ID, Report: report})
		}, check: func(e *faultEnv) {
			m, err := e.c.TableMetrics(background, faultTable)
			if err != nil || m.Commits < 1 || m.Commits > 2 || m.FilesAdded != m.Commits {
				e.Errorf("metrics are %+v, %v", m, err)
			}
		}},
		{method: "RenameTable", before: withCommit, write: "Replace", kind: types.KindTable, again: types.NoSuchTable, check: is("u"),
			do: func(e *faultEnv) error {
				return e.c.RenameTable(background, faultTable, types.RenameTable{NewName: "u"})
			}},
		{method: "RenameTable", name: "to the same name", before: withCommit, check: is("t"), do: func(e *faultEnv) error {
			return e.c.RenameTable(background, faultTable, types.RenameTable{NewName: "t"})
		}},
	})
}

// createRows are about what makes something new.
func createRows() []faultRow {
	const taken = types.AlreadyExists
	newCatalog := func(e *faultEnv) error {
		_, err := e.c.CreateCatalog(background, types.CreateCatalog{Name: "d", StorageRoot: "s3://d"})
		return err
	}
	return []faultRow{
		{method: "Metastore", do: func(e *faultEnv) error {
			_, err := e.c.Metastore(background)
			return err
		}},
		{method: "CreateCatalog", name: "the first one", do: newCatalog, write: "Insert", kind: types.KindCatalog, again: taken},
		{method: "CreateCatalog", before: []func(e *faultEnv){hasCatalog}, do: newCatalog, write: "Insert", kind: types.KindCatalog, again: taken},
		{method: "CreateSchema", before: []func(e *faultEnv){hasCatalog}, write: "Insert", kind: types.KindSchema, again: taken, do: func(e *faultEnv) error {
			_, err := e.c.CreateSchema(background, types.CreateSchema{Name: faultSchema})
			return err
		}},
		{method: "CreateStagingTable", before: inSchema, check: func(e *faultEnv) { e.must(createStaged(e)) }, do: func(e *faultEnv) error {
			var err error
			e.staged, err = e.c.CreateStagingTable(background, faultSchema, types.CreateStagingTable{Name: "t"})
			return err
		}},
		{method: "CreateTable", name: "managed", before: append(slices.Clone(inSchema), hasStaged), do: createStaged,
			write: "Replace", kind: types.KindTable, again: taken, check: is("t")},
		{method: "CreateTable", name: "managed, then others dropped it", before: append(slices.Clone(inSchema), hasStaged), do: createStaged,
			write: "Replace", kind: types.KindTable, again: types.NoSuchTable,
			meanwhile: func(e *faultEnv) { _ = e.c.DeleteTable(background, faultTable) }},
		{method: "CreateTable", name: "managed, with a high-water mark", before: append(slices.Clone(inSchema), hasStaged),
			write: "WriteLog", again: taken, check: is("t"), do: func(e *faultEnv) error {
				req := createManaged("t", e.staged.ID, e.staged.Location)
				req.Protocol.WriterFeatures = append(req.Protocol.WriterFeatures, "rowTracking")
				req.Domains.RowTracking = &types.RowTracking{RowIDHighWaterMark: 3}
				_, err := e.c.CreateTable(background, faultSchema, req)
				return err
			}},
		{method: "CreateTable", name: "external", before: inSchema, do: createExternal, write: "Insert", kind: types.KindTable, again: taken},
		{method: "CreatePreviewTable", before: append(slices.Clone(inSchema), hasStaged), write: "Replace", kind: types.KindTable, again: taken, check: is("t"),
			do: func(e *faultEnv) error {
				req := createManaged("t", e.staged.ID, e.staged.Location)
				req.Properties = map[string]string{
					"delta.minReaderVersion": "3", "delta.minWriterVersion": "7", "io.unitycatalog.tableId": string(e.staged.ID),
				}
				for _, f := range []string{"catalogManaged", "inCommitTimestamp", "vacuumProtocolCheck"} {
					req.Properties["delta.feature."+f] = "supported"
				}
				_, err := e.c.CreatePreviewTable(background, faultSchema, req)
				return err
			}},
	}
}

// dropRows are about what takes something away.
func dropRows() []faultRow {
	drop := func(e *faultEnv) error { return e.c.DeleteTable(background, faultTable) }
	dropSchema := func(force bool) func(e *faultEnv) error {
		return func(e *faultEnv) error { return e.c.DeleteSchema(background, faultSchema, force) }
	}
	dropCatalog := func(force bool) func(e *faultEnv) error {
		return func(e *faultEnv) error { return e.c.DeleteCatalog(background, "c", force) }
	}
	expire := func(e *faultEnv) error {
		_, err := e.c.ExpireStaging(background, 0) // all that there are
		return err
	}
	// The files are removed, and their removal is not lost nor repeated for ever.
	removed := func(e *faultEnv) {
		e.Helper()
		e.must(e.c.Sweep(background))
		want := []string{e.table.Location}
		if !slices.Equal(slices.Compact(e.removed), want) {
			e.Errorf("removed were the files at %q, want %q", e.removed, want)
		}
		e.removed = nil
		e.must(e.c.Sweep(background))
		if e.removed != nil {
			e.Errorf("removed again: %q", e.removed)
		}
	}
	dropped := append(slices.Clone(withCommit), func(e *faultEnv) { e.must(drop(e)) })
	return []faultRow{
		{method: "DeleteTable", name: "managed", before: withCommit, do: drop, write: "Delete", kind: types.KindTable, again: types.NoSuchTable, check: removed},
		{method: "DeleteTable", name: "external", before: withOther, do: drop, write: "Delete", kind: types.KindTable, again: types.NoSuchTable},
		{method: "DeleteSchema", before: inSchema, do: dropSchema(false), write: "Delete", kind: types.KindSchema, again: types.NoSuchSchema},
		{method: "DeleteSchema", name: "force", before: withCommit, do: dropSchema(true), write: "Delete", kind: types.KindSchema, again: types.NoSuchSchema, check: removed},
		{method: "DeleteCatalog", before: []func(e *faultEnv){hasCatalog}, do: dropCatalog(false), write: "Delete", kind: types.KindCatalog, again: types.NoSuchCatalog},
		{method: "DeleteCatalog", name: "force", before: withCommit, do: dropCatalog(true), write: "Delete", kind: types.KindCatalog, again: types.NoSuchCatalog, check: removed},
		{method: "ExpireStaging", before: append(slices.Clone(inSchema), hasStaged, hasStaged), do: expire, check: func(e *faultEnv) {
			_, err := e.c.StagingTableCredentials(background, e.staged.ID)
			e.wants("credentials of an expired staging table", err, types.NoSuchTable)
			e.must(e.c.Sweep(background))
			if len(e.removed) != 2 || e.removed[0] == e.removed[1] || !slices.Contains(e.removed, e.staged.Location) {
				e.Errorf("removed were the files at %q, want those of two tables", e.removed)
			}
		}},
		{method: "Sweep", before: dropped, check: removed, do: func(e *faultEnv) error { return e.c.Sweep(background) }},
	}
}
