package postgres

import (
	"errors"
	"testing"

	"github.com/leveelake/catalog/internal/pgtest"
	"github.com/leveelake/catalog/storage"
)

// TestMoveIntoRange: while an Update that has listed a range is being applied, nothing comes into that range, be it
// inserted or there already under another name or as another kind.
func TestMoveIntoRange(t *testing.T) {
	server := pgtest.Start(t, "fsync=off") // on which nobody else waits for a lock
	look := newRival(t, server.DSN("postgres", ""))
	for name, c := range map[string]struct {
		was, becomes storage.Object
		read         bool // by who moves it
	}{
		"kind":         {storage.Object{Kind: "staging", Name: "a"}, storage.Object{Kind: "table", Name: "a"}, true},
		"name":         {storage.Object{Kind: "table", Name: "z"}, storage.Object{Kind: "table", Name: "a"}, true},
		"kind, unread": {storage.Object{Kind: "staging", Name: "a"}, storage.Object{Kind: "table", Name: "a"}, false},
		"name, unread": {storage.Object{Kind: "table", Name: "z"}, storage.Object{Kind: "table", Name: "a"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			u := server.URL(t)
			s, other := open1(t, u), open1(t, u)
			plant(t, s)
			old := c.was
			old.ID, old.Parent, old.Revision = "x", "schema", 1
			insert(t, s, storage.Object{ID: "schema", Kind: "schema", Parent: catalogID, Name: "schema", Revision: 1},
				storage.Object{ID: "m", Kind: "table", Parent: "schema", Name: "m", Revision: 1}, old)
			r := newRival(t, u)
			r.do(`BEGIN`) // whoever inserts this name has to wait
			r.do(`INSERT INTO object (id, parent, depth, kind, name, revision, created, updated, body) VALUES ('r', $1, 1, 'catalog', 'new', 1, 0, 0, '')`, string(rootID))

			moved := errors.New("moved")
			dropped := make(chan error, 1)
			go func() {
				dropped <- s.Update(bg, func(tx storage.Tx) error {
					chain, err := tx.Get(bg, "schema", storage.Want{})
					if err != nil {
						return err
					}
					page, err := tx.List(bg, storage.ListQuery{Parent: "schema", Kind: "table", Limit: 1}, storage.Want{})
					if err != nil {
						return err
					}
					if len(page) != 1 || page[0].Name != "m" {
						return moved
					}
					_ = tx.Insert(bg, storage.Object{ID: "n", Kind: "catalog", Parent: rootID, Name: "new", Revision: 1})
					return tx.Delete(bg, chain[2].Object)
				})
			}()
			look.waits(1)
			done := make(chan error, 1)
			go func() {
				done <- other.Update(bg, func(tx storage.Tx) error {
					if c.read {
						if chain, err := tx.Get(bg, "x", storage.Want{}); err != nil || len(chain) == 0 {
							return errors.Join(err, storage.ErrStale)
						}
					}
					changed := old
					changed.Kind, changed.Name, changed.Revision = c.becomes.Kind, c.becomes.Name, 2
					return tx.Replace(bg, old, changed)
				})
			}()
			look.waits(2)
			r.do(`ROLLBACK`)
			drop, move := <-dropped, <-done
			if drop != nil || !errors.Is(move, storage.ErrStale) {
				t.Errorf("drop: %v, move: %v", drop, move)
			}
		})
	}
}
