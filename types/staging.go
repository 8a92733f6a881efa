package types

import "log/slog"

// A StagingTable is a place reserved for a managed table, and what its version 0
// must and should contain. A nil property value means that any value does.
type StagingTable struct {
	ID                  ID                 `json:"table-id"`
	Type                TableType          `json:"table-type"` // always Managed
	Location            string             `json:"location"`
	Credentials         []Credential       `json:"storage-credentials"`
	RequiredProtocol    Protocol           `json:"required-protocol"`
	SuggestedProtocol   Features           `json:"suggested-protocol"`
	RequiredProperties  map[string]*string `json:"required-properties"`
	SuggestedProperties map[string]*string `json:"suggested-properties"`
}

// CreateStagingTable asks for a place for a managed table.
type CreateStagingTable struct {
	Name string `json:"name"`
}

// MarshalJSON writes the answer to createStagingTable; absent lists and maps are empty.
func (t StagingTable) MarshalJSON() ([]byte, error) {
	type plain StagingTable // without this method
	if t.Credentials == nil {
		t.Credentials = []Credential{}
	}
	if t.RequiredProperties == nil {
		t.RequiredProperties = map[string]*string{}
	}
	if t.SuggestedProperties == nil {
		t.SuggestedProperties = map[string]*string{}
	}
	return encode(plain(t))
}

// UnmarshalJSON reads the answer to createStagingTable; only what is suggested may be
// absent.
func (t *StagingTable) UnmarshalJSON(data []byte) error { return unmarshal(t, data, readStaging) }

func readStaging(data []byte, p *path) (StagingTable, error) {
	o := open(data, p)
	t := StagingTable{
		ID:                  need(o, "table-id", readID),
		Type:                need(o, "table-type", readTableType),
		Location:            need(o, "location", readString),
		Credentials:         need(o, "storage-credentials", listOf(readCredential)),
		RequiredProtocol:    need(o, "required-protocol", readProtocol),
		SuggestedProtocol:   given(o, "suggested-protocol", readFeatures),
		RequiredProperties:  need(o, "required-properties", mapOf(nullable(readString))),
		SuggestedProperties: given(o, "suggested-properties", mapOf(nullable(readString))),
	}
	return t, o.err
}

// LogValue names the table without the secrets of its credentials.
func (t StagingTable) LogValue() slog.Value {
	return slog.GroupValue(slog.String("id", string(t.ID)), slog.String("location", t.Location))
}

// UnmarshalJSON reads the body of createStagingTable; name is required.
func (c *CreateStagingTable) UnmarshalJSON(data []byte) error {
	return unmarshal(c, data, readCreateStaging)
}

func readCreateStaging(data []byte, p *path) (CreateStagingTable, error) {
	o := open(data, p)
	c := CreateStagingTable{Name: need(o, "name", readString)}
	return c, o.err
}
