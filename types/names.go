package types

import "strings"

// names holds the names of a struct, in lower case, and where they stand.
type names map[string]int

// add answers for a name that is blank or taken; the path stands at its field.
func (n names) add(p *path, name string, index int) error {
	lower := asciiLower(name)
	first, taken := n[lower]
	n[lower] = index
	switch {
	case strings.TrimSpace(name) == "":
		p.push("name")
		return p.wrong("blank")
	case taken:
		p.push("name")
		return p.wrong("%s is the name of field %d too, case aside", quote(name), first)
	}
	return nil
}

// asciiLower lowers A to Z only: É and é are two names (Delta API document,
// DeltaStructField).
func asciiLower(s string) string {
	upper := func(r rune) bool { return 'A' <= r && r <= 'Z' }
	if strings.IndexFunc(s, upper) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		if upper(r) {
			r += 'a' - 'A'
		}
		return r
	}, s)
}
