package catalog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// This file decides which commit wins. It is pure: it reads no clock, no store and no
// file, so that every rule is a row of a table test and a target for the fuzzer.
//
// A managed table has a last ratified version L and a last backfilled version F, both 0
// at creation (version 0 is written by the client and never passes through here). The
// versions in (F, L] are known by name, and so is every earlier one until it is forgotten.

// maxFileName bounds the name of a commit file, in bytes.
const maxFileName = 1024

// checkCommit refuses a commit that no state of a table could take.
func checkCommit(c types.Commit) error {
	const at = "add-commit.commit."
	for _, f := range []struct {
		name  string
		value int64
	}{
		{"version", c.Version},
		{"timestamp", c.Timestamp},
		{"file-size", c.FileSize},
		{"file-modification-timestamp", c.FileModificationTimestamp},
	} {
		if f.value <= 0 {
			return types.InvalidParameterValue.Errorf("%s%s is %d; it must be positive", at, f.name, f.value)
		}
	}
	name := c.FileName
	switch {
	case strings.TrimSpace(name) == "":
		return types.InvalidParameterValue.Errorf("%sfile-name is blank", at)
	case len(name) > maxFileName:
		return types.InvalidParameterValue.Errorf("%sfile-name has %d bytes; at most %d are allowed", at, len(name), maxFileName)
	case name == "." || name == ".." || strings.ContainsAny(name, `/\`) || !utf8.ValidString(name) || strings.ContainsFunc(name, isControl):
		return types.InvalidParameterValue.Errorf("%sfile-name %q is not a plain file name", at, name)
	}
	return nil
}

func isControl(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }

// A verdict is what a table's log says of a proposed commit by its version and name alone.
type verdict int

const (
	isNew     verdict = iota // above L: rows 5 to 8 of the rules decide
	isReplay                 // this very commit was ratified before
	isTaken                  // another file was ratified as this version
	isUnknown                // so old that its name is forgotten
)

// judge says what log, read with Want.Version = c.Version, knows of c.
func judge(log storage.Log, c types.Commit) verdict {
	switch {
	case c.Version > log.Last:
		return isNew
	case log.Asked == nil:
		return isUnknown
	case log.Asked.File == c.FileName:
		return isReplay
	default:
		return isTaken
	}
}

// advance returns L and F after ratifying add (nil: none), which is new, and noting that
// the client has backfilled up to backfilled (nil: it does not say). At most limit
// commits may be left unbackfilled.
func advance(log storage.Log, add *types.Commit, backfilled *int64, limit int64) (last, back int64, err error) {
	last, back = log.Last, log.Backfilled
	if add == nil {
		switch b := *backfilled; {
		case last == 0:
			return 0, 0, types.InvalidParameterValue.Errorf("set-latest-backfilled-version is %d, but the table has no commit yet", b)
		case b > last:
			return 0, 0, types.InvalidParameterValue.Errorf("set-latest-backfilled-version is %d, but the latest version is %d", b, last)
		default:
			return last, max(back, b), nil
		}
	}
	if add.Version-1 != last { // not last+1, which may overflow
		return 0, 0, types.InvalidParameterValue.Errorf("commit version %d leaves a gap: the latest version is %d", add.Version, last)
	}
	if backfilled != nil {
		if *backfilled > last {
			return 0, 0, types.InvalidParameterValue.Errorf("set-latest-backfilled-version is %d, but only versions up to %d are ratified before this commit", *backfilled, last)
		}
		back = max(back, *backfilled)
	}
	if add.Version-back > limit {
		return 0, 0, types.ResourceExhausted.Errorf("version %d would be unbackfilled commit %d of the table; at most %d are allowed: backfill, then retry", add.Version, add.Version-back, limit)
	}
	return add.Version, back, nil
}

// A memory is what the opaque state of a log holds.
type memory struct {
	// RowIDHighWaterMark is the domain delta.rowTracking; it lives here because it
	// moves with nearly every commit, and the table's ETag must not.
	RowIDHighWaterMark *int64
	// Days holds, for each UTC day on which a version was ratified, that day and the
	// first version of it: what retention by age needs to know.
	Days []dayMark
}

// A dayMark is a day since the epoch and the first version ratified on it.
type dayMark [2]int64

// encode writes, as varints, the number of days, each day and its version, and then the high-water
// mark, if there is one: each commit reads and writes this.
func (m memory) encode() []byte {
	out := binary.AppendUvarint(make([]byte, 0, 4+8*len(m.Days)+10), uint64(len(m.Days)))
	for _, d := range m.Days {
		out = binary.AppendVarint(binary.AppendVarint(out, d[0]), d[1])
	}
	if mark := m.RowIDHighWaterMark; mark != nil {
		out = binary.AppendVarint(out, *mark)
	}
	return out
}

func decodeMemory(state []byte) (memory, error) {
	var m memory
	if len(state) == 0 {
		return m, nil
	}
	days, n := binary.Uvarint(state)
	if n <= 0 || days > uint64(len(state)) {
		return m, errCut
	}
	if state = state[n:]; days > 0 {
		m.Days = make([]dayMark, days)
	}
	for i := range m.Days {
		for j := range m.Days[i] {
			if m.Days[i][j], n = binary.Varint(state); n <= 0 {
				return m, errCut
			}
			state = state[n:]
		}
	}
	if len(state) > 0 {
		mark, n := binary.Varint(state)
		if n != len(state) {
			return m, errCut
		}
		m.RowIDHighWaterMark = &mark
	}
	return m, nil
}

var errCut = errors.New("it is cut short or too long")

const day = 24 * time.Hour

// ratified notes that version was ratified at now, and returns up to which version
// names may be forgotten: those older than keepFor that are not among the last keep.
func (m *memory) ratified(version int64, now time.Time, keep int64, keepFor time.Duration) (forget int64) {
	today := now.Unix() / int64(day/time.Second)
	if n := len(m.Days); n == 0 || m.Days[n-1][0] < today {
		// A clock that went back adds no mark: the version then counts as of the
		// later day and is remembered a little longer.
		m.Days = append(slices.Clip(m.Days), dayMark{today, version}) // others may share the array
	}
	oldest := today - int64((keepFor+day-1)/day)
	for len(m.Days) > 1 && m.Days[0][0] < oldest {
		m.Days = m.Days[1:]
	}
	return max(0, min(version-keep, m.Days[0][1]-1))
}

// logCommit and wireCommit translate between the log's form of a commit and the API's. The
// data of the log's form is timestamp, file size and file modification timestamp, as
// varints: ten of them come with a load.
func logCommit(c types.Commit) *storage.Commit {
	var data []byte
	for _, v := range []int64{c.Timestamp, c.FileSize, c.FileModificationTimestamp} {
		data = binary.AppendVarint(data, v)
	}
	return &storage.Commit{Version: c.Version, File: c.FileName, Data: data}
}

func wireCommit(c storage.Commit) (types.Commit, error) {
	out := types.Commit{Version: c.Version, FileName: c.File}
	data := c.Data
	for _, v := range []*int64{&out.Timestamp, &out.FileSize, &out.FileModificationTimestamp} {
		n := 0
		if *v, n = binary.Varint(data); n <= 0 {
			return out, fmt.Errorf("stored commit %d: its data is cut short", c.Version)
		}
		data = data[n:]
	}
	return out, nil
}
