package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/server/auth"
	"github.com/leveelake/catalog/types"
)

// accessFlags say who may do what, what keeps secrets, and who is told of it.
type accessFlags struct {
	Auth         bool   `help:"Ask each request for a token, and allow what owners and grants allow. The next three flags imply it."`
	Admin        string `help:"Make this principal or group the admin, who may grant everything. Unless it has a token, one is made and written to admin.token in the data folder." placeholder:"NAME"`
	StaticTokens string `help:"File of tokens, a line each: SHA256-OF-TOKEN PRINCIPAL [GROUP,…]. It may change while the server runs." placeholder:"FILE"`
	OIDC         string `name:"oidc" help:"JSON file with a list of OpenID Connect issuers whose tokens count: [{\"url\", \"audience\": […], \"principal-claim\", \"groups-claim\", \"prefix\"}]." placeholder:"FILE"`
	KeyFile      string `help:"File with the key that encrypts secrets and signs tokens. Default: levee.key in the data folder, which is made at the first start unless the store is PostgreSQL." placeholder:"FILE"`
	Key          string `help:"The key itself. Set it as LEVEE_KEY: others on this machine may see command lines." placeholder:"KEY"`
	Audit        string `help:"Where a line of JSON goes for each change and each vended credential: a file, stderr or off (${default})." default:"stderr" placeholder:"FILE|stderr|off"`
}

// authenticates reports whether requests are asked for a token.
func (a accessFlags) authenticates() bool {
	return a.Auth || a.Admin != "" || a.StaticTokens != "" || a.OIDC != ""
}

// events opens the audit log; nil if there is none.
func (a accessFlags) events(stderr io.Writer) (catalog.EventSink, func() error, error) {
	out, end := stderr, func() error { return nil }
	switch a.Audit {
	case "off":
		return nil, end, nil
	case "stderr":
	default:
		f, err := os.OpenFile(a.Audit, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, nil, fmt.Errorf("--audit: %w", err)
		}
		out, end = f, f.Close
	}
	return catalog.EventLog{Logger: slog.New(slog.NewJSONHandler(out, nil))}, end, nil
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
	var list []struct {
		URL            string   `json:"url"`
		Audience       []string `json:"audience"`
		PrincipalClaim string   `json:"principal-claim"`
		GroupsClaim    string   `json:"groups-claim"`
		Prefix         string   `json:"prefix"`
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&list); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: there is something behind the list", path)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: the list of issuers is empty", path)
	}
	var out []auth.Issuer
	for _, i := range list {
		out = append(out, auth.Issuer{URL: i.URL, Audiences: i.Audience, PrincipalClaim: i.PrincipalClaim, GroupsClaim: i.GroupsClaim, Prefix: i.Prefix})
	}
	return out, nil
}

// An admin is who may grant everything, and the file of the admin's token if that was just made.
type admin struct{ name, tokenFile string }

// appoint makes the admin and, if need be, the admin's token. It returns who is the admin now, whoever was appointed.
func (a accessFlags) appoint(ctx context.Context, c *catalog.Catalog, data string) (who admin, err error) {
	if a.Admin != "" {
		if err := c.SetAdmin(ctx, a.Admin); err != nil {
			return who, fmt.Errorf("--admin: %w", err)
		}
		if who.tokenFile, err = adminToken(ctx, c, a.Admin, data); err != nil {
			return who, fmt.Errorf("--admin: %w", err)
		}
	}
	m, err := c.Metastore(ctx)
	who.name = m.Owner
	return who, err
}

// adminToken makes a token for the admin, who otherwise could not ask for one, and writes it to a file. It
// does nothing if the admin has a token.
func adminToken(ctx context.Context, c *catalog.Catalog, admin, data string) (file string, err error) {
	ctx = catalog.WithPrincipal(ctx, admin)
	for page := (types.Page{}); ; {
		list, next, err := c.ListTokens(ctx, admin, page)
		if err != nil {
			return "", err
		}
		for _, t := range list {
			if t.Expires.IsZero() || t.Expires.After(time.Now()) {
				return "", nil
			}
		}
		if next == "" {
			break
		}
		page.Token = next
	}
	file = filepath.Join(data, "admin.token")
	t, err := c.CreateToken(ctx, types.CreateToken{Principal: admin, Comment: "made by levee serve --admin, for " + file})
	if err != nil {
		return "", err
	}
	if err := writeSecret(file, string(t.Secret)+"\n"); err != nil {
		// A token that nobody has would keep the next start from making one.
		return "", errors.Join(err, c.RevokeToken(ctx, t.ID))
	}
	return file, nil
}
