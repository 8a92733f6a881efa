package postgres

import (
	"errors"
	"strings"
	"testing"

	"github.com/leveelake/catalog/internal/pgtest"
)

// TestPath: a store stays in the schema where its tables are, whatever schemas come to be before it in the
// search path.
func TestPath(t *testing.T) {
	for name, path := range map[string]string{"of the URL": "later,shared", "of everyone": ""} {
		t.Run(name, func(t *testing.T) {
			server := pgtest.Start(t, "fsync=off")
			var parameters []string
			first, later := "public", "levee"
			if path != "" {
				first, later, _ = strings.Cut(path, ",")
				first, later = later, first
				parameters = []string{"search_path=" + path}
				server.Exec(t, `CREATE SCHEMA `+first)
			}
			server.Exec(t, `GRANT ALL ON SCHEMA `+first+` TO levee`)
			u := server.DSN("levee", "", parameters...)
			s := open1(t, u)
			plant(t, s)
			server.Exec(t, `CREATE SCHEMA `+later+` AUTHORIZATION levee`)
			for _, s := range []*Store{s, open1(t, u)} {
				s.pool.Reset()
				if s.schema != first || len(get(t, s, tableID)) != 3 {
					t.Errorf("a store is in the schema %s", s.schema)
				}
				writeBoth(t, s)
			}

			open1(t, server.DSN("levee", "", "search_path="+later)) // who names it may have another catalog there
			if s, err := Open(bg, u); !errors.Is(err, ErrURL) || !strings.Contains(err.Error(), first) || !strings.Contains(err.Error(), later) {
				t.Errorf("a search path with two catalogs: %v, %v", s, err)
			}
			if len(get(t, s, tableID)) != 3 {
				t.Error("who was there before sees another one")
			}
		})
	}
}

// TestPathOfPool: connections that are there before it is known where the tables are look there, too.
func TestPathOfPool(t *testing.T) {
	server := pgtest.Start(t, "fsync=off")
	server.Exec(t, `CREATE SCHEMA "a""b"`, `GRANT ALL ON SCHEMA "a""b" TO levee`)
	s := open1(t, server.DSN("levee", "", `search_path=later,"a""b"`, "pool_min_conns=8", "pool_max_conns=8"))
	plant(t, s)
	server.Exec(t, `CREATE SCHEMA later AUTHORIZATION levee`)
	for range 8 {
		c, err := s.pool.Acquire(bg)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Release()
		var schema string
		if err := c.QueryRow(bg, `SELECT current_schema()::text`).Scan(&schema); err != nil || schema != `a"b` {
			t.Errorf("a connection is in the schema %s, %v", schema, err)
		}
	}
}
