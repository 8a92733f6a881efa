package types

import "time"

// A TableType says who owns the files of a table.
type TableType string

// The types of tables.
const (
	Managed  TableType = "MANAGED"  // the catalog chooses the location and decides which commit wins
	External TableType = "EXTERNAL" // the files are the user's; the catalog only names them
)

// FormatDelta is the Format of a Delta table. Tables of other formats are named by
// the catalog, but not served by the Delta API.
const FormatDelta = "DELTA"

// Formats are the formats of tables that can be registered, in the order of their numbers in DataSourceFormat of
// the management API, from 1.
func Formats() []string {
	return []string{FormatDelta, "ICEBERG", "HUDI", "PARQUET", "CSV", "JSON", "ORC", "AVRO", "TEXT", "UNITY_CATALOG", "DELTASHARING"}
}

// A Table is a table as of one instant: metadata, unbackfilled commits and latest
// version belong together. It marshals as the Delta API's load response, which leaves
// out Name, Format, Comment, Owner and Protocol; in reading that response these stay empty.
type Table struct {
	Name     TableName
	ID       ID
	Type     TableType
	Format   string // FormatDelta, PARQUET, …
	Location string // storage URL in normal form, without a trailing slash
	Comment  string
	Owner    string // principal that created the table; "" without authentication

	ETag     string // changes with the metadata, never with a data-only commit; opaque
	Revision string // changes with anything, commits too: tables of the same Revision are the same; opaque; not in the JSON
	Created  time.Time
	Updated  time.Time // moves with ETag

	CreatedBy, UpdatedBy string // principals

	Columns          Columns
	PartitionColumns []string // names as spelled in Columns, in partition order
	Protocol         Protocol // zero if not known (external tables made without it)

	// Properties holds what clients have set and what the catalog derives:
	// delta.minReaderVersion, delta.feature.*, clusteringColumns and the like.
	Properties Properties

	// LastCommitVersion is the version of the last commit that changed metadata, and
	// LastCommitTimestamp its time in epoch milliseconds; nil if not known.
	LastCommitVersion   *int64
	LastCommitTimestamp *int64

	Commits       []Commit // ratified but not yet backfilled, newest first, contiguous; empty if External
	LatestVersion *int64   // latest ratified version, data-only commits included; nil if External
	Uniform       *Uniform
}

// A TableListing is one line of a list of the tables of a whole catalog.
type TableListing struct {
	Name TableName
	Type TableType
}

// TablePatterns choose tables by LIKE patterns for the names of their schema and of themselves: % is any
// text, _ any one character, and \ makes the next character stand for itself. The whole name must
// match, case included. "" matches all.
type TablePatterns struct{ Schema, Table string }

// A TableSummary is one line of a table list.
type TableSummary struct {
	Name string    `json:"name"`
	ID   ID        `json:"table-uuid"`
	Type TableType `json:"table-type"`
}

var readTableType = oneOf(Managed, External)

// UnmarshalJSON reads a line of a table list; all fields are required.
func (t *TableSummary) UnmarshalJSON(data []byte) error { return unmarshal(t, data, readSummary) }

func readSummary(data []byte, p *path) (TableSummary, error) {
	o := open(data, p)
	t := TableSummary{
		Name: need(o, "name", readString),
		ID:   need(o, "table-uuid", readID),
		Type: need(o, "table-type", readTableType),
	}
	return t, o.err
}
