package catalog

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/go-multierror"

	"github.com/leveelake/catalog/types"
)

// This file holds what the catalog and its clients must agree on: the version of the
// API, and the contract of catalog-managed tables.

// apiMinor is the highest minor version served of each major version of the Delta API.
var apiMinor = map[int]int{1: 0}

// negotiate picks the highest API version that a client, which speaks every minor
// version up to the one it names of each major version, shares with us.
func negotiate(versions string) (string, error) {
	if strings.TrimSpace(versions) == "" {
		return "", types.InvalidParameterValue.Errorf("protocol-versions is missing; the catalog speaks %s", spoken())
	}
	client := map[int]int{}
	for item := range strings.SplitSeq(versions, ",") {
		major, minor, ok := parseVersion(strings.TrimSpace(item))
		if !ok {
			return "", types.InvalidParameterValue.Errorf("protocol-versions: %q is not of the form major.minor; the catalog speaks %s", item, spoken())
		}
		client[major] = max(client[major], minor)
	}
	best, bestMinor := -1, 0
	for major, minor := range client {
		if ours, ok := apiMinor[major]; ok && major > best {
			best, bestMinor = major, min(ours, minor)
		}
	}
	if best < 0 {
		return "", types.InvalidParameterValue.Errorf("protocol-versions: none of %q is spoken here; the catalog speaks %s", versions, spoken())
	}
	return strconv.Itoa(best) + "." + strconv.Itoa(bestMinor), nil
}

// ProtocolConfig tells which version of the Delta API the catalog and a client both
// speak. versions lists the client's, as "1.1,2.3": the highest minor version of each major
// one. The endpoints are for whoever serves them to fill in.
//
// Errors: InvalidParameterValue (versions malformed or none in common), NoSuchCatalog.
func (c *Catalog) ProtocolConfig(ctx context.Context, name, versions string) (types.Config, error) {
	if strings.TrimSpace(name) == "" {
		return types.Config{}, types.InvalidParameterValue.Errorf("catalog is missing")
	}
	version, err := negotiate(versions)
	if err != nil {
		return types.Config{}, err
	}
	if _, err := c.GetCatalog(ctx, name); err != nil {
		return types.Config{}, err
	}
	return types.Config{ProtocolVersion: version}, nil
}

func parseVersion(s string) (major, minor int, ok bool) {
	a, b, found := strings.Cut(s, ".")
	if !found {
		return 0, 0, false
	}
	x, err1 := strconv.ParseUint(a, 10, 31)
	y, err2 := strconv.ParseUint(b, 10, 31)
	return int(x), int(y), err1 == nil && err2 == nil
}

func spoken() string {
	var out []string
	for major, minor := range apiMinor {
		out = append(out, strconv.Itoa(major)+"."+strconv.Itoa(minor))
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// Table features and properties of the managed-table contract (Delta protocol, "Table
// Features", and the Unity Catalog specification of managed tables).
const (
	featureClustering  = "clustering"
	featureRowTracking = "rowTracking"

	propertyTableID = "io.unitycatalog.tableId"
	propertyUniform = "delta.universalFormat.enabledFormats"
	propertyMapping = "delta.columnMapping.mode"

	minReader = 3
	minWriter = 7
)

// A contract is what a managed table must have beside its protocol versions and its table ID.
type contract struct {
	reader, writer []string          // features
	properties     map[string]string // and their values
}

// deltaContract is that of the Delta API, and previewContract that of the older API.
var (
	deltaContract = contract{
		reader: []string{"catalogManaged", "deletionVectors", "v2Checkpoint", "vacuumProtocolCheck"},
		writer: []string{"catalogManaged", "deletionVectors", "inCommitTimestamp", "v2Checkpoint", "vacuumProtocolCheck"},
		properties: map[string]string{
			"delta.checkpoint.writeStatsAsJson":   "true",
			"delta.checkpoint.writeStatsAsStruct": "true",
			"delta.checkpointPolicy":              "v2",
			"delta.enableDeletionVectors":         "true",
			"delta.enableInCommitTimestamps":      "true",
		},
	}
	previewContract = contract{
		reader: []string{"catalogManaged", "vacuumProtocolCheck"},
		writer: []string{"catalogManaged", "inCommitTimestamp", "vacuumProtocolCheck"},
	}
)

// readerFeatures are the features that a reader must know as well as a writer (Delta
// protocol, "Valid Feature Names in Table Features"): the older API does not tell the two apart.
var readerFeatures = []string{
	"catalogManaged", "columnMapping", "deletionVectors", "timestampNtz", "typeWidening", "typeWidening-preview",
	"v2Checkpoint", "vacuumProtocolCheck", "variantType", "variantType-preview", "variantShredding-preview",
}

// protocolOf reads a protocol from properties.
func protocolOf(properties map[string]string) (types.Protocol, error) {
	var p types.Protocol
	for _, f := range []struct {
		key     string
		version *int
	}{{derivedMinReader, &p.MinReaderVersion}, {derivedMinWriter, &p.MinWriterVersion}} {
		v, err := intProperty(properties, f.key)
		switch {
		case err != nil:
			return p, err
		case v == nil || *v < 0 || *v > math.MaxInt32:
			return p, types.InvalidParameterValue.Errorf("properties[%s] is %q; it must be a version of the Delta protocol", f.key, properties[f.key])
		}
		*f.version = int(*v)
	}
	for _, key := range sortedKeys(properties) {
		if f, ok := strings.CutPrefix(key, derivedFeature); ok {
			p.WriterFeatures = append(p.WriterFeatures, f)
			if slices.Contains(readerFeatures, f) {
				p.ReaderFeatures = append(p.ReaderFeatures, f)
			}
		}
	}
	return p, nil
}

// suggestedFeatures and suggestedProperties make a managed table better, where the
// client can; the value of a nil property is the client's to choose.
var (
	suggestedReader     = []string{"columnMapping"}
	suggestedWriter     = []string{"columnMapping", "domainMetadata", "rowTracking"}
	suggestedProperties = map[string]*string{
		"delta.columnMapping.mode":                                 new("name"),
		"delta.columnMapping.maxColumnId":                          nil,
		"delta.enableRowTracking":                                  new("true"),
		"delta.rowTracking.materializedRowIdColumnName":            nil,
		"delta.rowTracking.materializedRowCommitVersionColumnName": nil,
		"delta.randomizeFilePrefixes":                              new("true"),
		"delta.parquet.compression.codec":                          new("zstd"),
	}
)

// stagingAnswer tells the writer of version 0 what the table must and should have.
func stagingAnswer(id types.ID, location string) types.StagingTable {
	required := map[string]*string{propertyTableID: new(string(id))}
	for k, v := range deltaContract.properties {
		required[k] = new(v)
	}
	suggested := make(map[string]*string, len(suggestedProperties))
	for k, v := range suggestedProperties {
		if v != nil {
			v = new(*v)
		}
		suggested[k] = v
	}
	return types.StagingTable{
		ID:       id,
		Type:     types.Managed,
		Location: location,
		RequiredProtocol: types.Protocol{
			MinReaderVersion: minReader,
			MinWriterVersion: minWriter,
			ReaderFeatures:   slices.Clone(deltaContract.reader),
			WriterFeatures:   slices.Clone(deltaContract.writer),
		},
		SuggestedProtocol: types.Features{
			ReaderFeatures: slices.Clone(suggestedReader),
			WriterFeatures: slices.Clone(suggestedWriter),
		},
		RequiredProperties:  required,
		SuggestedProperties: suggested,
	}
}

// A violation is one way in which a table breaks the contract. The texts are fixed for
// a place, so that equal violations compare equal.
type violation string

func (v violation) Error() string { return string(v) }

// violations lists how a managed table breaks k, in a fixed order.
func (t *table) violations(k contract) []violation {
	var out []violation
	p := t.record.protocol()
	if p.MinReaderVersion < minReader {
		out = append(out, violation("protocol.min-reader-version must be at least "+strconv.Itoa(minReader)))
	}
	if p.MinWriterVersion < minWriter {
		out = append(out, violation("protocol.min-writer-version must be at least "+strconv.Itoa(minWriter)))
	}
	reader, writer := setOf(p.ReaderFeatures), setOf(p.WriterFeatures)
	for _, f := range k.reader {
		if !reader[f] {
			out = append(out, violation("protocol.reader-features must contain "+f))
		}
	}
	for _, f := range k.writer {
		if !writer[f] {
			out = append(out, violation("protocol.writer-features must contain "+f))
		}
	}
	for _, f := range sortedKeys(reader) {
		if !writer[f] && !slices.Contains(k.reader, f) {
			out = append(out, violation("protocol.writer-features must contain "+f+", as protocol.reader-features does"))
		}
	}
	for _, key := range sortedKeys(k.properties) {
		if want := k.properties[key]; t.record.Properties[key] != want {
			out = append(out, violation("properties["+key+"] must be "+want))
		}
	}
	if t.record.Properties[propertyTableID] != string(t.object.ID) {
		out = append(out, violation("properties["+propertyTableID+"] must be "+string(t.object.ID)))
	}
	if t.record.Clustering != nil && !writer[featureClustering] {
		out = append(out, violation("domain-metadata "+types.DomainClustering+" needs writer feature "+featureClustering))
	}
	if t.memory.RowIDHighWaterMark != nil && !writer[featureRowTracking] {
		out = append(out, violation("domain-metadata "+types.DomainRowTracking+" needs writer feature "+featureRowTracking))
	}
	return out
}

// checkContract refuses a change of a managed table after which it breaks the contract
// in a way in which it did not before (a new table: in any way). All ways are told at once.
func checkContract(k contract, before []violation, t *table) error {
	if t.record.Type != types.Managed {
		return nil
	}
	had := setOf(before)
	var all *multierror.Error
	for _, v := range t.violations(k) {
		if !had[v] {
			all = multierror.Append(all, v)
		}
	}
	if all == nil {
		return nil
	}
	all.ErrorFormat = func(errs []error) string {
		texts := make([]string, len(errs))
		for i, err := range errs {
			texts[i] = err.Error()
		}
		return strings.Join(texts, "; ")
	}
	return types.InvalidParameterValue.Errorf("not a valid managed table: %w", all).About(types.KindTable)
}

func setOf[T comparable](list []T) map[T]bool {
	set := make(map[T]bool, len(list))
	for _, v := range list {
		set[v] = true
	}
	return set
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
