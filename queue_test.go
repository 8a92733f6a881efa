package catalog

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/leveelake/catalog/storage"
	memorystore "github.com/leveelake/catalog/storage/memory"
	"github.com/leveelake/catalog/types"
)

// A stalled store holds up Updates until it is let go.
type stalled struct {
	storage.Store
	entered chan struct{} // gets an element from each Update that waits
	release chan struct{} // nil: it does not stall
}

func (s *stalled) Update(ctx context.Context, fn func(tx storage.Tx) error) error {
	if s.release != nil {
		s.entered <- struct{}{}
		<-s.release
	}
	return s.Store.Update(ctx, fn)
}

// TestQueues: when too many changes wait, of one table or in all, more are refused at once, and the
// places are free again afterwards.
func TestQueues(t *testing.T) {
	store := &stalled{Store: memorystore.New(), entered: make(chan struct{})}
	c, err := New(Config{Store: store, Limits: Limits{Queued: 3, QueuedPerTable: 2}})
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	if _, err := c.CreateCatalog(ctx, types.CreateCatalog{Name: "c"}); err != nil {
		t.Fatal(err)
	}
	s := types.SchemaName{Catalog: "c", Schema: "s"}
	if _, err := c.CreateSchema(ctx, types.CreateSchema{Name: s}); err != nil {
		t.Fatal(err)
	}
	tables := map[string]types.Table{}
	for _, name := range []string{"a", "b"} {
		tables[name], err = c.CreateTable(ctx, s, types.CreateTable{Name: name, Type: types.External, Location: "s3://b/" + name, Columns: columnsNamed("x")})
		if err != nil {
			t.Fatal(err)
		}
	}
	comment := func(name string) error {
		_, err := c.UpdateTable(ctx, s.Table(name), types.UpdateTable{Require: types.Requirement{TableUUID: tables[name].ID}, Update: types.Update{SetComment: ptr("x")}})
		return err
	}
	refused := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, types.TooManyRequests) {
			t.Errorf("%s: %v", what, err)
		}
	}

	store.release = make(chan struct{})
	var group sync.WaitGroup
	wait := func(name string) {
		group.Go(func() {
			if err := comment(name); err != nil {
				t.Errorf("one that waited: %v", err)
			}
		})
		<-store.entered
	}
	wait("a")
	wait("a")
	refused("a third change of a", comment("a"))
	wait("b")
	refused("a fourth change", c.RenameTable(ctx, s.Table("b"), types.RenameTable{NewName: "d"}))
	if _, err := c.LoadTable(ctx, s.Table("a")); err != nil {
		t.Errorf("a load while changes wait: %v", err)
	}
	close(store.release)
	group.Wait()
	store.release = nil
	for range 3 {
		if err := errors.Join(comment("a"), comment("b"), c.RenameTable(ctx, s.Table("b"), types.RenameTable{NewName: "b"})); err != nil {
			t.Errorf("afterwards: %v", err)
		}
	}
	if c.queue.all != 0 || len(c.queue.table) != 0 {
		t.Errorf("places are still taken: %d, %v", c.queue.all, c.queue.table)
	}
}
