package sqlite

import (
	"cmp"
	"slices"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// log returns the log of an object. The memory of versions costs nothing here: only what
// is not backfilled is read, and the one version that is asked for.
func (r *reader) log(id types.ID, key, version int64) (*storage.Log, error) {
	entries := r.journal.upTo(id, r.batch)
	l := &storage.Log{}
	if n := len(entries); n > 0 {
		*l = entries[n-1].log
	} else if err := r.logRow(key, l); err != nil {
		return nil, err
	}
	var err error
	if l.Commits, err = r.unbackfilled(entries, key, l); err != nil {
		return nil, err
	}
	if version != 0 && l.Revision != 0 {
		if l.Asked = added(entries, version); l.Asked == nil {
			l.Asked, err = r.stored(key, version)
		}
	}
	return l, err
}

// logRow reads what the table says of the log key, nothing if it does not know of it.
func (r *reader) logRow(key int64, l *storage.Log) error {
	s, err := r.get(qLog)
	if err != nil {
		return err
	}
	defer s.Reset()
	s.BindInt64(1, key)
	ok, err := s.Step()
	if ok {
		l.Revision, l.Last, l.Backfilled = s.ColumnInt64(0), s.ColumnInt64(1), s.ColumnInt64(2)
		l.State = column(s, 3)
	}
	return err
}

// unbackfilled returns the commits of l that are not backfilled: from entries, and if those
// are not all, from the table.
func (r *reader) unbackfilled(entries []entry, key int64, l *storage.Log) (out []storage.Commit, err error) {
	most := l.Last - l.Backfilled
	for _, e := range slices.Backward(entries) {
		if int64(len(out)) == most {
			break
		}
		if e.add != nil && e.add.Version > l.Backfilled {
			out = append(out, *e.add)
		}
	}
	if int64(len(out)) < most {
		older, err := r.commits(qCommits, key, l.Backfilled, l.Last)
		if err != nil {
			return nil, err
		}
		out = append(out, older...)
	}
	slices.SortFunc(out, func(a, b storage.Commit) int { return cmp.Compare(a.Version, b.Version) })
	return out, nil
}

// added returns the commit of a version that one of entries has added, nil if none has. What may be
// forgotten is not: the table tells whether it is.
func added(entries []entry, version int64) *storage.Commit {
	for _, e := range slices.Backward(entries) {
		if e.add != nil && e.add.Version == version {
			c := *e.add // the caller may change it, but for its bytes
			return &c
		}
	}
	return nil
}

// stored returns the commit of a version from the table, nil if it is not there.
func (r *reader) stored(key, version int64) (*storage.Commit, error) {
	found, err := r.commits(qVersion, key, version)
	if len(found) == 0 {
		return nil, err
	}
	return &found[0], err
}

// commits returns the commits of the log key that q finds.
func (r *reader) commits(q query, key int64, versions ...int64) ([]storage.Commit, error) {
	s, err := r.get(q)
	if err != nil {
		return nil, err
	}
	defer s.Reset()
	s.BindInt64(1, key)
	for i, v := range versions {
		s.BindInt64(i+2, v)
	}
	var out []storage.Commit
	for {
		ok, err := s.Step()
		if !ok || err != nil {
			return out, err
		}
		out = append(out, storage.Commit{Version: s.ColumnInt64(0), File: s.ColumnText(1), Data: column(s, 2)})
	}
}
