package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/alecthomas/kong"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/internal/cli"
	"github.com/leveelake/catalog/types"
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
	return nil
}

// tokens is what the commands need: of a server, or of a store. Answers are in the words of the server.
type tokens interface {
	create(ctx context.Context, t types.CreateToken) (json.RawMessage, error)
	list(ctx context.Context, principal string) (json.RawMessage, error)
	revoke(ctx context.Context, id string) (json.RawMessage, error)
}

// open returns the tokens, and what to do behind.
func (d *direct) open(ctx context.Context, c *connection) (tokens, func() error, error) {
	if d.Data == "" && d.Store == "" {
		api, err := c.client(c.Server)
		return serverTokens{api}, func() error { return nil }, err
	}
	s := storeFlags{Data: d.Data, Store: d.Store}
	if !s.isShared() { // else a wrong path would become a new and empty store
		if _, err := os.Stat(s.file(s.Data)); err != nil {
			return nil, nil, fmt.Errorf("there is no catalog: %w", err)
		}
	}
	store, end, err := s.open(ctx, s.Data)
	if err != nil {
		return nil, nil, fmt.Errorf("%w (a running levee serve is asked without --data and --store)", err)
	}
	cat, err := catalog.New(catalog.Config{Store: store})
	if err != nil {
		return nil, nil, errors.Join(err, end())
	}
	return storeTokens{cat}, end, nil
}

type serverTokens struct{ api *cli.Client }

func (s serverTokens) create(ctx context.Context, t types.CreateToken) (json.RawMessage, error) {
	body := fields{"principal": t.Principal, "lifetime_seconds": int64(t.Lifetime / time.Second)}
	if len(t.Groups) > 0 {
		body["groups"] = t.Groups
	}
	_, answer, err := s.api.Do(ctx, http.MethodPost, "/tokens", nil, body.text("comment", t.Comment))
	return answer, err
}

func (s serverTokens) list(ctx context.Context, principal string) (json.RawMessage, error) {
	query := url.Values{}
	if principal != "" {
		query.Set("principal", principal)
	}
	return s.api.List(ctx, "/tokens", "tokens", query)
}

func (s serverTokens) revoke(ctx context.Context, id string) (json.RawMessage, error) {
	_, answer, err := s.api.Do(ctx, http.MethodDelete, cli.Path("tokens", id), nil, nil)
	return answer, err
}

type tokenCreate struct {
	Principal string        `required:"" help:"Whom the token lets in; need not be known before." placeholder:"NAME"`
	Group     []string      `help:"Group that the principal is in; again for more." sep:"none" placeholder:"NAME"`
	Expires   time.Duration `help:"How long the token counts, such as 720h. Default: until it is revoked." placeholder:"DURATION"`
	Comment   string        `help:"What it is for." placeholder:"TEXT"`
}

func (n tokenCreate) Run(ctx context.Context, o output, c *connection, d *direct) (err error) {
	if n.Expires < 0 || n.Expires%time.Second != 0 {
		return fmt.Errorf("--expires %s: want whole seconds, such as 720h", n.Expires)
	}
	at, end, err := d.open(ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	answer, err := at.create(ctx, types.CreateToken{Principal: n.Principal, Groups: n.Group, Comment: n.Comment, Lifetime: n.Expires})
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
	fmt.Fprintf(o.err, "a token of %s, %s; it is shown this once. To end it: levee token revoke %s\n", cli.Printable(t.Principal), until, cli.Printable(t.ID))
	_, err = fmt.Fprintln(o.out, cli.Printable(t.Value))
	return err
}

type tokenList struct {
	Principal string `help:"Of this principal only." placeholder:"NAME"`
}

func (l tokenList) Run(ctx context.Context, o output, c *connection, d *direct) (err error) {
	at, end, err := d.open(ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	answer, err := at.list(ctx, l.Principal)
	if err != nil {
		return err
	}
	return c.printer(o).List(answer, "tokens", "token_id", "principal", "groups", "created_at", "created_by", "expires_at", "comment")
}

type tokenRevoke struct {
	ID string `arg:"" help:"As levee token list shows it."`
}

func (r tokenRevoke) Run(ctx context.Context, o output, c *connection, d *direct) (err error) {
	at, end, err := d.open(ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	answer, err := at.revoke(ctx, r.ID)
	if err != nil {
		return err
	}
	return c.done(o, answer, "revoked token "+r.ID)
}
