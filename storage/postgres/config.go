package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	// poolDefault is how many connections a store may have if the URL does not say. More
	// have not made anything faster: the database has its own work to do.
	poolDefault = 16

	// writeTimeout is how long writes may be on their way before nobody waits for the
	// truth any more; massTimeout the same for those that touch thousands of rows.
	writeTimeout = 30 * time.Second
	massTimeout  = 10 * time.Minute

	// patience is how long an Update that met others, or a call that cannot connect, tries
	// again, and how long any waits for a connection that is free.
	patience = 10 * time.Second

	// connectTimeout is how long one host may take to let us in, if the URL does not say.
	connectTimeout = 5 * time.Second
)

// parameters are set on every connection, whatever the server, the role or the URL
// say: other values would break a promise, or make plans that are slow.
func parameters() map[string]string {
	return map[string]string{
		"client_encoding":                     "UTF8",
		"default_transaction_isolation":       "read committed", // what the order of locks and checks is made for
		"default_transaction_read_only":       "off",
		"default_transaction_deferrable":      "off",
		"idle_in_transaction_session_timeout": "60000", // a View whose function hangs
		"lock_timeout":                        "5000",  // less than writeTimeout: then the server's answer comes in time
		"statement_timeout":                   "600000",

		// Every statement finds a few rows by an index. A planner that guesses from
		// a table that was empty a minute ago could only do worse.
		"plan_cache_mode":  "force_generic_plan",
		"enable_seqscan":   "off",
		"enable_hashjoin":  "off",
		"enable_mergejoin": "off",
		"enable_memoize":   "off", // no key comes twice
		"jit":              "off",
	}
}

// configOf reads a URL or a list of key=value, and says where it leads.
func configOf(url string) (c *pgxpool.Config, where string, err error) {
	one, err := pgx.ParseConfig(url)
	if err != nil {
		// Not with the cause: it may quote a part of the password.
		return nil, "", &fault{where: "the URL", is: ErrURL, text: ErrURL.Error() +
			": it is neither a URL, such as postgres://user:password@host:5432/database?sslmode=verify-full, in which special characters are escaped, nor a list of key=value"}
	}
	where = placeOf(one)
	c, err = pgxpool.ParseConfig(url)
	if err != nil {
		text := "its pool_… parameters are not valid"
		if n, ok := one.RuntimeParams["pool_max_conns"]; ok {
			text += fmt.Sprintf(" (pool_max_conns is %q; it must be a number from 1 on)", n)
		}
		return nil, where, &fault{where: where, is: ErrURL, text: ErrURL.Error() + ": " + text}
	}
	if _, ok := one.RuntimeParams["pool_max_conns"]; !ok {
		c.MaxConns = poolDefault
	}
	cc := c.ConnConfig
	if cc.ConnectTimeout == 0 {
		cc.ConnectTimeout = connectTimeout
	}
	if cc.RuntimeParams["application_name"] == "" {
		cc.RuntimeParams["application_name"] = "levee"
	}
	for name, value := range parameters() {
		cc.RuntimeParams[name] = value
	}
	cc.DefaultQueryExecMode = pgx.QueryExecModeCacheStatement // others send a query as text, or twice
	cc.StatementCacheCapacity = 512
	cc.ValidateConnect = writable
	cc.OnNotice = noteNotice
	// What has idled is tried before it carries a write: were it gone, nobody could tell
	// whether the write arrived. A read just tries again.
	c.ShouldPing = func(ctx context.Context, p pgxpool.ShouldPingParams) bool {
		return p.IdleDuration > time.Second && ctx.Value(forWrite{}) != nil
	}
	return c, where, nil
}

// forWrite is the key of a context in which a connection is wanted for a write.
type forWrite struct{}

// placeOf names the hosts and the database for messages.
func placeOf(c *pgx.ConnConfig) string {
	place := func(host string, port uint16) string {
		if strings.HasPrefix(host, "/") {
			return fmt.Sprintf("%s:%d", host, port)
		}
		return net.JoinHostPort(host, fmt.Sprint(port))
	}
	places := []string{place(c.Host, c.Port)}
	for _, f := range c.Fallbacks {
		if p := place(f.Host, f.Port); p != places[len(places)-1] { // one for each way to try TLS
			places = append(places, p)
		}
	}
	return strings.Join(places, ",") + "/" + c.Database
}

// majorOf returns the major version of the server of a connection.
func majorOf(c *pgx.Conn) (int, error) {
	text := c.PgConn().ParameterStatus("server_version")
	var major int
	if _, err := fmt.Sscanf(text, "%d", &major); err != nil {
		return 0, errors.New("its version is " + text)
	}
	return major, nil
}
