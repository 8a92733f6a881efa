package storagetest

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"time"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// The suite compares values by their text, in which nil and empty are the same, and
// everything else that may differ is not.

func textOfBytes(b []byte) string {
	if len(b) > 64 {
		return fmt.Sprintf("%q… %d bytes, %x", b[:16], len(b), sha256.Sum256(b))
	}
	return fmt.Sprintf("%q", b)
}

func textOfObject(o storage.Object) string {
	return fmt.Sprintf("%s %q id=%s parent=%s at %q r%d %s %s %s", o.Kind, o.Name, o.ID, o.Parent, o.Location, o.Revision,
		o.Created.Format(time.RFC3339Nano), o.Updated.Format(time.RFC3339Nano), textOfBytes(o.Body))
}

func textOfCommit(c storage.Commit) string {
	return fmt.Sprintf("v%d %q %s", c.Version, c.File, textOfBytes(c.Data))
}

func textOfLog(l *storage.Log) string {
	if l == nil {
		return "log: not read"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "log r%d last %d backfilled %d %s", l.Revision, l.Last, l.Backfilled, textOfBytes(l.State))
	for _, c := range l.Commits {
		b.WriteString("; " + textOfCommit(c))
	}
	if l.Asked != nil {
		b.WriteString("; asked " + textOfCommit(*l.Asked))
	}
	return b.String()
}

func textOfNode(n storage.Node) string {
	text := textOfObject(n.Object) + "\n\t" + textOfLog(n.Log)
	for _, o := range n.Beside {
		text += "\n\tbeside " + textOfObject(o)
	}
	return text
}

func textOfNodes(nodes []storage.Node) string { return lines(nodes, textOfNode) }

func textOfObjects(objects []storage.Object) string { return lines(objects, textOfObject) }

func lines[T any](all []T, text func(T) string) string {
	var b strings.Builder
	for _, v := range all {
		b.WriteString(text(v) + "\n")
	}
	return b.String()
}

// names joins the names of nodes.
func names(nodes []storage.Node) string {
	var all []string
	for _, n := range nodes {
		all = append(all, n.Name)
	}
	return strings.Join(all, "|")
}

// dump is the text of everything in the store as of one instant.
func (e *env) dump() string {
	e.Helper()
	return dump(e, e.store)
}

func dump(e *env, s storage.Store) string {
	e.Helper()
	text, err := storage.View(e.ctx, s, func(tx storage.ReadTx) (string, error) {
		root, err := tx.Lookup(e.ctx, nil, storage.Want{Log: true})
		if err != nil {
			return "", err
		}
		var b strings.Builder
		b.WriteString(textOfNodes(root))
		for _, n := range root {
			if err := dumpBelow(e, tx, n.ID, &b); err != nil {
				return "", err
			}
		}
		return b.String(), nil
	})
	if err != nil {
		e.Fatalf("View of everything: %v", err)
	}
	return text
}

func dumpBelow(e *env, tx storage.ReadTx, parent types.ID, b *strings.Builder) error {
	nodes, err := tx.List(e.ctx, storage.ListQuery{Parent: parent}, storage.Want{Log: true})
	if err != nil {
		return err
	}
	for _, n := range nodes {
		b.WriteString(textOfNode(n) + "\n")
		if err := dumpBelow(e, tx, n.ID, b); err != nil {
			return err
		}
	}
	return nil
}

// same reports got and want if they differ: the first lines that do.
func (e *env) same(what, got, want string) {
	e.Helper()
	if got == want {
		return
	}
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		if i >= len(g) || i >= len(w) || g[i] != w[i] {
			e.Errorf("%s: line %d of %d (want %d lines)\n got %s\nwant %s", what, i+1, len(g), len(w), line(g, i), line(w, i))
			return
		}
	}
}

func line(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(none)"
}
