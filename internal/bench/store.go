package main

import (
	"context"
	"strings"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/storage/memory"
	"github.com/leveelake/catalog/storage/postgres"
	"github.com/leveelake/catalog/storage/sqlite"
)

// openStore opens a store where levee serve --store would: "memory", the URL of a PostgreSQL, or
// the path of a SQLite file.
func openStore(ctx context.Context, where string) (storage.Store, func() error, error) {
	switch {
	case where == "memory":
		m := memory.New()
		return m, m.Close, nil
	case isPostgres(where):
		p, err := postgres.Open(ctx, where)
		if err != nil {
			return nil, nil, err
		}
		return p, p.Close, nil
	}
	db, err := sqlite.Open(where)
	if err != nil {
		return nil, nil, err
	}
	return db, db.Close, nil
}

func isPostgres(store string) bool {
	return strings.HasPrefix(store, "postgres://") || strings.HasPrefix(store, "postgresql://")
}
