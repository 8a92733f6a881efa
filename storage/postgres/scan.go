package postgres

import (
	"cmp"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// found is what the rows of a read say.
type found struct {
	objects []object
	logs    map[types.ID]*storage.Log
	beside  []object // of an overlap: what is beneath
}

// An object is as it is stored.
type object struct {
	storage.Object
	depth int16
}

// scan takes all rows of a read.
func scan(rows pgx.Rows) (f found, err error) {
	defer rows.Close()
	for rows.Next() {
		v := rows.RawValues() // valid until Next
		switch intOf(v[0]) {
		case rowObject:
			f.objects = append(f.objects, objectOf(v))
		case rowBeside:
			f.beside = append(f.beside, objectOf(v))
		case rowLog:
			l := f.log(v)
			l.Revision, l.Last, l.Backfilled, l.State = intOf(v[7]), intOf(v[8]), intOf(v[9]), bytesOf(v[10])
		case rowCommit:
			l := f.log(v)
			l.Commits = append(l.Commits, commitOf(v))
		case rowAsked:
			c := commitOf(v)
			f.log(v).Asked = &c
		}
	}
	return f, rows.Err()
}

// log returns the log that a row is about, as far as it is known.
func (f *found) log(v [][]byte) *storage.Log {
	if f.logs == nil {
		f.logs = make(map[types.ID]*storage.Log)
	}
	l := f.logs[types.ID(v[1])]
	if l == nil {
		l = &storage.Log{}
		f.logs[types.ID(v[1])] = l
	}
	return l
}

func objectOf(v [][]byte) object {
	return object{storage.Object{
		ID:       types.ID(v[1]),
		Parent:   types.ID(v[2]),
		Kind:     types.Kind(v[4]),
		Name:     string(v[5]),
		Location: string(v[6]),
		Revision: intOf(v[7]),
		Created:  time.UnixMilli(intOf(v[8])).UTC(),
		Updated:  time.UnixMilli(intOf(v[9])).UTC(),
		Body:     bytesOf(v[10]),
	}, int16(intOf(v[3]))}
}

func commitOf(v [][]byte) storage.Commit {
	return storage.Commit{Version: intOf(v[7]), File: string(v[5]), Data: bytesOf(v[10])}
}

// bytesOf copies a value; an empty one is nil.
func bytesOf(v []byte) []byte {
	if len(v) == 0 {
		return nil
	}
	return slices.Clone(v)
}

// nodes makes nodes of the objects: with their logs if w wants them, but not of more than
// the last if it is a chain.
func (f *found) nodes(w storage.Want, chain bool) []storage.Node {
	out := make([]storage.Node, len(f.objects))
	at := make(map[types.ID]*storage.Node, len(f.objects))
	for i, o := range f.objects {
		out[i].Object = o.Object
		at[o.ID] = &out[i]
		if w.Log && (!chain || i == len(f.objects)-1) {
			out[i].Log = f.logs[o.ID]
			if out[i].Log == nil {
				out[i].Log = &storage.Log{}
			}
			slices.SortFunc(out[i].Log.Commits, func(a, b storage.Commit) int { return cmp.Compare(a.Version, b.Version) })
		}
	}
	for _, o := range f.beside {
		if n := at[o.Parent]; n != nil {
			n.Beside = append(n.Beside, o.Object)
		}
	}
	for i := range out {
		slices.SortFunc(out[i].Beside, func(a, b storage.Object) int {
			return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
		})
	}
	return out
}
