package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// prepareConnection makes a new connection keep what was answered: whatever is weaker
// than a sync to disk here and, if there are standbys that count, there becomes just that. And once it
// is known where the tables are, it has it look nowhere else: what the search_path of the URL or of the role
// leads to may change while we run.
func (s *Store) prepareConnection(ctx context.Context, c *pgx.Conn) error {
	path := s.pinned.Load()
	_, err := c.Exec(ctx, `SELECT set_config('search_path', coalesce($1::text, current_setting('search_path')), false),
		CASE WHEN current_setting('synchronous_commit') NOT IN ('on', 'remote_apply') THEN set_config('synchronous_commit', 'on', false) END`,
		pgx.QueryExecModeExec, path)
	return err
}

// errReadOnly is why a connection is not taken, be there others or not.
var errReadOnly = errors.New("it is a standby, or else read-only")

// writable refuses a server that cannot write: what it reads may be of long ago. Of several hosts the next one is
// tried.
func writable(ctx context.Context, c *pgconn.PgConn) error {
	results, err := c.Exec(ctx, `SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean`).ReadAll()
	if err == nil && string(results[0].Rows[0][0]) != "f" {
		err = errReadOnly
	}
	return err
}

// unreplicated is the key by which a connection is marked whose transaction is durable here but perhaps nowhere else.
const unreplicated = "levee_unreplicated"

// noteNotice marks a connection that no longer waits for the standbys which have to have what it has
// committed. The server only warns of it, in the language of its own; so its function is what tells.
func noteNotice(c *pgconn.PgConn, n *pgconn.Notice) {
	if n.Routine == "SyncRepWaitForLSN" {
		c.CustomData()[unreplicated] = true
	}
}

// notReplicated returns errNotReplicated if that is so of what c has just committed.
func notReplicated(c *pgx.Conn) error {
	custom := c.PgConn().CustomData()
	if custom[unreplicated] == nil {
		return nil
	}
	delete(custom, unreplicated)
	return errNotReplicated
}
