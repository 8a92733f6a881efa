package postgres

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"io/fs"
	"strings"

	"github.com/jackc/pgx/v5"
)

// The migrations, in the order of their names: the n-th brings a database from version
// n-1 to n. One that was released never changes.
//
//go:embed migrations/*.sql
var migrations embed.FS

// schemaOf returns the schema of the search path that has our tables; if none has, the first one.
func schemaOf(ctx context.Context, c *pgx.Conn) (string, error) {
	var current *string
	var ours []string
	err := c.QueryRow(ctx, `SELECT current_schema()::text, ARRAY(SELECT n.nspname::text FROM pg_namespace AS n JOIN pg_class AS c ON c.relnamespace = n.oid
		WHERE n.nspname = ANY(current_schemas(false)) AND c.relname = 'levee_schema' ORDER BY n.nspname)`).Scan(&current, &ours)
	switch {
	case err != nil:
		return "", err
	case current == nil:
		return "", fmt.Errorf("%w: its search_path names no schema that is there", ErrRefused)
	case len(ours) > 1:
		return "", fmt.Errorf("%w: several schemas of its search_path have a catalog: %s; it must name one", ErrURL, strings.Join(ours, ", "))
	case len(ours) == 1:
		return ours[0], nil
	}
	return *current, nil
}

// migrate brings a schema, in which c looks, up to date. Of many that do so at once one does, while
// the others wait for it.
func migrate(ctx context.Context, c *pgx.Conn, schema string) error {
	names, err := fs.Glob(migrations, "migrations/*.sql") // sorted
	if err != nil {
		return err
	}
	version, err := versionOf(ctx, c, schema, len(names))
	if err != nil || version == len(names) {
		return err
	}
	tx, err := c.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(context.WithoutCancel(ctx)) // nothing, after Commit
	if _, err := tx.Exec(ctx, `SET LOCAL lock_timeout = 0`); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, lockKey(schema, "migration")); err != nil {
		return err
	}
	if version, err = versionOf(ctx, c, schema, len(names)); err != nil { // another may have been first
		return err
	}
	for i := version; i < len(names); i++ {
		script, err := migrations.ReadFile(names[i])
		if err != nil {
			return err
		}
		if err := migrateTo(ctx, c, i+1, string(script)); err != nil {
			return fmt.Errorf("%s: %w", names[i], err)
		}
	}
	err = tx.Commit(ctx)
	return cmp.Or(err, notReplicated(c))
}

// versionOf returns the version of a schema, 0 for an empty one; ErrForeign for one
// that is not ours, ErrNewer for one that we do not understand.
func versionOf(ctx context.Context, c *pgx.Conn, schema string, ours int) (int, error) {
	var tables int
	var marked bool
	err := c.QueryRow(ctx, `SELECT count(*), coalesce(bool_or(c.relname = 'levee_schema'), false) FROM pg_class AS c
		JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'v', 'm', 'f')`, schema).Scan(&tables, &marked)
	if err != nil {
		return 0, err
	}
	if !marked {
		if tables > 0 {
			return 0, fmt.Errorf("%w: the schema %s has tables of another program", ErrForeign, schema)
		}
		return 0, nil
	}
	var version int
	err = c.QueryRow(ctx, `SELECT max(version) FROM `+pgx.Identifier{schema, "levee_schema"}.Sanitize()).Scan(&version)
	if err != nil {
		return 0, err
	}
	if version > ours {
		return 0, fmt.Errorf("%w (its version is %d, ours is %d)", ErrNewer, version, ours)
	}
	return version, nil
}

func migrateTo(ctx context.Context, c *pgx.Conn, version int, script string) error {
	if version == 1 {
		script = `CREATE TABLE levee_schema (version integer PRIMARY KEY, applied timestamptz NOT NULL DEFAULT now());` + script
	}
	if _, err := c.Exec(ctx, script, pgx.QueryExecModeSimpleProtocol); err != nil { // many statements in one
		return err
	}
	_, err := c.Exec(ctx, `INSERT INTO levee_schema (version) VALUES ($1)`, version)
	return err
}
