package types

// AppendJSON appends the answer to loadTable (Delta API document, DeltaLoadTableResponse).
// It costs little: the columns are copied as they are stored, properties are in the order
// of their names. commits and partition-columns are always there, latest-table-version
// only in a managed table.
func (t *Table) AppendJSON(dst []byte) []byte {
	dst = appendString(append(dst, `{"metadata":{"etag":`...), t.ETag)
	dst = appendString(append(dst, `,"table-type":`...), string(t.Type))
	dst = appendString(append(dst, `,"table-uuid":`...), string(t.ID))
	dst = appendString(append(dst, `,"location":`...), t.Location)
	dst = appendInt(dst, `,"created-time":`, t.Created.UnixMilli())
	dst = appendInt(dst, `,"updated-time":`, t.Updated.UnixMilli())
	dst = t.Columns.AppendJSON(append(dst, `,"columns":`...))
	dst = appendStrings(append(dst, `,"partition-columns":`...), t.PartitionColumns)
	dst = t.Properties.AppendJSON(append(dst, `,"properties":`...))
	if t.LastCommitVersion != nil {
		dst = appendInt(dst, `,"last-commit-version":`, *t.LastCommitVersion)
	}
	if t.LastCommitTimestamp != nil {
		dst = appendInt(dst, `,"last-commit-timestamp-ms":`, *t.LastCommitTimestamp)
	}
	dst = append(dst, `},"commits":[`...)
	for i := range t.Commits {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = t.Commits[i].appendJSON(dst)
	}
	dst = append(dst, ']')
	if t.Uniform != nil {
		dst = t.Uniform.appendJSON(append(dst, `,"uniform":`...))
	}
	if t.LatestVersion != nil && t.Type == Managed {
		dst = appendInt(dst, `,"latest-table-version":`, *t.LatestVersion)
	}
	return append(dst, '}')
}

// MarshalJSON is [Table.AppendJSON].
func (t Table) MarshalJSON() ([]byte, error) { return t.AppendJSON(nil), nil }

// UnmarshalJSON reads the answer to loadTable; see [Table] for what it leaves empty.
func (t *Table) UnmarshalJSON(data []byte) error { return unmarshal(t, data, readTable) }

func readTable(data []byte, p *path) (Table, error) {
	o := open(data, p)
	t := need(o, "metadata", readTableMetadata)
	t.Commits = given(o, "commits", listOf(readCommit))
	t.Uniform = maybe(o, "uniform", readUniform)
	t.LatestVersion = maybe(o, "latest-table-version", readInt64)
	return t, o.err
}

func readTableMetadata(data []byte, p *path) (Table, error) {
	o := open(data, p)
	t := Table{
		ETag:                need(o, "etag", readString),
		Type:                need(o, "table-type", readTableType),
		ID:                  need(o, "table-uuid", readID),
		Location:            need(o, "location", readString),
		Created:             need(o, "created-time", readTime),
		Updated:             need(o, "updated-time", readTime),
		Columns:             need(o, "columns", readColumns),
		PartitionColumns:    given(o, "partition-columns", listOf(readString)),
		Properties:          need(o, "properties", readProperties),
		LastCommitVersion:   maybe(o, "last-commit-version", readInt64),
		LastCommitTimestamp: maybe(o, "last-commit-timestamp-ms", readInt64),
	}
	return t, o.err
}

// readColumns reads columns of any table, those without fields too.
func readColumns(data []byte, p *path) (Columns, error) {
	t, err := newParser(data, p, true).structType()
	if err != nil {
		return Columns{}, err
	}
	return NewColumns(t), nil
}
