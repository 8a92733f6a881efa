package catalog

import (
	"context"
	"errors"
	"testing"

	"github.com/leveelake/catalog/storage"
	memorystore "github.com/leveelake/catalog/storage/memory"
	"github.com/leveelake/catalog/types"
)

// A raced store finds at the end of an Update that another has taken the name, as stores do that
// compare what a run has read only when they apply what it writes.
type raced struct {
	storage.Store
	lose int // so many of the next Updates
}

func (r *raced) Update(ctx context.Context, fn func(tx storage.Tx) error) error {
	if r.lose == 0 {
		return r.Store.Update(ctx, fn)
	}
	r.lose--
	err := r.Store.Update(ctx, func(tx storage.Tx) error { return errors.Join(fn(tx), storage.ErrExists) })
	if errors.Is(err, storage.ErrExists) {
		return storage.ErrExists
	}
	return err
}

// TestClaimed: who loses a name at the last moment hears the same as who comes late, and a report is
// not refused for such a reason.
func TestClaimed(t *testing.T) {
	store := &raced{Store: memorystore.New()}
	c, err := New(Config{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	s := types.SchemaName{Catalog: "c", Schema: "s"}
	table := types.CreateTable{Name: "t", Type: types.External, Location: "s3://b/t", Columns: columnsNamed("a")}
	other := table
	other.Name, other.Location = "u", "s3://b/u"
	var created types.Table
	for _, op := range []struct {
		kind types.Kind
		do   func() error
	}{
		{types.KindCatalog, func() error { _, err := c.CreateCatalog(ctx, types.CreateCatalog{Name: "c"}); return err }},
		{types.KindSchema, func() error { _, err := c.CreateSchema(ctx, types.CreateSchema{Name: s}); return err }},
		{types.KindTable, func() (err error) { created, err = c.CreateTable(ctx, s, table); return err }},
		{types.KindTable, func() error { return c.RenameTable(ctx, s.Table("t"), types.RenameTable{NewName: "v"}) }},
	} {
		if op.kind == types.KindCatalog {
			if _, err := c.Metastore(ctx); err != nil {
				t.Fatal(err)
			}
		}
		store.lose = 1
		late := op.do()
		if e, ok := errors.AsType[*types.Error](late); !ok || e.Code != types.AlreadyExists || e.Kind != op.kind {
			t.Errorf("%s: lost the name: %v", op.kind, late)
		}
		if err := op.do(); err != nil {
			t.Fatalf("%s: %v", op.kind, err)
		}
		if op.kind == types.KindTable && created.Name.Table == "t" {
			if _, err := c.CreateTable(ctx, s, other); err != nil && !errors.Is(err, types.AlreadyExists) {
				t.Fatal(err)
			}
			continue
		}
		if early := op.do(); early == nil || early.Error() != late.Error() {
			t.Errorf("%s: lost the name: %v; came late: %v", op.kind, late, early)
		}
	}
	store.lose = 1
	report := types.ReportMetrics{TableID: created.ID, Report: &types.MetricReport{Commit: &types.CommitReport{FilesAdded: 1}}}
	if err := c.ReportMetrics(ctx, s.Table("v"), report); err != nil {
		t.Errorf("a report: %v", err)
	}
	if m, err := c.TableMetrics(ctx, s.Table("v")); err != nil || m.FilesAdded != 1 {
		t.Errorf("%v, %v", m, err)
	}
}
