package postgres

import (
	"testing"

	"github.com/leveelake/catalog/internal/pgtest"
	"github.com/leveelake/catalog/storage"
)

// TestTorn: a View whose first read is not true any more at its second gets done in its second run, whatever
// is written meanwhile.
func TestTorn(t *testing.T) {
	u := pgtest.URL(t)
	s, other := open1(t, u), open1(t, u)
	plant(t, s)
	runs := 0
	err := s.View(bg, func(tx storage.ReadTx) error {
		runs++
		var seen [2]int64
		for i := range seen {
			list, err := tx.List(bg, storage.ListQuery{Parent: catalogID, Kind: "table"}, storage.Want{Log: true})
			if err != nil {
				return err
			}
			seen[i] = list[0].Log.Last
			if _, err := commitTo(bg, other, tableID); err != nil {
				return err
			}
		}
		if seen[0] != seen[1] {
			t.Errorf("one snapshot has versions %d and %d", seen[0], seen[1])
		}
		return nil
	})
	if err != nil || runs != 2 {
		t.Errorf("%d runs, error %v", runs, err)
	}
}

// TestBeaten: as long as others get on, nobody waits longer each time.
func TestBeaten(t *testing.T) {
	u := &update{tries: 10, pause: pause{patience: patience}}
	for range 20 {
		if u.beaten() != later || !u.pause.wait(bg) || u.pause.next > 2*pauseFirst {
			t.Fatalf("the next pause is %v", u.pause.next)
		}
	}
}
