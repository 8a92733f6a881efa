package types

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// check answers BadRequest unless data is one JSON value in well-formed UTF-8. All that
// reads JSON below runs on checked data, so it has only meaning to look after.
func check(data []byte) error {
	if bytes.HasPrefix(data, []byte("\ufeff")) {
		return BadRequest.Errorf("the JSON begins with a byte order mark")
	}
	if !utf8.Valid(data) {
		return BadRequest.Errorf("the JSON is not valid UTF-8")
	}
	if !json.Valid(data) {
		var raw json.RawMessage
		err := json.Unmarshal(data, &raw)
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			return BadRequest.Errorf("not valid JSON at byte %d: %w", syntax.Offset, err)
		}
		return BadRequest.Errorf("not valid JSON: %w", err)
	}
	if i := loneSurrogate(data); i >= 0 {
		return BadRequest.Errorf("half of a surrogate pair in the string at byte %d", i)
	}
	return nil
}

// loneSurrogate returns the place of an escape such as \ud800 that has no partner, or
// -1. Decoders differ in what they make of one, and two names could become equal.
func loneSurrogate(data []byte) int {
	for i := 0; ; {
		next := bytes.IndexByte(data[i:], '\\')
		if next < 0 {
			return -1
		}
		i += next
		if data[i+1] != 'u' {
			i += 2
			continue
		}
		start, r := i, hexRune(data[i+2:])
		i += 6
		if !utf16.IsSurrogate(r) {
			continue
		}
		if !bytes.HasPrefix(data[i:], []byte(`\u`)) || utf16.DecodeRune(r, hexRune(data[i+2:])) == utf8.RuneError {
			return start
		}
		i += 6
	}
}

// hexRune reads the four hexadecimal digits of a \u escape.
func hexRune(b []byte) rune {
	n, _ := strconv.ParseUint(string(b[:4]), 16, 16)
	return rune(n)
}

// trim takes off the blanks around a JSON value.
func trim(data []byte) []byte { return bytes.Trim(data, " \t\n\r") }

// A cursor walks once over checked JSON.
type cursor struct {
	data []byte
	pos  int
}

// peek skips blanks and returns the first byte of what follows, 0 at the end.
func (c *cursor) peek() byte {
	for ; c.pos < len(c.data); c.pos++ {
		switch b := c.data[c.pos]; b {
		case ' ', '\t', '\n', '\r':
		default:
			return b
		}
	}
	return 0
}

// enter steps into the object or array that peek has shown.
func (c *cursor) enter() { c.pos++ }

// more steps to the next member or element; after the last one it leaves the object or
// array, which ends in closing.
func (c *cursor) more(closing byte) bool {
	b := c.peek()
	if b == ',' {
		c.pos++
		b = c.peek()
	}
	if b == closing {
		c.pos++
		return false
	}
	return true
}

// key reads the name of a member and steps to its value.
func (c *cursor) key() string {
	name := unquote(c.skip())
	c.peek()
	c.pos++ // the colon
	c.peek()
	return name
}

// skip steps over the value that peek has shown and returns its text.
func (c *cursor) skip() []byte {
	start, depth := c.pos, 0
	for {
		switch b := c.data[c.pos]; b {
		case '"':
			c.skipString()
		case '{', '[':
			depth++
			c.pos++
		case '}', ']':
			depth--
			c.pos++
		case ' ', '\t', '\n', '\r', ',', ':':
			c.pos++
			continue
		default:
			c.skipWord()
		}
		if depth == 0 {
			return c.data[start:c.pos]
		}
	}
}

func (c *cursor) skipString() {
	for c.pos++; ; c.pos++ {
		switch c.data[c.pos] {
		case '\\':
			c.pos++
		case '"':
			c.pos++
			return
		}
	}
}

// skipWord steps over a number, true, false or null.
func (c *cursor) skipWord() {
	for ; c.pos < len(c.data); c.pos++ {
		switch c.data[c.pos] {
		case ' ', '\t', '\n', '\r', ',', ':', '}', ']':
			return
		}
	}
}

// unquote is the text of a checked JSON string.
func unquote(quoted []byte) string {
	s := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(s, '\\') < 0 {
		return string(s)
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			out = append(out, s[i])
			continue
		}
		i++
		switch s[i] {
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			r := hexRune(s[i+1:])
			i += 4
			if utf16.IsSurrogate(r) {
				r = utf16.DecodeRune(r, hexRune(s[i+3:]))
				i += 6
			}
			out = utf8.AppendRune(out, r)
		default: // a quote, a backslash or a slash
			out = append(out, s[i])
		}
	}
	return string(out)
}
