package postgres

import (
	"fmt"
	"strings"
	"sync"
)

// Every read is one statement, so that it is of one instant, and answers with rows of one form
// that tell by their first column what they are.
const (
	rowObject = iota // an object
	rowLog           // a log: id, revision, last, backfilled, state
	rowCommit        // a commit that is not backfilled: id of the log, file, version, data
	rowAsked         // the commit that was asked for, as rowCommit
	rowBeside        // an object beside one
)

// objectColumns are those of an object, in the order of the form of rows.
func objectColumns(of string) string {
	return strings.ReplaceAll("@id, @parent, @depth, @kind, @name, @location, @revision, @created, @updated, @body", "@", of+".")
}

// A shape is what the text of a read depends on.
type shape struct {
	what   string // lookup, get, list
	depth  int    // steps of a lookup, levels of a get
	log    bool
	asked  bool // with log
	beside bool
	root   bool // list: of no parent
	kind   bool // list: of one kind
	after  bool // list: after a name
}

// texts makes the texts of reads, each once: the driver keeps them by text.
type texts struct {
	mu   sync.RWMutex
	made map[shape]string
}

func (t *texts) of(s shape) string {
	t.mu.RLock()
	text, ok := t.made[s]
	t.mu.RUnlock()
	if ok {
		return text
	}
	text = s.text()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.made == nil {
		t.made = make(map[shape]string)
	}
	t.made[s] = text
	return text
}

// text is the statement. Its parameters are those of the place (two for each step of a
// lookup, the ID of a get, those of a list), then the version that is asked for, then
// kinds and names of what is beside.
func (s shape) text() string {
	var b strings.Builder
	var n int // parameters
	parameter := func() string { n++; return fmt.Sprint("$", n) }
	// owners are the objects whose logs are wanted, parents those beside which others are.
	var owners, parents string
	if s.what == "list" {
		s.list(&b, parameter)
		owners, parents = "(SELECT id FROM page) AS own", "(SELECT id FROM page) AS p"
	} else {
		owners, parents = s.chain(&b, parameter)
	}
	if s.log {
		fmt.Fprintf(&b, "\nUNION ALL SELECT %d, l.object, NULL, NULL, NULL, NULL, NULL, l.revision, l.last, l.backfilled, l.state FROM %s JOIN log AS l ON l.object = own.id", rowLog, owners)
		commits := "\nUNION ALL SELECT %d, c.log, NULL, NULL, NULL, c.file, NULL, c.version, NULL, NULL, c.data FROM %s"
		fmt.Fprintf(&b, commits+" JOIN log AS l ON l.object = own.id JOIN \"commit\" AS c ON c.log = l.object AND c.version > l.backfilled AND c.version <= l.last", rowCommit, owners)
		if s.asked { // a statement of its own: with OR in one, the memory would be read, too
			fmt.Fprintf(&b, commits+" JOIN \"commit\" AS c ON c.log = own.id AND c.version = %s::bigint", rowAsked, owners, parameter())
		}
	}
	if s.beside {
		s.besides(&b, parents, parameter(), parameter())
	}
	return b.String()
}

// besides writes the search for what is beside parents, which for a list is the page. All of it is LATERAL, each part
// made of the one before and with a LIMIT or an OFFSET, so that no planner finds another order of
// joins: some that it may take for cheap read all objects of a kind and name, whoever's they are.
//
// A list may have many parents, of which few have any of several names of one kind. So for these it
// looks first whether there is anything from the first of them to the last, and only where there is, for each.
func (s shape) besides(b *strings.Builder, parents, kinds, names string) {
	asked := "unnest(" + kinds + "::text[], " + names + "::text[]) AS w(kind, name)"
	from := fmt.Sprintf("\nUNION ALL SELECT %d, %s FROM ", rowBeside, objectColumns("b"))
	find := func(name string) string {
		return "\nCROSS JOIN LATERAL (SELECT * FROM object AS o WHERE o.parent = p.id AND o.kind = w.kind AND o.name = " + name + " LIMIT 1) AS b"
	}
	if s.what != "list" {
		b.WriteString(from + parents + " CROSS JOIN " + asked + find("w.name"))
		return
	}
	const each = "\nCROSS JOIN LATERAL (SELECT id FROM page WHERE w.kind IS NOT NULL OFFSET 0) AS p" // of w: else it might group anew for each
	b.WriteString(from + "(SELECT w.kind, min(w.name) AS name FROM " + asked + " GROUP BY w.kind HAVING count(*) = 1) AS w" + each + find("w.name"))
	b.WriteString(from + `(SELECT w.kind, min(w.name COLLATE "C") AS first, max(w.name COLLATE "C") AS last, array_agg(w.name) AS names
	FROM ` + asked + ` GROUP BY w.kind HAVING count(*) > 1) AS w` + each + `
CROSS JOIN LATERAL (SELECT w.names FROM object AS o WHERE o.parent = p.id AND o.kind = w.kind AND o.name >= w.first AND o.name <= w.last LIMIT 1) AS f
CROSS JOIN LATERAL unnest(f.names) AS n(name)` + find("n.name"))
}

// chain writes the search for a chain: joins one below the other, which are faster than
// a recursive query.
func (s shape) chain(b *strings.Builder, parameter func() string) (owners, parents string) {
	levels := s.depth
	if s.what == "lookup" {
		levels++
	}
	var columns, joins, rows, ids []string
	for i := range levels {
		o := fmt.Sprintf("o%d", i)
		for j, c := range strings.Split(objectColumns(o), ", ") {
			columns = append(columns, fmt.Sprintf("%s AS %s_%d", c, o, j))
		}
		switch {
		case i == 0:
			joins = append(joins, "object AS o0")
		case s.what == "lookup":
			joins = append(joins, fmt.Sprintf("LEFT JOIN object AS %s ON %[1]s.parent = o%[2]d.id AND %[1]s.kind = %[3]s AND %[1]s.name = %[4]s", o, i-1, parameter(), parameter()))
		default:
			joins = append(joins, fmt.Sprintf("LEFT JOIN object AS %s ON %[1]s.id = o%d.parent", o, i-1))
		}
		var row []string
		for j := range strings.Count(objectColumns(o), ", ") + 1 {
			row = append(row, fmt.Sprintf("%s_%d", o, j))
		}
		rows = append(rows, fmt.Sprintf("SELECT %d, %s FROM chain WHERE %s_0 IS NOT NULL", rowObject, strings.Join(row, ", "), o))
		ids = append(ids, o+"_0")
	}
	where, last := "o0.parent IS NULL", ids[0]
	if s.what == "get" {
		where = "o0.id = " + parameter()
	} else if levels > 1 {
		reversed := make([]string, levels)
		for i, id := range ids {
			reversed[levels-1-i] = id
		}
		last = "coalesce(" + strings.Join(reversed, ", ") + ")"
	}
	fmt.Fprintf(b, "WITH chain AS MATERIALIZED (SELECT %s\nFROM %s\nWHERE %s)\n%s",
		strings.Join(columns, ", "), strings.Join(joins, "\n"), where, strings.Join(rows, "\nUNION ALL "))
	return "(SELECT " + last + " AS id FROM chain) AS own", "(SELECT unnest(ARRAY[" + strings.Join(ids, ", ") + "]) AS id FROM chain) AS p"
}

// list writes the search for children.
func (s shape) list(b *strings.Builder, parameter func() string) {
	where, order, limit := "o.parent IS NULL", "o.kind, o.name", ""
	if !s.root {
		where = "o.parent = " + parameter()
	}
	if s.kind {
		where += " AND o.kind = " + parameter()
		order = "o.name"
		if s.after { // else a child without a name would be missed
			where += " AND o.name > " + parameter()
		}
		limit = " LIMIT " + parameter() + "::bigint"
	}
	fmt.Fprintf(b, "WITH page AS MATERIALIZED (SELECT %s FROM object AS o WHERE %s ORDER BY %s%s)\nSELECT %d, %s FROM page",
		objectColumns("o"), where, order, limit, rowObject, objectColumns("page"))
}

// sqlOverlap finds what is at some locations, and the first few between two.
func sqlOverlap() string {
	return fmt.Sprintf(`SELECT %d, %s FROM object AS o WHERE o.location IS NOT NULL AND o.location = ANY($1::text[]) AND o.kind = ANY($2::text[])
UNION ALL (SELECT %[3]d, %[2]s FROM object AS o WHERE o.location IS NOT NULL AND o.location > $3 AND o.location < $4 AND o.kind = ANY($2::text[])
ORDER BY o.location, o.id LIMIT $5::bigint)`, rowObject, objectColumns("o"), rowBeside)
}
