package types

// DomainMetadata holds the two metadata domains that the catalog keeps. A nil
// domain is an absent one.
type DomainMetadata struct {
	Clustering  *Clustering  `json:"delta.clustering,omitempty"`
	RowTracking *RowTracking `json:"delta.rowTracking,omitempty"`
}

// The names of the domains in DomainMetadata.
const (
	DomainClustering  = "delta.clustering"
	DomainRowTracking = "delta.rowTracking"
)

// Clustering is the delta.clustering domain: one path of names for each clustering
// column, physical names under column mapping. An empty list is CLUSTER BY NONE.
type Clustering struct {
	ClusteringColumns [][]string `json:"clusteringColumns"`
}

// RowTracking is the delta.rowTracking domain.
type RowTracking struct {
	RowIDHighWaterMark int64 `json:"rowIdHighWaterMark"` // highest row ID given out; -1 if none
}

// UnmarshalJSON reads domains. A domain must be known and hold its own field, next to
// which others are ignored; a null domain is an absent one.
func (d *DomainMetadata) UnmarshalJSON(data []byte) error { return unmarshal(d, data, readDomains) }

func readDomains(data []byte, p *path) (DomainMetadata, error) {
	o := open(data, p)
	for _, m := range o.members {
		if o.err == nil {
			o.err = knownDomain(m.name, p)
		}
	}
	d := DomainMetadata{
		Clustering:  maybe(o, DomainClustering, readClustering),
		RowTracking: maybe(o, DomainRowTracking, readRowTracking),
	}
	return d, o.err
}

// knownDomain answers for a domain that the catalog does not keep.
func knownDomain(name string, p *path) error {
	if name == DomainClustering || name == DomainRowTracking {
		return nil
	}
	return p.wrong("unknown domain %s, want %s or %s", quote(name), DomainClustering, DomainRowTracking)
}

// UnmarshalJSON reads the domain; clusteringColumns is required and its paths are
// lists, not empty, of names that are not empty.
func (c *Clustering) UnmarshalJSON(data []byte) error { return unmarshal(c, data, readClustering) }

func readClustering(data []byte, p *path) (Clustering, error) {
	o := open(data, p)
	c := Clustering{ClusteringColumns: need(o, "clusteringColumns", listOf(readColumnPath))}
	return c, o.err
}

func readColumnPath(data []byte, p *path) ([]string, error) {
	names, err := listOf(readNonEmpty)(data, p)
	if err == nil && len(names) == 0 {
		err = p.wrong("empty")
	}
	return names, err
}

// MarshalJSON writes the domain, with [] for a nil list.
func (c Clustering) MarshalJSON() ([]byte, error) {
	dst := []byte(`{"clusteringColumns":[`)
	for i, names := range c.ClusteringColumns {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendStrings(dst, names)
	}
	return append(dst, "]}"...), nil
}

// UnmarshalJSON reads the domain; rowIdHighWaterMark is required.
func (r *RowTracking) UnmarshalJSON(data []byte) error { return unmarshal(r, data, readRowTracking) }

func readRowTracking(data []byte, p *path) (RowTracking, error) {
	o := open(data, p)
	r := RowTracking{RowIDHighWaterMark: need(o, "rowIdHighWaterMark", readInt64)}
	return r, o.err
}
