package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/storage/memory"
	"github.com/leveelake/catalog/types"
)

// disk is a Files over a map from location to content.
type disk struct {
	files  map[string]string
	broken error // what Open returns, if anything
	opened int
	sizes  map[string]int64 // claimed sizes, if not the right ones
}

func (d *disk) Open(_ context.Context, location string) (io.ReadCloser, int64, error) {
	d.opened++
	if d.broken != nil {
		return nil, 0, d.broken
	}
	text, ok := d.files[location]
	if !ok {
		return nil, 0, fs.ErrNotExist
	}
	size := int64(len(text))
	if s, ok := d.sizes[location]; ok {
		size = s
	}
	return io.NopCloser(strings.NewReader(text)), size, nil
}

func (d *disk) publish(table types.Table, version int64, text string) {
	d.files[fmt.Sprintf("%s/_delta_log/%020d.json", table.Location, version)] = text
}

func (d *disk) stage(table types.Table, file, text string) {
	d.files[table.Location+"/_delta_log/_staged_commits/"+file] = text
}

// onDisk makes a catalog with a disk and a table whose version 0 is written.
func onDisk(t *testing.T, cfg catalog.Config) (*catalog.Catalog, *disk, types.Table) {
	t.Helper()
	d := &disk{files: map[string]string{}, sizes: map[string]int64{}}
	cfg.Store, cfg.Files = memory.New(), d
	c := open(t, cfg)
	staged, err := c.CreateStagingTable(t.Context(), s1, types.CreateStagingTable{Name: "t1"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.CreateTable(t.Context(), s1, createRequest("t1", staged)); !errors.Is(err, types.InvalidParameterValue) || !strings.Contains(err.Error(), "version 0") {
		t.Fatalf("version 0 is not written: %v", err)
	}
	d.publish(types.Table{Location: staged.Location}, 0, "v0")
	table, err := c.CreateTable(t.Context(), s1, createRequest("t1", staged)) // the staging table is still there
	if err != nil {
		t.Fatal(err)
	}
	return c, d, table
}

func TestBackfillIsChecked(t *testing.T) {
	c, d, table := onDisk(t, catalog.Config{})
	ctx := t.Context()
	for v := int64(1); v <= 3; v++ {
		if _, err := c.AddCommit(ctx, t1, table.ID, commit(v, "f"), nil); err != nil {
			t.Fatal(err)
		}
	}
	d.publish(table, 1, "v1")
	d.publish(table, 3, "v3")
	unchanged := func(commits int) {
		t.Helper()
		if got, err := c.LoadTable(ctx, t1); err != nil || len(got.Commits) != commits || got.ETag != table.ETag {
			t.Fatalf("%+v, %v", got, err)
		}
	}
	for _, b := range []int64{2, 3} {
		if _, err := c.Backfill(ctx, t1, table.ID, b); !errors.Is(err, types.InvalidParameterValue) || !strings.Contains(err.Error(), "version 2") {
			t.Errorf("backfill %d: %v", b, err)
		}
	}
	if _, err := c.AddCommit(ctx, t1, table.ID, commit(4, "f"), new(int64(2))); !errors.Is(err, types.InvalidParameterValue) {
		t.Errorf("commit with a false backfill: %v", err)
	}
	unchanged(3)
	d.broken = errors.New("SECRET storage key refused")
	_, err := c.Backfill(ctx, t1, table.ID, 1)
	if !errors.Is(err, types.CommitStateUnknown) || !errors.Is(err, d.broken) || strings.Contains(err.Error(), "SECRET") {
		t.Errorf("broken reader: %v", err)
	}
	unchanged(3)
	d.broken = nil
	if _, err := c.Backfill(ctx, t1, table.ID, 1); err != nil {
		t.Error(err)
	}
	unchanged(2)

	// What needs no file opens none: a replay, a conflict, a stale etag, a gap, no news.
	d.opened = 0
	_, err = c.AddCommit(ctx, t1, table.ID, commit(3, "f"), new(int64(99)))
	if err != nil {
		t.Error(err)
	}
	for _, u := range []types.Update{
		{AddCommit: &types.AddCommit{Commit: commit(3, "g")}, SetBackfilledVersion: new(int64(3))},
		{AddCommit: &types.AddCommit{Commit: commit(9, "g")}, SetBackfilledVersion: new(int64(3))},
		{SetBackfilledVersion: new(int64(9))},
		{SetBackfilledVersion: new(int64(1))},
	} {
		_, _ = c.UpdateTable(ctx, t1, types.UpdateTable{Require: types.Requirement{TableUUID: table.ID}, Update: u})
	}
	if d.opened != 0 {
		t.Errorf("%d files opened in vain", d.opened)
	}

	// A storage that cannot be read is one whose clients are believed.
	d.broken = fmt.Errorf("not mine: %w", errors.ErrUnsupported)
	if got, err := c.Backfill(ctx, t1, table.ID, 3); err != nil || len(got.Commits) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestForgottenReplay: a commit whose file name is forgotten is judged by its content.
func TestForgottenReplay(t *testing.T) {
	now := time.Unix(1e9, 0)
	c, d, table := onDisk(t, catalog.Config{
		Limits: catalog.Limits{RememberVersions: 1, RememberFor: 24 * time.Hour},
		Now:    func() time.Time { return now },
	})
	ctx := t.Context()
	for v := int64(1); v <= 5; v++ { // one a day, each published before the next
		now = now.Add(24 * time.Hour)
		name, text := fmt.Sprint("f", v), fmt.Sprint("content ", v)
		d.stage(table, name, text)
		if _, err := c.AddCommit(ctx, t1, table.ID, commit(v, name), new(v-1)); err != nil {
			t.Fatal(err)
		}
		d.publish(table, v, text)
	}
	d.stage(table, "same", "content 2")
	d.stage(table, "longer", "content 2 and more")
	d.stage(table, "differs", "content X")
	d.stage(table, "huge", "content 2")
	huge := table.Location + "/_delta_log/_staged_commits/huge"
	d.sizes[huge] = 5 << 30
	for _, test := range []struct {
		version int64
		file    string
		want    types.Code
	}{
		{2, "f2", ""},
		{2, "same", ""},
		{2, "longer", types.CommitVersionConflict},
		{2, "differs", types.CommitVersionConflict},
		{2, "missing", types.CommitStateUnknown},
		{2, "huge", types.CommitVersionConflict}, // by its size alone
		{4, "same", types.CommitVersionConflict}, // remembered: by its name alone
		{4, "f4", ""},
	} {
		got, err := c.AddCommit(ctx, t1, table.ID, commit(test.version, test.file), nil)
		if types.CodeOf(err) != test.want || err == nil && *got.LatestVersion != 5 {
			t.Errorf("version %d from %s: %v, want %v", test.version, test.file, err, test.want)
		}
	}
	d.sizes[fmt.Sprintf("%s/_delta_log/%020d.json", table.Location, 2)] = 5 << 30
	if _, err := c.AddCommit(ctx, t1, table.ID, commit(2, "huge"), nil); !errors.Is(err, types.CommitStateUnknown) {
		t.Errorf("two huge files: %v", err)
	}
	d.broken = fmt.Errorf("not mine: %w", errors.ErrUnsupported)
	if _, err := c.AddCommit(ctx, t1, table.ID, commit(2, "f2"), nil); !errors.Is(err, types.CommitStateUnknown) {
		t.Errorf("a storage that cannot be read: %v", err)
	}
}

func TestLocalFiles(t *testing.T) {
	dir := t.TempDir()
	root := "file://" + filepath.ToSlash(dir)
	f := catalog.LocalFiles{Root: root}
	if err := os.WriteFile(filepath.Join(dir, "a b"), []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	file, size, err := f.Open(t.Context(), root+"/a%20b")
	if err != nil || size != 4 {
		t.Fatalf("%d bytes, %v", size, err)
	}
	if text, err := io.ReadAll(file); err != nil || string(text) != "text" {
		t.Errorf("%q, %v", text, err)
	}
	file.Close()
	if _, _, err := f.Open(t.Context(), root+"/x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no such file: %v", err)
	}
	for _, location := range []string{"s3://b/x", "file:///etc/passwd", root, dir + "/a b"} {
		if _, _, err := f.Open(t.Context(), location); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%s: %v", location, err)
		}
	}
}

// TestLocalFilesIsNotFooled: what clients may leave where a commit file should be is no
// commit file, and holds nobody up.
func TestLocalFilesIsNotFooled(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "root")
	if err := os.Mkdir(root, 0o700); err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(dir, "secret")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.WriteFile(secret, []byte("secret"), 0o600))
	must(os.WriteFile(filepath.Join(root, "file"), []byte("x"), 0o600))
	must(os.Mkdir(filepath.Join(root, "folder"), 0o700))
	must(os.Symlink(secret, filepath.Join(root, "link")))
	must(os.Symlink(dir, filepath.Join(root, "out")))
	makePipe(t, filepath.Join(root, "pipe"))
	f := catalog.LocalFiles{Root: catalog.LocalURL(root)}
	for _, name := range []string{"folder", "pipe", "file/below", "link", "out/secret"} {
		file, _, err := f.Open(t.Context(), catalog.LocalURL(root)+"/"+name)
		if err == nil {
			file.Close()
			t.Errorf("%s is opened", name)
		}
		if outside := name == "link" || name == "out/secret"; !outside && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
	r := catalog.LocalRemover{Root: catalog.LocalURL(root)}
	if err := r.Remove(t.Context(), catalog.LocalURL(root)+"/out/secret"); err == nil {
		t.Error("a file behind a link is removed")
	}
	must(r.Remove(t.Context(), catalog.LocalURL(root)+"/out"))
	if _, err := os.Stat(secret); err != nil {
		t.Error(err)
	}
}

// TestEmptyFileIsNotPublished: a publication that was cut short does not count.
func TestEmptyFileIsNotPublished(t *testing.T) {
	c, d, table := onDisk(t, catalog.Config{})
	if _, err := c.AddCommit(t.Context(), t1, table.ID, commit(1, "f"), nil); err != nil {
		t.Fatal(err)
	}
	d.publish(table, 1, "")
	if _, err := c.Backfill(t.Context(), t1, table.ID, 1); !errors.Is(err, types.InvalidParameterValue) {
		t.Error(err)
	}
}
