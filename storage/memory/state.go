package memory

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// A state is everything the store knows at one instant. It is made of trees that never
// change and of values that nobody changes once they are in a tree, so a copy of a
// state is a snapshot.
type state struct {
	objects  tree[types.ID, *storage.Object]
	children tree[place, types.ID]
	located  tree[spot, struct{}] // objects that have a Location
	logs     tree[types.ID, *log]
}

// A place is where an object hangs in the tree: what is unique of it.
type place struct {
	parent types.ID
	kind   types.Kind
	name   string
}

// A spot is a place in storage; several objects may be at one location.
type spot struct {
	location string
	id       types.ID
}

// A log is a storage.Log with all that is remembered.
type log struct {
	revision, last, backfilled int64
	state                      []byte
	commits                    []storage.Commit // ascending; see add
}

func newState() *state {
	return &state{
		objects:  newTree[types.ID, *storage.Object](cmp.Compare),
		children: newTree[place, types.ID](place.compare),
		located:  newTree[spot, struct{}](spot.compare),
		logs:     newTree[types.ID, *log](cmp.Compare),
	}
}

func placeOf(o *storage.Object) place { return place{o.Parent, o.Kind, o.Name} }

func (p place) compare(q place) int {
	if c := strings.Compare(string(p.parent), string(q.parent)); c != 0 {
		return c
	}
	if c := strings.Compare(string(p.kind), string(q.kind)); c != 0 {
		return c
	}
	return strings.Compare(p.name, q.name)
}

func (s spot) compare(t spot) int {
	if c := strings.Compare(s.location, t.location); c != 0 {
		return c
	}
	return strings.Compare(string(s.id), string(t.id))
}

// root returns the object without a parent.
func (s *state) root() (*storage.Object, bool) {
	for p, id := range s.children.from(place{}) {
		if p.parent == "" {
			return s.objects.get(id)
		}
		break
	}
	return nil, false
}

// put stores a copy of o and of what leads to it; before is what was there with its ID, or nil.
func (s *state) put(o storage.Object, before *storage.Object) {
	o = copyObject(&o)
	o.Created, o.Updated = stored(o.Created), stored(o.Updated)
	if before != nil {
		s.unlink(before)
	}
	s.objects = s.objects.put(o.ID, &o)
	s.children = s.children.put(placeOf(&o), o.ID)
	if o.Location != "" {
		s.located = s.located.put(spot{o.Location, o.ID}, struct{}{})
	}
}

// unlink removes what leads to o.
func (s *state) unlink(o *storage.Object) {
	s.children = s.children.del(placeOf(o))
	if o.Location != "" {
		s.located = s.located.del(spot{o.Location, o.ID})
	}
}

// remove removes o, everything beneath it, and their logs.
func (s *state) remove(o *storage.Object) {
	for p, id := range s.children.from(place{parent: o.ID}) {
		if p.parent != o.ID {
			break
		}
		if child, ok := s.objects.get(id); ok { // the range goes on over the tree it began with
			s.remove(child)
		}
	}
	s.unlink(o)
	s.objects = s.objects.del(o.ID)
	s.logs = s.logs.del(o.ID)
}

// writeLog puts d in the place of l, which is nil if there is no log yet.
func (s *state) writeLog(id types.ID, l *log, d storage.LogDelta) {
	var commits []storage.Commit
	if l != nil {
		commits = l.commits
	}
	if d.Add != nil {
		commits = add(commits, copyCommit(*d.Add))
	}
	forget := min(d.Forget, d.Backfilled) // what is not backfilled is no memory
	if len(commits) > 0 && commits[0].Version <= forget {
		commits = commits[beyond(commits, forget):]
	}
	s.logs = s.logs.put(id, &log{d.Revision, d.Last, d.Backfilled, bytes.Clone(d.State), commits})
}

// add returns commits, which others see, with c. At their end, where it nearly always goes, it may
// use memory of theirs that they do not see: one Update runs at a time, and what one has added that
// came to nothing nobody has seen.
func add(commits []storage.Commit, c storage.Commit) []storage.Commit {
	at := find(commits, c.Version)
	if at < len(commits) {
		commits = slices.Clone(commits)
	}
	return slices.Insert(commits, at, c)
}

// find returns the place of version among commits, or where it would be.
func find(commits []storage.Commit, version int64) int {
	if n := len(commits); n == 0 || commits[n-1].Version < version {
		return n
	}
	at, _ := slices.BinarySearchFunc(commits, version, func(c storage.Commit, v int64) int { return cmp.Compare(c.Version, v) })
	return at
}

// beyond returns the place of the first of commits after version, of which there may be none.
func beyond(commits []storage.Commit, version int64) int {
	at := find(commits, version)
	if at < len(commits) && commits[at].Version == version {
		at++
	}
	return at
}

// commit returns the commit of version, if it is remembered.
func (l *log) commit(version int64) (storage.Commit, bool) {
	if at := find(l.commits, version); at < len(l.commits) && l.commits[at].Version == version {
		return l.commits[at], true
	}
	return storage.Commit{}, false
}

// rev is the revision of l, 0 if there is no log.
func (l *log) rev() int64 {
	if l == nil {
		return 0
	}
	return l.revision
}

// lastVersion is the last of l, 0 if there is no log.
func (l *log) lastVersion() int64 {
	if l == nil {
		return 0
	}
	return l.last
}

// read returns what a read of l brings; l is nil if there is no log.
func (l *log) read(version int64) *storage.Log {
	if l == nil {
		return &storage.Log{}
	}
	out := &storage.Log{Revision: l.revision, Last: l.last, Backfilled: l.backfilled, State: l.state}
	out.Commits = slices.Clip(l.commits[beyond(l.commits, l.backfilled):]) // there is none after last
	if version != 0 {
		if c, ok := l.commit(version); ok {
			out.Asked = &c
		}
	}
	return out
}

func copyObject(o *storage.Object) storage.Object {
	c := *o
	c.Body = bytes.Clone(o.Body)
	return c
}

func copyCommit(c storage.Commit) storage.Commit {
	c.Data = bytes.Clone(c.Data)
	return c
}

// stored is t as the contract keeps it.
func stored(t time.Time) time.Time { return time.UnixMilli(t.UnixMilli()).UTC() }
