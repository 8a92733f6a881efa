package postgres

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// The general way of writes holds what was read by locks, taken in one order by all: locations
// first, then objects from the root downwards (as a cascade goes), then logs. Only then, in
// statements that see what was there after the last wait, it checks that all is as it was
// read.

// lockKey is the key of an advisory lock. Two stores in one database share its keys; that
// two texts have the same one costs a wait, and nothing else.
func lockKey(schema, text string) int64 {
	sum := sha256.Sum256([]byte("levee\x00" + schema + "\x00" + text))
	return int64(binary.BigEndian.Uint64(sum[:8]))
}

const sqlLockLocations = `SELECT CASE WHEN exclusive THEN pg_advisory_xact_lock(key) ELSE pg_advisory_xact_lock_shared(key) END
FROM unnest($1::bigint[], $2::boolean[]) AS l(key, exclusive)`

// locations are the locks by which those who look for overlaps and those who could make
// some meet: the location itself exclusively and each folder above it shared, so that two
// meet exactly if one is at or above the other.
type locations struct {
	schema string
	keys   map[int64]bool // exclusively
}

func (l *locations) lock(location string, exclusively bool) {
	if location == "" {
		return
	}
	if l.keys == nil {
		l.keys = make(map[int64]bool)
	}
	for _, p := range storage.Prefixes(location) {
		key := lockKey(l.schema, "location "+p)
		l.keys[key] = l.keys[key] || exclusively && p == location
	}
}

// sorted returns the locks in the order in which everybody takes them.
func (l *locations) sorted() (keys []int64, exclusive []bool) {
	for key := range l.keys {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		exclusive = append(exclusive, l.keys[key])
	}
	return keys, exclusive
}

// A strength is how an object is locked.
type strength int

const (
	stays   strength = iota // it must not be deleted: what is inserted beneath it
	asRead                  // it must not change
	writing                 // it changes, or nothing may be inserted beneath it
)

// sqlLockObjects locks objects; the order of the statement is that in which it locks.
func sqlLockObjects(s strength) string {
	return `SELECT count(*) FROM (SELECT FROM object WHERE id = ANY($1::text[]) ORDER BY depth, id FOR ` + [...]string{"KEY SHARE", "SHARE", "UPDATE"}[s] + `) AS o`
}

const sqlLockLogs = `SELECT count(*) FROM (SELECT FROM log WHERE object = ANY($1::text[]) ORDER BY object FOR NO KEY UPDATE) AS l`

// unknownDepth is that of objects that the run has not read: they are locked last.
const unknownDepth = 1<<15 - 1

// An objectLock is a lock of an object.
type objectLock struct {
	id    types.ID
	depth int16
	how   strength
}

// objectLocks are locks of objects, each once, in its greatest strength.
type objectLocks map[types.ID]objectLock

func (ls objectLocks) lock(id types.ID, depth int16, how strength) {
	if was, ok := ls[id]; ok {
		how, depth = max(how, was.how), min(depth, was.depth)
	}
	ls[id] = objectLock{id, depth, how}
}

// runs returns the locks in their order, cut where the strength changes.
func (ls objectLocks) runs() [][]objectLock {
	all := make([]objectLock, 0, len(ls))
	for _, l := range ls {
		all = append(all, l)
	}
	slices.SortFunc(all, func(a, b objectLock) int { return cmp.Or(cmp.Compare(a.depth, b.depth), cmp.Compare(a.id, b.id)) })
	var runs [][]objectLock
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].how == all[0].how {
			n++
		}
		runs = append(runs, all[:n])
		all = all[n:]
	}
	return runs
}
