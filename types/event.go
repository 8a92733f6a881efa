package types

import "time"

// An Event is something that was done, for the audit log. It holds no secret.
type Event struct {
	Time      time.Time
	RequestID string // "" if the request has none
	Principal string // "" without authentication
	Action    string // create, update, delete, commit, backfill, vend
	Kind      Kind
	ID        ID
	Name      string // full, after it; of a grant that of the securable

	// Before and After are revisions of the object; 0 where it did not exist.
	Before, After int64

	Grantee    string      // of a grant: to whom, …
	Privileges []Privilege // … and what it holds then

	Version    *int64    // of a commit that was ratified
	Backfilled *int64    // of a commit: the latest backfilled version after it
	Location   string    // of a vend
	Operation  Operation // of a vend
	Expires    time.Time // of a vend
}
