package catalog

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// staging is the body of a staging table's object. The object's name is its ID, so that
// a table name may be staged any number of times.
type staging struct {
	Name  string `json:"name"`
	Owner string `json:"owner,omitempty"`
}

func decodeStaging(o storage.Object) (staging, error) {
	var s staging
	if err := json.Unmarshal(o.Body, &s); err != nil {
		return s, corrupt(o, "body", err)
	}
	return s, nil
}

// CreateStagingTable reserves an ID and a location for a managed table. The caller
// writes version 0 there and registers it with [Catalog.CreateTable]. When it returns,
// the reservation is durable. Each call makes another one, under the same name, too.
//
// Errors: InvalidParameterValue (name), NoSuchCatalog, NoSuchSchema, AlreadyExists (a
// table has the name), FailedPrecondition (no managed root), PermissionDenied.
func (c *Catalog) CreateStagingTable(ctx context.Context, in types.SchemaName, req types.CreateStagingTable) (types.StagingTable, error) {
	if err := c.rules.checkName("name", req.Name); err != nil {
		return types.StagingTable{}, err
	}
	body, err := json.Marshal(staging{Name: req.Name, Owner: Principal(ctx)})
	if err != nil {
		return types.StagingTable{}, err
	}
	id, now := newID(), c.now()
	p, err := updateAgain(ctx, c, func(tx storage.Tx) (permit, error) { // if another has kept the server's root taken
		parents, err := c.vacancy(ctx, tx, ActCreateTable, tablePath(in.Table(req.Name)))
		if err != nil {
			return permit{}, err
		}
		folder := c.managedFolderOf(parents)
		if folder == "" {
			return permit{}, types.FailedPrecondition.Errorf("there is no place for managed tables in schema %q: neither the schema, nor its catalog, nor the server has a storage root", in).About(types.KindSchema)
		}
		location := folder + "/tables/" + string(id)
		above, err := tx.Overlap(ctx, location, []types.Kind{types.KindTable, kindTaken}, 0)
		if err != nil {
			return permit{}, err
		}
		if slices.ContainsFunc(above, func(o storage.Object) bool { return o.Kind == types.KindTable }) {
			// It was registered before the root was given: who may read it would read this table.
			return permit{}, types.FailedPrecondition.Errorf("the storage root for schema %q lies inside an external table", in).About(types.KindSchema)
		}
		v, err := managedVouch(parents)
		if err != nil {
			return permit{}, err
		}
		p, err := c.permitTable(ctx, tx, v, permit{location: location, op: types.ReadWrite, id: id})
		if err != nil {
			return permit{}, err
		}
		// The server may have another root one day. What goes to this one keeps it taken.
		if v.server && !slices.ContainsFunc(above, func(o storage.Object) bool { return o.Location == folder }) {
			if err := tx.Insert(ctx, takenFolder(parents[0].ID, takenName(folder), folder, now)); err != nil {
				return permit{}, err
			}
		}
		return p, tx.Insert(ctx, storage.Object{
			ID: id, Kind: types.KindStagingTable, Parent: last(parents).ID, Name: string(id),
			Location: location, Revision: 1, Created: now, Updated: now, Body: body,
		})
	})
	if err != nil {
		return types.StagingTable{}, err
	}
	out := stagingAnswer(id, p.location)
	out.Credentials = c.vendIfPossible(ctx, p)
	return out, nil
}

// managedFolderOf is the folder for managed tables of the schema at the end of chain;
// "" if there is none.
func (c *Catalog) managedFolderOf(chain []storage.Node) string {
	if o := managedBy(chain); o != nil {
		return o.Location
	}
	if c.managedRoot == "" {
		return ""
	}
	return c.managedRoot + "/" + managedSegment
}

// managedBy is the schema or catalog in chain whose folder managed tables go to; nil if that is the server's.
func managedBy(chain []storage.Node) *storage.Object {
	for i := range slices.Backward(chain) {
		if o := &chain[i].Object; (o.Kind == types.KindCatalog || o.Kind == types.KindSchema) && o.Location != "" {
			return o
		}
	}
	return nil
}

// CreateTable registers a table whose version 0 the caller has written: a managed one at
// the location of a staging table of the same schema, whose ID it takes over, or an
// external one anywhere else. When it returns, the table is durable. It is not idempotent: a caller that
// got no answer loads the table and compares the ID.
//
// Errors: InvalidParameterValue (anything about the request: each is named),
// NoSuchCatalog, NoSuchSchema, AlreadyExists, NoSuchTable (managed: nothing is staged at
// the location), PermissionDenied (no right, or staged by another principal), CommitStateUnknown (also
// if Config.Files cannot tell whether version 0 is written).
func (c *Catalog) CreateTable(ctx context.Context, in types.SchemaName, req types.CreateTable) (types.Table, error) {
	if req.Type == types.Managed && req.LastCommitTimestamp == nil {
		return types.Table{}, types.InvalidParameterValue.Errorf("last-commit-timestamp-ms is missing")
	}
	return c.create(ctx, in, req, deltaContract)
}

// create is CreateTable with the contract that a managed table must keep.
func (c *Catalog) create(ctx context.Context, in types.SchemaName, req types.CreateTable, k contract) (types.Table, error) {
	fresh, err := c.newTable(ctx, req, k, c.now())
	if err != nil {
		return types.Table{}, err
	}
	create := c.createExternal
	if req.Type == types.Managed {
		create = func(ctx context.Context, tx storage.Tx, schema storage.Object, t *table, seen sighting) (*question, error) {
			return c.createManaged(ctx, tx, schema, t, k, seen)
		}
	}
	t, err := decide(ctx, c, func(tx storage.Tx, seen sighting) (*table, *question, error) {
		parents, err := c.vacancy(ctx, tx, ActCreateTable, tablePath(in.Table(req.Name)))
		if err != nil {
			return nil, nil, err
		}
		t := fresh.clone()
		ask, err := create(ctx, tx, last(parents), t, seen)
		return t, ask, err
	})
	if err != nil {
		return types.Table{}, claimed(err, tablePath(in.Table(req.Name)))
	}
	c.keep(t, in.Table(req.Name))
	return t.public(in)
}

// checkCreate refuses a request that could make no table anywhere.
func (r rules) checkCreate(req types.CreateTable) error {
	bad := func(format string, args ...any) error {
		return types.InvalidParameterValue.Errorf(format, args...)
	}
	if err := r.checkName("name", req.Name); err != nil {
		return err
	}
	managed := req.Type == types.Managed
	switch {
	case !managed && req.Type != types.External:
		return bad("table-type is %q; it must be %s or %s", req.Type, types.Managed, types.External)
	case !slices.Contains(types.Formats(), req.Format):
		return bad("data_source_format is %q; it must be one of %s", req.Format, strings.Join(types.Formats(), ", "))
	case managed && req.Format != types.FormatDelta:
		return bad("a managed table's data_source_format is %q; it must be %s", req.Format, types.FormatDelta)
	case req.LastCommitTimestamp != nil && *req.LastCommitTimestamp < 0:
		return bad("last-commit-timestamp-ms is %d; it must not be negative", *req.LastCommitTimestamp)
	}
	if err := within("columns", len(req.Columns.Fields), r.columns, "columns"); err != nil {
		return err
	}
	// An external table may have columns that the catalog is not told, or of types that
	// are not Delta's.
	validate := req.Columns.ValidateForeign
	if managed {
		validate = req.Columns.Validate
	}
	if managed || len(req.Columns.Fields) > 0 {
		if err := validate("columns"); err != nil {
			return err
		}
	}
	if err := req.Protocol.Validate("protocol"); err != nil {
		return err
	}
	if err := r.checkProperties("properties", req.Properties); err != nil {
		return err
	}
	if req.Comment != nil {
		if err := checkText("comment", *req.Comment); err != nil {
			return err
		}
	}
	return checkDomains(req.Domains, "domain-metadata")
}

// newTable checks a request as far as that needs no state, and makes the table of it. The
// table's ID is new; a managed table gets its staging table's.
func (c *Catalog) newTable(ctx context.Context, req types.CreateTable, k contract, now time.Time) (*table, error) {
	if req.Format == "" {
		req.Format = types.FormatDelta
	}
	if err := c.rules.checkCreate(req); err != nil {
		return nil, err
	}
	managed := req.Type == types.Managed
	partition, err := resolvePartition(req.Columns, req.PartitionColumns, "partition-columns")
	if err != nil {
		return nil, err
	}
	var location string
	if managed {
		location, err = parseLocation("location", req.Location)
	} else {
		location, err = c.externalLocation("location", req.Location)
	}
	if err != nil {
		return nil, err
	}

	t := &table{
		object: storage.Object{ID: newID(), Kind: types.KindTable, Name: req.Name, Location: location, Revision: 1, Created: now, Updated: now},
		record: record{
			Type: req.Type, Format: req.Format, Owner: Principal(ctx), CreatedBy: Principal(ctx), UpdatedBy: Principal(ctx), Created: now, PartitionColumns: partition,
			Properties: req.Properties, Clustering: req.Domains.Clustering, Uniform: req.Uniform,
			LastCommitTimestamp: req.LastCommitTimestamp, Foreign: req.Columns.Delta() != nil,
		},
	}
	if len(req.Columns.Fields) > 0 {
		t.columns, t.record.Columns = types.NewColumns(req.Columns), 1
	}
	t = t.clone() // the request stays the caller's
	if req.Comment != nil {
		t.record.Comment = *req.Comment
	}
	if req.LastCommitTimestamp != nil {
		t.record.LastCommitVersion = new(int64)
	}
	if p := req.Protocol; p.MinReaderVersion != 0 || p.MinWriterVersion != 0 || p.ReaderFeatures != nil || p.WriterFeatures != nil {
		t.record.Protocol = copyProtocol(&p)
	}
	for k := range t.record.Properties {
		if isSecret(k) || t.record.Protocol != nil && isDerived(k) {
			delete(t.record.Properties, k)
		}
	}
	if r := req.Domains.RowTracking; r != nil {
		t.memory.RowIDHighWaterMark = copyOf(&r.RowIDHighWaterMark)
	}
	if err := checkUniform(t, req.Uniform, nil, 0); err != nil {
		return nil, err
	}
	if managed {
		if err := checkColumnMapping(req.Columns, t.record.Properties[propertyMapping]); err != nil {
			return nil, err
		}
		// The ID that the table will have is known once its staging table is found;
		// everything else of the contract is checked before any lookup.
		probe := t.clone()
		probe.object.ID = types.ID(t.record.Properties[propertyTableID])
		if err := checkContract(k, nil, probe); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// createExternal adds t to schema.
func (c *Catalog) createExternal(ctx context.Context, tx storage.Tx, schema storage.Object, t *table, _ sighting) (*question, error) {
	if err := checkFree(ctx, tx, "location", t.object.Location); err != nil {
		return nil, err
	}
	var err error
	if t.record.VouchedBy, err = c.checkCovered(ctx, tx, t.object.Location); err != nil {
		return nil, err
	}
	t.object.Parent = schema.ID
	if t.object.Body, err = t.body(); err != nil {
		return nil, err
	}
	if err := tx.Insert(ctx, t.object); err != nil {
		return nil, err
	}
	return nil, t.writeRest(ctx, tx)
}

// createManaged makes the staging table at t's location the table t, or asks whether its
// version 0 is there.
func (c *Catalog) createManaged(ctx context.Context, tx storage.Tx, schema storage.Object, t *table, k contract, seen sighting) (*question, error) {
	location := t.object.Location
	found, err := tx.Overlap(ctx, location, []types.Kind{types.KindStagingTable, types.KindTable}, 0)
	if err != nil {
		return nil, err
	}
	var old *storage.Object
	for i := range found {
		if found[i].Location == location {
			old = &found[i]
		}
	}
	switch {
	case old == nil:
		return nil, types.NoSuchTable.Errorf("there is no staging table at location %q", location).About(types.KindStagingTable)
	case old.Kind == types.KindTable:
		return nil, types.FailedPrecondition.Errorf("location %q is that of another table: what was staged there is created already", location)
	}
	s, err := decodeStaging(*old)
	if err != nil {
		return nil, err
	}
	if s.Owner != Principal(ctx) {
		return nil, types.PermissionDenied.Errorf("the staging table at location %q is another principal's", location).About(types.KindStagingTable)
	}
	if old.Parent != schema.ID {
		return nil, types.InvalidParameterValue.Errorf("location %q was staged in another schema", location)
	}
	t.object.ID, t.object.Parent, t.object.Created, t.object.Revision = old.ID, old.Parent, old.Created, old.Revision+1
	if err := checkContract(k, nil, t); err != nil {
		return nil, err
	}
	if c.files != nil {
		switch written, ok := seen.published[0]; {
		case !ok:
			return &question{location: location, published: []int64{0}}, nil
		case !written:
			return nil, types.InvalidParameterValue.Errorf("version 0 of the table is not written: there is no _delta_log/%s at location %q", publishedName(0), location)
		}
	}
	if t.object.Body, err = t.body(); err != nil {
		return nil, err
	}
	if err := tx.Replace(ctx, *old, t.object); err != nil {
		return nil, err
	}
	return nil, t.writeRest(ctx, tx)
}

// writeRest writes the columns of a new table, and its log if there is something to remember
// already.
func (t *table) writeRest(ctx context.Context, tx storage.Tx) error {
	if err := t.writeColumns(ctx, tx, nil, newID()); err != nil {
		return err
	}
	if t.memory.RowIDHighWaterMark == nil {
		return nil
	}
	state := t.memory.encode()
	return tx.WriteLog(ctx, t.object.ID, storage.Log{}, storage.LogDelta{Revision: 1, State: state})
}
