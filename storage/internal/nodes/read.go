package nodes

import (
	"cmp"
	"slices"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// Lookup is [storage.ReadTx.Lookup] from memory. It returns false unless all of the path, and
// all of what w wants, is known. What is held is known only with pending: to the
// store's own transaction, which has written it.
func (c *Cache) Lookup(path []storage.Step, w storage.Want, pending bool) ([]storage.Node, bool) {
	w.Beside = Ordered(w.Beside)
	c.mu.RLock()
	defer c.mu.RUnlock()
	e := c.byID[c.root]
	if e == nil {
		return nil, false
	}
	chain := make([]storage.Node, len(path)+1)
	for i := range chain {
		if i > 0 {
			if e = c.byName[name{e.object.ID, path[i-1].Kind, path[i-1].Name}]; e == nil {
				return nil, false
			}
		}
		if !c.node(&chain[i], e, w, w.Log && i == len(path), pending) {
			return nil, false
		}
	}
	return chain, true
}

// Get is [storage.ReadTx.Get] from memory, else as Lookup.
func (c *Cache) Get(id types.ID, w storage.Want, pending bool) ([]storage.Node, bool) {
	w.Beside = Ordered(w.Beside)
	c.mu.RLock()
	defer c.mu.RUnlock()
	var chain []storage.Node
	for {
		e := c.byID[id]
		if e == nil {
			return nil, false
		}
		var n storage.Node
		if !c.node(&n, e, w, w.Log && len(chain) == 0, pending) {
			return nil, false
		}
		chain = append(chain, n)
		if id = e.object.Parent; id == "" {
			slices.Reverse(chain)
			return chain, true
		}
	}
}

// node sets n to what w wants of e, if it is known. What is beside it, w wants in order.
func (c *Cache) node(n *storage.Node, e *entry, w storage.Want, withLog, pending bool) bool {
	if !e.known(pending) {
		return false
	}
	n.Object = e.object
	if withLog {
		if n.Log = logOf(e, w.Version); n.Log == nil {
			return false
		}
	}
	return c.beside(n, e, w.Beside, pending)
}

// known says whether e may be seen, and that it was used.
func (e *entry) known(pending bool) bool {
	if e.held && !pending {
		return false
	}
	if !e.used.Load() { // a store to what many read would cost each of them
		e.used.Store(true)
	}
	return true
}

// logOf returns e's log with what is known of version, nil if that is not all.
func logOf(e *entry, version int64) *storage.Log {
	if e.log == nil {
		return nil
	}
	log := own(e.log)
	if version == 0 || version > log.Last {
		return log
	}
	at, ok := slices.BinarySearchFunc(log.Commits, version, func(c storage.Commit, v int64) int { return cmp.Compare(c.Version, v) })
	if !ok {
		return nil // backfilled: it may be remembered
	}
	asked := log.Commits[at]
	log.Asked = &asked
	return log
}

// beside adds to n the children of e that these steps lead to, if it is known which are there.
func (c *Cache) beside(n *storage.Node, e *entry, steps []storage.Step, pending bool) bool {
	for _, s := range steps {
		key := name{e.object.ID, s.Kind, s.Name}
		if child := c.byName[key]; child != nil {
			if !child.known(pending) {
				return false
			}
			n.Beside = append(n.Beside, child.object)
			continue
		}
		if _, ok := e.absent[key]; !ok {
			return false
		}
	}
	return true
}

// Ordered returns steps in the order of Node.Beside, each once. It leaves them as they are, since they are
// the caller's.
func Ordered(steps []storage.Step) []storage.Step {
	compare := func(a, b storage.Step) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	}
	for i := 1; i < len(steps); i++ {
		if compare(steps[i-1], steps[i]) >= 0 {
			steps = slices.Clone(steps)
			slices.SortFunc(steps, compare)
			return slices.Compact(steps)
		}
	}
	return steps
}

// own returns l without its Asked, for an owner who may change it but not what it points to.
func own(l *storage.Log) *storage.Log {
	out := *l
	out.Asked = nil
	out.Commits = slices.Clip(l.Commits)
	return &out
}
