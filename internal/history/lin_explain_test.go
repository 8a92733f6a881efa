package history_test

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/anishathalye/porcupine"
)

// answers counts the answers of a history by their kind.
func answers(history []porcupine.Operation) map[string]int {
	count := map[string]int{}
	for _, op := range history {
		in, out := op.Input.(input), op.Output.(output)
		what := in.kind() + " " + fmt.Sprint(out.status)
		if out.code != "" {
			what += " " + strings.TrimSuffix(string(out.code), "Exception")
		}
		if out.unknown {
			what = in.kind() + " unknown"
		}
		count[what]++
	}
	return count
}

func summary(count map[string]int) string {
	var lines []string
	for _, what := range slices.Sorted(maps.Keys(count)) {
		lines = append(lines, fmt.Sprint(count[what], " × ", what))
	}
	return strings.Join(lines, ", ")
}

// kind is what an update is mainly.
func (in input) kind() string {
	switch {
	case in.version > 0:
		return "commit"
	case in.property != "":
		return "metadata"
	case in.backfill != nil:
		return "backfill"
	}
	return in.op
}

// explain tells how far each slot's history could be explained, and what could not be. With
// -artifacts it leaves a page that shows the whole of it.
func explain(t *testing.T, history []porcupine.Operation, info porcupine.LinearizationInfo) {
	t.Helper()
	page := filepath.Join(t.ArtifactDir(), "history.html")
	if err := porcupine.VisualizePath(model, info, page); err != nil {
		t.Error(err)
	}
	var out strings.Builder
	for slot, partial := range info.PartialLinearizationsOperations() {
		longest, done := []porcupine.Operation{}, map[[2]int64]bool{}
		for _, p := range partial {
			if len(p) > len(longest) {
				longest = p
			}
		}
		fmt.Fprintf(&out, "slot %d: %d operations are explained, the last ones of them:\n", slot, len(longest))
		tell := func(op porcupine.Operation) {
			fmt.Fprintf(&out, "\t%d–%d client %d: %s\n", op.Call, op.Return, op.ClientId, describe(op.Input, op.Output))
		}
		for i, op := range longest {
			if done[[2]int64{op.Call, op.Return}] = true; i >= len(longest)-5 {
				tell(op)
			}
		}
		rest := slices.DeleteFunc(slices.Clone(history), func(op porcupine.Operation) bool {
			return op.Input.(input).slot != slot || done[[2]int64{op.Call, op.Return}]
		})
		slices.SortFunc(rest, func(a, b porcupine.Operation) int { return cmp.Compare(a.Return, b.Return) })
		if len(rest) > 0 && rest[0].Return < forever {
			fmt.Fprintln(&out, "\tand these are not:")
			for _, op := range rest[:min(3, len(rest))] {
				tell(op)
			}
		}
	}
	t.Errorf("not linearizable; -artifacts keeps %s\n%s", page, out.String())
}

func describe(i, o any) string {
	in, out := i.(input), o.(output)
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", in.op, tableName(in.slot, in.name))
	switch in.op {
	case "rename":
		fmt.Fprintf(&b, " to %s", tableName(in.slot, in.to))
	case "create":
		fmt.Fprintf(&b, " id %.8s", in.id)
	case "update":
		fmt.Fprintf(&b, " id %.8s", in.id)
		if in.version > 0 {
			fmt.Fprintf(&b, " version %d file %d", in.version, in.file)
		}
		if in.property != "" {
			fmt.Fprintf(&b, " p=%s", in.property)
		}
		if in.backfill != nil {
			fmt.Fprintf(&b, " backfill %d", *in.backfill)
		}
		if in.etag != "" {
			fmt.Fprintf(&b, " if etag %s", in.etag)
		}
	}
	switch s := out.table; {
	case out.unknown:
		b.WriteString(" → ?")
	case in.op == "list":
		fmt.Fprintf(&b, " → %d a %.8s b %.8s", out.status, out.listed[0], out.listed[1])
	case s.etag == "":
		fmt.Fprintf(&b, " → %d %s", out.status, out.code)
	default:
		fmt.Fprintf(&b, " → %d id %.8s etag %s p=%s at %d, latest %d, waiting %s", out.status, s.id, s.etag, s.property, s.metadata, s.latest, fileList(s.commits))
	}
	return b.String()
}

func describeState(s any) string {
	var b strings.Builder
	for name, t := range s.(state).names {
		if t.id == "" {
			continue
		}
		fmt.Fprintf(&b, "%c: id %.8s etag %q after %q p=%s at %d, files %s, backfilled %d; ", 'a'+name, t.id, t.etag, t.was, t.property, t.metadata, fileList(t.files), t.backfill)
	}
	return b.String()
}

func fileList(files string) string {
	var list []uint32
	for v := int64(1); v <= int64(len(files))/width; v++ {
		list = append(list, tab{files: files}.file(v))
	}
	return fmt.Sprint(list)
}
