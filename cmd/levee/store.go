package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/storage/memory"
	"github.com/leveelake/catalog/storage/postgres"
	"github.com/leveelake/catalog/storage/sqlite"
)

// storeFlags say where the state is.
type storeFlags struct {
	Data  string `help:"Folder for the database and the files of managed tables (${default})." default:"./levee-data" placeholder:"DIR"`
	Store string `help:"Where the state is kept: the path of a SQLite file, postgres://USER:PASSWORD@HOST/DATABASE, which several servers may share, or 'memory' to forget it at exit. Default: catalog.db in the data folder." placeholder:"PATH|URL"`
}

// likePostgres is how libpq takes settings, too.
var likePostgres = regexp.MustCompile(`(?i)^(postgres|postgresql):|(^|\s)(host|hostaddr|port|user|password|dbname|service|sslmode)\s*=`)

// check refuses what would be taken for the path of a file, but was meant to be something else. It repeats none of
// it: there may be a password.
func (s storeFlags) check() error {
	if s.isShared() {
		return nil
	}
	if likePostgres.MatchString(strings.TrimSpace(s.Store)) {
		return errors.New("--store: a PostgreSQL is given by its URL, postgres://USER:PASSWORD@HOST/DATABASE")
	}
	if scheme, _, ok := strings.Cut(s.Store, "://"); ok {
		return fmt.Errorf("--store: %s:// is no store that this server knows; it may be the path of a SQLite file, postgres://… or memory", scheme)
	}
	return nil
}

// open opens the store; data is the data folder as an absolute path.
func (s storeFlags) open(ctx context.Context, data string) (storage.Store, func() error, error) {
	switch err := s.check(); {
	case err != nil:
		return nil, nil, err
	case s.isMemory():
		m := memory.New()
		return m, m.Close, nil
	case s.isShared():
		db, err := postgres.Open(ctx, s.Store)
		if err != nil {
			return nil, nil, fmt.Errorf("--store: %w", err)
		}
		return db, db.Close, nil
	}
	db, err := sqlite.Open(s.file(data))
	if err != nil {
		return nil, nil, err
	}
	return db, db.Close, nil
}

// file is the SQLite file.
func (s storeFlags) file(data string) string {
	if s.Store == "" {
		return filepath.Join(data, "catalog.db")
	}
	return s.Store
}

func (s storeFlags) isMemory() bool { return s.Store == "memory" }

// isShared tells of a store that other servers may have open, too.
func (s storeFlags) isShared() bool {
	return strings.HasPrefix(s.Store, "postgres://") || strings.HasPrefix(s.Store, "postgresql://")
}
