package history_test

import (
	"encoding/binary"
	"hash/maphash"
	"net/http"

	"github.com/anishathalye/porcupine"

	"github.com/leveelake/catalog/types"
)

// The sequential machine that a history is compared with. Five tables have two names each,
// and are renamed between these alone, so what happens to one table has no bearing on the
// others: a history is linearizable if it is so for each of the five by itself.
const slots = 5

// An input is a request.
type input struct {
	op   string // load, exists, list, stage, create, update, rename, drop
	slot int
	name int // which of the slot's two names
	to   int // rename

	id       types.ID // create, update
	staged   int      // create: the number of the staging table, which id is that of
	version  int64    // update: of a commit; 0: no commit
	file     uint32   // update: what tells its file from all others
	etag     string   // update: assert-etag; "": none
	property string   // update: what property p is set to; "": nothing
	backfill *int64   // update
}

// An output is an answer. If it is unknown, the request may have been carried out at any
// time after it was made, or never: then it has its place at the end, where it does no harm.
type output struct {
	unknown bool
	status  int
	code    types.Code
	table   shown       // of an answer with a table
	listed  [2]types.ID // list: what the slot's names are those of
}

// shown is what an answer shows of a table.
type shown struct {
	id       types.ID
	etag     string
	updated  int64
	property string
	metadata int64 // last-commit-version
	latest   int64
	commits  string // the files of the commits that are not backfilled, oldest first, as in tab
}

// A tab is a table; the zero tab is none.
type tab struct {
	id       types.ID
	etag     string // "": it is a new one that nobody has seen yet
	was      string // the last one before it that somebody has seen
	updated  int64  // the time that came with etag or, if that is new, with was
	property string
	metadata int64
	files    string // four bytes for each version
	backfill int64
}

const width = 4

func (t tab) latest() int64 { return int64(len(t.files)) / width }

func (t tab) file(version int64) uint32 {
	return binary.BigEndian.Uint32([]byte(t.files[(version-1)*width:]))
}

func fileBytes(file uint32) string { return string(binary.BigEndian.AppendUint32(nil, file)) }

// changed is t after a change of its metadata.
func (t tab) changed() tab {
	if t.etag != "" {
		t.was, t.etag = t.etag, ""
	}
	return t
}

// see reports whether s may be an answer of t, and returns t with the ETag that it tells.
func (t tab) see(s shown) (tab, bool) {
	if s.id != t.id || s.property != t.property || s.metadata != t.metadata || s.latest != t.latest() || s.commits != t.files[t.backfill*width:] {
		return t, false
	}
	if t.etag == "" {
		if s.etag == "" || s.etag == t.was || s.updated <= t.updated {
			return t, false
		}
		t.etag, t.updated = s.etag, s.updated
	}
	return t, s.etag == t.etag && s.updated == t.updated
}

// A state is that of a slot: comparable, so that the search knows where it has been.
type state struct {
	names [2]tab
	used  [8]uint64 // the staging tables that became tables, a bit each
}

var hashSeed = maphash.MakeSeed()

var model = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		parts := make([][]porcupine.Operation, slots)
		for _, op := range history {
			slot := op.Input.(input).slot
			parts[slot] = append(parts[slot], op)
		}
		return parts
	},
	Init: func() any { return state{} },
	Step: func(s, in, out any) (bool, any) { return step(s.(state), in.(input), out.(output)) },
	Hash: func(s any) uint64 { return maphash.Comparable(hashSeed, s.(state)) },

	DescribeOperation: describe,
	DescribeState:     describeState,
}

// step reports whether out may be the answer to in, and returns what comes after it.
func step(s state, in input, out output) (bool, state) {
	next, status, code := s.apply(in)
	if out.unknown {
		return true, next
	}
	if in.op == "exists" {
		code = "" // there is no body to tell it
	}
	if out.status != status || out.code != code {
		return false, s
	}
	if in.op == "list" {
		return out.listed == [2]types.ID{s.names[0].id, s.names[1].id}, s
	}
	if status == http.StatusOK && in.op != "stage" {
		t, ok := next.names[in.name].see(out.table)
		if !ok {
			return false, s
		}
		next.names[in.name] = t
	}
	return true, next
}

func refuse(s state, code types.Code) (state, int, types.Code) { return s, code.Status(), code }

// apply is what a request does, and the status and code of its answer.
func (s state) apply(in input) (state, int, types.Code) {
	t := &s.names[in.name] // of a copy
	there := t.id != ""
	switch in.op {
	case "list":
		return s, http.StatusOK, ""
	case "stage":
		if there {
			return refuse(s, types.AlreadyExists)
		}
		return s, http.StatusOK, ""
	case "create":
		word, bit := in.staged/64, uint64(1)<<(in.staged%64)
		switch other := s.names[1-in.name]; {
		case there:
			return refuse(s, types.AlreadyExists)
		case other.id == in.id:
			return refuse(s, types.InvalidParameterValue) // another table is there
		case s.used[word]&bit != 0:
			return refuse(s, types.NoSuchTable) // it was dropped
		}
		s.used[word] |= bit
		*t = tab{id: in.id}
		return s, http.StatusOK, ""
	}
	if !there {
		return refuse(s, types.NoSuchTable)
	}
	switch in.op {
	case "load":
		return s, http.StatusOK, ""
	case "drop":
		*t = tab{}
	case "rename":
		if in.to == in.name {
			break
		}
		if s.names[in.to].id != "" {
			return refuse(s, types.AlreadyExists)
		}
		s.names[in.to], *t = t.changed(), tab{}
	case "update":
		after, code := t.update(in)
		if code != "" {
			return refuse(s, code)
		}
		*t = after
		return s, http.StatusOK, ""
	}
	return s, http.StatusNoContent, ""
}

// mostWaiting is how many commits may wait for backfill.
const mostWaiting = 10

// update is t after an update; the code is "" if it is taken. An ETag is asserted by clients
// that have seen it, so one that nobody has seen is not the one asserted.
func (t tab) update(in input) (tab, types.Code) {
	if in.id != t.id {
		return t, types.UpdateRequirementConflict
	}
	if in.version > 0 && in.version <= t.latest() {
		if t.file(in.version) == in.file {
			return t, "" // nothing of a replay is applied
		}
		return t, types.CommitVersionConflict
	}
	if in.etag != "" && in.etag != t.etag {
		return t, types.UpdateRequirementConflict
	}
	before := t
	if in.property != "" {
		t.property = in.property
		t = t.changed()
	}
	if in.version > t.latest()+1 {
		return before, types.InvalidParameterValue
	}
	if b := in.backfill; b != nil {
		if *b > t.latest() || in.version == 0 && t.latest() == 0 {
			return before, types.InvalidParameterValue
		}
		t.backfill = max(t.backfill, *b)
	}
	if in.version > 0 {
		if in.version-t.backfill > mostWaiting {
			return before, types.ResourceExhausted
		}
		t.files += fileBytes(in.file)
		if in.property != "" {
			t.metadata = in.version
		}
	}
	return t, ""
}
