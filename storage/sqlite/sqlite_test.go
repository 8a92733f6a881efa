package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(childEnv); path != "" {
		child(path)
		return
	}
	watchVFS() // before any database is open
	os.Exit(m.Run())
}

// open1 opens a store in a new folder, with a root.
func open1(t testing.TB) *Store {
	t.Helper()
	s, err := Open(filepath.Join(t.TempDir(), "levee.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	plant(t, s)
	return s
}

// id makes an ID of a number, for tests that need no others.
func id(n int) types.ID { return types.ID(fmt.Sprintf("%08x-0000-4000-8000-000000000000", n)) }

func object(n int, k types.Kind, parent types.ID, name string) storage.Object {
	at := time.UnixMilli(1_796_000_000_000)
	return storage.Object{ID: id(n), Kind: k, Parent: parent, Name: name, Revision: 1, Created: at, Updated: at}
}

// The IDs of what plant inserts; tables have 100, 101, …
const (
	rootN, catalogN, schemaN = 1, 2, 3
	tableN                   = 100
)

// plant inserts a root, a catalog and a schema.
func plant(t testing.TB, s storage.Store) {
	t.Helper()
	update(t, s, func(tx storage.Tx) error {
		ctx := t.Context()
		return errors.Join(
			tx.Insert(ctx, object(rootN, types.KindMetastore, "", "root")),
			tx.Insert(ctx, object(catalogN, types.KindCatalog, id(rootN), "catalog")),
			tx.Insert(ctx, object(schemaN, types.KindSchema, id(catalogN), "schema")))
	})
}

// table inserts the n-th table, with a log.
func table(t testing.TB, s storage.Store, n int, body string) types.ID {
	t.Helper()
	o := object(tableN+n, types.KindTable, id(schemaN), fmt.Sprint("table", n))
	o.Body = []byte(body)
	update(t, s, func(tx storage.Tx) error {
		return errors.Join(tx.Insert(t.Context(), o),
			tx.WriteLog(t.Context(), o.ID, storage.Log{}, storage.LogDelta{Revision: 1}))
	})
	return o.ID
}

func update(t testing.TB, s storage.Store, fn func(tx storage.Tx) error) {
	t.Helper()
	if err := s.Update(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

// commit adds the next version to the log of a table and returns it.
func commit(ctx context.Context, tx storage.Tx, table types.ID) (int64, error) {
	nodes, err := tx.Get(ctx, table, storage.Want{Log: true})
	if err != nil {
		return 0, err
	}
	if len(nodes) == 0 {
		return 0, storage.ErrStale
	}
	return commitTo(ctx, tx, table, *nodes[len(nodes)-1].Log)
}

// commitTo is commit to a log as it was read; five versions wait for their backfill.
func commitTo(ctx context.Context, tx storage.Tx, table types.ID, l storage.Log) (int64, error) {
	v := l.Last + 1
	return v, tx.WriteLog(ctx, table, l, storage.LogDelta{
		Revision: l.Revision + 1, Last: v, Backfilled: max(l.Backfilled, v-5), State: []byte{1, 2},
		Add: &storage.Commit{Version: v, File: fmt.Sprintf("%020d.e8cf6ee6-5d1c-4ea1-8a5f-9b2bf9a9dd33.json", v), Data: make([]byte, 80)},
	})
}

// last returns the last version of a table, -1 if there is none.
func last(t testing.TB, s storage.Store, table types.ID) int64 {
	t.Helper()
	v, err := storage.View(t.Context(), s, func(tx storage.ReadTx) (int64, error) {
		nodes, err := tx.Get(t.Context(), table, storage.Want{Log: true})
		if err != nil || len(nodes) == 0 {
			return -1, err
		}
		return nodes[len(nodes)-1].Log.Last, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// number runs a statement on the connection of the writer and returns its one number.
func number(t testing.TB, s *Store, statement string) (n int64) {
	t.Helper()
	update(t, s, func(tx storage.Tx) (err error) {
		n, err = pragma(s.writer.conn.Conn, statement)
		return err
	})
	return n
}

// moveJournal lets the journal move to the tables.
func moveJournal(t testing.TB, s *Store) {
	t.Helper()
	update(t, s, func(storage.Tx) error { s.writer.foldAt = 0; return nil })
	update(t, s, func(storage.Tx) error { // it has been tried
		if n := len(s.journal.Load().logs); n != 0 || s.writer.foldAt != foldFrom {
			t.Errorf("%d logs are left in the journal", n)
		}
		return nil
	})
}

// count returns the number of rows of a table of the database, with what was in the journal.
func count(t testing.TB, s *Store, what string) int64 {
	t.Helper()
	moveJournal(t, s)
	return number(t, s, `SELECT count(*) FROM `+what)
}
