package postgres

import (
	"slices"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// A saw is what a read has seen, without what it does not take to tell whether it
// would see the same again.
type saw struct {
	refs    []ref    // objects that are there; of a chain its nodes first
	nodes   int      // how many of refs are a chain's
	logs    []logRef // logs
	absents []absent // names that are not there
	list    *ranged
	overlap *overlapped
}

// A ref is an object as it was seen.
type ref struct {
	id       types.ID
	revision int64
	depth    int16
	held     bool // until the Update is done, and not only checked when its writes begin
}

// A logRef is a log as it was seen; revision 0: there is none.
type logRef struct {
	id       types.ID
	revision int64
	log      *storage.Log // nil, or all of it
}

// An absent is a child that was not there.
type absent struct {
	parent types.ID
	kind   types.Kind
	name   string
}

// A ranged is what a List has covered: the children of parent from after to upTo, if they are
// not without an end.
type ranged struct {
	parent      types.ID
	kind        types.Kind
	after, upTo string
	open        bool // no upTo: it saw the end
	count       int
}

// An overlapped is what an Overlap has covered.
type overlapped struct {
	location string
	kinds    []string
	at       int // found at or above location
	below    int // found beneath
	open     bool
	last     string // of those beneath, unless it saw all
	lastID   types.ID
	beneath  bool // it looked beneath
}

// sawChain is what a Lookup or Get has seen.
func sawChain(nodes []storage.Node, w storage.Want) saw {
	s := saw{nodes: len(nodes), refs: make([]ref, len(nodes), len(nodes)+len(w.Beside))}
	for i, n := range nodes {
		s.refs[i] = ref{n.ID, n.Revision, int16(i), i == len(nodes)-1}
		if n.Log != nil {
			s.logs = append(s.logs, logRef{n.ID, n.Log.Revision, nil})
		}
	}
	for i := range nodes {
		s.beside(&nodes[i], int16(i+1), w)
	}
	return s
}

// beside takes down what is beside a node, and what is not. w is as wanted returns it.
func (s *saw) beside(n *storage.Node, depth int16, w storage.Want) {
	for _, o := range n.Beside {
		s.refs = append(s.refs, ref{o.ID, o.Revision, depth, false})
	}
	there := n.Beside // in the order of w.Beside
	for _, step := range w.Beside {
		if len(there) > 0 && there[0].Kind == step.Kind && there[0].Name == step.Name {
			there = there[1:]
			continue
		}
		s.absents = append(s.absents, absent{n.ID, step.Kind, step.Name})
	}
}

// keep copies the logs: what the read has returned is the caller's, who may change it.
func (s *saw) keep(chain []storage.Node) {
	if s.nodes == 0 || len(s.logs) != 1 {
		return
	}
	log := *chain[len(chain)-1].Log
	log.Asked = nil
	log.State = slices.Clone(log.State)
	log.Commits = slices.Clone(log.Commits)
	for i := range log.Commits {
		log.Commits[i].Data = slices.Clone(log.Commits[i].Data)
	}
	s.logs[0].log = &log
}

func sawList(q storage.ListQuery, nodes []storage.Node, objects []object, w storage.Want) saw {
	s := saw{list: &ranged{parent: q.Parent, kind: q.Kind, after: q.After, open: true, count: len(nodes)}}
	if q.Kind == "" {
		s.list.after = ""
	} else if q.Limit > 0 && len(nodes) >= q.Limit {
		s.list.open, s.list.upTo = false, nodes[len(nodes)-1].Name
	}
	for i := range nodes {
		n := &nodes[i]
		s.refs = append(s.refs, ref{n.ID, n.Revision, objects[i].depth, true})
		if n.Log != nil {
			s.logs = append(s.logs, logRef{n.ID, n.Log.Revision, nil})
		}
	}
	for i := range nodes {
		s.beside(&nodes[i], objects[i].depth+1, w)
	}
	return s
}

func sawOverlap(location string, kinds []string, below int, f found) saw {
	o := &overlapped{location: location, kinds: kinds, at: len(f.objects), below: len(f.beside), open: len(f.beside) < below, beneath: below > 0}
	if n := len(f.beside); n > 0 {
		o.last, o.lastID = f.beside[n-1].Location, f.beside[n-1].ID
	}
	s := saw{overlap: o}
	for _, all := range [][]object{f.objects, f.beside} {
		for _, x := range all {
			s.refs = append(s.refs, ref{x.ID, x.Revision, x.depth, true})
		}
	}
	return s
}
