package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/storage/memory"
	"github.com/leveelake/catalog/storage/storagetest"
	"github.com/leveelake/catalog/types"
)

var (
	s1 = types.SchemaName{Catalog: "c1", Schema: "s1"}
	t1 = s1.Table("t1")
)

func quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

// open makes a catalog with catalog c1 and schema s1.
func open(t testing.TB, cfg catalog.Config) *catalog.Catalog {
	t.Helper()
	if cfg.ManagedRoot == "" {
		cfg.ManagedRoot = "file:///managed"
	}
	if cfg.Logger == nil {
		cfg.Logger = quiet()
	}
	c, err := catalog.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.CreateCatalog(t.Context(), types.CreateCatalog{Name: "c1"}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.CreateSchema(t.Context(), types.CreateSchema{Name: s1}); err != nil {
		t.Fatal(err)
	}
	return c
}

var longColumn = types.StructType{Fields: []types.StructField{{Name: "id", Type: types.Long, Metadata: types.Metadata{}}}}

// createRequest is a valid request for a staged table.
func createRequest(name string, staged types.StagingTable) types.CreateTable {
	properties := map[string]string{}
	for k, v := range staged.RequiredProperties {
		properties[k] = *v
	}
	return types.CreateTable{
		Name: name, Location: staged.Location, Type: types.Managed, Columns: longColumn, Protocol: staged.RequiredProtocol,
		Properties: properties, LastCommitTimestamp: new(int64(1)),
	}
}

func create(t testing.TB, c *catalog.Catalog, name string) types.Table {
	t.Helper()
	staged, err := c.CreateStagingTable(t.Context(), s1, types.CreateStagingTable{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	table, err := c.CreateTable(t.Context(), s1, createRequest(name, staged))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func commit(version int64, file string) types.Commit {
	return types.Commit{Version: version, Timestamp: 1, FileName: file, FileSize: 1, FileModificationTimestamp: 1}
}

// TestRerun: a store may run the function of a transaction more than once; every
// operation gives the same answer then.
func TestRerun(t *testing.T) {
	stores := map[string]storage.Store{"once": memory.New(), "twice": storagetest.Rerun(memory.New(), nil)}
	clock := func() time.Time { return time.Unix(1e9, 0) }
	answers := map[string]string{}
	for name, s := range stores {
		var out strings.Builder
		say := func(v any, err error) { fmt.Fprintf(&out, "%+v %v\n", v, err) }
		ctx := t.Context()
		c := open(t, catalog.Config{Store: s, Now: clock})
		table := create(t, c, "t1")
		for v := int64(1); v <= 12; v++ {
			got, err := c.AddCommit(ctx, t1, table.ID, commit(v, "f"), nil)
			say(len(got.Commits), err)
		}
		got, err := c.Backfill(ctx, t1, table.ID, 4)
		say(len(got.Commits), err)
		got, err = c.AddCommit(ctx, t1, table.ID, commit(2, "f"), nil)
		say(*got.LatestVersion, err)
		_, err = c.AddCommit(ctx, t1, table.ID, commit(2, "g"), nil)
		say(nil, err)
		for _, n := range []string{"z", "b", "a"} {
			create(t, c, n)
		}
		list, next, err := c.ListTables(ctx, s1, false, types.Page{Size: 3})
		say(len(list), err)
		list, next, err = c.ListTables(ctx, s1, false, types.Page{Size: 3, Token: next})
		say(fmt.Sprint(list[0].Name, next), err)
		say(nil, c.RenameTable(ctx, t1, types.RenameTable{NewName: "a"}))
		say(nil, c.RenameTable(ctx, t1, types.RenameTable{NewName: "t2"}))
		say(nil, c.TableExists(ctx, t1))
		say(nil, c.DeleteTable(ctx, s1.Table("z")))
		say(nil, c.DeleteSchema(ctx, s1, false))
		say(nil, c.DeleteCatalog(ctx, "c1", true))
		say(nil, c.TableExists(ctx, t1))
		answers[name] = out.String()
	}
	if d := cmp.Diff(answers["once"], answers["twice"]); d != "" {
		t.Error(d)
	}
}

// unsure is a store whose changes of logs end with fault while on is set.
func unsure(fault storagetest.Fault, on *bool) storage.Store {
	return storagetest.Faulty(memory.New(), func(op storagetest.Op) storagetest.Fault {
		if *on && op.Has("WriteLog", "") {
			return fault
		}
		return storagetest.Fault{}
	})
}

// TestUnknownOutcome: when the store cannot tell whether it kept a commit, the caller is told
// so, and sending the same commit again ends well, whichever was true.
func TestUnknownOutcome(t *testing.T) {
	for name, fault := range map[string]storagetest.Fault{
		"not persisted": storagetest.FailedNotPersisted(),
		"persisted":     storagetest.FailedButPersisted(),
	} {
		t.Run(name, func(t *testing.T) {
			var on bool
			c := open(t, catalog.Config{Store: unsure(fault, &on)})
			table := create(t, c, "t1")
			for v := int64(1); v <= 3; v++ {
				on = true
				if _, err := c.AddCommit(t.Context(), t1, table.ID, commit(v, "f"), nil); !errors.Is(err, types.CommitStateUnknown) {
					t.Fatalf("version %d: %v", v, err)
				}
				on = false
				got, err := c.AddCommit(t.Context(), t1, table.ID, commit(v, "f"), nil)
				if err != nil || *got.LatestVersion != v {
					t.Fatalf("version %d again: %+v, %v", v, got, err)
				}
				if _, err := c.AddCommit(t.Context(), t1, table.ID, commit(v, "g"), nil); !errors.Is(err, types.CommitVersionConflict) {
					t.Fatalf("version %d from another file: %v", v, err)
				}
			}
		})
	}
}

// TestStoreFaults: a fault of the store is never taken for an answer.
func TestStoreFaults(t *testing.T) {
	broken := errors.New("disk on fire")
	var on bool
	c := open(t, catalog.Config{Store: storagetest.Faulty(memory.New(), func(storagetest.Op) storagetest.Fault {
		if on {
			return storagetest.Fault{Err: broken}
		}
		return storagetest.Fault{}
	})})
	table := create(t, c, "t1")
	ctx := t.Context()
	calls := map[string]func() error{
		"create catalog": func() error { _, err := c.CreateCatalog(ctx, types.CreateCatalog{Name: "c2"}); return err },
		"get catalog":    func() error { _, err := c.GetCatalog(ctx, "c1"); return err },
		"list catalogs":  func() error { _, _, err := c.ListCatalogs(ctx, types.Page{}); return err },
		"create schema": func() error {
			_, err := c.CreateSchema(ctx, types.CreateSchema{Name: types.SchemaName{Catalog: "c1", Schema: "x"}})
			return err
		},
		"delete schema": func() error { return c.DeleteSchema(ctx, s1, true) },
		"stage":         func() error { _, err := c.CreateStagingTable(ctx, s1, types.CreateStagingTable{Name: "x"}); return err },
		"load":          func() error { _, err := c.LoadTable(ctx, t1); return err },
		"commit":        func() error { _, err := c.AddCommit(ctx, t1, table.ID, commit(1, "f"), nil); return err },
		"rename":        func() error { return c.RenameTable(ctx, t1, types.RenameTable{NewName: "x"}) },
		"delete":        func() error { return c.DeleteTable(ctx, t1) },
		"credentials":   func() error { _, err := c.TableCredentials(ctx, t1, types.Read); return err },
		"path":          func() error { _, err := c.PathCredentials(ctx, "file:///x", types.Read); return err },
		"metrics":       func() error { return c.ReportMetrics(ctx, t1, types.ReportMetrics{TableID: table.ID}) },
	}
	on = true
	for name, call := range calls {
		if err := call(); !errors.Is(err, broken) || types.CodeOf(err) != types.Internal {
			t.Errorf("%s: %v", name, err)
		}
	}
	on = false
	if got, err := c.LoadTable(ctx, t1); err != nil || got.ETag != table.ETag {
		t.Errorf("after the faults: %+v, %v", got, err)
	}
}

func TestConcurrentCommits(t *testing.T) {
	c := open(t, catalog.Config{Store: memory.New()})
	table := create(t, c, "t1")
	const writers = 16
	for v := int64(1); v <= 20; v++ {
		var group sync.WaitGroup
		results := make([]error, writers)
		for w := range writers {
			group.Go(func() {
				_, results[w] = c.AddCommit(t.Context(), t1, table.ID, commit(v, fmt.Sprint(w/2)), new(v-1))
			})
		}
		group.Wait()
		won := 0
		for w, err := range results {
			switch {
			case err == nil:
				won++
			case !errors.Is(err, types.CommitVersionConflict):
				t.Fatalf("version %d, writer %d: %v", v, w, err)
			}
		}
		if won != 2 { // two writers sent the same commit
			t.Fatalf("version %d: %d winners", v, won)
		}
	}
}

func TestCancelled(t *testing.T) {
	c := open(t, catalog.Config{Store: memory.New()})
	table := create(t, c, "t1")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.AddCommit(ctx, t1, table.ID, commit(1, "f"), nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if got, err := c.LoadTable(t.Context(), t1); err != nil || *got.LatestVersion != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestSweepRemovesFiles: the files of dropped managed tables go at the next sweep, and no
// other files do.
func TestSweepRemovesFiles(t *testing.T) {
	dir := t.TempDir()
	root := catalog.LocalURL(dir)
	remover := &stubborn{LocalRemover: catalog.LocalRemover{Root: root}}
	c := open(t, catalog.Config{Store: memory.New(), ManagedRoot: root, Remover: remover})
	folder := func(table types.Table) string {
		path := strings.TrimPrefix(table.Location, "file://")
		if err := os.MkdirAll(filepath.Join(path, "_delta_log"), 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	gone := func(path string) bool {
		_, err := os.Stat(path)
		return errors.Is(err, os.ErrNotExist)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	a, b, kept := folder(create(t, c, "a")), folder(create(t, c, "b")), folder(create(t, c, "kept"))
	must(c.Sweep(t.Context()))
	must(c.DeleteTable(t.Context(), s1.Table("a")))
	if gone(a) {
		t.Error("the files went with the drop")
	}
	must(c.Sweep(t.Context()))
	if !gone(a) || gone(b) || gone(kept) {
		t.Errorf("a gone %v, b gone %v, kept gone %v", gone(a), gone(b), gone(kept))
	}
	must(c.DeleteTable(t.Context(), s1.Table("b")))
	remover.fail = true
	if err := c.Sweep(t.Context()); err == nil || gone(b) {
		t.Errorf("a sweep says what it cannot remove: %v", err)
	}
	remover.fail = false
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Sweep(cancelled); !errors.Is(err, context.Canceled) || gone(b) {
		t.Errorf("cancelled: %v", err)
	}
	must(c.Sweep(t.Context()))
	if !gone(b) || gone(kept) {
		t.Errorf("b gone %v, kept gone %v", gone(b), gone(kept))
	}

	// The files of a table in another storage are not the remover's, and stay.
	far, err := c.CreateSchema(t.Context(), types.CreateSchema{Name: types.SchemaName{Catalog: "c1", Schema: "far"}, StorageRoot: "s3://b"})
	must(err)
	staged, err := c.CreateStagingTable(t.Context(), far.Name, types.CreateStagingTable{Name: "x"})
	must(err)
	_, err = c.CreateTable(t.Context(), far.Name, createRequest("x", staged))
	must(err)
	must(c.DeleteTable(t.Context(), far.Name.Table("x")))
	must(c.Sweep(t.Context()))
	calls := remover.calls
	must(c.Sweep(t.Context()))
	if remover.calls != calls {
		t.Error("a sweep does again what is done")
	}

	must(c.DeleteCatalog(t.Context(), "c1", true))
	must(c.Sweep(t.Context()))
	if !gone(kept) {
		t.Error("a forced drop leaves files")
	}
}

// TestLocalRemoverStaysInside: nothing outside of the root is ever removed.
func TestLocalRemoverStaysInside(t *testing.T) {
	dir := t.TempDir()
	victim, root := filepath.Join(dir, "victim"), filepath.Join(dir, "root")
	for _, d := range []string{victim, root} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	url := catalog.LocalURL(root)
	for _, location := range []string{
		url, url + "/", url + "/..", url + "/../victim", url + "/x/../../victim", url + "/%2e%2e/victim", url + "/..%2fvictim", url + "/./x",
		url + "x", "file:///", "file://" + victim, victim, "s3://b/x", "",
	} {
		if err := (catalog.LocalRemover{Root: url}).Remove(t.Context(), location); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%s: %v", location, err)
		}
	}
	for _, d := range []string{victim, root} {
		if _, err := os.Stat(d); err != nil {
			t.Error(err)
		}
	}
}

// stubborn fails when it is told to.
type stubborn struct {
	catalog.LocalRemover
	fail  bool
	calls int
}

func (s *stubborn) Remove(ctx context.Context, location string) error {
	s.calls++
	if s.fail {
		return errors.New("not now")
	}
	return s.LocalRemover.Remove(ctx, location)
}

// TestRequestStaysTheCallers: the catalog keeps nothing of a request that the caller may change
// afterwards, and hands out nothing that it keeps.
func TestRequestStaysTheCallers(t *testing.T) {
	c := open(t, catalog.Config{Store: memory.New()})
	staged, err := c.CreateStagingTable(t.Context(), s1, types.CreateStagingTable{Name: "t1"})
	if err != nil {
		t.Fatal(err)
	}
	req := createRequest("t1", staged)
	req.Properties["delta.feature.x"] = "dropped"
	first, err := c.CreateTable(t.Context(), s1, req)
	if err != nil {
		t.Fatal(err)
	}
	if req.Properties["delta.feature.x"] != "dropped" {
		t.Error("the request was changed")
	}
	want, _ := first.MarshalJSON()
	req.Properties["x"] = "y"
	req.Protocol.WriterFeatures[0] = "changed"
	first.Properties.Map()["x"] = "y"
	first.Columns.JSON()[0] = 'x'
	*first.LatestVersion = 99
	again, err := c.LoadTable(t.Context(), t1)
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := again.MarshalJSON(); string(got) != string(want) {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if another, err := c.CreateStagingTable(t.Context(), s1, types.CreateStagingTable{Name: "t2"}); err != nil || another.RequiredProtocol.WriterFeatures[0] == "changed" {
		t.Errorf("%+v, %v", another.RequiredProtocol, err)
	}
}

func TestStagingBelongsToItsPrincipal(t *testing.T) {
	c := open(t, catalog.Config{Store: memory.New()})
	ann, bob := catalog.WithPrincipal(t.Context(), "ann"), catalog.WithPrincipal(t.Context(), "bob")
	staged, err := c.CreateStagingTable(ann, s1, types.CreateStagingTable{Name: "t1"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.StagingTableCredentials(bob, staged.ID); !errors.Is(err, types.PermissionDenied) {
		t.Error(err)
	}
	if _, err := c.CreateTable(bob, s1, createRequest("t1", staged)); !errors.Is(err, types.PermissionDenied) {
		t.Error(err)
	}
	table, err := c.CreateTable(ann, s1, createRequest("t1", staged))
	if err != nil || table.Owner != "ann" {
		t.Fatal(table.Owner, err)
	}
	if _, err := c.StagingTableCredentials(ann, staged.ID); err != nil {
		t.Error(err)
	}
	if _, err := c.StagingTableCredentials(bob, staged.ID); !errors.Is(err, types.PermissionDenied) {
		t.Error(err)
	}
}

func TestConfig(t *testing.T) {
	for name, cfg := range map[string]catalog.Config{
		"no store":       {},
		"managed root":   {Store: memory.New(), ManagedRoot: "s3a://b"},
		"file system":    {Store: memory.New(), ManagedRoot: "file:///"},
		"negative limit": {Store: memory.New(), Limits: catalog.Limits{Unbackfilled: -1}},
	} {
		if _, err := catalog.New(cfg); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	limits := catalog.Limits{NameLength: 8, Columns: 2, Properties: 8, Unbackfilled: 2}
	c := open(t, catalog.Config{Store: memory.New(), Limits: limits})
	wide := types.StructType{Fields: []types.StructField{
		{Name: "a", Type: types.Long}, {Name: "b", Type: types.Long}, {Name: "c", Type: types.Long},
	}}
	external := types.CreateTable{Name: "x", Type: types.External, Location: "s3://b/x"}
	edit := func(f func(req *types.CreateTable)) types.CreateTable {
		req := external
		f(&req)
		return req
	}
	many := map[string]string{}
	for i := range 9 {
		many[fmt.Sprint("k", i)] = "v"
	}
	for name, req := range map[string]types.CreateTable{
		"name":       edit(func(r *types.CreateTable) { r.Name = "123456789" }),
		"columns":    edit(func(r *types.CreateTable) { r.Columns = wide }),
		"properties": edit(func(r *types.CreateTable) { r.Properties = many }),
	} {
		if _, err := c.CreateTable(t.Context(), s1, req); !errors.Is(err, types.InvalidParameterValue) || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "limit") {
			t.Errorf("%s: %v", name, err)
		}
	}
	table := create(t, c, "t1")
	_, err := c.UpdateTable(t.Context(), t1, types.UpdateTable{
		Require: types.Requirement{TableUUID: table.ID},
		Update:  types.Update{SetProperties: map[string]string{"a": "", "b": "", "c": ""}}, // beside the six that it has
	})
	if !errors.Is(err, types.InvalidParameterValue) || !strings.Contains(err.Error(), "limit is 8") {
		t.Errorf("properties of an update: %v", err)
	}
	for v := int64(1); v <= 3; v++ {
		_, err := c.AddCommit(t.Context(), t1, table.ID, commit(v, "f"), nil)
		if (v == 3) != errors.Is(err, types.ResourceExhausted) {
			t.Errorf("version %d: %v", v, err)
		}
	}
}

// TestExpireStaging: a staging table that nobody wanted goes after its time, with what was
// written there; one that became a table does not.
func TestExpireStaging(t *testing.T) {
	root := catalog.LocalURL(t.TempDir())
	now := time.UnixMilli(1e12)
	c := open(t, catalog.Config{
		Store: memory.New(), ManagedRoot: root, Remover: catalog.LocalRemover{Root: root}, Now: func() time.Time { return now },
	})
	ctx := t.Context()
	stage := func(name string) types.StagingTable {
		t.Helper()
		staged, err := c.CreateStagingTable(ctx, s1, types.CreateStagingTable{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(strings.TrimPrefix(staged.Location, "file://"), 0o700); err != nil {
			t.Fatal(err)
		}
		return staged
	}
	exists := func(s types.StagingTable) bool {
		_, err := os.Stat(strings.TrimPrefix(s.Location, "file://"))
		return err == nil
	}
	kept, abandoned := stage("kept"), stage("abandoned")
	if _, err := c.CreateTable(ctx, s1, createRequest("kept", kept)); err != nil {
		t.Fatal(err)
	}
	now = now.Add(time.Hour)
	young := stage("young")
	if n, err := c.ExpireStaging(ctx, 2*time.Hour); n != 0 || err != nil {
		t.Errorf("none is older: %d, %v", n, err)
	}
	if n, err := c.ExpireStaging(ctx, time.Hour); n != 1 || err != nil {
		t.Errorf("one is older: %d, %v", n, err)
	}
	if err := c.Sweep(ctx); err != nil || !exists(kept) || exists(abandoned) || !exists(young) {
		t.Errorf("%v; kept %v, abandoned %v, young %v", err, exists(kept), exists(abandoned), exists(young))
	}
	if _, err := c.CreateTable(ctx, s1, createRequest("abandoned", abandoned)); !errors.Is(err, types.NoSuchTable) {
		t.Errorf("an expired one: %v", err)
	}
	if _, err := c.CreateTable(ctx, s1, createRequest("young", young)); err != nil {
		t.Error(err)
	}
}
