package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"github.com/leveelake/catalog/internal/cli"
)

// fields are the members of a request. What is not given is left out.
type fields map[string]any

func (f fields) text(name, value string) fields {
	if value != "" {
		f[name] = value
	}
	return f
}

// given is of flags that may also be given as "".
func (f fields) given(name string, value *string) fields {
	if value != nil {
		f[name] = *value
	}
	return f
}

// flag is given of flags that are on or off.
func (f fields) flag(name string, value *bool) fields {
	if value != nil {
		f[name] = *value
	}
	return f
}

func (f fields) properties(p map[string]string) fields {
	if len(p) > 0 {
		f["properties"] = p
	}
	return f
}

// list prints a list.
func (c *connection) list(ctx context.Context, o output, path, key string, query url.Values, columns ...string) error {
	api, err := c.api()
	if err != nil {
		return err
	}
	answer, err := api.List(ctx, path, key, query)
	if err != nil {
		return err
	}
	return c.printer(o).List(answer, key, columns...)
}

// send sends a request that is answered with an object, and prints that.
func (c *connection) send(ctx context.Context, o output, method, path string, body any) error {
	answer, err := c.do(ctx, method, path, nil, body)
	if err != nil {
		return err
	}
	return c.printer(o).Object(answer)
}

func (c *connection) show(ctx context.Context, o output, path string) error {
	return c.send(ctx, o, http.MethodGet, path, nil)
}

// remove deletes, and says so.
func (c *connection) remove(ctx context.Context, o output, path, name string, force bool) error {
	var query url.Values
	if force {
		query = url.Values{"force": {"true"}}
	}
	answer, err := c.do(ctx, http.MethodDelete, path, query, nil)
	if err != nil {
		return err
	}
	return c.done(o, answer, "deleted "+name)
}

// done says what was done, where the server has no more to say.
func (c *connection) done(o output, answer []byte, what string) error {
	if c.Output == "json" {
		return c.printer(o).Object(answer)
	}
	_, err := fmt.Fprintln(o.out, cli.Printable(what))
	return err
}
