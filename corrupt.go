package catalog

import (
	"context"
	"errors"
	"fmt"

	"github.com/leveelake/catalog/storage"
)

// A corruption is a fault of one object: what is stored of it cannot be read. A client's request is never the reason,
// so it has no code.
type corruption struct{ text string }

func (c *corruption) Error() string { return c.text }

// corrupt is the error for a part of o that cannot be read because of err.
func corrupt(o storage.Object, part string, err error) error {
	return &corruption{fmt.Sprintf("%s %s: stored %s: %v", o.Kind, o.ID, part, err)}
}

// leftOut reports whether err is of one object alone, which a list can do without: it is logged.
func (c *Catalog) leftOut(ctx context.Context, err error) bool {
	broken, ok := errors.AsType[*corruption](err)
	if ok {
		c.log.ErrorContext(ctx, "a list leaves out what cannot be read", "err", broken)
	}
	return ok
}
