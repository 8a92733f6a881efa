package server

import (
	"strings"

	"github.com/leveelake/catalog/types"
)

// A tagged result has a name, so that a client which has it need not get it again.
type tagged struct {
	appender
	tag string // the entity tag, quoted
	had bool   // the client has it
}

// encoding is in each tag: it goes up when the same table is sent as other bytes.
const encoding = "1"

// tag makes t a tagged result of r. Its tag is not the table's etag, which stands still on commits
// of data, but names all of what is sent.
func tag(r *request, t *types.Table) tagged {
	tag := `"` + encoding + "-" + t.Revision + `"`
	return tagged{t, tag, matches(r.Header["If-None-Match"], tag)}
}

// matches says whether one of the lists of an If-None-Match has tag (RFC 9110, section 13.1.2: weak
// comparison). A tag of ours has no comma in it, so what another's contains does no harm.
func matches(lists []string, tag string) bool {
	for _, list := range lists {
		for one := range strings.SplitSeq(list, ",") {
			one = strings.TrimSpace(one)
			if one == "*" || strings.TrimPrefix(one, "W/") == tag {
				return true
			}
		}
	}
	return false
}
