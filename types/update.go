package types

// UpdateTable changes a table, all of it or nothing: the body of the Delta API's
// updateTable. The document sends lists in which no requirement and no
// action may stand twice; here each has a field, so that a list against that rule cannot
// be written in Go and is refused when it is decoded.
type UpdateTable struct {
	Require Requirement
	Update  Update
}

// A Requirement is what must hold for an update to be applied.
type Requirement struct {
	TableUUID ID      // the table's ID; required
	ETag      *string // the table's ETag before the update; nil: any
}

// An Update is a set of actions. A nil field is an absent action; a map or slice that
// is empty but not nil is a present one. The order of application is fixed and is that
// of the fields.
type Update struct {
	SetColumns          *StructType
	SetPartitionColumns []string // replaces all; empty: none
	SetProtocol         *Protocol
	SetProperties       map[string]string
	RemoveProperties    []string
	SetDomains          *DomainMetadata
	RemoveDomains       []string
	SetComment          *string
	SetSnapshotVersion  *SnapshotVersion // External only

	AddCommit            *AddCommit // Managed only
	SetBackfilledVersion *int64     // Managed only: commits up to here are published
}

// AddCommit asks the catalog to ratify a staged commit.
type AddCommit struct {
	Commit  Commit   `json:"commit"`
	Uniform *Uniform `json:"uniform,omitempty"` // required with each commit of a UniForm table
}

// A SnapshotVersion tells which version of an external table its metadata is from.
type SnapshotVersion struct {
	LastCommitVersion   int64 `json:"last-commit-version"`
	LastCommitTimestamp int64 `json:"last-commit-timestamp-ms"` // epoch milliseconds
}
