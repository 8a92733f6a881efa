package types

// CreateTable registers a table whose version 0 the caller has written at Location.
type CreateTable struct {
	Name             string
	Location         string // of a staging table if Managed; in any spelling that normalises to it
	Type             TableType
	Format           string // not in the Delta API's JSON; "" means FormatDelta, and only external tables may have another
	Comment          *string
	Columns          StructType
	PartitionColumns []string
	Protocol         Protocol
	Properties       map[string]string
	Domains          DomainMetadata
	// LastCommitTimestamp is the time of version 0 in epoch milliseconds, 0 or more. The
	// Delta API requires it; nil (not known) is for external tables only.
	LastCommitTimestamp *int64
	Uniform             *Uniform
}

// UnmarshalJSON reads the body of createTable. The required fields are judged in the
// order name, location, columns, table-type, protocol, last-commit-timestamp-ms, and
// then the optional ones. Absent properties and domains are none; a property's value
// must be a string.
func (c *CreateTable) UnmarshalJSON(data []byte) error { return unmarshal(c, data, readCreate) }

func readCreate(data []byte, p *path) (CreateTable, error) {
	o := open(data, p)
	c := CreateTable{
		Name:                need(o, "name", readString),
		Location:            need(o, "location", readString),
		Columns:             need(o, "columns", readStruct),
		Type:                need(o, "table-type", readTableType),
		Protocol:            need(o, "protocol", readProtocol),
		LastCommitTimestamp: must(o, "last-commit-timestamp-ms", readInt64),
		Comment:             maybe(o, "comment", readString),
		PartitionColumns:    given(o, "partition-columns", listOf(readString)),
		Properties:          given(o, "properties", mapOf(readString)),
		Domains:             given(o, "domain-metadata", readDomains),
		Uniform:             maybe(o, "uniform", readUniform),
	}
	return c, o.err
}

// MarshalJSON writes the body of createTable.
func (c CreateTable) MarshalJSON() ([]byte, error) {
	dst := appendString([]byte(`{"name":`), c.Name)
	dst = appendString(append(dst, `,"location":`...), c.Location)
	dst = appendString(append(dst, `,"table-type":`...), string(c.Type))
	if c.Comment != nil {
		dst = appendString(append(dst, `,"comment":`...), *c.Comment)
	}
	dst = c.Columns.AppendJSON(append(dst, `,"columns":`...))
	dst = appendStrings(append(dst, `,"partition-columns":`...), c.PartitionColumns)
	rest, err := encode(struct {
		Protocol Protocol       `json:"protocol"`
		Domains  DomainMetadata `json:"domain-metadata,omitzero"`
		Uniform  *Uniform       `json:"uniform,omitempty"`
	}{c.Protocol, c.Domains, c.Uniform})
	if err != nil {
		return nil, err
	}
	dst = append(append(dst, ','), rest[1:len(rest)-1]...)
	dst = appendProperties(append(dst, `,"properties":`...), c.Properties)
	if c.LastCommitTimestamp != nil {
		dst = appendInt(dst, `,"last-commit-timestamp-ms":`, *c.LastCommitTimestamp)
	}
	return append(dst, '}'), nil
}

// RenameTable gives a table another name in its schema.
type RenameTable struct {
	NewName string `json:"new-name"`
}

// UnmarshalJSON reads the body of renameTable; new-name is required.
func (r *RenameTable) UnmarshalJSON(data []byte) error { return unmarshal(r, data, readRename) }

func readRename(data []byte, p *path) (RenameTable, error) {
	o := open(data, p)
	r := RenameTable{NewName: need(o, "new-name", readString)}
	return r, o.err
}
