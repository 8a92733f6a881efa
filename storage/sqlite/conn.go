package sqlite

import (
	"fmt"
	"time"

	engine "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// A query is a statement of this package, by its place in queries.
type query int

const (
	qBegin query = iota
	qBeginImmediate
	qCommit
	qRollback
	qSavepoint
	qRelease
	qRollbackTo

	qRoot
	qChild
	qBeside
	qByID
	qByKey
	qKey
	qList
	qListAfter
	qListAll
	qLocated
	qBeneath
	qLocatedObject
	qLog
	qCommits
	qVersion

	qInsert
	qReplace
	qDelete
	qLastBatch
	qJournal
	qAppend
	qClear
	qPutLog
	qAddCommit
	qOldest
	qForget

	qFrames
	qCheckpoint
	qRestart
	qTruncate
)

// columns are those that scan reads.
const columns = `key, id, kind, name, location, revision, created, updated, body`

// queries holds the SQL. Every read is a search in one index, and nothing is joined: a
// prepared statement is a few microseconds in the same process, so that one join for
// a whole chain would save a twentieth of a load, and cost a statement for each length.
var queries = [...]string{
	qBegin:          `BEGIN`,
	qBeginImmediate: `BEGIN IMMEDIATE`,
	qCommit:         `COMMIT`,
	qRollback:       `ROLLBACK`,
	qSavepoint:      `SAVEPOINT run`,
	qRelease:        `RELEASE run`,
	qRollbackTo:     `ROLLBACK TO run`,

	qRoot:      `SELECT ` + columns + ` FROM object WHERE parent IS NULL`,
	qChild:     `SELECT ` + columns + ` FROM object WHERE parent = ?1 AND kind = ?2 AND name = ?3`,
	qByID:      `SELECT ` + columns + `, parent FROM object WHERE id = ?1`,
	qByKey:     `SELECT ` + columns + `, parent FROM object WHERE key = ?1`,
	qKey:       `SELECT key FROM object WHERE id = ?1`,
	qList:      `SELECT ` + columns + ` FROM object WHERE parent IS ?1 AND kind = ?2 ORDER BY name LIMIT ?3`,
	qListAfter: `SELECT ` + columns + ` FROM object WHERE parent IS ?1 AND kind = ?2 AND name > ?4 ORDER BY name LIMIT ?3`,
	qListAll:   `SELECT ` + columns + ` FROM object WHERE parent IS ?1 ORDER BY kind, name`,
	qLocated:   `SELECT key, kind FROM object WHERE location = ?1 ORDER BY id`,
	qBeneath:   `SELECT key, kind FROM object WHERE location > ?1 AND location < ?2 ORDER BY location, id`,
	qBeside: `SELECT ` + columns + ` FROM object WHERE parent = ?1 AND (kind, name) >= (?2, ?3) AND (kind, name) <= (?4, ?5)
		ORDER BY kind, name`,
	qLocatedObject: `SELECT ` + columns + `, (SELECT p.id FROM object AS p WHERE p.key = object.parent)
		FROM object WHERE key = ?1`,
	qLog:     `SELECT revision, last, backfilled, state FROM log WHERE object = ?1`,
	qCommits: `SELECT version, file, data FROM "commit" WHERE log = ?1 AND version > ?2 AND version <= ?3 ORDER BY version`,
	qVersion: `SELECT version, file, data FROM "commit" WHERE log = ?1 AND version = ?2`,

	qInsert: `INSERT INTO object (id, parent, kind, name, location, revision, created, updated, body)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)`,
	qReplace: `UPDATE object SET kind = ?3, name = ?4, location = ?5, revision = ?6, updated = ?7, body = ?8
		WHERE id = ?1 AND revision = ?2`,
	qDelete:    `DELETE FROM object WHERE id = ?1 AND revision = ?2`,
	qLastBatch: `SELECT batch FROM journal ORDER BY batch DESC LIMIT 1`,
	qJournal:   `SELECT batch, entries FROM journal ORDER BY batch`,
	qAppend:    `INSERT INTO journal (batch, entries) VALUES (?1, ?2)`,
	qClear:     `DELETE FROM journal`,
	qPutLog: `INSERT INTO log (object, revision, last, backfilled, state) VALUES (?1, ?2, ?3, ?4, ?5)
		ON CONFLICT DO UPDATE SET revision = ?2, last = ?3, backfilled = ?4, state = ?5`,
	qAddCommit: `INSERT OR REPLACE INTO "commit" (log, version, file, data) VALUES (?1, ?2, ?3, ?4)`,
	qOldest:    `SELECT version FROM "commit" WHERE log = ?1 ORDER BY version LIMIT 1`,
	qForget:    `DELETE FROM "commit" WHERE log = ?1 AND version <= ?2`,

	qFrames:     `PRAGMA wal_checkpoint(NOOP)`,
	qCheckpoint: `PRAGMA wal_checkpoint(PASSIVE)`,
	qRestart:    `PRAGMA wal_checkpoint(RESTART)`,
	qTruncate:   `PRAGMA wal_checkpoint(TRUNCATE)`,
}

// A conn is a connection and its prepared statements. One goroutine at a time uses it.
type conn struct {
	*engine.Conn
	path       string
	statements [len(queries)]*engine.Stmt // nil until first used
}

// busyTimeout is how long a connection waits for a lock that another process holds
// (a shell, a backup): among our own connections there is one writer, and none waits.
const busyTimeout = 5 * time.Second

// connect opens a connection to the file at path, which exists.
func connect(path string, pragmas ...string) (*conn, error) {
	c, err := engine.OpenConn(path, engine.OpenReadWrite)
	if err != nil {
		return nil, err
	}
	c.SetBusyTimeout(busyTimeout)
	out := &conn{Conn: c, path: path}
	if err := out.set(pragmas...); err != nil {
		c.Close()
		return nil, err
	}
	return out, nil
}

// set runs pragmas. It must be outside of a transaction: within one, SQLite ignores
// foreign_keys without a word.
func (c *conn) set(pragmas ...string) error {
	for _, p := range pragmas {
		if err := sqlitex.ExecuteTransient(c.Conn, `PRAGMA `+p, nil); err != nil {
			return fmt.Errorf("pragma %s: %w", p, err)
		}
	}
	return nil
}

// get returns the statement of q. What was bound to it before stays bound, so each use
// binds all of its parameters; and each use ends with a Reset.
func (c *conn) get(q query) (*engine.Stmt, error) {
	if s := c.statements[q]; s != nil {
		return s, nil
	}
	s, _, err := c.PrepareTransient(queries[q])
	if err != nil {
		return nil, err
	}
	c.statements[q] = s
	return s, nil
}

// run runs a statement without parameters and results.
func (c *conn) run(q query) error {
	s, err := c.get(q)
	if err != nil {
		return err
	}
	return step(s)
}

// step runs a statement that returns no row, and resets it.
func step(s *engine.Stmt) error {
	_, err := s.Step()
	s.Reset() // its error is that of Step again
	return err
}

// Close finalizes the statements and closes the connection.
func (c *conn) Close() error {
	for _, s := range c.statements {
		if s != nil {
			s.Finalize() // its error is that of the last Step again
		}
	}
	return c.Conn.Close()
}

// column returns a copy of a blob, which is in SQLite's memory until the next Step.
func column(s *engine.Stmt, i int) []byte {
	n := s.ColumnLen(i)
	if n == 0 {
		return nil
	}
	b := make([]byte, n)
	s.ColumnBytes(i, b)
	return b
}
