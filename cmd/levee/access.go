package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/server/auth"
	"github.com/leveelake/catalog/types"
)

// accessFlags say who may do what, what keeps secrets, and who is told of it.
type accessFlags struct {
	Auth         bool   `help:"Ask each request for a token, and allow what owners and grants allow. The next three flags imply it."`
	Admin        string `help:"Make this principal or group the admin, who may grant everything. A token of it is made and written to admin.token in the data folder, unless that is there. With --store memory it is admin.memory.token, which each start writes anew." placeholder:"NAME"`
	StaticTokens string `help:"File of tokens, a line each: SHA256-OF-TOKEN PRINCIPAL [GROUP,…]. It may change while the server runs." placeholder:"FILE"`
	OIDC         string `name:"oidc" help:"JSON file with a list of OpenID Connect issuers whose tokens count: [{\"url\", \"audience\": […], \"principal-claim\", \"groups-claim\", \"prefix\", \"trust-email\"}]." placeholder:"FILE"`
	KeyFile      string `help:"File with the key that encrypts secrets and signs tokens. Default: levee.key in the data folder, which is made at the first start unless the store is PostgreSQL." placeholder:"FILE"`
	Key          string `help:"The key itself. Set it as LEVEE_KEY: others on this machine may see command lines." placeholder:"KEY"`
	Audit        string `help:"Where a line of JSON goes for each change and each vended credential: a file, stderr, stdout or off (${default})." default:"stderr" placeholder:"FILE|stderr|stdout|off"`
}

// authenticates reports whether requests are asked for a token.
func (a accessFlags) authenticates() bool {
	return a.Auth || a.Admin != "" || a.StaticTokens != "" || a.OIDC != ""
}

// AfterApply refuses a flag or variable that is given but empty: it was meant to protect something.
func (a *accessFlags) AfterApply(k *kong.Context) error {
	for _, f := range k.Flags() {
		switch f.Name {
		case "admin", "static-tokens", "oidc", "key", "key-file":
			if f.Set && strings.TrimSpace(f.Target.String()) == "" {
				return fmt.Errorf("--%s (LEVEE_%s) is given, but empty", f.Name, strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_")))
			}
		}
	}
	return nil
}

// events opens the audit log; nil if there is none.
func (a accessFlags) events(o output, log *slog.Logger) (catalog.EventSink, func() error, error) {
	w, end := o.err, func() error { return nil }
	switch a.Audit {
	case "off":
		return nil, end, nil
	case "stderr":
	case "stdout":
		w = o.out
	default:
		f, err := os.OpenFile(a.Audit, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, nil, fmt.Errorf("--audit: %w", err)
		}
		w, end = f, f.Close
	}
	return catalog.EventLog{Logger: slog.New(slog.NewJSONHandler(&auditWriter{Writer: w, to: a.Audit, log: log}, nil))}, end, nil
}

// An auditWriter tells the log when lines of the audit log are lost, once for all that are lost in a row: a slog.Logger
// keeps such errors to itself.
type auditWriter struct {
	io.Writer // one line each time, and one at a time
	to        string
	log       *slog.Logger
	lost      int
}

func (w *auditWriter) Write(line []byte) (int, error) {
	if w.lost > 0 {
		line = append([]byte{'\n'}, line...) // there may be half of a line before it
	}
	n, err := w.Writer.Write(line)
	switch {
	case err != nil:
		if w.lost++; w.lost == 1 {
			w.log.Error("the audit log cannot be written, and what is done now is not in it", "to", w.to, "error", err)
		}
	case w.lost > 0:
		w.log.Error("the audit log is written again", "to", w.to, "lost", w.lost)
		w.lost = 0
	}
	return n, err
}

// authenticator is what finds out who makes a request, and what answers POST /oauth2/token.
func (a accessFlags) authenticator(c *catalog.Catalog, keys catalog.Keys, log *slog.Logger) (auth.Method, http.Handler, error) {
	opts := auth.Options{Logger: log}
	issued, err := auth.Tokens(c, keys, opts)
	if err != nil {
		return nil, nil, err
	}
	methods := []auth.Method{issued}
	if a.OIDC != "" {
		list, err := readIssuers(a.OIDC)
		if err != nil {
			return nil, nil, fmt.Errorf("--oidc: %w", err)
		}
		m, err := auth.OIDC(list, opts)
		if err != nil {
			return nil, nil, fmt.Errorf("--oidc: %w", err)
		}
		methods = append(methods, m)
	}
	if a.StaticTokens != "" {
		m, err := auth.File(a.StaticTokens, opts)
		if err != nil {
			return nil, nil, fmt.Errorf("--static-tokens: %w", err)
		}
		methods = append(methods, m)
	}
	return auth.Any(methods...), issued.TokenEndpoint(), nil
}

// readIssuers reads the file of --oidc. A name that it does not know is a mistake, which might let in the wrong people.
func readIssuers(path string) ([]auth.Issuer, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var list []json.RawMessage
	if err := json.Unmarshal(data, &list); err != nil {
		if _, ok := errors.AsType[*json.SyntaxError](err); !ok {
			err = errors.New(`want a list of issuers: [{"url": …}, …]`)
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: the list of issuers is empty", path)
	}
	var out []auth.Issuer
	for i, raw := range list {
		issuer, err := readIssuer(raw)
		if err != nil {
			return nil, fmt.Errorf("%s: issuer %d: %w", path, i+1, err)
		}
		out = append(out, issuer)
	}
	return out, nil
}

func readIssuer(raw []byte) (i auth.Issuer, err error) {
	if raw, err = types.CheckJSON(raw); err != nil {
		return i, errors.New("want one object of JSON in UTF-8")
	}
	settings := map[string]struct {
		to   any
		want string
	}{
		"url": {&i.URL, "a text"}, "audience": {&i.Audiences, "a list of texts"}, "prefix": {&i.Prefix, "a text"},
		"principal-claim": {&i.PrincipalClaim, "a text"}, "groups-claim": {&i.GroupsClaim, "a text"}, "trust-email": {&i.TrustEmail, "true or false"},
	}
	seen := map[string]bool{}
	for name, value := range types.Members(raw) {
		s, ok := settings[name]
		switch {
		case !ok:
			return i, fmt.Errorf("%q is no setting of an issuer", name)
		case seen[name]:
			return i, fmt.Errorf("%q is there twice", name)
		case value[0] == 'n' || json.Unmarshal(value, s.to) != nil:
			return i, fmt.Errorf("%q must be %s", name, s.want)
		}
		seen[name] = true
	}
	return i, nil
}

// An admin is who may grant everything, and the file of the admin's token if that was just made.
type admin struct{ name, tokenFile string }

// appoint makes the admin and, if need be, the admin's token. It returns who is the admin now, whoever was appointed.
func (s serveCmd) appoint(ctx context.Context, c *catalog.Catalog, data string, log *slog.Logger) (who admin, err error) {
	m, err := c.Metastore(ctx)
	if err != nil || s.Admin == "" {
		return admin{name: m.Owner}, err
	}
	file := filepath.Join(data, "admin.token")
	if s.isMemory() { // what an earlier run has left is of no use to anybody; admin.token may be of another store
		file = filepath.Join(data, "admin.memory.token")
		err = os.Remove(file)
	}
	removeLeftovers(file)
	there := false
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		there, err = s.hasToken(ctx, c, file, m.Owner) // before anything is changed
	}
	if err == nil {
		err = c.SetAdmin(ctx, s.Admin)
	}
	if err == nil && m.Owner != "" && m.Owner != s.Admin {
		log.InfoContext(ctx, "the catalog has another admin; tokens of the one before count until they are revoked", "admin", s.Admin, "before", m.Owner)
	}
	if err == nil && !there {
		who.tokenFile, err = file, s.makeToken(ctx, c, file, log)
	}
	if err != nil {
		return who, fmt.Errorf("--admin: %w", err)
	}
	m, err = c.Metastore(ctx)
	who.name = m.Owner
	return who, err
}

// hasToken reports whether there is a file with a token of the admin. One with anything else is somebody's, and is not to be
// lost. before is who is the admin yet.
func (a accessFlags) hasToken(ctx context.Context, c *catalog.Catalog, file, before string) (bool, error) {
	text, err := readSecret(file)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	t, err := c.CheckToken(ctx, strings.TrimSpace(text))
	ours := err == nil && (t.Principal == a.Admin || slices.Contains(t.Groups, a.Admin))
	if err == nil && !ours && t.Principal == before {
		return false, fmt.Errorf("the admin is %q, whose token is in %s: move the file away and start again, and then %q is the admin instead, with a token in a new file", before, file, a.Admin)
	}
	if errors.Is(err, types.NotAuthorized) || err == nil && !ours {
		return false, fmt.Errorf("%s has no token of %s that this store knows and that counts still: move the file away, and one is made", file, a.Admin)
	}
	return true, err
}

// makeToken makes a token for the admin, who otherwise could not ask for one, and writes it to a file.
func (a accessFlags) makeToken(ctx context.Context, c *catalog.Catalog, file string, log *slog.Logger) error {
	ctx = catalog.WithPrincipal(ctx, a.Admin)
	others, _, err := c.ListTokens(ctx, a.Admin, types.Page{Size: 1})
	if err != nil {
		return err
	}
	t, err := c.CreateToken(ctx, types.CreateToken{Principal: a.Admin, Comment: "made by levee serve --admin, for " + file})
	if err != nil {
		return err
	}
	if err := writeSecret(file, string(t.Secret)+"\n"); err != nil {
		err = errors.Join(err, c.RevokeToken(ctx, t.ID)) // nobody has it
		if there, e := a.hasToken(ctx, c, file, a.Admin); there && e == nil {
			return nil // another server with this data folder was faster
		}
		return err
	}
	if len(others) > 0 {
		log.InfoContext(ctx, "the admin's token was made anew, for its file was missing; the earlier ones count until they are revoked", "admin", a.Admin, "file", file)
	}
	return nil
}
