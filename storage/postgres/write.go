package postgres

import (
	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

const (
	// rowsMost and bytesMost are how much one statement inserts.
	rowsMost  = 1000
	bytesMost = 4 << 20
)

// A writer queues writes in the order of the run. Inserts that follow each other are one
// statement, and so are new logs of what was inserted: they do not depend on each other.
type writer struct {
	plan *plan

	objects inserts
	logs    newLogs
	depths  map[types.ID]place // of what was inserted
}

// A place is a depth: above a base that only the database knows, if there is one.
type place struct {
	base  types.ID
	above int16
}

func (w *writer) add(x *write) {
	switch {
	case x.old == nil && x.new != nil:
		if len(w.objects.ids) >= rowsMost || w.objects.size >= bytesMost {
			w.flush()
		}
		w.objects.add(x.new, w.place(x.new))
	case x.old == nil && x.log.Revision == 0 && w.plan.inserted[x.id]:
		w.logs.add(x)
	case x.old == nil && x.log.Revision == 0:
		w.flush()
		w.logs.add(x)
		w.flush()
	default:
		w.flush()
		w.one(x)
	}
}

// place returns where o is going to be.
func (w *writer) place(o *storage.Object) place {
	if w.depths == nil {
		w.depths = make(map[types.ID]place)
	}
	var p place
	if o.Parent != "" {
		if up, ok := w.depths[o.Parent]; ok {
			p = place{up.base, up.above + 1}
		} else if d := w.plan.depth(o.Parent); d != unknownDepth {
			p = place{"", d + 1}
		} else {
			p = place{o.Parent, 1}
		}
	}
	w.depths[o.ID] = p
	return p
}

// inserts are objects to be inserted, by column.
type inserts struct {
	ids, parents, bases, kinds, names, locations []string
	above                                        []int16
	revisions, created, updated                  []int64
	bodies                                       [][]byte
	size                                         int
}

func (in *inserts) add(o *storage.Object, p place) {
	in.ids = append(in.ids, string(o.ID))
	in.parents = append(in.parents, string(o.Parent))
	in.bases = append(in.bases, string(p.base))
	in.above = append(in.above, p.above)
	in.kinds = append(in.kinds, string(o.Kind))
	in.names = append(in.names, o.Name)
	in.locations = append(in.locations, o.Location)
	in.revisions = append(in.revisions, o.Revision)
	in.created = append(in.created, o.Created.UnixMilli())
	in.updated = append(in.updated, o.Updated.UnixMilli())
	in.bodies = append(in.bodies, notNil(o.Body))
	in.size += len(o.Body)
}

const sqlInsert = `INSERT INTO object (id, parent, depth, kind, name, location, revision, created, updated, body)
SELECT n.id, nullif(n.parent, ''), coalesce((SELECT b.depth FROM object AS b WHERE b.id = n.base), 0) + n.above, n.kind, n.name, nullif(n.location, ''),
	n.revision, n.created, n.updated, n.body
FROM unnest($1::text[], $2::text[], $3::text[], $4::smallint[], $5::text[], $6::text[], $7::text[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bytea[])
AS n(id, parent, base, above, kind, name, location, revision, created, updated, body)`

// newLogs are logs to be created, by column.
type newLogs struct {
	ids                          []string
	revisions, lasts, backfilled []int64
	states                       [][]byte
	commitIDs, files             []string // commits that come with them
	versions                     []int64
	datas                        [][]byte
}

func (l *newLogs) add(x *write) {
	l.ids = append(l.ids, string(x.id))
	l.revisions = append(l.revisions, x.delta.Revision)
	l.lasts = append(l.lasts, x.delta.Last)
	l.backfilled = append(l.backfilled, x.delta.Backfilled)
	l.states = append(l.states, notNil(x.delta.State))
	if c := x.delta.Add; c != nil {
		l.commitIDs = append(l.commitIDs, string(x.id))
		l.versions = append(l.versions, c.Version)
		l.files = append(l.files, c.File)
		l.datas = append(l.datas, notNil(c.Data))
	}
}

const sqlNewLogs = `WITH made AS (
	INSERT INTO log (object, object_revision, revision, last, backfilled, state)
	SELECT o.id, o.revision, n.revision, n.last, n.backfilled, n.state
	FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bytea[]) AS n(id, revision, last, backfilled, state) JOIN object AS o ON o.id = n.id
	RETURNING object
)
SELECT levee_require(count(*) = cardinality($1::text[]), $6) FROM made`

const sqlNewCommits = `INSERT INTO "commit" (log, version, file, data) SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bytea[])`

// flush queues what has come together.
func (w *writer) flush() {
	b := &w.plan.batch
	if in := &w.objects; len(in.ids) > 0 {
		b.Queue(sqlInsert, in.ids, in.parents, in.bases, in.above, in.kinds, in.names, in.locations, in.revisions, in.created, in.updated, in.bodies)
		w.objects = inserts{}
	}
	if l := &w.logs; len(l.ids) > 0 {
		b.Queue(sqlNewLogs, l.ids, l.revisions, l.lasts, l.backfilled, l.states, stateStale)
		if len(l.commitIDs) > 0 {
			b.Queue(sqlNewCommits, l.commitIDs, l.versions, l.files, l.datas)
		}
		w.logs = newLogs{}
	}
}

const sqlReplace = `WITH done AS (
	UPDATE object SET kind = $3, name = $4, location = nullif($5, ''), revision = $6, updated = $7, body = $8 WHERE id = $1 AND revision = $2 RETURNING id, revision
), kept AS (
	UPDATE log SET object_revision = d.revision FROM done AS d WHERE log.object = d.id
)
SELECT levee_require(count(*) = 1, $9) FROM done`

const sqlDelete = `WITH done AS (DELETE FROM object WHERE id = $1 AND revision = $2 RETURNING id) SELECT levee_require(count(*) = 1, $3) FROM done`

const sqlWriteLog = `WITH moved AS (
	UPDATE log SET revision = $3, last = $4, backfilled = $5, state = $6 WHERE object = $1 AND revision = $2 RETURNING object
), added AS (
	INSERT INTO "commit" (log, version, file, data) SELECT object, $7, $8, $9 FROM moved WHERE $7::bigint IS NOT NULL
), forgotten AS (
	DELETE FROM "commit" WHERE $10::bigint > 0 AND log = (SELECT object FROM moved) AND version <= $10
	AND version < (SELECT min(version) FROM "commit" WHERE log = $1) + $11::bigint
)
SELECT levee_require(count(*) = 1, $12) FROM moved`

// one queues a write that is not an Insert or a new log.
func (w *writer) one(x *write) {
	b := &w.plan.batch
	switch {
	case x.old == nil:
		var version, file, data any // NULL
		if c := x.delta.Add; c != nil {
			version, file, data = c.Version, c.File, notNil(c.Data)
		}
		b.Queue(sqlWriteLog, string(x.id), x.log.Revision, x.delta.Revision, x.delta.Last, x.delta.Backfilled, notNil(x.delta.State),
			version, file, data, forget(x.delta), forgetMost, stateStale)
	case x.new == nil:
		b.Queue(sqlDelete, string(x.old.ID), x.old.Revision, stateStale)
	default:
		n := x.new
		b.Queue(sqlReplace, string(n.ID), x.old.Revision, string(n.Kind), n.Name, n.Location, n.Revision, n.Updated.UnixMilli(), notNil(n.Body), stateStale)
	}
}
