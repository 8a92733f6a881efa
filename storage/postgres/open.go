package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/leveelake/catalog/storage/internal/nodes"
)

// startPatience is how long Open waits for a database that starts up itself: all that
// runs on a machine starts at once.
const startPatience = 30 * time.Second

// oldest is the first major version of PostgreSQL that this package is tried with.
const oldest = 14

// cacheSize is how many bytes of objects and logs a store remembers.
const cacheSize = 32 << 20

// Open connects to the database of url, "postgres://…" or a list of key=value, and brings its
// tables up to date, in whichever schema of the search path they are, or makes them in the first one;
// from then on the store looks only there. Many stores may have one database open, and be opened
// at once. A server that cannot write, such as a standby, is not used: of several hosts the next one
// is tried. A database that is not ours, too new, or not to be reached is left as it is; the
// error names it, in one line, and not the password: [ErrURL], [ErrUnreachable], [ErrRefused],
// [ErrForeign], [ErrNewer], [ErrUnsupported].
//
// Beside what libpq knows, with TLS and several hosts, the URL may have pool_max_conns and
// the other parameters of pgxpool.
func Open(ctx context.Context, url string) (*Store, error) { return open(ctx, url, nil) }

// open is Open with a configuration that change, if it is not nil, has changed.
func open(ctx context.Context, url string, change func(c *pgxpool.Config)) (_ *Store, err error) {
	config, where, err := configOf(url)
	if err != nil {
		return nil, err
	}
	if change != nil {
		change(config)
	}
	pool := int(config.MaxConns)
	s := &Store{where: where, patient: patience, cache: nodes.New(cacheSize), writers: make(chan struct{}, lentMost(pool))}
	config.AfterConnect = s.prepareConnection
	if s.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, faultIn(ctx, where, err)
	}
	defer func() {
		if err != nil {
			s.pool.Close()
			err = faultIn(ctx, where, err)
		}
	}()
	for p := (pause{patience: startPatience}); ; {
		if err = s.prepare(ctx); err == nil {
			break
		}
		if e, ok := errors.AsType[*pgconn.PgError](err); !ok || e.Code != stateStarting || !p.wait(ctx) {
			return nil, err
		}
	}
	s.probes = newProbes(s)
	s.commits = newCommits(s, pool)
	s.lines = newLines()
	s.end = sync.OnceFunc(s.close)
	return s, nil
}

// prepare checks that the database is fit for us, and migrates it.
func (s *Store) prepare(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	c, err := s.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release()
	if err := supported(ctx, c.Conn()); err != nil {
		return err
	}
	if err := s.pin(ctx, c.Conn()); err != nil {
		return err
	}
	if err := migrate(ctx, c.Conn(), s.schema); err != nil {
		return err
	}
	return permitted(ctx, c.Conn())
}

// pin finds the schema in which the tables are, or are going to be, and has all connections look there
// and nowhere else.
func (s *Store) pin(ctx context.Context, c *pgx.Conn) (err error) {
	if s.schema, err = schemaOf(ctx, c); err != nil {
		return err
	}
	path := pgx.Identifier{s.schema}.Sanitize()
	s.pinned.Store(&path)
	if err := s.prepareConnection(ctx, c); err != nil {
		return err
	}
	if s.pool.Stat().TotalConns() > 1 { // there are others already, which were not told
		s.pool.Reset()
	}
	return nil
}

// supported refuses what is too old, and an encoding that cannot hold all names.
func supported(ctx context.Context, c *pgx.Conn) error {
	major, err := majorOf(c)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	if major < oldest {
		return fmt.Errorf("%w: it is PostgreSQL %d; %d is the oldest that will do", ErrUnsupported, major, oldest)
	}
	var encoding string
	if err := c.QueryRow(ctx, `SELECT current_setting('server_encoding')`).Scan(&encoding); err != nil {
		return err
	}
	if encoding != "UTF8" {
		return fmt.Errorf("%w: its encoding is %s, not UTF8", ErrUnsupported, encoding)
	}
	return nil
}

// permitted refuses a role that could not do all that a store does.
func permitted(ctx context.Context, c *pgx.Conn) error {
	var missing *string
	err := c.QueryRow(ctx, `SELECT string_agg(r || ' of ' || t, ', ' ORDER BY t, r)
		FROM unnest(ARRAY['object', 'log', '"commit"']) AS t, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS r
		WHERE NOT has_table_privilege(t, r)`).Scan(&missing)
	if err == nil && missing != nil {
		err = fmt.Errorf("%w: the role lacks %s", ErrRefused, *missing)
	}
	return err
}
