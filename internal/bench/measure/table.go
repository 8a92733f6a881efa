package measure

import (
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"
)

// A Table is printed as aligned text or as Markdown.
type Table struct {
	Head []string
	Rows [][]string
}

// Text writes t with columns aligned, all but the first to the right if they hold numbers.
func (t *Table) Text(w io.Writer) error {
	widths := t.widths()
	line := func(cells []string) string {
		var b strings.Builder
		for i, c := range cells {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(c))
			if t.numeric(i) {
				b.WriteString(pad + c)
			} else {
				b.WriteString(c + pad)
			}
			b.WriteString("  ")
		}
		return strings.TrimRight(b.String(), " ") + "\n"
	}
	out := line(t.Head)
	for _, r := range t.Rows {
		out += line(r)
	}
	_, err := io.WriteString(w, out)
	return err
}

// Markdown writes t as a table of Markdown.
func (t *Table) Markdown(w io.Writer) error {
	var b strings.Builder
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	line(t.Head)
	rule := make([]string, len(t.Head))
	for i := range rule {
		rule[i] = "---"
		if t.numeric(i) {
			rule[i] = "---:"
		}
	}
	line(rule)
	for _, r := range t.Rows {
		line(r)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (t *Table) widths() []int {
	widths := make([]int, len(t.Head))
	for i, c := range t.Head {
		widths[i] = utf8.RuneCountInString(c)
		for _, r := range t.Rows {
			widths[i] = max(widths[i], utf8.RuneCountInString(r[i]))
		}
	}
	return widths
}

// numeric tells of a column whose cells all begin with a digit, if they are not empty.
func (t *Table) numeric(column int) bool {
	for _, r := range t.Rows {
		if c := r[column]; c != "" && (c[0] < '0' || c[0] > '9') {
			return false
		}
	}
	return column > 0
}

// Number writes v with three digits that count, and thousands as k.
func Number(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return ""
	case a >= 99_950:
		return fmt.Sprintf("%.0fk", v/1000)
	case a >= 9_995:
		return fmt.Sprintf("%.1fk", v/1000)
	case a >= 99.5:
		return fmt.Sprintf("%.0f", v)
	case a >= 9.995:
		return fmt.Sprintf("%.1f", v)
	default:
		return fmt.Sprintf("%.2f", v)
	}
}
