package catalog

// A like is a LIKE pattern: % is any text, _ any one character, and \ makes the next character stand for
// itself.
type like []likeRune

type likeRune struct {
	r    rune
	any  bool // one character
	many bool // any text
}

func newLike(pattern string) like {
	var out like
	escaped := false
	for _, r := range pattern {
		switch {
		case escaped:
			out = append(out, likeRune{r: r})
			escaped = false
		case r == '\\':
			escaped = true
		case r == '%':
			out = append(out, likeRune{many: true})
		case r == '_':
			out = append(out, likeRune{any: true})
		default:
			out = append(out, likeRune{r: r})
		}
	}
	if escaped {
		out = append(out, likeRune{r: '\\'})
	}
	return out
}

// matches reports whether the whole of name fits; an empty pattern fits all. Its work is bounded by the product of
// both lengths, whatever the pattern.
func (l like) matches(name string) bool {
	if len(l) == 0 {
		return true
	}
	text := []rune(name)
	p, t := 0, 0
	back, from := -1, 0 // the last %, and where what follows it was tried
	for t < len(text) {
		switch {
		case p < len(l) && l[p].many:
			back, from = p, t
			p++
		case p < len(l) && (l[p].any || l[p].r == text[t]):
			p++
			t++
		case back >= 0:
			from++
			p, t = back+1, from
		default:
			return false
		}
	}
	for p < len(l) && l[p].many {
		p++
	}
	return p == len(l)
}
