package types

// An entry is a requirement or an action on the wire; absent fields are left out.
type entry struct {
	Type   string `json:"type,omitempty"`
	Action string `json:"action,omitempty"`

	UUID *ID     `json:"uuid,omitempty"`
	ETag *string `json:"etag,omitempty"`

	Columns          *StructType `json:"columns,omitempty"`
	PartitionColumns any         `json:"partition-columns,omitempty"`
	Protocol         *Protocol   `json:"protocol,omitempty"`
	Updates          any         `json:"updates,omitempty"`
	Removals         any         `json:"removals,omitempty"`
	Domains          any         `json:"domains,omitempty"`
	Comment          *string     `json:"comment,omitempty"`
	*AddCommit
	*SnapshotVersion
	Backfilled *int64 `json:"latest-published-version,omitempty"`
}

// MarshalJSON writes the body of updateTable.
func (u UpdateTable) MarshalJSON() ([]byte, error) {
	body := struct {
		Requirements []entry `json:"requirements"`
		Updates      []entry `json:"updates"`
	}{Updates: u.Update.entries()}
	body.Requirements = append(body.Requirements, entry{Type: "assert-table-uuid", UUID: &u.Require.TableUUID})
	if u.Require.ETag != nil {
		body.Requirements = append(body.Requirements, entry{Type: "assert-etag", ETag: u.Require.ETag})
	}
	return encode(body)
}

// entries lists the actions of u in the order of its fields.
func (u *Update) entries() []entry {
	list := []entry{}
	add := func(present bool, e entry) {
		if present {
			list = append(list, e)
		}
	}
	add(u.SetColumns != nil, entry{Action: "set-columns", Columns: u.SetColumns})
	add(u.SetPartitionColumns != nil,
		entry{Action: "set-partition-columns", PartitionColumns: u.SetPartitionColumns})
	add(u.SetProtocol != nil, entry{Action: "set-protocol", Protocol: u.SetProtocol})
	add(u.SetProperties != nil, entry{Action: "set-properties", Updates: u.SetProperties})
	add(u.RemoveProperties != nil, entry{Action: "remove-properties", Removals: u.RemoveProperties})
	add(u.SetDomains != nil, entry{Action: "set-domain-metadata", Updates: u.SetDomains})
	add(u.RemoveDomains != nil, entry{Action: "remove-domain-metadata", Domains: u.RemoveDomains})
	add(u.SetComment != nil, entry{Action: "set-table-comment", Comment: u.SetComment})
	add(u.SetSnapshotVersion != nil,
		entry{Action: "update-metadata-snapshot-version", SnapshotVersion: u.SetSnapshotVersion})
	add(u.AddCommit != nil, entry{Action: "add-commit", AddCommit: u.AddCommit})
	add(u.SetBackfilledVersion != nil,
		entry{Action: "set-latest-backfilled-version", Backfilled: u.SetBackfilledVersion})
	return list
}
