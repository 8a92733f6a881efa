package server_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// A rightsPage is the page of who may do what.
type rightsPage struct {
	who  map[string][]clause
	cols [][]string // the people of each block
	rows [][]rightsRow
}

// A rightsRow is what becomes of an operation when each of the block's people asks for it.
type rightsRow struct {
	line      int
	operation string
	faces     string
	verdicts  map[string]string
}

// A clause is one right of somebody: to own something, or a privilege on it.
type clause struct {
	privilege string // "": owns it
	on        string
	group     string // that has it; "" for the person
}

// readRights reads the page, which is so small a language that a slip in it is told.
func readRights(t *testing.T, name string) rightsPage {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	r := rightsPage{who: map[string][]clause{}}
	for i, line := range strings.Split(string(text), "\n") {
		bad := func(format string, args ...any) {
			t.Helper()
			t.Fatalf("%s:%d: "+format, append([]any{name, i + 1}, args...)...)
		}
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case word == "" || word == "#":
		case word == "who":
			who, rest, _ := strings.Cut(strings.TrimSpace(rest), " ")
			if r.who[who] != nil {
				bad("%s is there twice", who)
			}
			list, err := r.clauses(rest)
			if err != nil {
				bad("%v", err)
			}
			r.who[who] = list
		case word == "columns":
			r.cols, r.rows = append(r.cols, strings.Fields(rest)), append(r.rows, nil)
			for _, who := range strings.Fields(rest) {
				if r.who[who] == nil {
					bad("nobody is %s", who)
				}
			}
		default:
			n := len(r.cols) - 1
			if n < 0 {
				bad("a row before its columns")
			}
			f := strings.Fields(line[min(len(line), 18):])
			if len(f) != 1+len(r.cols[n]) {
				bad("%d cells for %d people", len(f)-1, len(r.cols[n]))
			}
			w := rightsRow{i + 1, strings.TrimSpace(line[:18]), f[0], map[string]string{}}
			for j, who := range r.cols[n] {
				w.verdicts[who] = f[j+1]
			}
			r.rows[n] = append(r.rows[n], w)
		}
	}
	return r
}

// clauses reads what follows a name: the rights of another name, or rights.
func (r rightsPage) clauses(text string) ([]clause, error) {
	list := []clause{}
	for part := range strings.SplitSeq(text, ";") {
		f := strings.Fields(part)
		if len(f) == 0 {
			continue
		}
		if more, ok := r.who[f[0]]; ok && len(f) == 1 {
			list = append(list, more...)
			continue
		}
		c := clause{}
		if group, ok := strings.CutPrefix(f[len(f)-1], "@"); ok {
			c.group, f = group, f[:len(f)-1]
		}
		if len(f) < 2 || !strings.Contains(" M c s t c2 s2 k k2 l ", " "+f[len(f)-1]+" ") {
			return nil, fmt.Errorf("%q is no right", part)
		}
		c.on, c.privilege = f[len(f)-1], strings.Join(f[:len(f)-1], " ")
		if c.privilege == "owns" {
			c.privilege = ""
		}
		list = append(list, c)
	}
	return list, nil
}

// ownerOf is who owns something if somebody of a list does.
func ownerOf(list []clause, on string) (string, bool) {
	for _, c := range list {
		if c.on == on && c.privilege == "" {
			return c.holder(), true
		}
	}
	return "", false
}

// holder is who has a right.
func (c clause) holder() string {
	if c.group != "" {
		return c.group
	}
	return "joe"
}
