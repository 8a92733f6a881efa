package nodes

import (
	"fmt"
	"strings"
	"testing"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// TestLarge: an object that would push out many others is not kept, nor an older revision of it.
func TestLarge(t *testing.T) {
	c := New(80_000)
	small := storage.Object{ID: "r", Revision: 1}
	large := storage.Object{ID: "r", Revision: 2, Body: make([]byte, 20_000)}
	c.Put(c.Mark(), []storage.Node{{Object: small}}, storage.Want{})
	c.Apply([]Change{{Old: &small, New: &large}})
	c.Put(c.Mark(), []storage.Node{{Object: large}}, storage.Want{})
	if got, ok := c.Get("r", storage.Want{}, false); ok {
		t.Errorf("it knows revision %d", got[0].Revision)
	}
}

// TestLargeLog: nor is a log that would, by whichever way it comes; the object stays, and all others.
func TestLargeLog(t *testing.T) {
	for _, put := range []bool{false, true} {
		c := New(80_000)
		root := storage.Object{ID: "r", Revision: 1}
		c.Put(c.Mark(), []storage.Node{{Object: root}}, storage.Want{})
		for i := range 20 {
			child := storage.Object{ID: types.ID(fmt.Sprint(i)), Parent: "r", Revision: 1}
			c.Put(c.Mark(), []storage.Node{{Object: root}, {Object: child, Log: &storage.Log{Revision: 1}}}, storage.Want{Log: true})
		}
		large := &storage.Log{Revision: 2, Last: 1, Commits: []storage.Commit{{Version: 1, Data: make([]byte, 100_000)}}}
		if put {
			child := storage.Object{ID: "0", Parent: "r", Revision: 1}
			c.Put(c.Mark(), []storage.Node{{Object: root}, {Object: child, Log: large}}, storage.Want{Log: true})
		} else {
			c.Apply([]Change{{ID: "0", Log: large}})
		}
		for i := range 20 {
			id := types.ID(fmt.Sprint(i))
			if _, ok := c.Get(id, storage.Want{}, false); !ok {
				t.Errorf("put %t: %s is not known", put, id)
			}
			if _, ok := c.Get(id, storage.Want{Log: true}, false); ok != (i > 0) {
				t.Errorf("put %t: the log of %s is known: %t", put, id, ok)
			}
		}
	}
}

// TestAbsent: names that are not there take no more memory than others, however many and long they are,
// and whoever asks for them pushes out nobody.
func TestAbsent(t *testing.T) {
	c := New(80_000)
	root := storage.Object{ID: "r", Revision: 1}
	child := storage.Object{ID: "c", Parent: "r", Revision: 1}
	c.Put(c.Mark(), []storage.Node{{Object: root}, {Object: child}}, storage.Want{})
	for _, length := range []int{1, 100, 5_000, 50_000} {
		for i := range 1000 {
			text := fmt.Sprint(i, strings.Repeat("x", length))
			w := storage.Want{Beside: []storage.Step{{Kind: "grant", Name: text}}}
			c.Put(c.Mark(), []storage.Node{{Object: root}}, w)
			if _, ok := c.Get("r", w, false); ok != (length < 10_000) {
				t.Fatalf("after a read of %d bytes it is known: %t", len(text), ok)
			}
			bytes := 0
			for n := range c.byID["r"].absent {
				bytes += len(n.name)
			}
			if e := c.byID["r"]; len(e.absent) > absentMost || bytes > 20_000 || e.size < bytes {
				t.Fatalf("%d names of %d bytes are taken for %d", len(e.absent), bytes, e.size)
			}
		}
	}
	if _, ok := c.Get("c", storage.Want{}, false); !ok {
		t.Error("another was pushed out")
	}
}
