package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/internal/cli"
	"github.com/leveelake/catalog/server"
	"github.com/leveelake/catalog/storage"
)

type tokenCmd struct {
	connection
	direct
	Create tokenCreate `cmd:"" help:"Make a token and print it. It is shown this once."`
	List   tokenList   `cmd:"" help:"List tokens, without what to show for them."`
	Revoke tokenRevoke `cmd:"" help:"End a token."`
}

// direct opens a store instead of asking a server.
type direct struct {
	Data  string `help:"Ask no server, but open the store in this data folder. The server must be stopped." placeholder:"DIR"`
	Store string `help:"Ask no server, but open this store: the path of a SQLite file, or postgres://…" placeholder:"PATH|URL"`
}

// AfterApply has the commands below get the flags as a parameter of Run.
func (t *tokenCmd) AfterApply(k *kong.Context) error {
	k.Bind(&t.connection, &t.direct)
	if t.Data == "" && t.Store == "" {
		return t.connection.AfterApply(k)
	}
	if t.Data != "" && t.Store != "" {
		return errors.New("--data and --store each name a store: give one of them")
	}
	for _, name := range []string{"server", "token", "token-file", "insecure-http"} {
		if given(k)[name] {
			return fmt.Errorf("with --data or --store no server is asked: leave --%s out", name)
		}
	}
	return nil
}

// open has c ask the store, if there are flags for it, and returns what to do behind.
func (d *direct) open(ctx context.Context, o output, c *connection) (end func() error, err error) {
	if d.Data == "" && d.Store == "" {
		return func() error { return nil }, nil
	}
	s := storeFlags{Data: d.Data, Store: d.Store}
	if err := s.check(); err != nil {
		return nil, err
	}
	if !s.isShared() { // else a wrong path would become a new and empty store
		if _, err := os.Stat(s.file(s.Data)); err != nil {
			return nil, fmt.Errorf("there is no catalog: %w", err)
		}
	}
	store, closeStore, err := s.open(ctx, s.Data)
	if err != nil {
		return nil, fmt.Errorf("%w (a running levee serve is asked without --data and --store)", err)
	}
	log := slog.New(slog.NewTextHandler(o.err, nil))
	events, closeEvents, err := accessFlags{Audit: cmp.Or(os.Getenv("LEVEE_AUDIT"), "stderr")}.events(output{o.err, o.err}, log) // stdout is for the token
	if err != nil {
		return nil, errors.Join(err, closeStore())
	}
	end = func() error { return errors.Join(closeStore(), closeEvents()) }
	root, err := storage.View(ctx, store, func(tx storage.ReadTx) ([]storage.Node, error) { return tx.Lookup(ctx, nil, storage.Want{}) })
	if err == nil && len(root) == 0 {
		err = errors.New("there is no catalog in this store")
	}
	if err != nil {
		return nil, errors.Join(err, end())
	}
	cat, err := catalog.New(catalog.Config{Store: store, Events: events, Logger: log})
	if err != nil {
		return nil, errors.Join(err, end())
	}
	c.within = within{server.New(cat, server.Config{Logger: log})}
	return end, nil
}

// within has a handler answer requests without a network.
type within struct{ http.Handler }

func (h within) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body == nil { // as a server never has it
		r = r.Clone(r.Context())
		r.Body = http.NoBody
	}
	a := answer{header: http.Header{}}
	h.ServeHTTP(&a, r)
	return &http.Response{StatusCode: a.status, Header: a.header, Body: io.NopCloser(&a.body), Request: r}, nil
}

// An answer is what a handler writes.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) { a.status = cmp.Or(a.status, status) }

func (a *answer) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(p)
}

// A lifetime is how long a token counts.
type lifetime struct{ seconds int64 }

// UnmarshalText reads days, as 30d, or what Go takes for a duration.
func (l *lifetime) UnmarshalText(text []byte) error {
	const day = 24 * 60 * 60
	if days, ok := strings.CutSuffix(string(text), "d"); ok {
		if n, err := strconv.ParseInt(days, 10, 64); err == nil && 0 < n && n <= math.MaxInt64/day {
			l.seconds = n * day
			return nil
		}
	} else if d, err := time.ParseDuration(string(text)); err == nil && d > 0 && d%time.Second == 0 {
		l.seconds = int64(d / time.Second)
		return nil
	}
	return fmt.Errorf("%q is no time that a token may count: want whole days, such as 30d, or hours, minutes and seconds, such as 12h or 1h30m", text)
}

type tokenCreate struct {
	Principal string    `required:"" help:"Whom the token lets in; need not be known before." placeholder:"NAME"`
	Group     []string  `help:"Group that the principal is in; again for more." sep:"none" placeholder:"NAME"`
	Expires   *lifetime `help:"How long the token counts, such as 30d or 12h. Default: until it is revoked." placeholder:"DURATION"`
	Comment   string    `help:"What it is for." placeholder:"TEXT"`
	Out       string    `help:"Write the token to this new file, which nobody else may read, instead of printing it." placeholder:"FILE"`
}

func (n tokenCreate) Run(ctx context.Context, o output, c *connection, d *direct) (err error) {
	body := fields{"principal": n.Principal}.text("comment", n.Comment)
	if len(n.Group) > 0 {
		body["groups"] = n.Group
	}
	if n.Expires != nil {
		body["lifetime_seconds"] = n.Expires.seconds
	}
	if n.Out != "" {
		if c.Output == "json" {
			return errors.New("--out takes the token alone: leave --output json out")
		}
		if _, err := os.Lstat(n.Out); err == nil {
			return fmt.Errorf("--out: %s exists", n.Out)
		}
	}
	end, err := d.open(ctx, o, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	answer, err := c.do(ctx, http.MethodPost, "/tokens", nil, body)
	if err != nil {
		return err
	}
	if c.Output == "json" {
		return c.printer(o).Object(answer)
	}
	var t struct {
		ID        string `json:"token_id"`
		Principal string `json:"principal"`
		Value     string `json:"token_value"`
		Expires   *int64 `json:"expires_at"`
	}
	if err := json.Unmarshal(answer, &t); err != nil {
		return err
	}
	until := "until it is revoked"
	if t.Expires != nil {
		until = "until " + time.UnixMilli(*t.Expires).UTC().Format(time.RFC3339)
	}
	where := "it is shown this once"
	if n.Out != "" {
		if err := writeSecret(n.Out, t.Value+"\n"); err != nil {
			_, undone := c.do(ctx, http.MethodDelete, cli.Path("tokens", t.ID), nil, nil) // nobody has it
			return errors.Join(fmt.Errorf("--out: %w", err), undone)
		}
		where = "it is in " + n.Out
	}
	fmt.Fprintf(o.err, "a token of %s, %s; %s. To end it: levee token revoke %s\n", cli.Printable(t.Principal), until, cli.Printable(where), cli.Printable(t.ID))
	if n.Out != "" {
		return nil
	}
	_, err = fmt.Fprintln(o.out, cli.Printable(t.Value))
	return err
}

type tokenList struct {
	Principal string `help:"Of this principal only." placeholder:"NAME"`
}

func (l tokenList) Run(ctx context.Context, o output, c *connection, d *direct) (err error) {
	end, err := d.open(ctx, o, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	query := url.Values{}
	if l.Principal != "" {
		query.Set("principal", l.Principal)
	}
	return c.list(ctx, o, "/tokens", "tokens", query, "token_id", "principal", "groups", "created_at", "created_by", "expires_at", "comment")
}

type tokenRevoke struct {
	ID string `arg:"" help:"As levee token list shows it."`
}

func (r tokenRevoke) Run(ctx context.Context, o output, c *connection, d *direct) (err error) {
	end, err := d.open(ctx, o, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	answer, err := c.do(ctx, http.MethodDelete, cli.Path("tokens", r.ID), nil, nil)
	if err != nil {
		return err
	}
	return c.done(o, answer, "revoked token "+r.ID)
}
