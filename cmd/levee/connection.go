package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/leveelake/catalog/internal/cli"
)

// identity is as whom a server is asked.
type identity struct {
	Token        string `help:"Token to show to the server. Set it as LEVEE_TOKEN: others on this machine may see command lines." env:"LEVEE_TOKEN"`
	TokenFile    string `help:"File that has the token, such as the admin.token of levee serve." env:"LEVEE_TOKEN_FILE" placeholder:"FILE"`
	InsecureHTTP bool   `help:"Show the token over plain http:// to another machine, too, where others may read it." env:"LEVEE_INSECURE_HTTP"`
}

// AfterApply has what the command line says win over variables.
func (i *identity) AfterApply(k *kong.Context) error {
	switch given := given(k); {
	case given["token-file"] && !given["token"]:
		i.Token = ""
	case given["token"] && !given["token-file"]:
		i.TokenFile = ""
	}
	return nil
}

// given are the flags of the command line itself.
func given(k *kong.Context) map[string]bool {
	out := map[string]bool{}
	for _, p := range k.Path {
		if p.Flag != nil {
			out[p.Flag.Name] = true
		}
	}
	return out
}

// client makes a client of the server at a URL.
func (i identity) client(server string) (*cli.Client, error) {
	token := i.Token
	if i.TokenFile != "" {
		if token != "" {
			return nil, errors.New("there are both a token (--token, LEVEE_TOKEN) and a file (--token-file, LEVEE_TOKEN_FILE): give one of them")
		}
		var err error
		if token, err = readLine(i.TokenFile); err != nil {
			return nil, fmt.Errorf("--token-file: %w", err)
		}
	}
	return cli.New(cli.Config{Server: server, Token: token, InsecureHTTP: i.InsecureHTTP})
}

// readAll reads a small file, or standard input for "-".
func readAll(path string) ([]byte, error) {
	in := os.Stdin
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	return io.ReadAll(io.LimitReader(in, 1<<20))
}

// readLine reads a file of one line likewise.
func readLine(path string) (string, error) {
	data, err := readAll(path)
	if err != nil {
		return "", err
	}
	line := strings.TrimSpace(string(data))
	if line == "" || strings.ContainsAny(line, "\r\n") {
		return "", fmt.Errorf("%s does not have one line", path)
	}
	return line, nil
}

// connection are the flags of all commands that ask a server.
type connection struct {
	Server string `help:"URL of the server (${default})." env:"LEVEE_SERVER" default:"http://127.0.0.1:8080" placeholder:"URL"`
	identity
	within http.RoundTripper // answers instead of the server, if it is not nil
	Output string            `short:"o" help:"How to print answers: table, or json for the server's own." enum:"table,json" env:"LEVEE_OUTPUT" default:"table"`
}

// AfterApply has the commands below get the flags as a parameter of Run.
func (c *connection) AfterApply(k *kong.Context) error {
	k.Bind(c)
	return c.identity.AfterApply(k)
}

// api is a client of what the flags say.
func (c *connection) api() (*cli.Client, error) {
	if c.within != nil {
		return cli.New(cli.Config{Server: "http://localhost", Transport: c.within})
	}
	return c.client(c.Server)
}

// do sends one request and returns the answer.
func (c *connection) do(ctx context.Context, method, path string, query url.Values, body any) (json.RawMessage, error) {
	api, err := c.api()
	if err != nil {
		return nil, err
	}
	_, answer, err := api.Do(ctx, method, path, query, body)
	return answer, err
}

func (c *connection) printer(o output) cli.Printer {
	return cli.Printer{Out: o.out, JSON: c.Output == "json"}
}

// names splits a dotted name into its parts, as many as form says, such as CATALOG.SCHEMA.
func names(full, form string) ([]string, error) {
	parts := strings.Split(full, ".")
	for _, p := range parts {
		if len(parts) != strings.Count(form, ".")+1 || p == "" {
			return nil, fmt.Errorf("name %q: want %s", full, form)
		}
	}
	return parts, nil
}
