package credentials

import (
	"testing"
	"time"

	"github.com/leveelake/catalog/types"
)

func TestShelf(t *testing.T) {
	s, now := newShelf(2), time.Unix(1000, 0)
	a, b := Request{Location: "a"}, Request{Location: "b"}
	at := func(prefix string) types.Credential { return types.Credential{Prefix: prefix} }
	s.put(a, at("old"), now.Add(1))
	s.put(b, at("b"), now.Add(1))
	s.put(a, at("new"), now.Add(2)) // replaces, and needs no room
	if got, ok := s.get(a, now.Add(1)); !ok || got.Prefix != "new" {
		t.Errorf("a is %q, %t", got.Prefix, ok)
	}
	if _, ok := s.get(b, now.Add(1)); ok {
		t.Error("b was given out at the end of its time")
	}
	if len(s.items) != 1 || s.order.Len() != 1 {
		t.Errorf("%d items in a list of %d, want one: what is no longer good goes", len(s.items), s.order.Len())
	}
}
