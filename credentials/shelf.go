package credentials

import (
	"container/list"
	"sync"
	"time"

	"github.com/leveelake/catalog/types"
)

// A shelf keeps the credentials that were used last, at most size of them. The credentials
// on it are never changed.
type shelf struct {
	size int

	mu    sync.Mutex // guards all below
	items map[Request]*list.Element
	order *list.List // of item; the front was used last
}

type item struct {
	req  Request
	cred types.Credential
	good time.Time // given out only before this time
}

func newShelf(size int) *shelf {
	return &shelf{size: size, items: map[Request]*list.Element{}, order: list.New()}
}

// get returns the credential for req if it is still good at now, and drops it if not.
func (s *shelf) get(req Request, now time.Time) (types.Credential, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.items[req]
	if !ok {
		return types.Credential{}, false
	}
	it := e.Value.(item)
	if !now.Before(it.good) {
		s.drop(e)
		return types.Credential{}, false
	}
	s.order.MoveToFront(e)
	return it.cred, true
}

// put keeps cred for req in place of what was there, and makes room for it.
func (s *shelf) put(req Request, cred types.Credential, good time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e, ok := s.items[req]; ok {
		s.drop(e)
	}
	if len(s.items) >= s.size {
		s.drop(s.order.Back())
	}
	s.items[req] = s.order.PushFront(item{req, cred, good})
}

// drop forgets an item. Its caller holds mu.
func (s *shelf) drop(e *list.Element) {
	delete(s.items, e.Value.(item).req)
	s.order.Remove(e)
}
