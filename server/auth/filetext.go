package auth

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// parseTokens reads the text of a file of tokens. Errors name the line and repeat nothing of it: it may be
// a token that somebody forgot to hash.
func parseTokens(text string) (map[[sha256.Size]byte]entry, error) {
	list := map[[sha256.Size]byte]entry{}
	number := 0
	for line := range strings.Lines(text) {
		number++
		if !strings.HasSuffix(line, "\n") {
			return nil, fmt.Errorf("line %d must end in a newline: it may be one that is still being written", number)
		}
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		hash, e, err := parseEntry(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		if _, ok := list[hash]; ok {
			return nil, fmt.Errorf("line %d: the hash is there twice", number)
		}
		list[hash] = e
	}
	return list, nil
}

func parseEntry(line string) (hash [sha256.Size]byte, e entry, err error) {
	fields, err := splitLine(line)
	if err != nil {
		return hash, e, err
	}
	if len(fields) != 2 && len(fields) != 3 {
		return hash, e, fmt.Errorf("there are %d fields instead of: hash, principal, and perhaps groups", len(fields))
	}
	raw, err := hex.DecodeString(fields[0])
	if err != nil || len(raw) != len(hash) {
		return hash, e, fmt.Errorf("the hash is not of %d hexadecimal digits", 2*len(hash))
	}
	copy(hash[:], raw)
	if e.principal = fields[1]; !validName(e.principal) {
		return hash, e, errors.New("the principal is empty, too long, or has control or invisible characters")
	}
	if e.principal == "-" {
		return hash, e, errors.New("the principal is -, which sha256sum prints for the name of its input: put the principal in its place")
	}
	if len(fields) == 3 {
		e.groups = strings.Split(fields[2], ",")
		for _, g := range e.groups {
			if g == "-" {
				return hash, e, errors.New("a group is -, which sha256sum prints for the name of its input")
			}
			if !validName(g) {
				return hash, e, errors.New("a group is empty, too long, or has control or invisible characters")
			}
		}
	}
	return hash, e, nil
}

// splitLine splits a line at blanks that are not within quotes.
func splitLine(line string) ([]string, error) {
	var fields []string
	for line = strings.TrimLeft(line, " \t"); line != ""; line = strings.TrimLeft(line, " \t") {
		end := strings.IndexAny(line, " \t")
		if end < 0 {
			end = len(line)
		}
		field := line[:end]
		if line[0] == '"' {
			quoted, err := strconv.QuotedPrefix(line)
			if err != nil {
				return nil, errors.New("a quote is not closed")
			}
			if end = len(quoted); end < len(line) && line[end] != ' ' && line[end] != '\t' {
				return nil, errors.New("there is no blank behind a quote")
			}
			if field, err = strconv.Unquote(quoted); err != nil {
				return nil, errors.New("a quoted text is not as in Go")
			}
		}
		fields, line = append(fields, field), line[end:]
	}
	return fields, nil
}
