package history_test

import (
	"context"
	"maps"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/leveelake/catalog/types"
)

func (m *machine) stage(t *rapid.T) {
	ctx, who := m.ctx(t)
	name := drawTableName(t)
	s, table, want := m.find(name)
	switch {
	case !validName(name.Table):
		want = types.InvalidParameterValue
	case table != nil:
		want = types.AlreadyExists
	case s != nil:
		want = ""
	}
	got, err := m.c.CreateStagingTable(ctx, name.SchemaName(), types.CreateStagingTable{Name: name.Table})
	if !m.code(t, "stage "+name.String(), err, want) {
		return
	}
	m.newID(t, got.ID)
	location := s.folder() + "/tables/" + string(got.ID)
	fixed := map[string]*string{"io.unitycatalog.tableId": new(string(got.ID))}
	for k, v := range fixedProperties {
		fixed[k] = &v
	}
	m.same(t, "staged location", got.Location, location)
	m.same(t, "required properties", got.RequiredProperties, fixed)
	m.staged[got.ID] = &stagedModel{got.ID, location, who, s, m.now}
	m.places = append(m.places, got)
}

// createManaged creates a table where something was staged once, if anything was.
func (m *machine) createManaged(t *rapid.T) {
	if len(m.places) == 0 {
		m.stage(t)
		return
	}
	ctx, who := m.ctx(t)
	name := drawTableName(t)
	from := m.places[len(m.places)-1-rapid.IntRange(0, len(m.places)-1).Draw(t, "place")]
	if p := m.staged[from.ID]; p != nil && !rare(t, "schema") {
		name = p.schema.Name.Table(name.Table)
	}
	req := types.CreateTable{
		Name: name.Table, Location: from.Location, Type: types.Managed, Protocol: from.RequiredProtocol,
		Properties: map[string]string{},
	}
	for k, v := range from.RequiredProperties {
		req.Properties[k] = *v
	}
	m.drawCreate(t, &req, from.Location)
	place := place{from.Location + rapid.SampledFrom([]string{"", "/"}).Draw(t, "slash"), from.Location}
	if rare(t, "elsewhere") {
		place = rapid.SampledFrom(externalPlaces).Draw(t, "location")
	}
	req.Location = place.raw
	n := m.newTable(req, who)
	n.Location = place.normal

	s, table, want := m.find(name)
	staged := m.stagedAt(place.normal)
	switch {
	case place.normal == "" && !place.onlyRoot(), !m.validCreate(req, n), !n.contract(), !n.mapped():
		want = types.InvalidParameterValue
	case s == nil:
	case table != nil:
		want = types.AlreadyExists
	case staged == nil && m.at(place.normal) != nil:
		want = types.FailedPrecondition
	case staged == nil:
		want = types.NoSuchTable
	case staged.owner != who:
		want = types.PermissionDenied
	case staged.schema != s, req.Properties["io.unitycatalog.tableId"] != string(staged.id):
		want = types.InvalidParameterValue
	default:
		want = ""
	}
	got, err := m.c.CreateTable(ctx, name.SchemaName(), req)
	if !m.code(t, nameOf(req), err, want) {
		return
	}
	delete(m.staged, staged.id)
	n.ID, n.schema, n.Name = staged.id, s, name
	s.tables[name.Table] = n
	m.sees(t, nameOf(req), got, n)
}

// expire gives up what was staged long ago.
func (m *machine) expire(t *rapid.T) {
	age := rapid.SampledFrom([]time.Duration{0, time.Second, 24 * time.Hour, 24 * time.Hour}).Draw(t, "age")
	want := 0
	for id, s := range m.staged {
		if !s.created.After(m.now.Add(-age)) {
			delete(m.staged, id)
			want++
		}
	}
	if got, err := m.c.ExpireStaging(context.Background(), age); got != want || err != nil {
		t.Fatalf("%d staging tables expired, %v; want %d", got, err, want)
	}
}

func (m *machine) stagedAt(location string) *stagedModel {
	for _, s := range m.staged {
		if s.location == location {
			return s
		}
	}
	return nil
}

// externalPlaces are where external tables may go, or not.
var externalPlaces = []place{
	{"s3://b/x", "s3://b/x"}, {"s3://b/x/", "s3://b/x"}, {"s3://b//x/./y", "s3://b/x/y"}, {"s3://b/xy", "s3://b/xy"},
	{"file:/ext/a", "file:///ext/a"}, {"/ext/a/b", "file:///ext/a/b"}, {"gs://g/t", "gs://g/t"}, {"gs://g/u", "gs://g/u"}, {"s3://r1/q", "s3://r1/q"},
	{"s3://r2/sub", "s3://r2/sub"}, {"s3://r2/sub/x", "s3://r2/sub/x"},
	{"abfs://c@ACC.host/d", "abfss://c@acc.host/d"},
	{"s3a://b/x", ""}, {"s3://b", ""}, {"", ""}, {"rel/x", ""}, {"file:///managed/q", ""}, {"s3://b/__unitystorage/tables/x", ""}, {"s3://b/%2e%2e/x", ""},
}

// onlyRoot tells of places that are well-formed, and refused for an external table alone.
func (p place) onlyRoot() bool {
	return p.raw == "s3://b" || p.raw == "file:///managed/q" || p.raw == "s3://b/__unitystorage/tables/x"
}

func (m *machine) createExternal(t *rapid.T) {
	ctx, who := m.ctx(t)
	name := drawTableName(t)
	place := rapid.SampledFrom(externalPlaces).Draw(t, "location")
	req := types.CreateTable{
		Name: name.Table, Location: place.raw, Type: types.External,
		Format:   rapid.SampledFrom([]string{"", "", types.FormatDelta, "PARQUET", "PARQUET", "NONE"}).Draw(t, "format"),
		Protocol: types.Protocol{MinReaderVersion: 1, MinWriterVersion: 2}, Properties: map[string]string{"p": "1"},
	}
	m.drawCreate(t, &req, place.normal)
	if rare(t, "bare") {
		req.Protocol, req.Properties, req.Columns, req.PartitionColumns = types.Protocol{}, nil, types.StructType{}, nil
		req.Domains, req.Uniform = types.DomainMetadata{}, nil
	}
	n := m.newTable(req, who)
	n.Location = place.normal

	s, table, want := m.find(name)
	switch {
	case place.normal == "", req.Format == "NONE", !m.validCreate(req, n):
		want = types.InvalidParameterValue
	case s == nil:
	case table != nil:
		want = types.AlreadyExists
	case m.taken(place.normal):
		want = types.InvalidParameterValue
	default:
		want = ""
	}
	got, err := m.c.CreateTable(ctx, name.SchemaName(), req)
	if !m.code(t, nameOf(req), err, want) {
		return
	}
	m.newID(t, got.ID)
	n.ID, n.schema, n.Name = got.ID, s, name
	s.tables[name.Table] = n
	m.sees(t, nameOf(req), got, n)
}

// drawCreate adds to a valid request what may or may not go well with it.
func (m *machine) drawCreate(t *rapid.T, req *types.CreateTable, location string) {
	req.Columns = rapid.SampledFrom(someColumns).Draw(t, "columns")
	if rare(t, "odd columns") {
		req.Columns = rapid.SampledFrom(oddColumns).Draw(t, "columns")
	}
	if rare(t, "partitioned") {
		req.PartitionColumns = rapid.SampledFrom(somePartitions).Draw(t, "partition")
	}
	if !rare(t, "no time") || req.Type == types.Managed {
		req.LastCommitTimestamp = new(rapid.SampledFrom([]int64{0, 1, 1000}).Draw(t, "timestamp"))
	}
	if rare(t, "odd time") {
		req.LastCommitTimestamp = rapid.SampledFrom([]*int64{nil, new(int64(-1))}).Draw(t, "timestamp")
	}
	if rare(t, "protocol") {
		req.Protocol = drawProtocol(t)
	}
	switch rapid.IntRange(0, 11).Draw(t, "sort") {
	case 0, 1:
		req.Properties["delta.universalFormat.enabledFormats"] = "iceberg"
	case 2:
		req.Properties["delta.columnMapping.mode"] = rapid.SampledFrom([]string{"name", "id"}).Draw(t, "mode")
		req.Columns = rapid.SampledFrom(mappedColumns).Draw(t, "columns")
	}
	for range rapid.IntRange(-2, 2).Draw(t, "edits") {
		edit := rapid.SampledFrom(someSets).Draw(t, "set")
		maps.Copy(req.Properties, edit)
	}
	if rare(t, "remove") {
		for _, k := range rapid.SampledFrom(someRemovals).Draw(t, "removal") {
			delete(req.Properties, k)
		}
	}
	if rare(t, "comment") {
		req.Comment = new(rapid.SampledFrom([]string{"", "c", "\xff"}).Draw(t, "comment"))
	}
	if rare(t, "domains") {
		req.Domains = drawDomains(t)
	}
	if (&tableModel{properties: req.Properties}).iceberg() != rare(t, "uniform") {
		req.Uniform = drawUniform(t, location, 0, nil)
	}
}

// validCreate is what can be said of a request without knowing what there is.
func (m *machine) validCreate(req types.CreateTable, n *tableModel) bool {
	managed := req.Type == types.Managed
	_, empty := req.Properties[""]
	ts := req.LastCommitTimestamp
	_, found := partition(req.Columns, req.PartitionColumns)
	return validName(req.Name) && (validColumns(req.Columns) || !managed && len(req.Columns.Fields) == 0) &&
		validProtocol(req.Protocol) && !empty && found && validClustering(req.Domains.Clustering) &&
		(ts == nil && !managed || ts != nil && *ts >= 0) && (req.Comment == nil || *req.Comment != "\xff") &&
		n.uniform(req.Uniform, nil, 0) == ""
}

// newTable is the table that a request makes, if it is valid.
func (m *machine) newTable(req types.CreateTable, who string) *tableModel {
	n := &tableModel{
		Table: types.Table{
			Type: req.Type, Format: req.Format, Owner: who, Created: m.now, CreatedBy: who, Updated: m.now, UpdatedBy: who,
			LastCommitTimestamp: req.LastCommitTimestamp, Uniform: req.Uniform, Location: req.Location,
		},
		columns: req.Columns, properties: maps.Clone(req.Properties), clustering: req.Domains.Clustering,
		commits: map[int64]types.Commit{}, day: map[int64]int64{},
	}
	if n.Format == "" {
		n.Format = types.FormatDelta
	}
	if p := req.Protocol; p.MinReaderVersion+p.MinWriterVersion > 0 || slices.Concat(p.ReaderFeatures, p.WriterFeatures) != nil {
		n.protocol = &p
	}
	maps.DeleteFunc(n.properties, func(k, _ string) bool { return derivedKey(k) && n.protocol != nil || secretKey(k) })
	n.PartitionColumns, _ = partition(req.Columns, req.PartitionColumns)
	if req.Comment != nil {
		n.Comment = *req.Comment
	}
	if r := req.Domains.RowTracking; r != nil {
		n.highWater = &r.RowIDHighWaterMark
	}
	if n.LastCommitTimestamp != nil {
		n.LastCommitVersion = new(int64)
	}
	return n
}
