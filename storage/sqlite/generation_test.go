package sqlite

import (
	"errors"
	"fmt"
	"testing"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// The test of the cache writes generations: an Update gives a table, its schema and its log the next
// number, the object as their bodies and the log as its state and its last version, so that a
// View that sees parts of two Updates, or one that was not to be seen, shows itself.

const (
	genTables  = 6
	genSchemas = 2
)

func genPath(n int) []storage.Step {
	return []storage.Step{{Kind: "catalog", Name: "catalog"}, {Kind: "schema", Name: fmt.Sprint("schema", n%genSchemas)}, {Kind: "table", Name: fmt.Sprint("table", n)}}
}

// genesis inserts the objects.
func genesis(t testing.TB, s *Store) {
	t.Helper()
	update(t, s, func(tx storage.Tx) error {
		errs := []error{
			tx.Insert(bg, object(rootN, types.KindMetastore, "", "root")),
			tx.Insert(bg, object(catalogN, types.KindCatalog, id(rootN), "catalog")),
		}
		for n := range genSchemas {
			errs = append(errs, tx.Insert(bg, object(10+n, types.KindSchema, id(catalogN), fmt.Sprint("schema", n))))
		}
		for n := range genTables {
			errs = append(errs, tx.Insert(bg, object(tableN+n, types.KindTable, id(10+n%genSchemas), fmt.Sprint("table", n))))
		}
		return errors.Join(errs...)
	})
}

// next writes the next generation of the n-th table; in every other it writes the log alone.
func next(tx storage.Tx, n int) (int64, error) {
	chain, err := tx.Lookup(bg, genPath(n), storage.Want{Log: true, Version: 1})
	if err != nil || len(chain) != 4 {
		return 0, errors.Join(err, fmt.Errorf("%d nodes", len(chain)))
	}
	l := *chain[3].Log
	v := l.Last + 1
	if v%2 == 0 {
		old, new := chain[3].Object, chain[3].Object
		new.Revision++
		new.Body = fmt.Appendf(nil, "%0500d", v)
		if err := tx.Replace(bg, old, new); err != nil {
			return 0, err
		}
	}
	return v, tx.WriteLog(bg, chain[3].ID, l, storage.LogDelta{
		Revision: l.Revision + 1, Last: v, Backfilled: max(0, v-3), State: fmt.Appendf(nil, "%d", v),
		Add: &storage.Commit{Version: v, File: fmt.Sprint(v), Data: fmt.Appendf(nil, "data %d", v)}, Forget: v - 10,
	})
}

// generation returns that of the n-th table as a View sees it, or an error if it sees parts of two.
func generation(tx storage.ReadTx, n int, byID bool) (int64, error) {
	var chain []storage.Node
	var err error
	if byID {
		chain, err = tx.Get(bg, id(tableN+n), storage.Want{Log: true})
	} else {
		chain, err = tx.Lookup(bg, genPath(n), storage.Want{Log: true, Beside: []storage.Step{{Kind: "grant", Name: "nobody"}}})
	}
	if err != nil || len(chain) != 4 {
		return 0, errors.Join(err, fmt.Errorf("%d nodes", len(chain)))
	}
	l, v := chain[3].Log, chain[3].Log.Last
	body := ""
	if v > 1 {
		body = fmt.Sprintf("%0500d", v/2*2)
	}
	if string(chain[3].Body) != body || chain[3].Revision != v/2+1 || v > 0 && string(l.State) != fmt.Sprint(v) || int64(len(l.Commits)) != min(v, 3) {
		return 0, fmt.Errorf("last version %d, revision %d of the object, body %.8q, state %q, %d commits", v, chain[3].Revision, chain[3].Body, l.State, len(l.Commits))
	}
	return v, nil
}
