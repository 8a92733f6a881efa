package types

// A Commit is one ratified version of a catalog-managed table: the file that holds
// it below _delta_log/_staged_commits, until it is backfilled (published) as
// _delta_log/<version>.json. All numbers are positive.
type Commit struct {
	Version                   int64  `json:"version"`
	Timestamp                 int64  `json:"timestamp"`                   // in-commit timestamp, epoch milliseconds
	FileName                  string `json:"file-name"`                   // one path segment, usually <version>.<uuid>.json
	FileSize                  int64  `json:"file-size"`                   // bytes
	FileModificationTimestamp int64  `json:"file-modification-timestamp"` // epoch milliseconds
}

// UnmarshalJSON reads a commit; all its fields are required.
func (c *Commit) UnmarshalJSON(data []byte) error { return unmarshal(c, data, readCommit) }

func readCommit(data []byte, p *path) (Commit, error) {
	o := open(data, p)
	c := Commit{
		Version:                   need(o, "version", readInt64),
		Timestamp:                 need(o, "timestamp", readInt64),
		FileName:                  need(o, "file-name", readString),
		FileSize:                  need(o, "file-size", readInt64),
		FileModificationTimestamp: need(o, "file-modification-timestamp", readInt64),
	}
	return c, o.err
}

// appendJSON appends c in the spelling of its tags.
func (c *Commit) appendJSON(dst []byte) []byte {
	dst = appendInt(dst, `{"version":`, c.Version)
	dst = appendInt(dst, `,"timestamp":`, c.Timestamp)
	dst = appendString(append(dst, `,"file-name":`...), c.FileName)
	dst = appendInt(dst, `,"file-size":`, c.FileSize)
	dst = appendInt(dst, `,"file-modification-timestamp":`, c.FileModificationTimestamp)
	return append(dst, '}')
}
