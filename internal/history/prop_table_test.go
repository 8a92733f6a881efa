package history_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/leveelake/catalog/types"
)

// A tableModel is a table. Of the embedded Table, what is derived is not kept up to date:
// see shown.
type tableModel struct {
	types.Table // ETag "": a new one that nobody has seen
	schema      *schemaModel
	columns     types.StructType
	protocol    *types.Protocol // nil: never told
	properties  map[string]string
	clustering  *types.Clustering
	highWater   *int64

	latest, backfilled int64
	commits            map[int64]types.Commit // all
	day                map[int64]int64        // on which a version was ratified
	forgotten          int64                  // versions up to here may be unknown
}

// clone is a copy that may be changed. Values behind pointers are only ever replaced.
func (t *tableModel) clone() *tableModel {
	c := *t
	c.properties, c.commits, c.day = maps.Clone(t.properties), maps.Clone(t.commits), maps.Clone(t.day)
	return &c
}

// moved notes that the ETag is a new one. The time goes with it, up always.
func (t *tableModel) moved(by string, now time.Time) {
	t.ETag, t.UpdatedBy = "", by
	if earliest := t.Updated.Add(time.Millisecond); now.Before(earliest) {
		now = earliest
	}
	t.Updated = now
}

// shown is the table as clients see it; the ETag is left to the caller.
func (t *tableModel) shown() types.Table {
	out := t.Table
	out.Columns = types.NewColumns(t.columns)
	out.Properties = types.NewProperties(t.allProperties())
	out.Protocol = types.Protocol{}
	if t.protocol != nil {
		out.Protocol = *t.protocol
	}
	if t.Type == types.Managed {
		out.LatestVersion = &t.latest
		for v := t.latest; v > t.backfilled; v-- {
			out.Commits = append(out.Commits, t.commits[v])
		}
	}
	return out
}

// allProperties are the client's properties and the derived ones over them.
func (t *tableModel) allProperties() map[string]string {
	all := maps.Clone(t.properties)
	if all == nil {
		all = map[string]string{}
	}
	if p := t.protocol; p != nil {
		all["delta.minReaderVersion"] = fmt.Sprint(p.MinReaderVersion)
		all["delta.minWriterVersion"] = fmt.Sprint(p.MinWriterVersion)
		for _, f := range slices.Concat(p.ReaderFeatures, p.WriterFeatures) {
			all["delta.feature."+f] = "supported"
		}
	}
	if t.clustering != nil {
		paths := []string{}
		for _, path := range t.clustering.ClusteringColumns {
			paths = append(paths, `["`+strings.Join(path, `","`)+`"]`) // the generator has no quotes
		}
		all["clusteringColumns"] = "[" + strings.Join(paths, ",") + "]"
	}
	for key, v := range map[string]*int64{
		"delta.rowTracking.rowIdHighWaterMark": t.highWater,
		"delta.lastUpdateVersion":              t.LastCommitVersion,
		"delta.lastCommitTimestamp":            t.LastCommitTimestamp,
	} {
		if v != nil {
			all[key] = strconv.FormatInt(*v, 10)
		}
	}
	return all
}

// derivedKey tells of properties that the server owns.
func derivedKey(key string) bool {
	switch key {
	case "delta.minReaderVersion", "delta.minWriterVersion", "clusteringColumns",
		"delta.rowTracking.rowIdHighWaterMark", "delta.lastUpdateVersion", "delta.lastCommitTimestamp":
		return true
	}
	return strings.HasPrefix(key, "delta.feature.")
}

// secretKey tells of settings of Hadoop's file systems, which are never kept.
func secretKey(key string) bool {
	return strings.HasPrefix(key, "fs.") || strings.HasPrefix(key, "option.fs.")
}

var fixedProperties = map[string]string{
	"delta.checkpoint.writeStatsAsJson":   "true",
	"delta.checkpoint.writeStatsAsStruct": "true",
	"delta.checkpointPolicy":              "v2",
	"delta.enableDeletionVectors":         "true",
	"delta.enableInCommitTimestamps":      "true",
}

// contract reports whether a managed table keeps what one must; that of its ID aside.
func (t *tableModel) contract() bool {
	p := t.protocol
	if p == nil || p.MinReaderVersion < 3 || p.MinWriterVersion < 7 {
		return false
	}
	for _, f := range []string{"catalogManaged", "deletionVectors", "v2Checkpoint", "vacuumProtocolCheck"} {
		if !slices.Contains(p.ReaderFeatures, f) {
			return false
		}
	}
	if !slices.Contains(p.WriterFeatures, "inCommitTimestamp") {
		return false
	}
	for _, f := range p.ReaderFeatures {
		if !slices.Contains(p.WriterFeatures, f) {
			return false
		}
	}
	for k, v := range fixedProperties {
		if t.properties[k] != v {
			return false
		}
	}
	return (t.clustering == nil || slices.Contains(p.WriterFeatures, "clustering")) &&
		(t.highWater == nil || slices.Contains(p.WriterFeatures, "rowTracking"))
}

// mapped reports whether columns have what column mapping needs, if it is on.
func (t *tableModel) mapped() bool {
	if mode := t.properties["delta.columnMapping.mode"]; mode != "name" && mode != "id" {
		return true
	}
	ids := map[string]bool{}
	for _, f := range t.columns.Fields { // the generator nests none
		id, name := string(f.Metadata["delta.columnMapping.id"]), string(f.Metadata["delta.columnMapping.physicalName"])
		if id == "" || id == `"1"` || name == "" || ids[id] { // an ID is a number
			return false
		}
		ids[id] = true
	}
	return true
}

// iceberg reports whether the table is also kept as Iceberg.
func (t *tableModel) iceberg() bool {
	for _, f := range strings.Split(t.properties["delta.universalFormat.enabledFormats"], ",") {
		if strings.TrimSpace(f) == "iceberg" {
			return true
		}
	}
	return false
}

// uniform judges what came with a version about the conversion; stored is what was known.
func (t *tableModel) uniform(given, stored *types.Uniform, version int64) types.Code {
	if given == nil {
		if t.iceberg() && t.Type == types.Managed {
			return types.InvalidParameterValue
		}
		return ""
	}
	i := given.Iceberg
	switch {
	case !t.iceberg(), i == nil, !strings.HasPrefix(i.MetadataLocation, t.Location+"/"), i.ConvertedDeltaTimestamp <= 0:
		return types.InvalidParameterValue
	case version == 0 && (i.ConvertedDeltaVersion > 1 || i.ConvertedDeltaVersion < 0 || i.BaseConvertedDeltaVersion != nil):
		return types.InvalidParameterValue
	case version > 0 && i.ConvertedDeltaVersion != version:
		return types.InvalidParameterValue
	case version > 0 && i.BaseConvertedDeltaVersion != nil && stored != nil && stored.Iceberg.ConvertedDeltaVersion != *i.BaseConvertedDeltaVersion:
		return types.UpdateRequirementConflict
	}
	return ""
}

// partition finds each name among columns and returns it as spelled there; ok if each is
// there once.
func partition(columns types.StructType, names []string) (out []string, ok bool) {
	for _, n := range names {
		i := slices.IndexFunc(columns.Fields, func(f types.StructField) bool { return strings.EqualFold(f.Name, n) })
		if i < 0 || slices.Contains(out, columns.Fields[i].Name) {
			return nil, false
		}
		out = append(out, columns.Fields[i].Name)
	}
	return out, true
}

// validColumns is the rule of Delta for the names of columns.
func validColumns(s types.StructType) bool {
	names := map[string]bool{}
	for _, f := range s.Fields {
		if f.Name == "" || names[strings.ToLower(f.Name)] {
			return false
		}
		names[strings.ToLower(f.Name)] = true
	}
	return len(s.Fields) > 0
}

// validProtocol is what any protocol must be, managed or not.
func validProtocol(p types.Protocol) bool {
	return p.MinReaderVersion >= 0 && p.MinWriterVersion >= 0 &&
		!slices.Contains(slices.Concat(p.ReaderFeatures, p.WriterFeatures), "")
}

func validClustering(c *types.Clustering) bool {
	return c == nil || !slices.ContainsFunc(c.ClusteringColumns, func(path []string) bool {
		return len(path) == 0 || slices.Contains(path, "")
	})
}
