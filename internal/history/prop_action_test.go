package history_test

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/leveelake/catalog/types"
)

// commit sends an update that is a commit, mostly with little beside it.
func (m *machine) commit(t *rapid.T) {
	table := m.pick(t)
	var u types.Update
	m.drawCommit(t, table, &u)
	if rare(t, "more") {
		m.drawMetadata(t, table, &u)
	}
	m.send(t, table, u)
}

// write has a good writer make some versions, which backfills the one before each.
func (m *machine) write(t *rapid.T) {
	table := m.pickOf(t, slices.DeleteFunc(m.tables(), func(t *tableModel) bool { return t.Type != types.Managed }))
	for range rapid.IntRange(1, 6).Draw(t, "versions") {
		version := table.latest + 1
		u := types.Update{
			AddCommit: &types.AddCommit{Commit: types.Commit{
				Version: version, Timestamp: 1000 + version, FileName: "1.json", FileSize: 1, FileModificationTimestamp: 2,
			}},
			SetBackfilledVersion: new(version - 1),
		}
		if table.iceberg() {
			u.AddCommit.Uniform = drawUniform(t, table.Location, version, table.Uniform)
		}
		m.sendTo(t, table.Name, types.UpdateTable{Require: types.Requirement{TableUUID: table.ID}, Update: u})
		_, table, _ = m.find(table.Name)
	}
}

// update sends one that is anything.
func (m *machine) update(t *rapid.T) {
	table := m.pick(t)
	var u types.Update
	m.drawMetadata(t, table, &u)
	if rare(t, "commit") {
		m.drawCommit(t, table, &u)
	}
	if rare(t, "backfill") {
		u.SetBackfilledVersion = new(rapid.Int64Range(-1, table.latest+1).Draw(t, "backfilled"))
	}
	m.send(t, table, u)
}

func (m *machine) drawCommit(t *rapid.T, table *tableModel, u *types.Update) {
	version := table.latest + 1
	file := fmt.Sprintf("%d.json", rapid.IntRange(1, 3).Draw(t, "file"))
	switch rapid.IntRange(0, 9).Draw(t, "kind") {
	case 0:
		version++
	case 1, 2: // of long ago
		version = rapid.Int64Range(0, table.latest).Draw(t, "version")
		if c, ok := table.commits[version]; ok {
			file = c.FileName
		}
	case 3: // taken
		version = rapid.Int64Range(0, table.latest).Draw(t, "version")
	}
	c := types.Commit{Version: version, Timestamp: 1000 + version, FileName: file, FileSize: 1, FileModificationTimestamp: 2}
	if rare(t, "odd commit") {
		c.FileName = rapid.SampledFrom([]string{"", " ", "..", "a/b", `a\b`, "a\nb", "ü"}).Draw(t, "file name")
		c.FileSize = rapid.Int64Range(-1, 1).Draw(t, "size")
	}
	u.AddCommit = &types.AddCommit{Commit: c}
	if table.iceberg() != rare(t, "uniform") {
		u.AddCommit.Uniform = drawUniform(t, table.Location, version, table.Uniform)
	}
	if rapid.Bool().Draw(t, "backfill") {
		u.SetBackfilledVersion = new(max(-1, table.latest+rapid.Int64Range(-3, 1).Draw(t, "backfilled")))
	}
}

// drawMetadata draws a few actions.
func (m *machine) drawMetadata(t *rapid.T, table *tableModel, u *types.Update) {
	for range rapid.IntRange(0, 3).Draw(t, "actions") {
		switch rapid.SampledFrom([]string{"columns", "partition", "protocol", "set", "remove", "domains", "no domains", "comment", "snapshot", "own"}).Draw(t, "action") {
		case "columns":
			u.SetColumns = new(rapid.SampledFrom(someColumns).Draw(t, "columns"))
			if table.properties["delta.columnMapping.mode"] == "name" {
				u.SetColumns = new(rapid.SampledFrom(mappedColumns).Draw(t, "columns"))
			}
			if rare(t, "odd columns") {
				u.SetColumns = new(rapid.SampledFrom(oddColumns).Draw(t, "columns"))
			}
		case "partition":
			u.SetPartitionColumns = rapid.SampledFrom(somePartitions).Draw(t, "partition")
		case "protocol":
			u.SetProtocol = new(drawProtocol(t))
		case "set":
			u.SetProperties = rapid.SampledFrom(someSets).Draw(t, "set")
		case "own":
			u.SetProperties = map[string]string{"io.unitycatalog.tableId": string(table.ID), "delta.minWriterVersion": table.allProperties()["delta.minWriterVersion"]}
		case "remove":
			u.RemoveProperties = rapid.SampledFrom(someRemovals).Draw(t, "removal")
			if table.iceberg() && rapid.Bool().Draw(t, "no iceberg") {
				u.RemoveProperties = []string{"delta.universalFormat.enabledFormats"}
			}
		case "domains":
			u.SetDomains = new(drawDomains(t))
		case "no domains":
			u.RemoveDomains = rapid.SampledFrom([][]string{{types.DomainClustering}, {types.DomainRowTracking, types.DomainRowTracking}, {"none"}}).Draw(t, "domains")
		case "comment":
			u.SetComment = new(rapid.SampledFrom([]string{"", "c", "d"}).Draw(t, "comment"))
		case "snapshot":
			u.SetSnapshotVersion = &types.SnapshotVersion{
				LastCommitVersion: rapid.Int64Range(-1, 9).Draw(t, "version"), LastCommitTimestamp: rapid.Int64Range(0, 9).Draw(t, "timestamp"),
			}
		}
	}
}

// send sends an update of table with its requirements, right ones mostly.
func (m *machine) send(t *rapid.T, table *tableModel, u types.Update) {
	name := table.Name
	if rare(t, "any name") {
		name = drawTableName(t)
	}
	req := types.UpdateTable{Require: types.Requirement{TableUUID: table.ID}, Update: u}
	if rare(t, "odd uuid") {
		req.Require.TableUUID = rapid.SampledFrom([]types.ID{"", "00000000-0000-0000-0000-000000000000"}).Draw(t, "uuid")
	}
	switch rapid.IntRange(0, 7).Draw(t, "etag") {
	case 0, 1, 2:
		if table.ETag != "" {
			req.Require.ETag = new(table.ETag)
		}
	case 3:
		req.Require.ETag = new(rapid.SampledFrom([]string{"", "other"}).Draw(t, "odd etag"))
	}
	m.sendTo(t, name, req)
}

func (m *machine) sendTo(t *rapid.T, name types.TableName, req types.UpdateTable) {
	ctx, who := m.ctx(t)
	_, old, want := m.find(name)
	next := old
	switch {
	case !validUpdate(req):
		want = types.InvalidParameterValue
	case want == "":
		next, want = old.update(req, who, m.now)
	}
	what := fmt.Sprintf("update %s %+v %+v", name, req.Require, describeUpdate(req.Update))
	got, err := m.c.UpdateTable(ctx, name, req)
	if m.code(t, what, err, want) {
		next.schema.tables[name.Table] = next
		m.sees(t, what, got, next)
	}
}

func describeUpdate(u types.Update) string {
	text, err := types.UpdateTable{Update: u}.MarshalJSON()
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func (m *machine) load(t *rapid.T) {
	ctx, _ := m.ctx(t)
	name := drawTableName(t)
	_, table, want := m.find(name)
	m.code(t, "exists "+name.String(), m.c.TableExists(ctx, name), want)
	got, err := m.c.GetTable(ctx, name)
	if m.code(t, "get "+name.String(), err, want) {
		m.sees(t, "get "+name.String(), got, table)
		if table.Format != types.FormatDelta {
			want = types.UnsupportedTableFormat
		}
	}
	got, err = m.c.LoadTable(ctx, name)
	if m.code(t, "load "+name.String(), err, want) {
		m.sees(t, "load "+name.String(), got, table)
	}
}

func (m *machine) rename(t *rapid.T) {
	ctx, who := m.ctx(t)
	name := drawTableName(t)
	if !rare(t, "any name") {
		name = m.pick(t).Name
	}
	to := drawName(t, "new name", "x", "y", "z", "X")
	s, table, want := m.find(name)
	switch {
	case !validName(to):
		want = types.InvalidParameterValue
	case table != nil && to != name.Table && s.tables[to] != nil:
		want = types.AlreadyExists
	}
	if !m.code(t, "rename "+name.String()+" to "+to, m.c.RenameTable(ctx, name, types.RenameTable{NewName: to}), want) || to == name.Table {
		return
	}
	delete(s.tables, name.Table)
	table.Name.Table = to
	table.moved(who, m.now)
	s.tables[to] = table
}

func (m *machine) deleteTable(t *rapid.T) {
	ctx, _ := m.ctx(t)
	name := drawTableName(t)
	s, _, want := m.find(name)
	if m.code(t, "delete "+name.String(), m.c.DeleteTable(ctx, name), want) {
		delete(s.tables, name.Table)
	}
}

// credentials asks for those of a place that was staged. Of local files there are some.
func (m *machine) credentials(t *rapid.T) {
	if len(m.places) == 0 {
		t.Skip("nothing was staged")
	}
	ctx, who := m.ctx(t)
	p := rapid.SampledFrom(m.places).Draw(t, "place")
	want := types.NoSuchTable
	staged, table := m.staged[p.ID], m.at(p.Location)
	if staged != nil && staged.owner == who || table != nil && table.Owner == who {
		want = m.vended(p.Location)
	} else if staged != nil || table != nil {
		want = types.PermissionDenied
	}
	_, err := m.c.StagingTableCredentials(ctx, p.ID)
	m.code(t, "staging credentials", err, want)
	want = types.NoSuchTable
	if table != nil {
		want = m.vended(p.Location)
	}
	_, err = m.c.TableCredentialsByID(ctx, p.ID, types.Read)
	m.code(t, "credentials", err, want)
}

// vended is the answer where no vendor is configured.
func (m *machine) vended(location string) types.Code {
	if strings.HasPrefix(location, "file://") {
		return ""
	}
	return types.NotImplemented
}
