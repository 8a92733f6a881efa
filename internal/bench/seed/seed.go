// Package seed fills a store with many tables fast. The catalog makes one table as for any
// client; what it has stored is read back, and each table is a copy of that with an ID, a name
// and a location of its own. So a store that is filled in seconds holds what the catalog
// would have written in hours.
package seed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// A Plan says which tables there are. It is kept with them: see [Plan.Properties].
type Plan struct {
	Tables    int
	Columns   int
	Managed   bool
	PerSchema int // tables in a schema; 0: 1000
	Big       int // the first tables, as many as this, are in one schema
}

// Catalog is the name of the catalog that holds all seeded tables.
const Catalog = "bench"

// model is the schema of the table that is copied.
const model = "model"

func (p Plan) perSchema() int {
	if p.PerSchema == 0 {
		return 1000
	}
	return p.PerSchema
}

// Schema is the schema of table i.
func (p Plan) Schema(i int) types.SchemaName {
	if i < p.Big {
		return types.SchemaName{Catalog: Catalog, Schema: "big"}
	}
	return types.SchemaName{Catalog: Catalog, Schema: fmt.Sprintf("s%05d", (i-p.Big)/p.perSchema())}
}

// Name is the name of table i.
func (p Plan) Name(i int) types.TableName {
	return p.Schema(i).Table(fmt.Sprintf("t%08d", i))
}

// ID is the ID of table i. They are as scattered as random ones, but known without a look.
func ID(i int) types.ID { return id("table", i) }

func id(what string, i int) types.ID {
	return types.ID(uuid.NewSHA1(uuid.Nil, strconv.AppendInt([]byte(what), int64(i), 10)).String())
}

// Location is the location of table i, if it is external.
func (p Plan) Location(i int) string {
	return fmt.Sprintf("s3://bench/%s/t%08d", p.Schema(i).Schema, i)
}

// propertyPlan is the property of the catalog that keeps the plan.
const propertyPlan = "bench.plan"

// Properties are those of the catalog, and keep p.
func (p Plan) Properties() map[string]string {
	text, err := json.Marshal(p)
	if err != nil {
		panic(err) // numbers always marshal
	}
	return map[string]string{propertyPlan: string(text)}
}

// PlanOf reads the plan from the properties of the catalog.
func PlanOf(properties map[string]string) (Plan, error) {
	var p Plan
	if err := json.Unmarshal([]byte(properties[propertyPlan]), &p); err != nil {
		return p, fmt.Errorf("catalog %q has no plan of what was seeded: %w", Catalog, err)
	}
	return p, nil
}

// ManagedRoot is where managed tables go; nobody ever writes there.
const ManagedRoot = "file:///bench/managed"

// ErrSeeded tells that a store was seeded before.
var ErrSeeded = errors.New("the store is not empty")

// Fill makes the tables of p in an empty store, and tells how many are there after each batch.
func Fill(ctx context.Context, s storage.Store, p Plan, progress func(done int)) error {
	c, err := catalog.New(catalog.Config{Store: s, ManagedRoot: ManagedRoot})
	if err != nil {
		return err
	}
	_, err = c.CreateCatalog(ctx, types.CreateCatalog{Name: Catalog, Properties: p.Properties()})
	if errors.Is(err, types.AlreadyExists) {
		return fmt.Errorf("%w: it has a catalog %q; seed an empty one", ErrSeeded, Catalog)
	}
	if err != nil {
		return err
	}
	m, err := newModel(ctx, c, s, p)
	if err != nil {
		return err
	}
	const batch = 500 // tables, of two objects each
	for i := 0; i < p.Tables; {
		schema := p.Schema(i)
		made, err := c.CreateSchema(ctx, types.CreateSchema{Name: schema})
		if err != nil {
			return err
		}
		for i < p.Tables && p.Schema(i) == schema {
			from := i
			for i < p.Tables && i-from < batch && p.Schema(i) == schema {
				i++
			}
			if err := m.copy(ctx, s, p, made.ID, from, i); err != nil {
				return err
			}
			if progress != nil {
				progress(i)
			}
		}
	}
	return nil
}

// A copied is the table that is copied: its object and what belongs to it.
type copied struct {
	table    storage.Object
	children []storage.Object
}

// newModel makes the table to copy and reads what is stored of it.
func newModel(ctx context.Context, c *catalog.Catalog, s storage.Store, p Plan) (copied, error) {
	name := types.TableName{Catalog: Catalog, Schema: model, Table: model}
	if _, err := c.CreateSchema(ctx, types.CreateSchema{Name: name.SchemaName()}); err != nil {
		return copied{}, err
	}
	req := types.CreateTable{
		Name: model, Type: types.External, Location: "s3://bench/" + model + "/" + model, Columns: Columns(p.Columns),
		Properties: map[string]string{"owner": "bench"}, LastCommitTimestamp: new(int64(1)),
		Protocol: types.Protocol{MinReaderVersion: 1, MinWriterVersion: 2},
	}
	if p.Managed {
		staged, err := c.CreateStagingTable(ctx, name.SchemaName(), types.CreateStagingTable{Name: model})
		if err != nil {
			return copied{}, err
		}
		req.Type, req.Location, req.Protocol = types.Managed, staged.Location, staged.RequiredProtocol
		for k, v := range staged.RequiredProperties {
			if v != nil {
				req.Properties[k] = *v
			}
		}
	}
	if _, err := c.CreateTable(ctx, name.SchemaName(), req); err != nil {
		return copied{}, err
	}
	return storage.View(ctx, s, func(tx storage.ReadTx) (copied, error) {
		path := []storage.Step{{Kind: types.KindCatalog, Name: name.Catalog}, {Kind: types.KindSchema, Name: name.Schema}, {Kind: types.KindTable, Name: name.Table}}
		chain, err := tx.Lookup(ctx, path, storage.Want{Log: true})
		if err != nil {
			return copied{}, err
		}
		last := chain[len(chain)-1]
		if len(chain) != len(path)+1 || last.Log.Revision != 0 {
			return copied{}, errors.New("the table to copy is not there, or has a log")
		}
		m := copied{table: last.Object}
		below, err := tx.List(ctx, storage.ListQuery{Parent: last.ID}, storage.Want{})
		for _, n := range below {
			m.children = append(m.children, n.Object)
		}
		return m, err
	})
}

// copy makes tables from up to (not including) to in one schema.
func (m copied) copy(ctx context.Context, s storage.Store, p Plan, schema types.ID, from, to int) error {
	objects := make([]storage.Object, 0, (to-from)*(1+len(m.children)))
	for i := from; i < to; i++ {
		t := m.table
		t.ID, t.Parent, t.Name = ID(i), schema, p.Name(i).Table
		t.Revision = 1 // one that was staged is at 2
		if p.Managed {
			t.Location = strings.Replace(t.Location, string(m.table.ID), string(t.ID), 1)
		} else {
			t.Location = p.Location(i)
		}
		t.Body = bytes.ReplaceAll(t.Body, []byte(m.table.ID), []byte(t.ID)) // a property tells it
		objects = append(objects, t)
		for k, child := range m.children {
			child.ID, child.Parent = id("child"+strconv.Itoa(k)+".", i), t.ID
			objects = append(objects, child)
		}
	}
	return s.Update(ctx, func(tx storage.Tx) error {
		for _, o := range objects {
			if err := tx.Insert(ctx, o); err != nil {
				return err
			}
		}
		return nil
	})
}

// Columns are n columns with comments, some 140 bytes of JSON each.
func Columns(n int) types.StructType {
	s := types.StructType{}
	for i := range n {
		s.Fields = append(s.Fields, types.StructField{
			Name: fmt.Sprintf("column_%d", i), Type: types.String, Nullable: true,
			Metadata: types.Metadata{"comment": json.RawMessage(`"what the column holds, in some words"`)},
		})
	}
	return s
}
