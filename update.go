package catalog

import (
	"slices"
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
	nameLength, columns, properties int // Limits

	unbackfilled int64         // commits that may wait for backfill
	remember     int64         // names of this many versions are remembered …
	rememberFor  time.Duration // … and of those ratified in this time
	files        bool          // commit files can be looked at
}

// apply decides req, of the principal by, on old, whose log was read with Want.Version = the commit's version.
// The order of the refusals is part of the API: the table's identity, its format, a
// replay or a version taken (before the ETag: a retry must be recognised whatever
// it asserts), the ETag, the metadata, the commit.
func apply(old *table, req types.UpdateTable, by string, now time.Time, r rules, seen sighting) (change, error) {
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

	new := new(*old) // shares with old what is not replaced
	metadata, err := new.applyMetadata(u)
	if err != nil {
		return change{}, err
	}
	if metadata || u.SetDomains != nil {
		if err := checkContract(deltaContract, old.violations(deltaContract), new); err != nil {
			return change{}, err
		}
	}
	if n := len(new.record.Properties); n > len(old.record.Properties) {
		if err := within("the table", n, r.properties, "properties"); err != nil {
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
		new.shown, new.cached = nil, false
		touch(&new.object, now)
		new.record.UpdatedBy = by
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
		delta.Add = logCommit(*commit)
		delta.Forget = min(delta.Backfilled, t.memory.ratified(commit.Version, now, r.remember, r.rememberFor))
	} else if delta.Backfilled == t.log.Backfilled && !domains {
		return nil, nil
	}
	delta.State = t.memory.encode()

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
