package server

import (
	"time"

	"github.com/leveelake/catalog/types"
)

// What the endpoints of the Unity Catalog REST API and of the root mount have in common. On the
// first, lists are as whole as clients expect that read one page only.

const unityPage = 10_000

// unixMillis are epoch milliseconds.
func unixMillis(t time.Time) int64 { return t.UnixMilli() }

// stamps tell who made an object, and who changed it last.
type stamps struct {
	Owner     *string `json:"owner"`
	CreatedAt int64   `json:"created_at"`
	CreatedBy *string `json:"created_by"`
	UpdatedAt int64   `json:"updated_at"`
	UpdatedBy *string `json:"updated_by"`
}

func stamped(owner string, created time.Time, createdBy string, updated time.Time, updatedBy string) stamps {
	return stamps{orNull(owner), unixMillis(created), orNull(createdBy), unixMillis(updated), orNull(updatedBy)}
}

// orNull is nil for a principal that is not known.
func orNull(principal string) *string {
	if principal == "" {
		return nil
	}
	return &principal
}

// orEmpty makes an absent map an empty one: clients dereference it.
func orEmpty(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return m
}

func each[In, Out any](list []In, f func(In) Out) []Out {
	out := make([]Out, len(list))
	for i, v := range list {
		out[i] = f(v)
	}
	return out
}

// done is the answer of a deletion.
func done(err error) (any, error) { return struct{}{}, err }

func (s *Server) metastoreSummary(r *request) (any, error) {
	m, err := s.catalog.Metastore(r.Context())
	return struct {
		ID    types.ID `json:"metastore_id"`
		Name  string   `json:"name"`
		Owner *string  `json:"owner"`
	}{m.ID, m.Name, orNull(m.Owner)}, err
}
