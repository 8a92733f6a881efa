package postgres

import (
	"context"
	"slices"
	"sync"

	"github.com/leveelake/catalog/types"
)

// lines are the queues of those who want to write the same object or log: in the process, and
// not at a lock in the database, where each would hold a connection only to learn that it
// came too late.
type lines struct {
	mu  sync.Mutex
	all map[types.ID]*line // of what somebody writes now
}

func newLines() *lines { return &lines{all: make(map[types.ID]*line)} }

// A line is the queue at one object. Who is at its head may write.
type line struct {
	id      types.ID
	waiting []*turn
}

// A turn is a place in a line. A nil turn is none.
type turn struct {
	lines *lines
	line  *line
	come  chan struct{} // closed when it is at the head
}

// join waits until it is its turn at id, and tells whether it had to.
func (ls *lines) join(ctx context.Context, id types.ID) (t *turn, waited bool, err error) {
	ls.mu.Lock()
	l := ls.all[id]
	if l == nil {
		l = &line{id: id}
		ls.all[id] = l
		ls.mu.Unlock()
		return &turn{lines: ls, line: l}, false, nil
	}
	t = &turn{lines: ls, line: l, come: make(chan struct{})}
	l.waiting = append(l.waiting, t)
	ls.mu.Unlock()
	select {
	case <-t.come:
		return t, true, nil
	case <-ctx.Done():
	}
	ls.mu.Lock()
	if at := slices.Index(l.waiting, t); at >= 0 {
		l.waiting = slices.Delete(l.waiting, at, at+1)
		ls.mu.Unlock()
		return nil, true, ctx.Err()
	}
	ls.mu.Unlock()
	t.end() // its turn has come just now
	return nil, true, ctx.Err()
}

// end lets the next one have its turn.
func (t *turn) end() {
	if t == nil {
		return
	}
	t.lines.mu.Lock()
	defer t.lines.mu.Unlock()
	l := t.line
	if len(l.waiting) == 0 {
		delete(t.lines.all, l.id)
		return
	}
	next := l.waiting[0]
	l.waiting = slices.Delete(l.waiting, 0, 1)
	close(next.come)
}
