package postgres

import (
	"github.com/jackc/pgx/v5"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// checks are conditions on what is there.
type checks struct {
	ids       []string // objects of these revisions; -1: any
	revisions []int64

	logIDs       []string // logs of these revisions; 0: none
	logRevisions []int64

	parents, kinds, names []string // children that are not there
}

func (c *checks) object(id types.ID, revision int64) {
	c.ids, c.revisions = append(c.ids, string(id)), append(c.revisions, revision)
}

func (c *checks) exists(id types.ID) { c.object(id, -1) }

func (c *checks) log(id types.ID, revision int64) {
	c.logIDs, c.logRevisions = append(c.logIDs, string(id)), append(c.logRevisions, revision)
}

func (c *checks) absent(n absent) {
	c.parents, c.kinds, c.names = append(c.parents, string(n.parent)), append(c.kinds, string(n.kind)), append(c.names, n.name)
}

// queue ends the transaction with this SQLSTATE if a condition does not hold.
func (c *checks) queue(b *pgx.Batch, state string) {
	if len(c.ids) > 0 {
		b.Queue(`SELECT levee_require(NOT EXISTS (SELECT 1 FROM unnest($1::text[], $2::bigint[]) AS a(id, revision)
			LEFT JOIN object AS o ON o.id = a.id AND a.revision IN (o.revision, -1) WHERE o.id IS NULL), $3)`, c.ids, c.revisions, state)
	}
	if len(c.logIDs) > 0 {
		b.Queue(`SELECT levee_require(NOT EXISTS (SELECT 1 FROM unnest($1::text[], $2::bigint[]) AS a(id, revision)
			LEFT JOIN log AS l ON l.object = a.id WHERE a.revision <> coalesce(l.revision, 0)), $3)`, c.logIDs, c.logRevisions, state)
	}
	if len(c.names) > 0 {
		b.Queue(`SELECT levee_require(NOT EXISTS (SELECT 1 FROM unnest($1::text[], $2::text[], $3::text[]) AS a(parent, kind, name)
			JOIN object AS o ON o.parent = a.parent AND o.kind = a.kind AND o.name = a.name), $4)`, c.parents, c.kinds, c.names, state)
	}
}

// queue checks that a List would answer the same: its members are held, so it is enough that
// there are as many in the range.
func (r *ranged) queue(b *pgx.Batch) {
	const from = `SELECT levee_require((SELECT count(*) FROM object WHERE `
	if r.parent == "" {
		b.Queue(from+`parent IS NULL) = $1, $2)`, r.count, stateChanged)
		return
	}
	const until = ` AND ($5::boolean OR name <= $6)) = $3, $4)`
	switch {
	case r.kind == "":
		b.Queue(from+`parent = $1) = $2, $3)`, string(r.parent), r.count, stateChanged)
	case r.after == "":
		b.Queue(from+`parent = $1 AND kind = $2`+until, string(r.parent), string(r.kind), r.count, stateChanged, r.open, r.upTo)
	default:
		b.Queue(from+`parent = $1 AND kind = $2 AND name > $7`+until, string(r.parent), string(r.kind), r.count, stateChanged, r.open, r.upTo, r.after)
	}
}

// queue checks that an Overlap would answer the same, as for a List.
func (o *overlapped) queue(b *pgx.Batch) {
	kinds := o.kinds
	if kinds == nil {
		kinds = []string{}
	}
	b.Queue(`SELECT levee_require((SELECT count(*) FROM object WHERE location IS NOT NULL AND location = ANY($1::text[]) AND kind = ANY($2::text[])) = $3, $4)`,
		storage.Prefixes(o.location), kinds, o.at, stateChanged)
	if !o.beneath {
		return
	}
	after, before := storage.Below(o.location)
	b.Queue(`SELECT levee_require((SELECT count(*) FROM object WHERE location IS NOT NULL AND location > $1 AND location < $2 AND kind = ANY($3::text[])
		AND ($6::boolean OR (location, id) <= ($7, $8))) = $4, $5)`, after, before, kinds, o.below, stateChanged, o.open, o.last, string(o.lastID))
}
