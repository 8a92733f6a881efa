package memory

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// check fails unless n is sorted, counted and balanced, and returns its keys.
func check(t *testing.T, n *node[int, int]) []int {
	t.Helper()
	if n == nil {
		return nil
	}
	left, right := check(t, n.left), check(t, n.right)
	l, r := len(left), len(right)
	if n.size != l+r+1 {
		t.Fatalf("size %d of %d nodes", n.size, l+r+1)
	}
	if l+r > 1 && (l > delta*r || r > delta*l) {
		t.Fatalf("not balanced: %d and %d", l, r)
	}
	return slices.Concat(left, []int{n.key}, right)
}

// A tree does what a map does, stays balanced, and an older version stays as it was.
func TestTree(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 0))
		now, model := newTree[int, int](cmp.Compare), map[int]int{}
		var then tree[int, int]
		var thenModel map[int]int
		for i := range 2000 {
			if i%100 == 0 {
				if then.compare != nil {
					compare(t, seed, then, thenModel)
				}
				then, thenModel = now, maps.Clone(model)
			}
			k := r.IntN(300)
			if r.IntN(100) < 30+i/40 { // first it grows, then it shrinks
				now = now.del(k)
				delete(model, k)
			} else {
				now = now.put(k, i)
				model[k] = i
			}
		}
		compare(t, seed, now, model)
	}
}

func compare(t *testing.T, seed uint64, tr tree[int, int], model map[int]int) {
	t.Helper()
	want := slices.Sorted(maps.Keys(model))
	if got := check(t, tr.root); !slices.Equal(got, want) {
		t.Fatalf("seed %d: keys %v, want %v", seed, got, want)
	}
	for k := range 300 {
		v, ok := tr.get(k)
		if w, is := model[k]; v != w || ok != is {
			t.Fatalf("seed %d: get(%d) = %d, %t", seed, k, v, ok)
		}
	}
	for _, start := range []int{-1, 0, 100, 299, 300} {
		i, _ := slices.BinarySearch(want, start)
		stop := i + len(want[i:])/2
		for k, v := range tr.from(start) {
			if i == stop {
				break
			}
			if k != want[i] || v != model[k] {
				t.Fatalf("seed %d: from(%d) yields %d", seed, start, k)
			}
			i++
		}
		if i != stop {
			t.Fatalf("seed %d: from(%d) ends early", seed, start)
		}
	}
}

// A put makes a path of new nodes and shares the rest.
func TestTreeShares(t *testing.T) {
	tr := newTree[int, int](cmp.Compare)
	for i := range 100_000 { // in order, the worst for a tree without balance
		tr = tr.put(i, i)
	}
	old := make(map[*node[int, int]]bool)
	var collect func(n *node[int, int])
	collect = func(n *node[int, int]) {
		if n != nil {
			old[n] = true
			collect(n.left)
			collect(n.right)
		}
	}
	collect(tr.root)
	fresh := 0
	var count func(n *node[int, int])
	count = func(n *node[int, int]) {
		if n != nil && !old[n] {
			fresh++
			count(n.left)
			count(n.right)
		}
	}
	count(tr.put(50_000, 0).root)
	if fresh > 40 {
		t.Errorf("a put made %d nodes", fresh)
	}
	if next := tr.del(200_000); next.root != tr.root {
		t.Error("a del of nothing made another tree")
	}
}
