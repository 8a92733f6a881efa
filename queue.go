package catalog

import (
	"sync"

	"github.com/leveelake/catalog/types"
)

// A queue counts the changes that wait for the store or are in it. Beyond its bounds it refuses:
// a client that hears so at once can wait, and go elsewhere, while one that waits in a queue which
// grows keeps memory here and gives up in the end, with its change perhaps carried out.
type queue struct {
	most, mostOfTable int

	mu    sync.Mutex
	all   int
	table map[types.TableName]int
}

func newQueue(most, mostOfTable int) *queue {
	return &queue{most: most, mostOfTable: mostOfTable, table: map[types.TableName]int{}}
}

// enter takes a place; who got one leaves it.
func (q *queue) enter() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.all >= q.most {
		return types.TooManyRequests.Errorf("%d changes are waiting already; retry later", q.all)
	}
	q.all++
	return nil
}

func (q *queue) leave() {
	q.mu.Lock()
	q.all--
	q.mu.Unlock()
}

// enterTable takes a place among those who wait for one table.
func (q *queue) enterTable(name types.TableName) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := q.table[name]
	if n >= q.mostOfTable {
		return types.TooManyRequests.Errorf("%d changes of the table are waiting already; retry later", n).About(types.KindTable)
	}
	q.table[name] = n + 1
	return nil
}

func (q *queue) leaveTable(name types.TableName) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.table[name]--; q.table[name] == 0 {
		delete(q.table, name)
	}
}
