package catalog

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// This file decides what an update does to a table. Like commit.go it is pure.

// A change is what an update does.
type change struct {
	ask    *question         // what must be known first; all else is unset then
	table  *table            // after the update; of a replay, before it
	object bool              // the object changes
	log    *storage.LogDelta // how the log changes; nil: it does not
}

// rules are the numbers that the rules depend on.
type rules struct {
	unbackfilled int64         // commits that may wait for backfill
	remember     int64         // names of this many versions are remembered …
	rememberFor  time.Duration // … and of those ratified in this time
	files        bool          // commit files can be looked at
}

// apply decides req on old, whose log was read with Want.Version = the commit's version.
// The order of the refusals is part of the API: the table's identity, its format, a
// replay or a version taken (before the ETag: a retry must be recognised whatever
// it asserts), the ETag, the metadata, the commit.
func apply(old *table, req types.UpdateTable, now time.Time, r rules, seen sighting) (change, error) {
	u := &req.Update
	if req.Require.TableUUID != old.object.ID {
		return change{}, types.UpdateRequirementConflict.Errorf("assert-table-uuid: the table's UUID is %s, not %s", old.object.ID, req.Require.TableUUID)
	}
	if err := old.checkDelta(); err != nil {
		return change{}, err
	}
	if err := checkActions(old.record.Type, u); err != nil {
		return change{}, err
	}
	if u.AddCommit != nil {
		c := u.AddCommit.Commit
		v := judge(old.log, c)
		if same, ok := seen.same[c]; ok && v == isUnknown {
			v = isTaken
			if same {
				v = isReplay
			}
		}
		switch v {
		case isReplay:
			return change{table: old}, nil
		case isTaken:
			return change{}, types.CommitVersionConflict.Errorf("version %d is already ratified from another file; the latest version is %d", c.Version, old.log.Last)
		case isUnknown:
			if r.files {
				return change{ask: &question{location: old.object.Location, same: &c}}, nil
			}
			return change{}, types.CommitStateUnknown.Errorf("version %d is ratified, but so long ago that the name of its file is forgotten; the latest version is %d", c.Version, old.log.Last)
		}
	}
	if e := req.Require.ETag; e != nil && *e != etag(old.object) {
		return change{}, types.UpdateRequirementConflict.Errorf("assert-etag: the table's etag is %s, not %s", etag(old.object), *e)
	}

	new := old.clone()
	metadata, err := new.applyMetadata(u)
	if err != nil {
		return change{}, err
	}
	if metadata || u.SetDomains != nil {
		if err := checkContract(deltaContract, old.violations(deltaContract), new); err != nil {
			return change{}, err
		}
	}
	object := metadata
	if u.AddCommit != nil {
		given := u.AddCommit.Uniform
		if err := checkUniform(new, given, old.record.Uniform, u.AddCommit.Commit.Version); err != nil {
			return change{}, err
		}
		object = object || given != nil
		new.record.Uniform = copyUniform(given)
	} else if !new.isUniform() {
		new.record.Uniform = nil
	}

	delta, err := new.applyLog(u, now, r)
	if err != nil {
		return change{}, err
	}
	if r.files {
		if ask, err := askPublished(old, new.log.Backfilled, seen); ask != nil || err != nil {
			return change{ask: ask}, err
		}
	}
	if c := u.AddCommit; c != nil && metadata {
		new.record.LastCommitVersion, new.record.LastCommitTimestamp = copyOf(&c.Commit.Version), copyOf(&c.Commit.Timestamp)
	}
	if object {
		touch(&new.object, now)
		if new.object.Body, err = new.body(); err != nil {
			return change{}, err
		}
	}
	return change{table: new, object: object, log: delta}, nil
}

// askPublished checks that the versions up to backfilled are published, or asks whether they are.
func askPublished(old *table, backfilled int64, seen sighting) (*question, error) {
	ask := &question{location: old.object.Location}
	for v := old.log.Backfilled + 1; v <= backfilled; v++ {
		switch published, ok := seen.published[v]; {
		case !ok:
			ask.published = append(ask.published, v)
		case !published:
			return nil, types.InvalidParameterValue.Errorf("set-latest-backfilled-version is %d, but version %d is not published: there is no _delta_log/%s", backfilled, v, publishedName(v))
		}
	}
	if ask.published == nil {
		return nil, nil
	}
	return ask, nil
}

// checkActions refuses actions that a table of this type does not have.
func checkActions(t types.TableType, u *types.Update) error {
	if t == types.Managed {
		if u.SetSnapshotVersion != nil {
			return types.InvalidParameterValue.Errorf("update-metadata-snapshot-version is for external tables; this table is managed")
		}
		return nil
	}
	if u.AddCommit != nil {
		return types.InvalidParameterValue.Errorf("add-commit is for managed tables; this table is external")
	}
	if u.SetBackfilledVersion != nil {
		return types.InvalidParameterValue.Errorf("set-latest-backfilled-version is for managed tables; this table is external")
	}
	return nil
}

// applyMetadata does all but the commit, and reports whether what others see as the
// metadata changed: the high-water mark of row tracking alone is not that.
func (t *table) applyMetadata(u *types.Update) (changed bool, err error) {
	if u.SetColumns != nil || u.SetPartitionColumns != nil {
		if err := t.setColumns(u.SetColumns, u.SetPartitionColumns); err != nil {
			return false, err
		}
		changed = true
	}
	if u.SetProtocol != nil {
		t.record.Protocol = copyProtocol(u.SetProtocol)
		t.dropDerived()
		changed = true
	}
	if u.SetProperties != nil || u.RemoveProperties != nil {
		if err := t.setProperties(u.SetProperties, u.RemoveProperties); err != nil {
			return false, err
		}
		changed = true
	}
	if d := u.SetDomains; d != nil {
		if d.Clustering != nil {
			t.record.Clustering = copyClustering(d.Clustering)
			changed = true
		}
		if d.RowTracking != nil {
			t.memory.RowIDHighWaterMark = copyOf(&d.RowTracking.RowIDHighWaterMark)
		}
	}
	for _, name := range u.RemoveDomains {
		switch name {
		case types.DomainClustering:
			t.record.Clustering = nil
		case types.DomainRowTracking:
			t.memory.RowIDHighWaterMark = nil
		}
		changed = true
	}
	if u.SetComment != nil {
		t.record.Comment = *u.SetComment
		changed = true
	}
	if s := u.SetSnapshotVersion; s != nil {
		t.record.LastCommitVersion, t.record.LastCommitTimestamp = copyOf(&s.LastCommitVersion), copyOf(&s.LastCommitTimestamp)
		changed = true
	}
	if u.SetColumns != nil && t.record.Type == types.Managed {
		if err := checkColumnMapping(*u.SetColumns, t.record.Properties[propertyMapping]); err != nil {
			return false, err
		}
	}
	return changed, nil
}

// applyLog ratifies and backfills. It returns nil if the log stays as it is.
func (t *table) applyLog(u *types.Update, now time.Time, r rules) (*storage.LogDelta, error) {
	domains := u.SetDomains != nil && u.SetDomains.RowTracking != nil || slices.Contains(u.RemoveDomains, types.DomainRowTracking)
	if u.AddCommit == nil && u.SetBackfilledVersion == nil && !domains {
		return nil, nil
	}
	delta := storage.LogDelta{Revision: t.log.Revision + 1, Last: t.log.Last, Backfilled: t.log.Backfilled}
	var commit *types.Commit
	if u.AddCommit != nil {
		commit = &u.AddCommit.Commit
	}
	if commit != nil || u.SetBackfilledVersion != nil {
		var err error
		if delta.Last, delta.Backfilled, err = advance(t.log, commit, u.SetBackfilledVersion, r.unbackfilled); err != nil {
			return nil, err
		}
	}
	if commit != nil {
		var err error
		if delta.Add, err = logCommit(*commit); err != nil {
			return nil, err
		}
		delta.Forget = min(delta.Backfilled, t.memory.ratified(commit.Version, now, r.remember, r.rememberFor))
	} else if delta.Backfilled == t.log.Backfilled && !domains {
		return nil, nil
	}
	var err error
	if delta.State, err = t.memory.encode(); err != nil {
		return nil, err
	}

	// The log as a read after this would bring it.
	t.log.Revision, t.log.Last, t.log.Backfilled, t.log.State = delta.Revision, delta.Last, delta.Backfilled, delta.State
	var commits []storage.Commit
	for _, c := range t.log.Commits {
		if c.Version > delta.Backfilled {
			commits = append(commits, c)
		}
	}
	if delta.Add != nil {
		commits = append(commits, *delta.Add)
	}
	t.log.Commits = commits
	return &delta, nil
}

// setColumns replaces the columns (nil: they stay) and the partitioning (nil: it is
// carried over by name).
func (t *table) setColumns(columns *types.StructType, partition []string) error {
	if columns == nil {
		current, err := t.columns.Struct()
		if err != nil {
			return err
		}
		t.record.PartitionColumns, err = resolvePartition(current, partition, "set-partition-columns.partition-columns")
		return err
	}
	at := "set-partition-columns.partition-columns"
	if partition == nil {
		partition, at = t.record.PartitionColumns, "set-columns keeps the table's partition columns; they"
	}
	resolved, err := resolvePartition(*columns, partition, at)
	if err != nil {
		return err
	}
	t.columns = types.NewColumns(*columns)
	t.record.PartitionColumns = resolved
	return nil
}

// resolvePartition finds each name among the columns, ASCII case aside, and returns the
// names as the columns spell them.
func resolvePartition(columns types.StructType, names []string, at string) ([]string, error) {
	byFold := make(map[string]string, len(columns.Fields))
	for _, f := range columns.Fields {
		byFold[foldASCII(f.Name)] = f.Name
	}
	named := make(map[string]bool, len(names))
	out := make([]string, 0, len(names))
	for i, n := range names {
		exact, ok := byFold[foldASCII(n)]
		if !ok {
			return nil, types.InvalidParameterValue.Errorf("%s[%d]: there is no column %q", at, i, n)
		}
		if named[exact] {
			return nil, types.InvalidParameterValue.Errorf("%s[%d]: column %q is named twice", at, i, n)
		}
		named[exact] = true
		out = append(out, exact)
	}
	return out, nil
}

func foldASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// setProperties sets and removes properties. A derived one may only be set to what it is.
func (t *table) setProperties(set map[string]string, remove []string) error {
	var current map[string]string
	for _, k := range sortedKeys(set) {
		if !isDerived(k) {
			continue
		}
		if current == nil {
			current = t.properties()
		}
		if now, ok := current[k]; !ok || now != set[k] {
			return types.InvalidParameterValue.Errorf("set-properties: %s is derived by the catalog and cannot be set", k)
		}
	}
	for _, k := range remove {
		if isDerived(k) {
			return types.InvalidParameterValue.Errorf("remove-properties: %s is derived by the catalog and cannot be removed", k)
		}
	}
	if t.record.Properties == nil {
		t.record.Properties = map[string]string{}
	}
	for k, v := range set {
		if !isDerived(k) && !isSecret(k) {
			t.record.Properties[k] = v
		}
	}
	for _, k := range remove {
		delete(t.record.Properties, k)
	}
	return nil
}

// dropDerived removes properties that a client once stored and the catalog now derives.
func (t *table) dropDerived() {
	for k := range t.record.Properties {
		if isDerived(k) || isSecret(k) {
			delete(t.record.Properties, k)
		}
	}
}

// isUniform reports whether the table is also kept as Iceberg.
func (t *table) isUniform() bool {
	for f := range strings.SplitSeq(t.record.Properties[propertyUniform], ",") {
		if strings.TrimSpace(f) == "iceberg" {
			return true
		}
	}
	return false
}

// checkUniform checks the conversion state that comes with a version; stored is the one
// before it.
func checkUniform(t *table, given, stored *types.Uniform, version int64) error {
	bad := func(format string, args ...any) error {
		return types.InvalidParameterValue.Errorf("uniform"+format, args...)
	}
	if given == nil && t.isUniform() && t.record.Type == types.Managed {
		// Of an external table the catalog need not be told.
		return bad(" is missing: property %s has iceberg", propertyUniform)
	}
	if given != nil && !t.isUniform() {
		return bad(" is given, but property %s has no iceberg", propertyUniform)
	}
	if given == nil {
		return nil
	}
	ice := given.Iceberg
	if ice == nil {
		return bad(".iceberg is missing")
	}
	if len(ice.MetadataLocation) > maxMetadataLocation {
		return bad(".iceberg.metadata-location has %d bytes; at most %d are allowed", len(ice.MetadataLocation), maxMetadataLocation)
	}
	location, err := parseURL("uniform.iceberg.metadata-location", ice.MetadataLocation)
	switch {
	case err != nil:
		return err
	case !strings.HasPrefix(location, t.object.Location+"/"):
		return bad(".iceberg.metadata-location %q is not below the table's location", ice.MetadataLocation)
	case ice.ConvertedDeltaTimestamp <= 0:
		return bad(".iceberg.converted-delta-timestamp is %d; it must be positive", ice.ConvertedDeltaTimestamp)
	}
	base, converted := ice.BaseConvertedDeltaVersion, ice.ConvertedDeltaVersion
	if version == 0 {
		// The conversion that comes with a new table may be counted as of version 0 or 1.
		if converted != 0 && converted != 1 {
			return bad(".iceberg.converted-delta-version is %d; a new table's is 0", converted)
		}
		if base != nil {
			return bad(".iceberg.base-converted-delta-version is given for a new table")
		}
		return nil
	}
	if converted != version {
		return bad(".iceberg.converted-delta-version is %d; the commit's version is %d", converted, version)
	}
	if base != nil && stored != nil && stored.Iceberg != nil && *base != stored.Iceberg.ConvertedDeltaVersion {
		return types.UpdateRequirementConflict.Errorf("uniform.iceberg.base-converted-delta-version is %d, but the table was converted up to version %d", *base, stored.Iceberg.ConvertedDeltaVersion)
	}
	return nil
}

const maxMetadataLocation = 65535

// checkColumnMapping checks that under column mapping every field has an ID of its own and a physical
// name (Delta protocol, "Column Mapping"): without them readers would mix columns up.
func checkColumnMapping(columns types.StructType, mode string) error {
	if mode != "id" && mode != "name" {
		return nil
	}
	seen := map[string]string{}
	return eachField(&columns, "columns", func(f types.StructField, at string) error {
		id := strings.TrimSpace(string(f.Metadata["delta.columnMapping.id"]))
		if _, err := strconv.ParseInt(id, 10, 64); err != nil {
			return types.InvalidParameterValue.Errorf("%s.metadata: delta.columnMapping.id is missing, and column mapping is on", at)
		}
		if name := string(f.Metadata["delta.columnMapping.physicalName"]); len(name) < len(`"x"`) || name[0] != '"' {
			return types.InvalidParameterValue.Errorf("%s.metadata: delta.columnMapping.physicalName is missing, and column mapping is on", at)
		}
		if other, ok := seen[id]; ok {
			return types.InvalidParameterValue.Errorf("%s.metadata: delta.columnMapping.id %s is also that of %s", at, id, other)
		}
		seen[id] = at
		return nil
	})
}

// eachField visits every field, nested ones too.
func eachField(t types.DataType, at string, visit func(f types.StructField, at string) error) error {
	switch t := t.(type) {
	case *types.StructType:
		for i, f := range t.Fields {
			here := at + ".fields[" + strconv.Itoa(i) + "]"
			if err := visit(f, here); err != nil {
				return err
			}
			if err := eachField(f.Type, here+".type", visit); err != nil {
				return err
			}
		}
	case *types.Array:
		return eachField(t.Element, at+".element-type", visit)
	case *types.Map:
		if err := eachField(t.Key, at+".key-type", visit); err != nil {
			return err
		}
		return eachField(t.Value, at+".value-type", visit)
	}
	return nil
}
