package sqlite

import (
	"context"
	"slices"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// A revision names what an object or a node of a chain was, for ever.
type revision struct {
	id          types.ID
	object, log int64
}

// What takes the place of the revision of a log.
const (
	noLog  = -1 // that was wanted
	beside = -2 // the object is no node
)

// confirm compares what the cache has answered with the snapshot.
func (v *view) confirm(ctx context.Context) error {
	if v.answered == nil {
		return nil
	}
	chain, err := v.reader.byID(ctx, v.id, v.want)
	if err == nil && !slices.Equal(v.answered, revisions(nil, chain)) {
		v.again, err = true, errAgain
	}
	return err
}

// revisions appends those of a chain to out.
func revisions(out []revision, chain []storage.Node) []revision {
	for i := range chain {
		n := &chain[i]
		r := revision{n.ID, n.Revision, noLog}
		if n.Log != nil {
			r.log = n.Log.Revision
		}
		out = append(out, r)
		for j := range n.Beside {
			out = append(out, revision{n.Beside[j].ID, n.Beside[j].Revision, beside})
		}
	}
	return out
}
