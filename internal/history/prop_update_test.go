package history_test

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/leveelake/catalog/types"
)

// The limits of the catalog under test: low, so that they are met.
const (
	waiting      = 3
	rememberLast = 3
	rememberDays = 1
)

// update is what a request makes of t, which itself stays; on a code nothing has happened.
func (t *tableModel) update(req types.UpdateTable, by string, now time.Time) (*tableModel, types.Code) {
	u := req.Update
	const invalid = types.InvalidParameterValue
	switch {
	case req.Require.TableUUID != t.ID:
		return t, types.UpdateRequirementConflict
	case t.Format != types.FormatDelta:
		return t, types.UnsupportedTableFormat
	case t.Type == types.Managed && u.SetSnapshotVersion != nil:
		return t, invalid
	case t.Type == types.External && (u.AddCommit != nil || u.SetBackfilledVersion != nil):
		return t, invalid
	}
	if u.AddCommit != nil {
		if c := u.AddCommit.Commit; c.Version <= t.latest {
			switch {
			case c.Version <= t.forgotten:
				return t, types.CommitStateUnknown
			case t.commits[c.Version].FileName == c.FileName:
				return t, ""
			}
			return t, types.CommitVersionConflict
		}
	}
	if e := req.Require.ETag; e != nil && (t.ETag == "" || *e != t.ETag) {
		return t, types.UpdateRequirementConflict
	}
	n := t.clone()
	changed, ok := n.metadata(u)
	if !ok || (changed || u.SetDomains != nil) && n.Type == types.Managed && !(n.contract() && n.properties["io.unitycatalog.tableId"] == string(n.ID)) {
		return t, invalid
	}
	touched := changed
	if u.AddCommit != nil {
		if code := n.uniform(u.AddCommit.Uniform, t.Uniform, u.AddCommit.Commit.Version); code != "" {
			return t, code
		}
		n.Uniform = u.AddCommit.Uniform
		touched = touched || n.Uniform != nil
	} else if !n.iceberg() {
		n.Uniform = nil
	}
	if code := n.log(u, now); code != "" {
		return t, code
	}
	if changed && u.AddCommit != nil {
		c := u.AddCommit.Commit
		n.LastCommitVersion, n.LastCommitTimestamp = &c.Version, &c.Timestamp
	}
	if touched {
		n.moved(by, now)
	}
	return n, ""
}

// metadata does the actions in their order, and reports whether others see a change.
func (t *tableModel) metadata(u types.Update) (changed, ok bool) {
	if u.SetColumns != nil {
		t.columns = *u.SetColumns
	}
	if u.SetColumns != nil || u.SetPartitionColumns != nil {
		names := t.PartitionColumns
		if u.SetPartitionColumns != nil {
			names = u.SetPartitionColumns
		}
		if t.PartitionColumns, ok = partition(t.columns, names); !ok {
			return false, false
		}
		changed = true
	}
	if u.SetProtocol != nil {
		t.protocol, changed = u.SetProtocol, true
		maps.DeleteFunc(t.properties, func(k, _ string) bool { return derivedKey(k) })
	}
	if u.SetProperties != nil || u.RemoveProperties != nil {
		if changed = true; !t.setProperties(u) {
			return false, false
		}
	}
	if d := u.SetDomains; d != nil {
		if d.Clustering != nil {
			t.clustering, changed = d.Clustering, true
		}
		if d.RowTracking != nil { // the high-water mark alone is no change
			t.highWater = &d.RowTracking.RowIDHighWaterMark
		}
	}
	for _, d := range u.RemoveDomains {
		if changed = true; d == types.DomainClustering {
			t.clustering = nil
		} else {
			t.highWater = nil
		}
	}
	if u.SetComment != nil {
		t.Comment, changed = *u.SetComment, true
	}
	if s := u.SetSnapshotVersion; s != nil {
		t.LastCommitVersion, t.LastCommitTimestamp, changed = &s.LastCommitVersion, &s.LastCommitTimestamp, true
	}
	return changed, u.SetColumns == nil || t.Type == types.External || t.mapped()
}

// setProperties sets and removes; a server-owned one may be set to what it is.
func (t *tableModel) setProperties(u types.Update) bool {
	is := t.allProperties()
	if t.properties == nil {
		t.properties = map[string]string{}
	}
	for k, v := range u.SetProperties {
		switch now, there := is[k]; {
		case derivedKey(k) && (!there || now != v):
			return false
		case !derivedKey(k) && !secretKey(k):
			t.properties[k] = v
		}
	}
	for _, k := range u.RemoveProperties {
		if derivedKey(k) {
			return false
		}
		delete(t.properties, k)
	}
	return true
}

// log ratifies and backfills.
func (t *tableModel) log(u types.Update, now time.Time) types.Code {
	b := u.SetBackfilledVersion
	if u.AddCommit == nil {
		if b != nil && (t.latest == 0 || *b > t.latest) {
			return types.InvalidParameterValue
		}
		if b != nil {
			t.backfilled = max(t.backfilled, *b)
		}
		return ""
	}
	c := u.AddCommit.Commit
	if c.Version != t.latest+1 || b != nil && *b > t.latest {
		return types.InvalidParameterValue
	}
	if b != nil {
		t.backfilled = max(t.backfilled, *b)
	}
	if c.Version-t.backfilled > waiting {
		return types.ResourceExhausted
	}
	t.latest = c.Version
	t.commits[c.Version] = c
	t.day[c.Version] = max(now.Unix()/86400, t.day[c.Version-1])
	// Remembered are the last few versions and those of the last days, whichever is more;
	// and what waits for backfill is no memory.
	old := c.Version - rememberLast
	for old > 0 && t.day[old] >= now.Unix()/86400-rememberDays {
		old--
	}
	t.forgotten = max(t.forgotten, min(old, t.backfilled))
	return ""
}

// validUpdate is what can be said of a request without a table.
func validUpdate(req types.UpdateTable) bool {
	u := req.Update
	if e := req.Require.ETag; req.Require.TableUUID == "" || e != nil && *e == "" {
		return false
	}
	if u.SetColumns == nil && u.SetPartitionColumns == nil && u.SetProtocol == nil && u.SetProperties == nil && u.RemoveProperties == nil &&
		u.SetDomains == nil && u.RemoveDomains == nil && u.SetComment == nil && u.SetSnapshotVersion == nil && u.AddCommit == nil && u.SetBackfilledVersion == nil {
		return false
	}
	if u.SetColumns != nil && !validColumns(*u.SetColumns) || u.SetProtocol != nil && !validProtocol(*u.SetProtocol) {
		return false
	}
	if _, empty := u.SetProperties[""]; empty {
		return false
	}
	for _, k := range u.RemoveProperties {
		if _, both := u.SetProperties[k]; both {
			return false
		}
	}
	if d := u.SetDomains; d != nil {
		if d.Clustering == nil && d.RowTracking == nil || !validClustering(d.Clustering) ||
			d.Clustering != nil && slices.Contains(u.RemoveDomains, types.DomainClustering) ||
			d.RowTracking != nil && slices.Contains(u.RemoveDomains, types.DomainRowTracking) {
			return false
		}
	}
	for _, d := range u.RemoveDomains {
		if d != types.DomainClustering && d != types.DomainRowTracking {
			return false
		}
	}
	if s := u.SetSnapshotVersion; s != nil && (s.LastCommitVersion < 0 || s.LastCommitTimestamp < 0) {
		return false
	}
	if u.AddCommit == nil {
		return true
	}
	if u := u.AddCommit.Uniform; u != nil {
		i := u.Iceberg
		if i == nil || i.ConvertedDeltaVersion < 0 || i.ConvertedDeltaTimestamp <= 0 || i.BaseConvertedDeltaVersion != nil && *i.BaseConvertedDeltaVersion < 0 {
			return false
		}
	}
	c := u.AddCommit.Commit
	return c.Version > 0 && c.Timestamp > 0 && c.FileSize > 0 && c.FileModificationTimestamp > 0 &&
		strings.TrimSpace(c.FileName) != "" && c.FileName != "." && c.FileName != ".." && !strings.ContainsAny(c.FileName, "/\\\n")
}
