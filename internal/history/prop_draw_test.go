package history_test

import (
	"encoding/json"
	"maps"
	"slices"

	"pgregory.net/rapid"

	"github.com/leveelake/catalog/types"
)

// What requests are made of: mostly good, and of bad things one of each kind.

func column(name string, t types.Primitive, mapping ...string) types.StructField {
	f := types.StructField{Name: name, Type: t, Nullable: true, Metadata: types.Metadata{}}
	if len(mapping) == 2 {
		f.Metadata["delta.columnMapping.id"] = json.RawMessage(mapping[0])
		f.Metadata["delta.columnMapping.physicalName"] = json.RawMessage(mapping[1])
	}
	return f
}

// mapped are columns with what column mapping needs, if id is not 2 and nothing is missing.
func mapped(id, name string) types.StructType {
	c := columns(column("id", types.Long, id, name), column("day", types.Date, "2", `"b"`))
	maps.DeleteFunc(c.Fields[0].Metadata, func(_ string, v json.RawMessage) bool { return len(v) == 0 })
	return c
}

func columns(fields ...types.StructField) types.StructType { return types.StructType{Fields: fields} }

var (
	someColumns = []types.StructType{
		columns(column("id", types.Long), column("amount", types.Double)),
		columns(column("id", types.Long), column("day", types.Date), column("amount", types.Double)),
		columns(column("ID", types.Long), column("Day", types.Date)),
		columns(column("day", types.Date)),
		mapped("1", `"a"`),
	}
	mappedColumns = []types.StructType{mapped("1", `"a"`), mapped("1", `"a"`), mapped("2", `"a"`), mapped("", `"a"`), mapped("1", ""), mapped(`"1"`, `"a"`)}
	oddColumns    = []types.StructType{
		{},
		columns(column("a", types.Long), column("A", types.Long)),
		columns(column("", types.Long)),
		mapped("2", `"a"`),
	}
	somePartitions = [][]string{{}, {"id"}, {"day"}, {"ID"}, {"DAY", "id"}, {"id", "Id"}, {"none"}}

	someSets = []map[string]string{
		{"k": "v"}, {"k": "w", "l": ""}, {}, {"fs.s3a.secret.key": "s"}, {"option.fs.x": "s"},
		{"delta.enableDeletionVectors": "true"}, {"delta.enableDeletionVectors": "TRUE"}, {"delta.checkpointPolicy": "classic"},
		{"delta.columnMapping.mode": "name"}, {"delta.columnMapping.mode": "none"},
		{"delta.universalFormat.enabledFormats": "hudi, iceberg"}, {"delta.universalFormat.enabledFormats": "icebergs"},
		{"delta.minReaderVersion": "3"}, {"delta.minReaderVersion": "9"}, {"delta.feature.none": "supported"}, {"delta.feature.catalogManaged": "supported"},
		{"delta.lastUpdateVersion": "0"}, {"clusteringColumns": `[["id"]]`}, {"delta.rowTracking.rowIdHighWaterMark": "5"},
		{"io.unitycatalog.tableId": "00000000-0000-0000-0000-000000000000"}, {"": "v"},
	}
	someRemovals = [][]string{
		{"k"}, {"k", "k", "none"}, {}, {"delta.universalFormat.enabledFormats"}, {"delta.columnMapping.mode"},
		{"delta.checkpointPolicy"}, {"io.unitycatalog.tableId"}, {"delta.minReaderVersion"}, {"delta.feature.none"},
	}

	required = types.Protocol{
		MinReaderVersion: 3, MinWriterVersion: 7,
		ReaderFeatures: []string{"catalogManaged", "deletionVectors", "v2Checkpoint", "vacuumProtocolCheck"},
		WriterFeatures: []string{"catalogManaged", "deletionVectors", "inCommitTimestamp", "v2Checkpoint", "vacuumProtocolCheck"},
	}
)

// drawProtocol draws the required one with features more, or one that is not enough.
func drawProtocol(t *rapid.T) types.Protocol {
	p := required
	p.ReaderFeatures, p.WriterFeatures = slices.Clone(p.ReaderFeatures), slices.Clone(p.WriterFeatures)
	p.WriterFeatures = append(p.WriterFeatures, rapid.SampledFrom([][]string{
		nil, {"clustering"}, {"rowTracking"}, {"clustering", "rowTracking", "domainMetadata"}, {"catalogManaged"},
	}).Draw(t, "features")...)
	if !rare(t, "odd protocol") {
		return p
	}
	switch rapid.IntRange(0, 6).Draw(t, "odd") {
	case 0:
		p.MinReaderVersion = 1
	case 1:
		p.MinWriterVersion = 2
	case 2:
		p.ReaderFeatures = p.ReaderFeatures[1:]
	case 3:
		p.WriterFeatures = p.WriterFeatures[1:]
	case 4:
		p.ReaderFeatures = append(p.ReaderFeatures, "columnMapping")
	case 5:
		p.WriterFeatures = append(p.WriterFeatures, "")
	case 6:
		p.MinReaderVersion = -1
	}
	return p
}

func drawDomains(t *rapid.T) types.DomainMetadata {
	var d types.DomainMetadata
	if rapid.Bool().Draw(t, "clustering") {
		d.Clustering = &types.Clustering{ClusteringColumns: rapid.SampledFrom([][][]string{
			{{"id"}}, {{"a", "b<c"}, {"d"}}, {}, nil, {{}}, {{""}},
		}).Draw(t, "paths")}
	}
	if rapid.Bool().Draw(t, "row tracking") {
		d.RowTracking = &types.RowTracking{RowIDHighWaterMark: rapid.Int64Range(-1, 9).Draw(t, "mark")}
	}
	return d
}

// drawUniform draws a conversion up to version of a table at location.
func drawUniform(t *rapid.T, location string, version int64, stored *types.Uniform) *types.Uniform {
	i := &types.Iceberg{MetadataLocation: location + "/metadata/v.json", ConvertedDeltaVersion: version, ConvertedDeltaTimestamp: 5}
	if stored != nil && rapid.Bool().Draw(t, "base") {
		i.BaseConvertedDeltaVersion = new(stored.Iceberg.ConvertedDeltaVersion)
	}
	if rapid.IntRange(0, 3).Draw(t, "odd uniform") == 0 {
		switch rapid.IntRange(0, 5).Draw(t, "odd") {
		case 0:
			return &types.Uniform{}
		case 1:
			i.MetadataLocation = location + "2/metadata/v.json"
		case 2:
			i.ConvertedDeltaVersion++
		case 3:
			i.ConvertedDeltaTimestamp = 0
		case 4:
			i.BaseConvertedDeltaVersion = new(version - rapid.Int64Range(1, 3).Draw(t, "behind"))
		case 5:
			i.MetadataLocation = location
		}
	}
	return &types.Uniform{Iceberg: i}
}

// pick draws one of the tables there are.
func (m *machine) pick(t *rapid.T) *tableModel { return m.pickOf(t, m.tables()) }

func (m *machine) pickOf(t *rapid.T, all []*tableModel) *tableModel {
	if len(all) == 0 {
		t.Skip("no table")
	}
	return all[rapid.IntRange(0, len(all)-1).Draw(t, "which")]
}
