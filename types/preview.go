package types

// PreviewCommit is a request of the older commits API (DeltaCommit of its document): at
// least one of Commit and Backfilled.
type PreviewCommit struct {
	TableID    ID
	Location   string // the table's location, in any spelling that normalises to it
	Commit     *Commit
	Backfilled *int64           // all commits up to here are published
	Metadata   *PreviewMetadata // with a Commit only
	Uniform    *Uniform         // with a Commit only
}

// PreviewMetadata is the metadata that a commit changes; nil fields stay as they are.
type PreviewMetadata struct {
	Comment          *string
	Columns          *StructType
	PartitionColumns []string          // with Columns; nil: carried over by name
	Properties       map[string]string // all of them, io.unitycatalog.tableId among them; derived ones are ignored
}

// PreviewQuery asks the older commits API for commits of versions from Start up to End.
type PreviewQuery struct {
	TableID  ID
	Location string // as of PreviewCommit
	Start    int64  // 0 or more
	End      *int64 // nil: no bound
}

// PreviewCommits is the answer: ratified commits that are not backfilled, newest first.
type PreviewCommits struct {
	Commits       []Commit
	LatestVersion int64 // 0 before the first commit
}
