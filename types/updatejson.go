package types

import "slices"

// UnmarshalJSON reads the body of updateTable and refuses all that is wrong with it
// whatever the table: no updates, other than one assert-table-uuid, a requirement or an
// action that is unknown, incomplete or there twice, and a property or a domain that is
// both set and removed.
func (u *UpdateTable) UnmarshalJSON(data []byte) error { return unmarshal(u, data, readUpdateTable) }

func readUpdateTable(data []byte, p *path) (UpdateTable, error) {
	o := open(data, p)
	u := UpdateTable{
		Require: need(o, "requirements", readRequirements),
		Update:  need(o, "updates", readUpdates),
	}
	return u, o.err
}

func readRequirements(data []byte, p *path) (Requirement, error) {
	var r Requirement
	err := eachNamed(data, p, "type", func(kind string, o *object) {
		switch kind {
		case "assert-table-uuid":
			r.TableUUID = need(o, "uuid", readID)
		case "assert-etag":
			r.ETag = must(o, "etag", readNonEmpty)
		default:
			o.err = p.bad("unknown type %s", quote(kind))
		}
	})
	if err == nil && r.TableUUID == "" {
		err = p.wrong("assert-table-uuid is missing")
	}
	return r, err
}

func readUpdates(data []byte, p *path) (Update, error) {
	var u Update
	empty := true
	err := eachNamed(data, p, "action", func(action string, o *object) {
		empty = false
		if read, ok := actions[action]; ok {
			read(&u, o)
		} else {
			o.err = p.bad("unknown action %s", quote(action))
		}
	})
	if err == nil && empty {
		err = p.wrong("empty")
	}
	if err == nil {
		err = u.disjoint(p)
	}
	return u, err
}

// actions reads each action of the Delta API into its field.
var actions = map[string]func(*Update, *object){
	"set-columns": func(u *Update, o *object) {
		u.SetColumns = must(o, "columns", readStruct)
	},
	"set-partition-columns": func(u *Update, o *object) {
		u.SetPartitionColumns = need(o, "partition-columns", listOf(readString))
	},
	"set-protocol": func(u *Update, o *object) {
		u.SetProtocol = must(o, "protocol", readProtocol)
	},
	"set-properties": func(u *Update, o *object) {
		u.SetProperties = need(o, "updates", mapOf(readString))
	},
	"remove-properties": func(u *Update, o *object) {
		u.RemoveProperties = need(o, "removals", listOf(readString))
	},
	"set-domain-metadata": func(u *Update, o *object) {
		u.SetDomains = must(o, "updates", readSomeDomain)
	},
	"remove-domain-metadata": func(u *Update, o *object) {
		u.RemoveDomains = need(o, "domains", listOf(readDomainName))
	},
	"set-table-comment": func(u *Update, o *object) {
		u.SetComment = must(o, "comment", readString)
	},
	"update-metadata-snapshot-version": func(u *Update, o *object) {
		v := snapshotVersionIn(o)
		u.SetSnapshotVersion = &v
	},
	"add-commit": func(u *Update, o *object) {
		c := addCommitIn(o)
		u.AddCommit = &c
	},
	"set-latest-backfilled-version": func(u *Update, o *object) {
		u.SetBackfilledVersion = must(o, "latest-published-version", readInt64)
	},
}

func addCommitIn(o *object) AddCommit {
	return AddCommit{Commit: need(o, "commit", readCommit), Uniform: maybe(o, "uniform", readUniform)}
}

// UnmarshalJSON reads the action; commit is required.
func (a *AddCommit) UnmarshalJSON(data []byte) error { return unmarshal(a, data, readAddCommit) }

func readAddCommit(data []byte, p *path) (AddCommit, error) {
	o := open(data, p)
	a := addCommitIn(o)
	return a, o.err
}

func snapshotVersionIn(o *object) SnapshotVersion {
	return SnapshotVersion{
		LastCommitVersion:   need(o, "last-commit-version", readInt64),
		LastCommitTimestamp: need(o, "last-commit-timestamp-ms", readInt64),
	}
}

// UnmarshalJSON reads the action; both fields are required.
func (s *SnapshotVersion) UnmarshalJSON(data []byte) error {
	return unmarshal(s, data, readSnapshotVersion)
}

func readSnapshotVersion(data []byte, p *path) (SnapshotVersion, error) {
	o := open(data, p)
	s := snapshotVersionIn(o)
	return s, o.err
}

func readSomeDomain(data []byte, p *path) (DomainMetadata, error) {
	d, err := readDomains(data, p)
	if err == nil && d == (DomainMetadata{}) {
		err = p.wrong("no domain")
	}
	return d, err
}

func readDomainName(data []byte, p *path) (string, error) {
	s, err := readString(data, p)
	if err == nil {
		err = knownDomain(s, p)
	}
	return s, err
}

// eachNamed reads a list of objects that tell by the field tag what they are. None may
// be null, and none be there twice.
func eachNamed(data []byte, p *path, tag string, read func(name string, o *object)) error {
	seen := map[string]bool{}
	_, err := listOf(func(data []byte, p *path) (struct{}, error) {
		o := open(data, p)
		name := need(o, tag, readString)
		if o.err == nil {
			read(name, o)
		}
		if o.err == nil && seen[name] {
			o.err = p.wrong("%s is there twice", name)
		}
		seen[name] = true
		return struct{}{}, o.err
	})(data, p)
	return err
}

// disjoint answers for what is set and removed at once.
func (u *Update) disjoint(p *path) error {
	for _, key := range u.RemoveProperties {
		if _, ok := u.SetProperties[key]; ok {
			return p.wrong("property %s is set and removed", quote(key))
		}
	}
	if d := u.SetDomains; d != nil {
		if d.Clustering != nil && slices.Contains(u.RemoveDomains, DomainClustering) {
			return p.wrong("domain %s is set and removed", DomainClustering)
		}
		if d.RowTracking != nil && slices.Contains(u.RemoveDomains, DomainRowTracking) {
			return p.wrong("domain %s is set and removed", DomainRowTracking)
		}
	}
	return nil
}
