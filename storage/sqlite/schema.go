package sqlite

import (
	"embed"
	"fmt"
	"io/fs"

	engine "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// The migrations, in the order of their names: the n-th brings a database from version
// n-1 to n. One that was released never changes.
//
//go:embed migrations/*.sql
var migrations embed.FS

// applicationID marks our files ("LEVE").
const applicationID = 0x4c455645

// migrate brings a database of this version up to date.
func migrate(c *engine.Conn, version int) error {
	names, err := migrationNames()
	if err != nil {
		return err
	}
	for i := version; i < len(names); i++ {
		script, err := migrations.ReadFile(names[i])
		if err != nil {
			return err
		}
		if err := migrateTo(c, i+1, string(script)); err != nil {
			return fmt.Errorf("%s: %w", names[i], err)
		}
	}
	return nil
}

func migrationNames() ([]string, error) { return fs.Glob(migrations, "migrations/*.sql") } // sorted

// versionOf returns the version of a database, 0 for an empty one; ErrForeign for one
// that is not ours, ErrNewer for one that we do not understand. It writes nothing.
func versionOf(c *engine.Conn) (int, error) {
	id, err := pragma(c, `PRAGMA application_id`)
	if err != nil {
		return 0, err
	}
	version, err := pragma(c, `PRAGMA user_version`)
	if err != nil {
		return 0, err
	}
	tables, err := pragma(c, `SELECT count(*) FROM sqlite_schema`)
	if err != nil {
		return 0, err
	}
	if id != applicationID && (id != 0 || version != 0 || tables != 0) {
		return 0, ErrForeign
	}
	names, err := migrationNames()
	if err != nil {
		return 0, err
	}
	if version > int64(len(names)) {
		return 0, fmt.Errorf("%w (its version is %d, ours is %d)", ErrNewer, version, len(names))
	}
	return int(version), nil
}

func migrateTo(c *engine.Conn, version int, script string) (err error) {
	end, err := sqlitex.ImmediateTransaction(c)
	if err != nil {
		return err
	}
	defer end(&err)
	if err := sqlitex.ExecuteScript(c, script, nil); err != nil {
		return err
	}
	if _, err := pragma(c, fmt.Sprintf(`PRAGMA application_id = %d`, applicationID)); err != nil {
		return err
	}
	_, err = pragma(c, fmt.Sprintf(`PRAGMA user_version = %d`, version))
	return err
}

// pragma runs a statement that returns one number or nothing.
func pragma(c *engine.Conn, statement string) (n int64, err error) {
	err = sqlitex.ExecuteTransient(c, statement, &sqlitex.ExecOptions{
		ResultFunc: func(s *engine.Stmt) error {
			n = s.ColumnInt64(0)
			return nil
		},
	})
	return n, err
}
