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
	steps := r.journal.upTo(id, r.batch)
	l := &storage.Log{}
	if n := len(steps); n > 0 {
		*l = steps[n-1].log
		l.State = cloneBytes(l.State)
	} else if err := r.logRow(key, l); err != nil {
		return nil, err
	}
	var err error
	if l.Commits, err = r.unbackfilled(steps, key, l); err != nil {
		return nil, err
	}
	if version != 0 && l.Revision != 0 {
		var ok bool
		if l.Asked, ok = asked(steps, version); !ok {
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

// unbackfilled returns the commits of l that are not backfilled: from steps, and if those
// are not all, from the table.
func (r *reader) unbackfilled(steps []entry, key int64, l *storage.Log) (out []storage.Commit, err error) {
	most := l.Last - l.Backfilled
	for _, s := range slices.Backward(steps) {
		if int64(len(out)) == most {
			break
		}
		if s.add != nil && s.add.Version > l.Backfilled && s.add.Version <= l.Last {
			out = append(out, copyCommit(*s.add))
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

// asked returns what steps tell of a version: the commit, or that it is as good as
// forgotten; ok is false if they tell nothing.
func asked(steps []entry, version int64) (c *storage.Commit, ok bool) {
	for _, s := range slices.Backward(steps) {
		if s.add != nil && s.add.Version == version {
			out := copyCommit(*s.add)
			return &out, true
		}
	}
	n := len(steps)
	return nil, n > 0 && version <= steps[n-1].forget
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
