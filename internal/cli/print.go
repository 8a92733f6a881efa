package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/leveelake/catalog/types"
)

// A Printer prints answers: to people as tables, or as the server's JSON, indented.
type Printer struct {
	Out  io.Writer
	JSON bool
}

// List prints the list that answer has under key, one item a line with some of its fields.
func (p Printer) List(answer json.RawMessage, key string, fields ...string) error {
	if p.JSON {
		return p.indented(answer)
	}
	rows := [][]string{fields}
	for _, item := range items(answer, key) {
		var row []string
		for _, f := range fields {
			row = append(row, cell(f, member(item, f)))
		}
		rows = append(rows, row)
	}
	return p.Rows(rows)
}

// Object prints one object, a line for each field that says something. Lists of objects in it are left out.
func (p Printer) Object(answer json.RawMessage) error {
	if p.JSON {
		return p.indented(answer)
	}
	w := tabwriter.NewWriter(p.Out, 0, 0, 2, ' ', 0)
	for name, value := range types.Members(answer) {
		if c := cell(name, value); c != nothing {
			fmt.Fprintf(w, "%s\t%s\n", printable(name), c)
		}
	}
	return w.Flush()
}

// Rows prints a table whose first row is the head.
func (p Printer) Rows(rows [][]string) error {
	w := tabwriter.NewWriter(p.Out, 0, 0, 2, ' ', 0)
	for i, row := range rows {
		line := strings.Join(row, "\t")
		if i == 0 {
			line = strings.ToUpper(strings.ReplaceAll(line, "_", " "))
		}
		fmt.Fprintln(w, line)
	}
	return w.Flush()
}

func (p Printer) indented(answer json.RawMessage) error {
	var b bytes.Buffer
	if len(answer) == 0 {
		answer = json.RawMessage("{}")
	}
	if err := json.Indent(&b, answer, "", "  "); err != nil {
		return err
	}
	b.WriteByte('\n')
	_, err := p.Out.Write(escaped(b.Bytes()))
	return err
}

// escaped is JSON with what a terminal might act on, or would not show, written as an escape of JSON.
func escaped(data []byte) []byte {
	out := make([]byte, 0, len(data))
	for _, r := range string(data) {
		switch {
		case r == '\n' || unicode.IsPrint(r):
			out = utf8.AppendRune(out, r)
		case r > 0xffff:
			a, b := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, a, b)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}

// nothing stands where there is no value, so that columns stay columns.
const nothing = "-"

// cell is a value as people read it.
func cell(name string, value json.RawMessage) string {
	out := ""
	switch {
	case len(value) == 0 || value[0] == 'n':
	case value[0] == '"':
		out = printable(types.Text(value))
	case value[0] == '[':
		var parts []string
		for _, v := range types.Elements(value) {
			if v[0] == '{' {
				return nothing
			}
			parts = append(parts, cell("", v))
		}
		out = strings.Join(parts, ", ")
	case value[0] == '{':
		var parts []string
		for k, v := range types.Members(value) {
			if c := cell(k, v); c != nothing {
				parts = append(parts, printable(k)+"="+c)
			}
		}
		out = strings.Join(parts, ", ")
	case strings.HasSuffix(name, "_at"):
		if ms, err := strconv.ParseInt(string(value), 10, 64); err == nil && ms != 0 {
			out = time.UnixMilli(ms).UTC().Format(time.RFC3339)
		}
	default:
		out = string(value)
	}
	if out == "" {
		return nothing
	}
	return out
}

// printable is text that is safe to print on a terminal, in one line and one column.
func printable(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		q := strconv.Quote(text)
		return q[1 : len(q)-1]
	}
	return text
}

// Printable is text of a server that is safe to print on a terminal.
func Printable(text string) string { return printable(text) }

// member is a member of an object; nil if there is none.
func member(object json.RawMessage, name string) json.RawMessage {
	if len(object) == 0 || object[0] != '{' {
		return nil
	}
	for n, value := range types.Members(object) {
		if n == name {
			return value
		}
	}
	return nil
}

// text is the value of a string; "" of anything else.
func text(value json.RawMessage) string {
	if len(value) == 0 || value[0] != '"' {
		return ""
	}
	return types.Text(value)
}

// items are those of the list that an object has under a name.
func items(object json.RawMessage, name string) []json.RawMessage {
	list := member(object, name)
	if len(list) == 0 || list[0] != '[' {
		return nil
	}
	var out []json.RawMessage
	for _, v := range types.Elements(list) {
		out = append(out, v)
	}
	return out
}
