package postgres

import (
	"path/filepath"
	"sync"
	"testing"

	"github.com/leveelake/catalog/internal/pgtest"
	"github.com/leveelake/catalog/storage/storagetest"
)

// dirs gives each folder of the suite a schema.
type dirs struct {
	make func(t testing.TB) string // URLs; nil: on the shared server
	mu   sync.Mutex
	urls map[string]string
}

func (d *dirs) url(t testing.TB, dir string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	dir = filepath.Clean(dir)
	if d.urls == nil {
		d.urls = make(map[string]string)
	}
	if d.urls[dir] == "" {
		if d.make == nil {
			d.make = pgtest.URL
		}
		d.urls[dir] = d.make(t)
	}
	return d.urls[dir]
}

// TestSettings runs the suite where the server, the role and the URL are set to break it.
func TestSettings(t *testing.T) {
	if testing.Short() {
		t.Skip("it is the suite again")
	}
	server := pgtest.Start(t, "fsync=off", "full_page_writes=off", "default_transaction_isolation=serializable", "synchronous_commit=off",
		"default_transaction_read_only=on", "timezone='Asia/Kathmandu'")
	server.Exec(t, `ALTER ROLE levee SET default_transaction_isolation = 'repeatable read'`,
		`ALTER ROLE levee SET synchronous_commit = 'off'`,
		`ALTER ROLE levee SET enable_nestloop = off`)
	d := dirs{make: func(t testing.TB) string {
		return server.URL(t) + "&default_transaction_isolation=serializable&synchronous_commit=off"
	}}
	storagetest.Run(t, storagetest.Backend{
		Open: func(t testing.TB, dir string) (storagetest.Store, error) {
			s, err := Open(t.Context(), d.url(t, dir))
			if err != nil {
				return nil, err
			}
			var isolation, durable string
			if err := s.pool.QueryRow(t.Context(), `SELECT current_setting('transaction_isolation'), current_setting('synchronous_commit')`).Scan(&isolation, &durable); err != nil {
				return nil, err
			}
			if isolation != "read committed" || durable != "on" {
				t.Errorf("a connection is %s with synchronous_commit %s", isolation, durable)
			}
			return s, nil
		},
		Durable: true,
		Shared:  true,
	})
}
