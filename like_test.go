package catalog

import (
	"strings"
	"testing"
)

func TestLike(t *testing.T) {
	for _, test := range []struct {
		pattern, name string
		want          bool
	}{
		{"", "x", true}, {"%", "", true}, {"%", "xyz", true}, {"x", "x", true}, {"x", "X", false}, {"x", "xy", false},
		{"_", "x", true}, {"_", "é", true}, {"_", "", false}, {"__", "x", false}, {"x%", "x", true}, {"%x", "yx", true},
		{"%a%b", "xaxb", true}, {"%a%b", "xbxa", false}, {"a_b", "axb", true}, {`a\_b`, "axb", false}, {`a\_b`, "a_b", true},
		{`a\%`, "a%", true}, {`a\`, `a\`, true}, {`a\\`, `a\`, true}, {"a.*", "abc", false}, {"[a]", "a", false}, {"a+", "aa", false},
		{"%%x%%", "x", true}, {"%ab%ab%", "abab", true}, {"%ab%ab%", "abb", false}, {"x_%_y", "xaby", true}, {"x_%_y", "xay", false},
	} {
		if got := newLike(test.pattern).matches(test.name); got != test.want {
			t.Errorf("%q matches %q: %v", test.pattern, test.name, got)
		}
	}
	// No pattern takes time without bound.
	newLike(strings.Repeat("%a", 1000) + "b").matches(strings.Repeat("a", 2000))
}
