package catalog

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

const testID = types.ID("11111111-2222-3333-4444-555555555555")

var (
	testStart = time.Unix(1e9, 0).UTC()
	testNow   = testStart.Add(time.Hour)
	testRules = rules{nameLength: 255, columns: 1000, properties: 1000, unbackfilled: limit, remember: 1000, rememberFor: 30 * day}
)

func field(name string, t types.DataType) types.StructField {
	return types.StructField{Name: name, Type: t, Nullable: true, Metadata: types.Metadata{}}
}

// managedTable is a valid managed table with columns id and amount, partitioned by id.
func managedTable() *table {
	answer := stagingAnswer(testID, "s3://b/t")
	p := answer.RequiredProtocol
	properties := map[string]string{}
	for k, v := range answer.RequiredProperties {
		properties[k] = *v
	}
	return &table{
		object: storage.Object{ID: testID, Kind: types.KindTable, Name: "t", Location: "s3://b/t", Revision: 1, Created: testStart, Updated: testStart},
		record: record{
			Type: types.Managed, Format: types.FormatDelta, Created: testStart, Protocol: &p, Properties: properties,
			PartitionColumns: []string{"id"}, LastCommitVersion: new(int64), LastCommitTimestamp: new(int64),
		},
		columns: types.NewColumns(types.StructType{Fields: []types.StructField{field("id", types.Long), field("amount", types.Double)}}),
	}
}

func externalTable() *table {
	t := managedTable()
	t.record.Type = types.External
	return t
}

// withFeature adds a writer feature.
func (t *table) withFeature(names ...string) *table {
	p := t.record.protocol()
	p.WriterFeatures = append(slices.Clone(p.WriterFeatures), names...)
	t.record.Protocol = &p
	return t
}

func requestOf(u types.Update) types.UpdateTable {
	return types.UpdateTable{Require: types.Requirement{TableUUID: testID}, Update: u}
}

func ptr[T any](v T) *T { return &v }

func withCommit(u types.Update, version int64) types.Update {
	u.AddCommit = &types.AddCommit{Commit: commitOf(version, fileOf(version))}
	return u
}

// TestUpdateRefused: each of these breaks one rule and changes nothing.
func TestUpdateRefused(t *testing.T) {
	mapped := func(id, name string) types.StructType {
		m := types.Metadata{}
		if id != "" {
			m["delta.columnMapping.id"] = json.RawMessage(id)
		}
		if name != "" {
			m["delta.columnMapping.physicalName"] = json.RawMessage(name)
		}
		return types.StructType{Fields: []types.StructField{
			{Name: "id", Type: types.Long, Metadata: types.Metadata{"delta.columnMapping.id": json.RawMessage("1"), "delta.columnMapping.physicalName": json.RawMessage(`"c1"`)}},
			{Name: "s", Type: &types.StructType{Fields: []types.StructField{{Name: "x", Type: types.Long, Metadata: m}}},
				Metadata: types.Metadata{"delta.columnMapping.id": json.RawMessage("2"), "delta.columnMapping.physicalName": json.RawMessage(`"c2"`)}},
		}}
	}
	byName := func() *table {
		t := managedTable()
		t.record.Properties[propertyMapping] = "name"
		return t
	}
	uniform := func() *table {
		t := managedTable()
		t.record.Properties[propertyUniform] = "hudi, iceberg"
		return t
	}
	ice := func(version int64, location string) *types.Uniform {
		return &types.Uniform{Iceberg: &types.Iceberg{MetadataLocation: location, ConvertedDeltaVersion: version, ConvertedDeltaTimestamp: 1}}
	}
	converted := func(u *types.Uniform) types.UpdateTable {
		r := requestOf(withCommit(types.Update{}, 1))
		r.Update.AddCommit.Uniform = u
		return r
	}
	p := managedTable().record.protocol()
	without := func(list []string, name string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s == name })
	}
	for _, test := range []struct {
		name  string
		table *table
		req   types.UpdateTable
		want  types.Code
		says  string
	}{
		{"uuid", managedTable(), types.UpdateTable{Require: types.Requirement{TableUUID: "x"}, Update: types.Update{SetComment: ptr("")}}, types.UpdateRequirementConflict, "uuid"},
		{"etag", managedTable(), types.UpdateTable{Require: types.Requirement{TableUUID: testID, ETag: ptr("x")}, Update: types.Update{SetComment: ptr("")}}, types.UpdateRequirementConflict, "etag"},
		{"snapshot version of a managed table", managedTable(), requestOf(types.Update{SetSnapshotVersion: &types.SnapshotVersion{}}), types.InvalidParameterValue, "external"},
		{"commit of an external table", externalTable(), requestOf(withCommit(types.Update{}, 1)), types.InvalidParameterValue, "managed"},
		{"backfill of an external table", externalTable(), requestOf(types.Update{SetBackfilledVersion: ptr(int64(1))}), types.InvalidParameterValue, "managed"},
		{"required property", managedTable(), requestOf(types.Update{SetProperties: map[string]string{"delta.enableDeletionVectors": "false"}}), types.InvalidParameterValue, "delta.enableDeletionVectors"},
		{"required property removed", managedTable(), requestOf(types.Update{RemoveProperties: []string{"delta.checkpointPolicy"}}), types.InvalidParameterValue, "delta.checkpointPolicy"},
		{"table ID", managedTable(), requestOf(types.Update{SetProperties: map[string]string{propertyTableID: "x"}}), types.InvalidParameterValue, propertyTableID},
		{"table ID removed", managedTable(), requestOf(types.Update{RemoveProperties: []string{propertyTableID}}), types.InvalidParameterValue, propertyTableID},
		{"derived property", externalTable(), requestOf(types.Update{SetProperties: map[string]string{derivedLastVersion: "7"}}), types.InvalidParameterValue, derivedLastVersion},
		{"feature", managedTable(), requestOf(types.Update{SetProperties: map[string]string{"delta.feature.x": "supported"}}), types.InvalidParameterValue, "delta.feature.x"},
		{"derived property removed", managedTable(), requestOf(types.Update{RemoveProperties: []string{derivedClustering}}), types.InvalidParameterValue, derivedClustering},
		{"partition column lost", managedTable(), requestOf(types.Update{SetColumns: &types.StructType{Fields: []types.StructField{field("amount", types.Double)}}}), types.InvalidParameterValue, `"id"`},
		{"partition column unknown", managedTable(), requestOf(types.Update{SetPartitionColumns: []string{"zz"}}), types.InvalidParameterValue, `"zz"`},
		{"partition column twice", managedTable(), requestOf(types.Update{SetPartitionColumns: []string{"id", "ID"}}), types.InvalidParameterValue, "twice"},
		{"reader version", managedTable(), requestOf(types.Update{SetProtocol: &types.Protocol{MinReaderVersion: 2, MinWriterVersion: 7, ReaderFeatures: p.ReaderFeatures, WriterFeatures: p.WriterFeatures}}), types.InvalidParameterValue, "min-reader-version"},
		{"writer version", managedTable(), requestOf(types.Update{SetProtocol: &types.Protocol{MinReaderVersion: 3, MinWriterVersion: 6, ReaderFeatures: p.ReaderFeatures, WriterFeatures: p.WriterFeatures}}), types.InvalidParameterValue, "min-writer-version"},
		{"reader feature", managedTable(), requestOf(types.Update{SetProtocol: &types.Protocol{MinReaderVersion: 3, MinWriterVersion: 7, ReaderFeatures: without(p.ReaderFeatures, "v2Checkpoint"), WriterFeatures: p.WriterFeatures}}), types.InvalidParameterValue, "reader-features must contain v2Checkpoint"},
		{"writer feature", managedTable(), requestOf(types.Update{SetProtocol: &types.Protocol{MinReaderVersion: 3, MinWriterVersion: 7, ReaderFeatures: p.ReaderFeatures, WriterFeatures: without(p.WriterFeatures, "inCommitTimestamp")}}), types.InvalidParameterValue, "writer-features must contain inCommitTimestamp"},
		{"reader feature that is no writer feature", managedTable(), requestOf(types.Update{SetProtocol: &types.Protocol{MinReaderVersion: 3, MinWriterVersion: 7, ReaderFeatures: append([]string{"columnMapping"}, p.ReaderFeatures...), WriterFeatures: p.WriterFeatures}}), types.InvalidParameterValue, "columnMapping"},
		{"clustering without its feature", managedTable(), requestOf(types.Update{SetDomains: &types.DomainMetadata{Clustering: &types.Clustering{}}}), types.InvalidParameterValue, featureClustering},
		{"row tracking without its feature", managedTable(), requestOf(types.Update{SetDomains: &types.DomainMetadata{RowTracking: &types.RowTracking{}}}), types.InvalidParameterValue, featureRowTracking},
		{"column mapping: no id", byName(), requestOf(types.Update{SetColumns: ptr(mapped("", `"c3"`))}), types.InvalidParameterValue, "columns.fields[1].type.fields[0]"},
		{"column mapping: id is text", byName(), requestOf(types.Update{SetColumns: ptr(mapped(`"3"`, `"c3"`))}), types.InvalidParameterValue, "columns.fields[1].type.fields[0]"},
		{"column mapping: no physical name", byName(), requestOf(types.Update{SetColumns: ptr(mapped("3", ""))}), types.InvalidParameterValue, "physicalName"},
		{"column mapping: id twice", byName(), requestOf(types.Update{SetColumns: ptr(mapped("1", `"c3"`))}), types.InvalidParameterValue, "columns.fields[1].type.fields[0]"},
		{"uniform missing", uniform(), converted(nil), types.InvalidParameterValue, "uniform is missing"},
		{"uniform without the property", managedTable(), converted(ice(1, "s3://b/t/m/1.json")), types.InvalidParameterValue, propertyUniform},
		{"uniform enabled without its state", managedTable(), requestOf(withCommit(types.Update{SetProperties: map[string]string{propertyUniform: "iceberg"}}, 1)), types.InvalidParameterValue, "uniform is missing"},
		{"uniform of another version", uniform(), converted(ice(2, "s3://b/t/m/1.json")), types.InvalidParameterValue, "converted-delta-version"},
		{"uniform beside the table", uniform(), converted(ice(1, "s3://b/t2/m/1.json")), types.InvalidParameterValue, "metadata-location"},
		{"uniform out of the table", uniform(), converted(ice(1, "s3://b/t/../u/1.json")), types.InvalidParameterValue, "metadata-location"},
		{"uniform at the table", uniform(), converted(ice(1, "s3://b/t")), types.InvalidParameterValue, "metadata-location"},
		{"uniform without a time", uniform(), converted(&types.Uniform{Iceberg: &types.Iceberg{MetadataLocation: "s3://b/t/1.json", ConvertedDeltaVersion: 1}}), types.InvalidParameterValue, "timestamp"},
		{"gap, with a good property", managedTable(), requestOf(withCommit(types.Update{SetProperties: map[string]string{"a": "b"}}, 2)), types.InvalidParameterValue, "gap"},
	} {
		t.Run(test.name, func(t *testing.T) {
			before, err := test.table.body()
			if err != nil {
				t.Fatal(err)
			}
			ch, err := apply(test.table, test.req, "tester", testNow, testRules, sighting{})
			if !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.says) {
				t.Fatalf("got %+v, %v", ch, err)
			}
			if after, _ := test.table.body(); string(after) != string(before) || test.table.object.Revision != 1 || test.table.log.Last != 0 {
				t.Errorf("the table changed from %s to %s", before, after)
			}
		})
	}
}

// TestOrderOfRefusals: what is wrong first is what is told.
func TestOrderOfRefusals(t *testing.T) {
	base := func() *table {
		t := managedTable()
		t.log = asked(logOf(3, 0), 3)
		return t
	}
	badETag := func(u types.Update) types.UpdateTable {
		r := requestOf(u)
		r.Require.ETag = ptr("old")
		return r
	}
	invalid := types.Update{RemoveProperties: []string{propertyTableID}}
	taken, replay := invalid, invalid
	taken.AddCommit = &types.AddCommit{Commit: commitOf(3, "other")}
	replay.AddCommit, replay.SetBackfilledVersion = &types.AddCommit{Commit: commitOf(3, "f3")}, ptr(int64(99))
	gap := withCommit(types.Update{}, 9)
	for _, test := range []struct {
		name string
		req  types.UpdateTable
		want types.Code
	}{
		{"uuid before replay", types.UpdateTable{Require: types.Requirement{TableUUID: "x"}, Update: replay}, types.UpdateRequirementConflict},
		{"replay before all", badETag(replay), ""},
		{"taken before etag", badETag(taken), types.CommitVersionConflict},
		{"etag before metadata", badETag(invalid), types.UpdateRequirementConflict},
		{"etag before gap", badETag(gap), types.UpdateRequirementConflict},
	} {
		t.Run(test.name, func(t *testing.T) {
			old := base()
			ch, err := apply(old, test.req, "tester", testNow, testRules, sighting{})
			if types.CodeOf(err) != test.want {
				t.Fatalf("got %v, want %v", err, test.want)
			}
			if test.want == "" && (ch.table != old || ch.object || ch.log != nil) {
				t.Errorf("a replay changed %+v", ch)
			}
		})
	}
	old := base()
	old.log.Asked = nil
	if _, err := apply(old, requestOf(withCommit(types.Update{}, 3)), "tester", testNow, testRules, sighting{}); !errors.Is(err, types.CommitStateUnknown) {
		t.Errorf("forgotten version: %v", err)
	}
}

// TestWhatMoves: which updates move the ETag, the version of the last metadata change, the log.
func TestWhatMoves(t *testing.T) {
	mark := &types.DomainMetadata{RowTracking: &types.RowTracking{RowIDHighWaterMark: 7}}
	both := &types.DomainMetadata{RowTracking: mark.RowTracking, Clustering: &types.Clustering{}}
	set := map[string]string{"a": "b"}
	for _, test := range []struct {
		name               string
		update             types.Update
		etag, version, log bool
	}{
		{"properties", types.Update{SetProperties: set}, true, false, false},
		{"properties with a commit", withCommit(types.Update{SetProperties: set}, 1), true, true, true},
		{"data-only commit", withCommit(types.Update{}, 1), false, false, true},
		{"high-water mark", types.Update{SetDomains: mark}, false, false, true},
		{"high-water mark with a commit", withCommit(types.Update{SetDomains: mark}, 1), false, false, true},
		{"clustering and high-water mark", types.Update{SetDomains: both}, true, false, true},
		{"row tracking removed", types.Update{RemoveDomains: []string{types.DomainRowTracking}}, true, false, true},
		{"comment with a commit", withCommit(types.Update{SetComment: ptr("c")}, 1), true, true, true},
		{"columns", types.Update{SetColumns: &types.StructType{Fields: []types.StructField{field("ID", types.Long)}}}, true, false, false},
		{"no properties", types.Update{SetProperties: map[string]string{}}, true, false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			old := managedTable().withFeature(featureClustering, featureRowTracking)
			ch, err := apply(old, requestOf(test.update), "tester", testNow, testRules, sighting{})
			if err != nil {
				t.Fatal(err)
			}
			n := ch.table
			if got := etag(n.object) != etag(old.object); got != test.etag || got != ch.object {
				t.Errorf("etag moved: %v; object changed: %v", got, ch.object)
			}
			if got := n.object.Updated.After(old.object.Updated); got != test.etag {
				t.Errorf("updated moved: %v", got)
			}
			if got := *n.record.LastCommitVersion != 0; got != test.version {
				t.Errorf("last commit version moved: %v", got)
			}
			if got := ch.log != nil; got != test.log {
				t.Errorf("log changed: %v", got)
			}
		})
	}
}

func TestUpdatedAlwaysMoves(t *testing.T) {
	old := managedTable()
	ch, err := apply(old, requestOf(types.Update{SetComment: ptr("x")}), "tester", testStart.Add(-time.Hour), testRules, sighting{})
	if err != nil {
		t.Fatal(err)
	}
	if want := testStart.Add(time.Millisecond); !ch.table.object.Updated.Equal(want) {
		t.Errorf("updated %v, want %v", ch.table.object.Updated, want)
	}
}

func TestApplyOrderIsFixed(t *testing.T) {
	old := managedTable().withFeature(featureRowTracking)
	old.memory.RowIDHighWaterMark = ptr(int64(5))
	p := managedTable().withFeature(featureClustering).record.protocol()
	ch, err := apply(old, requestOf(types.Update{
		SetProtocol:   &p,
		SetDomains:    &types.DomainMetadata{Clustering: &types.Clustering{ClusteringColumns: [][]string{{"id"}, {"a<b", "c"}}}},
		RemoveDomains: []string{types.DomainRowTracking},
	}), "tester", testNow, testRules, sighting{})
	if err != nil {
		t.Fatal(err)
	}
	got := ch.table.properties()
	if got.Get(derivedClustering) != `[["id"],["a<b","c"]]` || got.Get("delta.feature.clustering") != "supported" {
		t.Errorf("properties %v", got.Map())
	}
	for _, k := range []string{"delta.feature.rowTracking", derivedHighWaterMark} {
		if v, ok := got.Lookup(k); ok {
			t.Errorf("%s is still %q", k, v)
		}
	}
}

// TestContractIsNotWidened: a table that never had all of the contract may be changed,
// but may not lose more.
func TestContractIsNotWidened(t *testing.T) {
	old := managedTable()
	delete(old.record.Properties, "delta.checkpointPolicy")
	if _, err := apply(old, requestOf(types.Update{SetComment: ptr("x")}), "tester", testNow, testRules, sighting{}); err != nil {
		t.Error(err)
	}
	if _, err := apply(old, requestOf(types.Update{RemoveProperties: []string{"delta.enableDeletionVectors"}}), "tester", testNow, testRules, sighting{}); !errors.Is(err, types.InvalidParameterValue) {
		t.Error(err)
	}
	err := checkContract(deltaContract, nil, &table{record: record{Type: types.Managed, Properties: map[string]string{}}})
	for _, part := range []string{"min-reader-version", "catalogManaged", "delta.checkpointPolicy"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("all violations are told at once: %v lacks %s", err, part)
		}
	}
}

func TestPartitionFollowsColumns(t *testing.T) {
	ch, err := apply(managedTable(), requestOf(types.Update{SetColumns: &types.StructType{Fields: []types.StructField{field("ID", types.Long)}}}), "tester", testNow, testRules, sighting{})
	if err != nil {
		t.Fatal(err)
	}
	if got := ch.table.record.PartitionColumns; !cmp.Equal(got, []string{"ID"}) {
		t.Errorf("partition columns %v", got)
	}
	ch, err = apply(managedTable(), requestOf(types.Update{
		SetColumns:          &types.StructType{Fields: []types.StructField{field("x", types.Long)}},
		SetPartitionColumns: []string{},
	}), "tester", testNow, testRules, sighting{})
	if err != nil || len(ch.table.record.PartitionColumns) != 0 {
		t.Errorf("%v, %v", ch.table, err)
	}
}

func TestUniform(t *testing.T) {
	old := managedTable()
	old.record.Properties[propertyUniform] = "iceberg"
	at := func(version int64, base *int64) types.UpdateTable {
		r := requestOf(withCommit(types.Update{}, version))
		r.Update.AddCommit.Uniform = &types.Uniform{Iceberg: &types.Iceberg{
			MetadataLocation: "s3://b/t/a/../m.json", ConvertedDeltaVersion: version, ConvertedDeltaTimestamp: 1, BaseConvertedDeltaVersion: base,
		}}
		return r
	}
	ch, err := apply(old, at(1, nil), "tester", testNow, testRules, sighting{})
	if err != nil || ch.table.record.Uniform == nil || !ch.object || *ch.table.record.LastCommitVersion != 0 {
		t.Fatalf("%+v, %v", ch, err)
	}
	stored := ch.table
	if _, err := apply(stored, at(2, ptr(int64(7))), "tester", testNow, testRules, sighting{}); !errors.Is(err, types.UpdateRequirementConflict) {
		t.Errorf("other base: %v", err)
	}
	if _, err := apply(stored, at(2, ptr(int64(1))), "tester", testNow, testRules, sighting{}); err != nil {
		t.Errorf("right base: %v", err)
	}
	if ch, err := apply(stored, requestOf(types.Update{SetBackfilledVersion: ptr(int64(1))}), "tester", testNow, testRules, sighting{}); err != nil || ch.table.record.Uniform == nil {
		t.Errorf("backfill: %v", err)
	}
	ch, err = apply(stored, requestOf(types.Update{SetProperties: map[string]string{propertyUniform: "hudi"}}), "tester", testNow, testRules, sighting{})
	if err != nil || ch.table.record.Uniform != nil {
		t.Errorf("switched off: %+v, %v", ch.table, err)
	}
}

func TestSecretsAreNotStored(t *testing.T) {
	ch, err := apply(managedTable(), requestOf(types.Update{SetProperties: map[string]string{
		"fs.s3a.secret.key": "SECRET", "option.fs.gs.token": "SECRET", "fsx": "kept",
	}}), "tester", testNow, testRules, sighting{})
	if err != nil {
		t.Fatal(err)
	}
	body, _ := ch.table.body()
	if strings.Contains(string(body), "SECRET") || ch.table.record.Properties["fsx"] != "kept" {
		t.Error(string(body))
	}
}

func TestEqualDerivedPropertyIsNoError(t *testing.T) {
	old := managedTable()
	ch, err := apply(old, requestOf(types.Update{SetProperties: map[string]string{derivedMinReader: "3", propertyTableID: string(testID), "x": "y"}}), "tester", testNow, testRules, sighting{})
	if err != nil {
		t.Fatal(err)
	}
	want := maps.Clone(old.record.Properties)
	want["x"] = "y"
	if d := cmp.Diff(want, ch.table.record.Properties); d != "" {
		t.Error(d)
	}
}

func TestBodyRoundTrip(t *testing.T) {
	old := managedTable().withFeature("x")
	old.record.Comment, old.record.Clustering = "c\n<&>", &types.Clustering{ClusteringColumns: [][]string{}}
	body, err := old.body()
	if err != nil {
		t.Fatal(err)
	}
	n := storage.Node{Object: old.object, Log: &storage.Log{State: memory{RowIDHighWaterMark: ptr(int64(9007199254740993))}.encode()}}
	n.Body = body
	c := &Catalog{cache: newRevisionCache(0)}
	got, err := c.table(n)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(old.record, got.record); d != "" {
		t.Error(d)
	}
	if got.properties().Get(derivedHighWaterMark) != "9007199254740993" || got.properties().Get(derivedClustering) != "[]" {
		t.Error(got.properties().Map())
	}
	for _, bad := range []string{"", "x", "{", "[]"} {
		n.Body = []byte(bad)
		if _, err := c.table(n); err == nil {
			t.Errorf("stored body %q is accepted", bad)
		}
	}
}

// TestCheckUpdate: what no table could take is refused before any lookup.
func TestCheckUpdate(t *testing.T) {
	good := requestOf(types.Update{SetComment: ptr("")})
	if err := testRules.checkUpdate(good); err != nil {
		t.Error(err)
	}
	with := func(u types.Update) types.UpdateTable { return requestOf(u) }
	for name, test := range map[string]struct {
		req  types.UpdateTable
		says string
	}{
		"zero value":          {types.UpdateTable{}, "assert-table-uuid"},
		"no action":           {with(types.Update{}), "no action"},
		"empty etag":          {types.UpdateTable{Require: types.Requirement{TableUUID: testID, ETag: ptr("")}, Update: good.Update}, "etag"},
		"no columns":          {with(types.Update{SetColumns: &types.StructType{}}), "columns"},
		"nil type":            {with(types.Update{SetColumns: &types.StructType{Fields: []types.StructField{{Name: "a"}}}}), "columns.fields[0].type"},
		"negative protocol":   {with(types.Update{SetProtocol: &types.Protocol{MinReaderVersion: -1}}), "min-reader-version"},
		"blank feature":       {with(types.Update{SetProtocol: &types.Protocol{ReaderFeatures: []string{" "}}}), "reader-features[0]"},
		"empty key":           {with(types.Update{SetProperties: map[string]string{"": "x"}}), "key"},
		"key is no text":      {with(types.Update{SetProperties: map[string]string{"\xff": "x"}}), "UTF-8"},
		"value is no text":    {with(types.Update{SetProperties: map[string]string{"x": "\xff"}}), "UTF-8"},
		"comment is no text":  {with(types.Update{SetComment: ptr("\xff")}), "UTF-8"},
		"set and removed":     {with(types.Update{SetProperties: map[string]string{"x": ""}, RemoveProperties: []string{"x"}}), `"x"`},
		"no domain":           {with(types.Update{SetDomains: &types.DomainMetadata{}}), "set-domain-metadata"},
		"empty path":          {with(types.Update{SetDomains: &types.DomainMetadata{Clustering: &types.Clustering{ClusteringColumns: [][]string{{}}}}}), "clusteringColumns[0]"},
		"empty name":          {with(types.Update{SetDomains: &types.DomainMetadata{Clustering: &types.Clustering{ClusteringColumns: [][]string{{"a"}, {""}}}}}), "clusteringColumns[1]"},
		"domain set and gone": {with(types.Update{SetDomains: &types.DomainMetadata{RowTracking: &types.RowTracking{}}, RemoveDomains: []string{types.DomainRowTracking}}), "domain"},
		"unknown domain":      {with(types.Update{RemoveDomains: []string{"x"}}), `"x"`},
		"negative snapshot":   {with(types.Update{SetSnapshotVersion: &types.SnapshotVersion{LastCommitVersion: -1}}), "negative"},
		"bad commit":          {with(types.Update{AddCommit: &types.AddCommit{}}), "version"},
	} {
		if err := testRules.checkUpdate(test.req); !errors.Is(err, types.InvalidParameterValue) || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
