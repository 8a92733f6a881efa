package storagetest

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// eachNode bends every node that a read returns.
func eachNode(fn func(n *storage.Node)) bent {
	return bent{nodes: func(nodes []storage.Node) []storage.Node {
		for i := range nodes {
			fn(&nodes[i])
		}
		return nodes
	}}
}

func sortNodes(less func(a, b storage.Node) int) func([]storage.Node) []storage.Node {
	return func(nodes []storage.Node) []storage.Node {
		slices.SortStableFunc(nodes, less)
		return nodes
	}
}

func fold(a, b storage.Node) int {
	return cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
}

// byUTF16 is the order of stores that keep text in 16-bit units.
func byUTF16(a, b storage.Node) int { return slices.Compare(utf16(a.Name), utf16(b.Name)) }

func utf16(s string) []uint16 {
	var out []uint16
	for _, r := range s {
		if r >= 0x10000 {
			r = 0xd800 + (r-0x10000)>>10
		}
		out = append(out, uint16(r))
	}
	return out
}

// badReads are faults that show in what a read returns.
func badReads() []mutant {
	return []mutant{
		broken("collation", bent{listed: sortNodes(fold)}, "list/ByteOrder", "list/Pages"),
		broken("order of UTF-16", bent{listed: sortNodes(byUTF16)}, "list/ByteOrder"),
		broken("kinds not in order", bent{listed: sortNodes(fold)}, "list/AllKinds"),
		broken("no limit", bent{query: func(q storage.ListQuery) storage.ListQuery { q.Limit = 0; return q }}, "list/Pages", "list/After"),
		broken("limit off by one", bent{query: func(q storage.ListQuery) storage.ListQuery {
			if q.Limit > 0 {
				q.Limit++
			}
			return q
		}}, "list/Pages"),
		broken("After without case", bent{query: func(q storage.ListQuery) storage.ListQuery { q.After = strings.ToLower(q.After); return q }}, "list/After"),
		broken("After trimmed", bent{query: func(q storage.ListQuery) storage.ListQuery { q.After = strings.TrimSpace(q.After); return q }}, "list/After"),
		broken("all kinds as one", bent{query: func(q storage.ListQuery) storage.ListQuery { q.Kind = ""; return q }}, "list/AllKinds"),
		broken("names found without spaces", bent{path: func(p []storage.Step) []storage.Step {
			p = slices.Clone(p)
			for i := range p {
				p[i].Name = strings.TrimSpace(p[i].Name)
			}
			return p
		}}, "names/Exact"),
		broken("kinds not compared", bent{path: func(p []storage.Step) []storage.Step {
			p = slices.Clone(p)
			for i := range p {
				if p[i].Kind == kindStaging {
					p[i].Kind = kindSchema
				}
			}
			return p
		}}, "object/Chains"),
		broken("short chains", bent{nodes: func(n []storage.Node) []storage.Node { return n[max(0, len(n)-2):] }}, "object/Chains", "object/RoundTrip"),
		broken("seconds", eachNode(func(n *storage.Node) { n.Updated = n.Updated.Truncate(time.Second) }), "object/Times", "object/RoundTrip"),
		broken("local times", eachNode(func(n *storage.Node) { n.Created = n.Created.In(time.FixedZone("", 3600)) }), "object/Times", "object/RoundTrip"),
		broken("no location", eachNode(func(n *storage.Node) { n.Location = "" }), "object/RoundTrip", "object/Staging"),
		broken("bodies cut", eachNode(func(n *storage.Node) { n.Body = n.Body[:min(len(n.Body), 1<<16)] }), "object/Bytes"),
		broken("bodies end at zero", eachNode(func(n *storage.Node) { n.Body, _, _ = cString(n.Body) }), "object/Bytes"),
		broken("beside in reverse", eachNode(func(n *storage.Node) { slices.Reverse(n.Beside) }), "want/BesideOrder", "want/Beside"),
		broken("beside counted twice", eachNode(func(n *storage.Node) { n.Beside = append(n.Beside, n.Beside...) }), "want/BesideInLists", "want/BesideOrder"),
		broken("logs of no list", bent{listed: func(nodes []storage.Node) []storage.Node {
			for i := range nodes {
				nodes[i].Log = nil
			}
			return nodes
		}}, "log/List"),
		broken("always logs", bent{want: func(w storage.Want) storage.Want { w.Log = true; return w }}, "log/None", "log/List"),
		broken("nothing asked", bent{want: func(w storage.Want) storage.Want { w.Version = 0; return w }}, "log/Asked", "log/Forget", "race/SameCommit"),
		broken("nothing beside", bent{want: func(w storage.Want) storage.Want { w.Beside = nil; return w }}, "want/Beside", "names/Exact"),
		broken("beside of one kind", bent{want: func(w storage.Want) storage.Want {
			w.Beside = slices.DeleteFunc(slices.Clone(w.Beside), func(s storage.Step) bool { return s.Kind != w.Beside[0].Kind })
			return w
		}}, "want/BesideKinds", "model/Seed0"),
		broken("kinds and names beside not in pairs", bent{want: func(w storage.Want) storage.Want {
			var all []storage.Step
			for _, a := range w.Beside {
				for _, b := range w.Beside {
					all = append(all, storage.Step{Kind: a.Kind, Name: b.Name})
				}
			}
			w.Beside = all
			return w
		}}, "want/BesideKinds", "want/BesideManyKinds"),
		broken("beside by name", eachNode(func(n *storage.Node) {
			slices.SortStableFunc(n.Beside, func(a, b storage.Object) int { return cmp.Compare(a.Name, b.Name) })
		}), "want/BesideKinds", "want/BesideManyKinds"),
		broken("steps sorted in place", bent{want: func(w storage.Want) storage.Want {
			slices.SortFunc(w.Beside, func(a, b storage.Step) int { return cmp.Compare(a.Name, b.Name) })
			return w
		}}, "want/BesideIsTheCallers"),
		broken("commits descending", eachLog(func(l *storage.Log) { slices.Reverse(l.Commits) }), "log/Commits"),
		broken("only the newest commit", eachLog(func(l *storage.Log) { l.Commits = l.Commits[max(0, len(l.Commits)-1):] }), "log/Commits"),
		broken("memory not bounded", eachLog(func(l *storage.Log) {
			if l.Backfilled > 0 {
				l.Commits = append([]storage.Commit{*commit(l.Backfilled)}, l.Commits...)
			}
		}), "log/Commits", "log/Bounded"),
		broken("asked only if not backfilled", eachLog(func(l *storage.Log) {
			if l.Asked != nil && l.Asked.Version <= l.Backfilled {
				l.Asked = nil
			}
		}), "log/Asked"),
		broken("asked only if backfilled", eachLog(func(l *storage.Log) {
			if l.Asked != nil && l.Asked.Version > l.Backfilled {
				l.Asked = nil
			}
		}), "log/Asked"),
		broken("no state", eachLog(func(l *storage.Log) { l.State = nil }), "log/Commits"),
		broken("no data", eachLog(func(l *storage.Log) {
			for i := range l.Commits {
				l.Commits[i].Data = nil
			}
		}), "log/Commits", "object/Bytes"),
		broken("absence is a zero object", bent{nodes: func(nodes []storage.Node) []storage.Node {
			if len(nodes) == 0 {
				return []storage.Node{{}}
			}
			return nodes
		}}, "object/Empty", "object/Chains"),
		broken("the last child is lost", bent{listed: func(nodes []storage.Node) []storage.Node { return nodes[:max(0, len(nodes)-1)] }},
			"list/OnlyChildren", "list/Many", "list/InUpdate", "model/Seed0", "model/Seed1", "model/Seed2", "model/Seed3"),
		broken("files trimmed", eachLog(func(l *storage.Log) {
			for i := range l.Commits {
				l.Commits[i].File = strings.TrimSpace(l.Commits[i].File)
			}
		}), "names/Everywhere"),
		broken("what is beside is old", eachNode(func(n *storage.Node) {
			for i := range n.Beside {
				n.Beside[i].Revision = 1
			}
		}), "want/BesideChanges"),
		mutant{"cached by ID", func() Backend { return bend(cacheByID()) }, []string{"instant/ViewSeesWhatIsDone", "object/Replace"}},
		mutant{"logs that are read are kept", func() Backend { return bend(aliasOut()) }, []string{"object/CopiedOut"}},
	}
}

// cString cuts at the first zero byte, as a string of C does.
func cString(b []byte) ([]byte, []byte, bool) {
	before, after, found := strings.Cut(string(b), "\x00")
	return []byte(before), []byte(after), found
}

func eachLog(fn func(l *storage.Log)) bent {
	return eachNode(func(n *storage.Node) {
		if n.Log != nil {
			fn(n.Log)
		}
	})
}

// cacheByID takes an ID for the name of a value.
func cacheByID() bent {
	cache := make(map[types.ID]storage.Node) // of one test, which does not race
	return eachNode(func(n *storage.Node) {
		if was, ok := cache[n.ID]; ok {
			*n = was
		}
		cache[n.ID] = *n
	})
}

// aliasOut hands out the same log each time.
func aliasOut() bent {
	type key struct {
		id       types.ID
		revision int64
	}
	logs := make(map[key]*storage.Log) // of one test, which does not race
	return eachNode(func(n *storage.Node) {
		if n.Log == nil {
			return
		}
		k := key{n.ID, n.Log.Revision}
		if logs[k] == nil {
			logs[k] = n.Log
		}
		n.Log = logs[k]
	})
}

type (
	readTx  = storage.ReadTx
	objects = []storage.Object
	ctx     = context.Context
	kinds   = []types.Kind
)

func badOverlaps() []mutant {
	within := func(keep func(o storage.Object, location string) bool) bent {
		return bent{overlap: func(c ctx, tx readTx, location string, k kinds, below int) (objects, error) {
			found, err := tx.Overlap(c, location, k, below)
			return slices.DeleteFunc(found, func(o storage.Object) bool { return !keep(o, location) }), err
		}}
	}
	return []mutant{
		broken("overlap by text", bent{overlap: func(c ctx, tx readTx, location string, k kinds, below int) (objects, error) {
			found, err := tx.Overlap(c, strings.Join(strings.SplitN(location, "/", 4)[:min(3, strings.Count(location, "/")+1)], "/"), k, 1000)
			return slices.DeleteFunc(found, func(o storage.Object) bool {
				return !strings.HasPrefix(o.Location, location) && !strings.HasPrefix(location, o.Location)
			}), err
		}}, "overlap/Segments", "overlap/Below"),
		broken("overlap without case", bent{overlap: func(c ctx, tx readTx, location string, k kinds, below int) (objects, error) {
			return tx.Overlap(c, strings.ToLower(location), k, below)
		}}, "overlap/Characters"),
		broken("overlap not above", within(func(o storage.Object, l string) bool { return len(o.Location) >= len(l) }), "overlap/Segments", "overlap/Deep"),
		broken("overlap not at", within(func(o storage.Object, l string) bool { return o.Location != l }), "overlap/Segments", "race/Overlap"),
		broken("overlap not below", within(func(o storage.Object, l string) bool { return len(o.Location) <= len(l) }), "overlap/Segments", "overlap/Below"),
		broken("overlap of direct parents only", within(func(o storage.Object, l string) bool {
			return strings.Count(l, "/")-strings.Count(o.Location, "/") < 2
		}), "overlap/Segments", "race/Overlap"),
		broken("overlap of all kinds", bent{overlap: func(c ctx, tx readTx, location string, _ kinds, below int) (objects, error) {
			return tx.Overlap(c, location, kinds{kindCatalog, kindSchema, kindTable, kindStaging}, below)
		}}, "overlap/Kinds"),
		broken("one too few below", bent{overlap: func(c ctx, tx readTx, location string, k kinds, below int) (objects, error) {
			return tx.Overlap(c, location, k, below-1)
		}}, "overlap/Below"),
		broken("overlap in reverse", bent{objects: func(o objects) objects { slices.Reverse(o); return o }}, "overlap/Order", "overlap/Below"),
		broken("same location by name", bent{objects: func(o objects) objects {
			slices.SortStableFunc(o, func(a, b storage.Object) int {
				return cmp.Or(cmp.Compare(a.Location, b.Location), cmp.Compare(a.Name, b.Name))
			})
			return o
		}}, "overlap/Order"),
	}
}
