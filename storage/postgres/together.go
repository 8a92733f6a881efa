package postgres

import (
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/leveelake/catalog/types"
)

// What became of a member of a group.
const (
	isLocked = iota // somebody else has a lock on its log, or the log is gone: the group has not waited
	isApplied
	isOutdated
)

// sqlGroup is sqlCommit for many logs at once. It waits for no lock, so that a member that
// has to wait does not let the others wait, and no two groups wait for each other.
//
// The conditions on objects come in sets. The sets below zero are one member's own.
const sqlGroup = `WITH want AS MATERIALIZED (
	SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bytea[], $8::bigint[], $9::text[], $10::bytea[], $11::bigint[], $12::bigint[])
	WITH ORDINALITY AS w(id, was, object_revision, revision, last, backfilled, state, version, file, data, forget, shared, n)
), bad AS MATERIALIZED (
	SELECT a.one FROM unnest($13::bigint[], $14::text[], $15::bigint[]) AS a(one, id, revision)
	LEFT JOIN object AS o ON o.id = a.id AND o.revision = a.revision WHERE o.id IS NULL
	UNION ALL
	SELECT a.one FROM unnest($16::bigint[], $17::text[], $18::text[], $19::text[]) AS a(one, parent, kind, name)
	JOIN object AS o ON o.parent = a.parent AND o.kind = a.kind AND o.name = a.name
), locked AS MATERIALIZED (
	SELECT object FROM log WHERE object = ANY ($1::text[]) FOR NO KEY UPDATE SKIP LOCKED
), moved AS (
	UPDATE log SET revision = w.revision, last = w.last, backfilled = w.backfilled, state = w.state
	FROM want AS w WHERE log.object = w.id AND log.revision = w.was AND log.object_revision = w.object_revision
	AND log.object IN (SELECT object FROM locked) AND w.shared NOT IN (SELECT one FROM bad) AND -w.n NOT IN (SELECT one FROM bad)
	RETURNING log.object, w.n, w.version, w.file, w.data, w.forget
), added AS (
	INSERT INTO "commit" (log, version, file, data) SELECT object, version, file, data FROM moved WHERE version IS NOT NULL
), forgotten AS (
	DELETE FROM "commit" AS c USING moved AS m WHERE m.forget > 0 AND c.log = m.object AND c.version <= m.forget
	AND c.version < (SELECT min(version) FROM "commit" AS f WHERE f.log = m.object) + $20::bigint
)
SELECT w.n, w.n IN (SELECT n FROM moved) FROM want AS w WHERE w.id IN (SELECT object FROM locked)`

// A grouping collects the arrays of sqlGroup.
type grouping struct {
	ids, was, objects, revisions, lasts, backfilled, states, versions, files, datas, forgets, shared array

	refSets, refIDs, refRevisions                 array
	absentSets, absentParents, kinds, absentNames array

	sets []*commit            // one for each set of ancestors
	set  map[types.ID][]int64 // the sets whose ancestors end with this object
}

func (g *grouping) arrays() []*array {
	return []*array{&g.ids, &g.was, &g.objects, &g.revisions, &g.lasts, &g.backfilled, &g.states, &g.versions, &g.files, &g.datas, &g.forgets, &g.shared,
		&g.refSets, &g.refIDs, &g.refRevisions, &g.absentSets, &g.absentParents, &g.kinds, &g.absentNames}
}

func (g *grouping) add(c *commit, n int64) {
	d := c.delta
	g.ids.text(string(c.id))
	g.was.int(c.logRevision)
	g.objects.int(c.objectRevision)
	g.revisions.int(d.Revision)
	g.lasts.int(d.Last)
	g.backfilled.int(d.Backfilled)
	g.states.bytes(d.State)
	if d.Add != nil {
		g.versions.int(d.Add.Version)
		g.files.text(d.Add.File)
		g.datas.bytes(d.Add.Data)
	} else {
		g.versions.null()
		g.files.text("")
		g.datas.bytes(nil)
	}
	g.forgets.int(forget(d))
	g.shared.int(g.setOf(c))
	g.conditions(&c.own, -n)
}

// conditions adds those of a set.
func (g *grouping) conditions(s *saw, set int64) {
	for _, r := range s.refs {
		g.refSets.int(set)
		g.refIDs.text(string(r.id))
		g.refRevisions.int(r.revision)
	}
	for _, a := range s.absents {
		g.absentSets.int(set)
		g.absentParents.text(string(a.parent))
		g.kinds.text(string(a.kind))
		g.absentNames.text(a.name)
	}
}

// setOf returns the set of the ancestors of c, which most of a group share.
func (g *grouping) setOf(c *commit) int64 {
	if len(c.shared.refs) == 0 {
		return 0 // no condition
	}
	key := c.shared.refs[len(c.shared.refs)-1].id
	for _, set := range g.set[key] {
		is := &g.sets[set-1].shared
		if slices.Equal(is.refs, c.shared.refs) && slices.Equal(is.absents, c.shared.absents) {
			return set
		}
	}
	g.sets = append(g.sets, c)
	set := int64(len(g.sets))
	g.set[key] = append(g.set[key], set)
	g.conditions(&c.shared, set)
	return set
}

// together sends a group in one statement. It returns what became of each.
func together(conn *pgx.Conn, group []*commit) ([]int, error) {
	g := &grouping{set: make(map[types.ID][]int64)}
	for _, a := range g.arrays() {
		*a = newArray()
	}
	for i, c := range group {
		g.add(c, int64(i+1))
	}
	var params [][]byte
	for _, a := range g.arrays() {
		oid := uint32(oidInt8)
		switch a {
		case &g.ids, &g.files, &g.refIDs, &g.absentParents, &g.kinds, &g.absentNames:
			oid = oidText
		case &g.states, &g.datas:
			oid = oidBytea
		}
		params = append(params, a.end(oid))
	}
	params = append(params, intParam(forgetMost))
	out := make([]int, len(group))
	err := run(conn, "levee_group", sqlGroup, writeTimeout, params, func(v [][]byte) {
		out[intOf(v[0])-1] = isOutdated - int(intOf(v[1])) // isApplied if it moved
	})
	return out, err
}
