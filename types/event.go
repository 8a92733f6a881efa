package types

import "time"

// An EventAction says what was done.
type EventAction string

// What may be done.
const (
	EventCreate   EventAction = "create"
	EventUpdate   EventAction = "update"
	EventDelete   EventAction = "delete"
	EventCommit   EventAction = "commit"   // a version of a table is ratified
	EventBackfill EventAction = "backfill" // a backfill is reported
	EventVend     EventAction = "vend"     // credentials to files are handed out
)

// An Event is something that was done, for the audit log. It holds no secret.
type Event struct {
	Time      time.Time
	RequestID string // "" if the request has none
	Principal string // "" without authentication
	Action    EventAction
	Kind      Kind
	ID        ID
	Name      string // full, after it; of a grant that of the securable

	// Uncertain: the change may not have been carried out, the store could not tell. The client is told, too,
	// and a client that sends the request again makes it certain, but perhaps no other event.
	Uncertain bool

	// Before and After are revisions of the object; 0 where it did not exist.
	Before, After int64

	Owner      string      // its owner, if that has changed or the object is new
	Grantee    string      // of a grant: to whom, …
	Privileges []Privilege // … and what it holds then, or held if it is deleted
	Groups     []string    // of a token, which is for the principal that its name begins with

	Version    *int64    // of a commit that was ratified
	Backfilled *int64    // of a commit: the latest backfilled version after it
	Location   string    // of a vend; of an external location its URL
	Operation  Operation // of a vend
	Expires    time.Time // of a vend
}
