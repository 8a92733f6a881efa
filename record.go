package catalog

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// A record is what the body of a table's object holds: all but its columns. Tables share what its
// fields point to, so that is never changed, but replaced.
type record struct {
	Type                types.TableType   `json:"type"`
	Format              string            `json:"format"`
	Comment             string            `json:"comment,omitempty"`
	Owner               string            `json:"owner,omitempty"`
	CreatedBy           string            `json:"created-by,omitempty"`
	UpdatedBy           string            `json:"updated-by,omitempty"`
	Created             time.Time         `json:"created"` // the object's is when a managed table was staged
	PartitionColumns    []string          `json:"partition,omitempty"`
	Protocol            *types.Protocol   `json:"protocol,omitempty"`
	Properties          map[string]string `json:"properties,omitempty"` // as clients set them; no derived ones
	Clustering          *types.Clustering `json:"clustering,omitempty"`
	LastCommitVersion   *int64            `json:"last-version,omitempty"`
	LastCommitTimestamp *int64            `json:"last-timestamp,omitempty"`
	Uniform             *types.Uniform    `json:"uniform,omitempty"`
	Columns             int64             `json:"columns,omitempty"`    // revision of the columns; 0: none
	Foreign             bool              `json:"foreign,omitempty"`    // a column has a type that Delta does not have
	VouchedBy           types.ID          `json:"vouched-by,omitempty"` // of an external table: see vouch
}

func (r *record) protocol() types.Protocol {
	if r.Protocol == nil {
		return types.Protocol{}
	}
	return *r.Protocol
}

// A table is a table as the rules see it: its object, what its body holds, its log.
type table struct {
	object  storage.Object
	record  record
	shown   *types.Properties // without the high-water mark; nil: not made yet
	columns types.Columns     // see fillColumns
	stored  *storage.Object   // that holds them, if it was read
	cached  bool              // record and columns are in the cache; see keep
	log     storage.Log
	memory  memory
}

// table makes a table of what a store keeps.
func (c *Catalog) table(n storage.Node) (*table, error) {
	t := &table{object: n.Object}
	if known, ok := c.cache.get(t.recordRevision()).(*table); ok {
		t.record, t.shown, t.cached = known.record, known.shown, true
	} else if err := json.Unmarshal(n.Body, &t.record); err != nil {
		return nil, corrupt(n.Object, "body", err)
	}
	if n.Log != nil {
		t.log = *n.Log
		m, err := decodeMemory(n.Log.State)
		if err != nil {
			return nil, corrupt(n.Object, "log state", err)
		}
		t.memory = m
	}
	return t, nil
}

// maxRecord bounds a record in bytes: each commit reads it.
const maxRecord = 4 << 20

// body encodes the record.
func (t *table) body() ([]byte, error) {
	body := plainJSON(t.record)
	if len(body) > maxRecord {
		return nil, types.InvalidParameterValue.Errorf("the table's properties, comment and other metadata have %d bytes; the limit is %d", len(body), maxRecord).About(types.KindTable)
	}
	return body, nil
}

// clone copies t so deep that it shares nothing with t that a caller could change.
func (t *table) clone() *table {
	c := *t
	c.record.Properties = maps.Clone(t.record.Properties)
	c.record.PartitionColumns = slices.Clone(t.record.PartitionColumns)
	c.record.Protocol = copyProtocol(t.record.Protocol)
	c.record.Clustering = copyClustering(t.record.Clustering)
	c.record.Uniform = copyUniform(t.record.Uniform)
	c.record.LastCommitVersion = copyOf(t.record.LastCommitVersion)
	c.record.LastCommitTimestamp = copyOf(t.record.LastCommitTimestamp)
	c.memory.RowIDHighWaterMark = copyOf(t.memory.RowIDHighWaterMark)
	c.memory.Days = slices.Clone(t.memory.Days)
	return &c
}

func copyOf[T any](p *T) *T {
	if p == nil {
		return nil
	}
	return new(*p)
}

func copyProtocol(p *types.Protocol) *types.Protocol {
	if p = copyOf(p); p != nil {
		p.ReaderFeatures, p.WriterFeatures = slices.Clone(p.ReaderFeatures), slices.Clone(p.WriterFeatures)
	}
	return p
}

func copyClustering(c *types.Clustering) *types.Clustering {
	if c = copyOf(c); c != nil {
		c.ClusteringColumns = slices.Clone(c.ClusteringColumns)
		for i, path := range c.ClusteringColumns {
			c.ClusteringColumns[i] = slices.Clone(path)
		}
	}
	return c
}

func copyUniform(u *types.Uniform) *types.Uniform {
	if u = copyOf(u); u != nil && u.Iceberg != nil {
		u.Iceberg = copyOf(u.Iceberg)
		u.Iceberg.BaseConvertedDeltaVersion = copyOf(u.Iceberg.BaseConvertedDeltaVersion)
	}
	return u
}

// etag names the state of the metadata. The ID makes it differ from that of a table that
// had the same name before.
func etag(o storage.Object) string {
	return string(o.ID[:8]) + "-" + strconv.FormatInt(o.Revision, 10)
}

// state names the state of all of the table. The log is in it, and all of the ID: under one name
// there may be another table next.
func (t *table) state() string {
	b := append(make([]byte, 0, 64), t.object.ID...)
	b = strconv.AppendInt(append(b, '-'), t.object.Revision, 10)
	return string(strconv.AppendInt(append(b, '-'), t.log.Revision, 10))
}

// touch moves the object's revision, and with it the ETag and the time of the update,
// which goes up by a millisecond at least.
func touch(o *storage.Object, now time.Time) {
	o.Revision++
	if earliest := o.Updated.Add(time.Millisecond); now.Before(earliest) {
		now = earliest
	}
	o.Updated = now
}

// checkDelta refuses a table that the Delta API does not serve. Clients take this for a
// hint to use the Unity Catalog REST API.
func (t *table) checkDelta() error {
	switch {
	case t.record.Format != types.FormatDelta:
		return types.UnsupportedTableFormat.Errorf("table %q is not a Delta table but %s", t.object.Name, t.record.Format).About(types.KindTable)
	case t.record.Foreign:
		return types.UnsupportedTableFormat.Errorf("table %q has columns of types that Delta does not have", t.object.Name).About(types.KindTable)
	}
	return nil
}

// public returns the table as callers see it, who may do with it what they like.
func (t *table) public(in types.SchemaName) (types.Table, error) {
	r := &t.record
	out := types.Table{
		Name:                in.Table(t.object.Name),
		ID:                  t.object.ID,
		Type:                r.Type,
		Format:              r.Format,
		Location:            t.object.Location,
		Comment:             r.Comment,
		Owner:               r.Owner,
		ETag:                etag(t.object),
		Revision:            t.state(),
		Created:             r.Created,
		Updated:             t.object.Updated,
		CreatedBy:           r.CreatedBy,
		UpdatedBy:           r.UpdatedBy,
		Columns:             t.columns,
		PartitionColumns:    slices.Clone(r.PartitionColumns),
		Properties:          t.properties(),
		LastCommitVersion:   copyOf(r.LastCommitVersion),
		LastCommitTimestamp: copyOf(r.LastCommitTimestamp),
		Uniform:             copyUniform(r.Uniform),
	}
	if p := copyProtocol(r.Protocol); p != nil {
		out.Protocol = *p
	}
	if r.Type != types.Managed {
		return out, nil
	}
	last := t.log.Last
	out.LatestVersion = &last
	for _, c := range slices.Backward(t.log.Commits) {
		w, err := wireCommit(c)
		if err != nil {
			return types.Table{}, fmt.Errorf("table %s: %w", t.object.ID, err)
		}
		out.Commits = append(out.Commits, w)
	}
	return out, nil
}
