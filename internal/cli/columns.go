package cli

import (
	"fmt"
	"strings"
)

// A Column is a column of a table to be created, as the API takes it.
type Column struct {
	Name     string `json:"name"`
	Type     string `json:"type_text"` // which the server reads, or refuses
	Position int    `json:"position"`
	Nullable bool   `json:"nullable"`
	Comment  string `json:"comment,omitempty"`
}

// ParseColumns reads columns as SQL has them: id BIGINT NOT NULL, name STRING COMMENT 'as printed'. Names may be in
// backquotes.
func ParseColumns(text string) ([]Column, error) {
	out := []Column{}
	if strings.TrimSpace(text) == "" {
		return out, nil
	}
	parts, err := splitColumns(text)
	if err != nil {
		return nil, err
	}
	for i, part := range parts {
		c, err := parseColumn(part)
		if err != nil {
			return nil, fmt.Errorf("column %d, %q: %w", i+1, strings.TrimSpace(part), err)
		}
		c.Position = i
		out = append(out, c)
	}
	return out, nil
}

// splitColumns splits at the commas that are not within brackets or quotes.
func splitColumns(text string) ([]string, error) {
	var out []string
	depth, start, quote := 0, 0, rune(0)
	for i, r := range text {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '\'' || r == '`':
			quote = r
		case r == '<' || r == '(':
			depth++
		case r == '>' || r == ')':
			depth--
		case r == ',' && depth == 0:
			out = append(out, text[start:i])
			start = i + 1
		}
	}
	if quote != 0 || depth != 0 {
		return nil, fmt.Errorf("columns %q: a quote or bracket is open at the end", text)
	}
	return append(out, text[start:]), nil
}

func parseColumn(text string) (Column, error) {
	c := Column{Nullable: true}
	rest := strings.TrimSpace(text)
	if quoted, ok := strings.CutPrefix(rest, "`"); ok {
		c.Name, rest = cutQuoted(quoted, "`")
	} else if i := strings.IndexAny(rest, " \t\n"); i > 0 {
		c.Name, rest = rest[:i], rest[i:]
	} else {
		return c, fmt.Errorf("want a name and a type, such as id BIGINT")
	}
	rest = strings.TrimSpace(rest)
	if body, ok := strings.CutSuffix(rest, "'"); ok { // of a comment: types have no such quotes
		i := indexFold(body, " COMMENT '")
		if i < 0 {
			return c, fmt.Errorf("want a comment as COMMENT 'text'")
		}
		c.Comment, rest = strings.ReplaceAll(body[i+len(" COMMENT '"):], "''", "'"), strings.TrimSpace(body[:i])
	}
	if i := len(rest) - len(" NOT NULL"); i > 0 && strings.EqualFold(rest[i:], " NOT NULL") {
		c.Nullable, rest = false, strings.TrimSpace(rest[:i])
	}
	c.Type = rest
	if c.Name == "" || c.Type == "" {
		return c, fmt.Errorf("want a name and a type, such as id BIGINT")
	}
	return c, nil
}

// cutQuoted takes a name up to its closing quote, which is there: two of them within the name are one.
func cutQuoted(text, quote string) (name, rest string) {
	var b strings.Builder
	for {
		part, after, _ := strings.Cut(text, quote)
		b.WriteString(part)
		if !strings.HasPrefix(after, quote) {
			return b.String(), after
		}
		b.WriteString(quote)
		text = after[len(quote):]
	}
}

// indexFold is strings.Index without regard to the case of ASCII.
func indexFold(text, sub string) int {
	for i := 0; i+len(sub) <= len(text); i++ {
		if strings.EqualFold(text[i:i+len(sub)], sub) {
			return i
		}
	}
	return -1
}
