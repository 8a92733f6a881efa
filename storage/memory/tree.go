package memory

import "iter"

// A tree is a sorted map that never changes: put and del return another tree that
// shares all but one path with this one. So a snapshot is a copy of the root pointer,
// and to roll back is to forget the newer tree.
//
// It is balanced by weight: no side of a node has more than delta times the nodes of
// the other. The pair (delta, ratio) = (3, 2) is one that is proven to keep that with
// at most one rotation, single or double, at each node of the path.
type tree[K, V any] struct {
	compare func(a, b K) int
	root    *node[K, V]
}

type node[K, V any] struct {
	key         K
	value       V
	left, right *node[K, V]
	size        int
}

const (
	delta = 3
	ratio = 2
)

func newTree[K, V any](compare func(a, b K) int) tree[K, V] {
	return tree[K, V]{compare: compare}
}

func (t tree[K, V]) get(key K) (V, bool) {
	for n := t.root; n != nil; {
		switch c := t.compare(key, n.key); {
		case c < 0:
			n = n.left
		case c > 0:
			n = n.right
		default:
			return n.value, true
		}
	}
	var zero V
	return zero, false
}

func (t tree[K, V]) has(key K) bool {
	_, ok := t.get(key)
	return ok
}

// put returns t with value at key, in the place of what was there.
func (t tree[K, V]) put(key K, value V) tree[K, V] {
	t.root = t.insert(t.root, key, value)
	return t
}

// del returns t without key.
func (t tree[K, V]) del(key K) tree[K, V] {
	if t.has(key) { // else a path would be copied for nothing
		t.root = t.remove(t.root, key)
	}
	return t
}

// from ranges over the keys at or after start, ascending.
func (t tree[K, V]) from(start K) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) { t.walk(t.root, start, yield) }
}

func (t tree[K, V]) walk(n *node[K, V], start K, yield func(K, V) bool) bool {
	if n == nil {
		return true
	}
	c := t.compare(start, n.key)
	if c < 0 && !t.walk(n.left, start, yield) {
		return false
	}
	if c <= 0 && !yield(n.key, n.value) {
		return false
	}
	return t.walk(n.right, start, yield)
}

func (t tree[K, V]) insert(n *node[K, V], key K, value V) *node[K, V] {
	if n == nil {
		return join(nil, key, value, nil)
	}
	switch c := t.compare(key, n.key); {
	case c < 0:
		return balance(t.insert(n.left, key, value), n.key, n.value, n.right)
	case c > 0:
		return balance(n.left, n.key, n.value, t.insert(n.right, key, value))
	default:
		return join(n.left, key, value, n.right)
	}
}

func (t tree[K, V]) remove(n *node[K, V], key K) *node[K, V] {
	switch c := t.compare(key, n.key); {
	case c < 0:
		return balance(t.remove(n.left, key), n.key, n.value, n.right)
	case c > 0:
		return balance(n.left, n.key, n.value, t.remove(n.right, key))
	case n.left == nil:
		return n.right
	case n.right == nil:
		return n.left
	default:
		first, rest := cutFirst(n.right)
		return balance(n.left, first.key, first.value, rest)
	}
}

// cutFirst returns the first node of n, and n without it.
func cutFirst[K, V any](n *node[K, V]) (first, rest *node[K, V]) {
	if n.left == nil {
		return n, n.right
	}
	first, rest = cutFirst(n.left)
	return first, balance(rest, n.key, n.value, n.right)
}

func (n *node[K, V]) count() int {
	if n == nil {
		return 0
	}
	return n.size
}

func join[K, V any](left *node[K, V], key K, value V, right *node[K, V]) *node[K, V] {
	return &node[K, V]{key, value, left, right, left.count() + right.count() + 1}
}

// balance joins two balanced sides of which one may be too heavy by one insert or delete.
func balance[K, V any](l *node[K, V], key K, value V, r *node[K, V]) *node[K, V] {
	switch {
	case l.count()+r.count() <= 1:
		return join(l, key, value, r)
	case r.count() > delta*l.count():
		if in := r.left; in.count() >= ratio*r.right.count() {
			return join(join(l, key, value, in.left), in.key, in.value, join(in.right, r.key, r.value, r.right))
		}
		return join(join(l, key, value, r.left), r.key, r.value, r.right)
	case l.count() > delta*r.count():
		if in := l.right; in.count() >= ratio*l.left.count() {
			return join(join(l.left, l.key, l.value, in.left), in.key, in.value, join(in.right, key, value, r))
		}
		return join(l.left, l.key, l.value, join(l.right, key, value, r))
	default:
		return join(l, key, value, r)
	}
}
