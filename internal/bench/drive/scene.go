package drive

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"github.com/leveelake/catalog/internal/bench/seed"
	"github.com/leveelake/catalog/internal/bench/wire"
	"github.com/leveelake/catalog/types"
)

// A scene is what the operations work on.
type scene struct {
	cfg     Config
	target  wire.Target
	headers string // of each request
	columns json.RawMessage
	schema  types.SchemaName
	tables  []*table
	free    chan *table // those that nobody commits to now
	run     string      // makes names of this run unlike those of others
	created atomic.Int64
}

// A table is one that is loaded and committed to.
type table struct {
	path    string
	id      types.ID
	version int64 // -1: not known
}

func newScene(cfg Config, target wire.Target) *scene {
	s := &scene{
		cfg: cfg, target: target, columns: seed.Columns(cfg.Columns).AppendJSON(nil),
		schema: types.SchemaName{Catalog: cfg.Catalog, Schema: cfg.Schema},
		free:   make(chan *table, cfg.Tables), run: uuid.NewString()[:8],
	}
	if cfg.Token != "" {
		s.headers = "Authorization: Bearer " + cfg.Token + "\r\n"
	}
	return s
}

// prepare finds or makes the catalog, the schema and the tables.
func (s *scene) prepare(ctx context.Context) error {
	w := s.worker().(*worker)
	defer w.close()
	namespace := map[string]string{"name": s.cfg.Catalog}
	if s.cfg.StorageRoot != "" {
		namespace["storage_root"] = s.cfg.StorageRoot
	}
	if err := w.ensure(ctx, "/catalogs/"+s.cfg.Catalog, "/catalogs", namespace); err != nil {
		return err
	}
	err := w.ensure(ctx, "/schemas/"+s.schema.String(), "/schemas", map[string]string{"name": s.cfg.Schema, "catalog_name": s.cfg.Catalog})
	if err != nil {
		return err
	}
	s.tables = make([]*table, s.cfg.Tables)
	group, ctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	for range 8 {
		group.Go(func() error {
			w := s.worker().(*worker)
			defer w.close()
			for {
				i := int(next.Add(1) - 1)
				if i >= len(s.tables) {
					return nil
				}
				t, err := w.table(ctx, fmt.Sprintf("bench_%05d", i))
				if err != nil {
					return err
				}
				s.tables[i] = t
			}
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for _, t := range s.tables {
		s.free <- t
	}
	return nil
}

// ensure makes something of the Unity Catalog REST API unless it is there.
func (w *worker) ensure(ctx context.Context, at, in string, body any) error {
	_, err := w.send(ctx, w.target.AppendGet(nil, wire.Prefix+at, w.headers))
	if refusal, ok := errors.AsType[*Refusal](err); ok && refusal.Status == http.StatusNotFound {
		_, err = w.post(ctx, wire.Prefix+in, body)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	return nil
}

// table finds a managed table, or makes it with a first few commits.
func (w *worker) table(ctx context.Context, name string) (*table, error) {
	t := &table{path: wire.TablePath(w.schema.Table(name))}
	err := w.look(ctx, t)
	if refusal, ok := errors.AsType[*Refusal](err); ok && refusal.Status == http.StatusNotFound {
		if err = w.create(ctx, name); err == nil {
			err = w.look(ctx, t)
		}
	}
	for err == nil && t.version < w.cfg.Unbackfilled {
		err = w.commit(ctx, t)
	}
	if err != nil {
		return nil, fmt.Errorf("table %s: %w", name, err)
	}
	return t, nil
}

// look asks the server for the ID and version of a table.
func (w *worker) look(ctx context.Context, t *table) error {
	body, err := w.send(ctx, w.target.AppendGet(nil, t.path, w.headers))
	if err != nil {
		return err
	}
	var loaded struct {
		Metadata struct {
			ID types.ID `json:"table-uuid"`
		} `json:"metadata"`
		Latest *int64 `json:"latest-table-version"`
	}
	if err := json.Unmarshal(body, &loaded); err != nil {
		return err
	}
	t.id, t.version = loaded.Metadata.ID, 0 // absent: no commit yet, as some servers have it
	if loaded.Latest != nil {
		t.version = max(*loaded.Latest, 0)
	}
	return nil
}

// create makes a managed table: it reserves a place, then registers what nobody has written there.
// A server that looks at files refuses that; levee serve does not with --no-check-files.
func (w *worker) create(ctx context.Context, name string) error {
	body, err := w.post(ctx, wire.SchemaPath(w.schema)+"/staging-tables", map[string]string{"name": name})
	if err != nil {
		return err
	}
	var staged struct {
		Location   string             `json:"location"`
		Protocol   json.RawMessage    `json:"required-protocol"`
		Properties map[string]*string `json:"required-properties"`
	}
	if err := json.Unmarshal(body, &staged); err != nil {
		return err
	}
	properties := map[string]string{}
	for k, v := range staged.Properties {
		if v != nil {
			properties[k] = *v
		}
	}
	_, err = w.post(ctx, wire.SchemaPath(w.schema)+"/tables", map[string]any{
		"name": name, "location": staged.Location, "table-type": types.Managed, "columns": w.columns,
		"protocol": staged.Protocol, "properties": properties, "last-commit-timestamp-ms": time.Now().UnixMilli(),
	})
	return err
}
