package demo

import (
	"context"
	"fmt"
	"io"

	"github.com/leveelake/catalog/internal/cli"
	"github.com/leveelake/catalog/types"
)

// A client sends requests and shows them.
type client struct {
	*cli.Client
	out io.Writer
}

// call sends body as JSON (nil: none) and decodes the answer into answer (nil: it does
// not matter). note says what the body asks for.
func (c *client) call(ctx context.Context, method, path, note string, body, answer any) error {
	status, data, err := c.Do(ctx, method, path, nil, body)
	if note != "" {
		note = " {" + note + "}"
	}
	if status != 0 {
		fmt.Fprintf(c.out, "   %s %s%s -> %d\n", method, path, note, status)
	}
	if err != nil || answer == nil {
		return err
	}
	return types.DecodeJSON(data, answer)
}
