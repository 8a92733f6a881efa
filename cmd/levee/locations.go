package main

import (
	"context"
	"net/http"

	"github.com/leveelake/catalog/internal/cli"
)

type locationsCmd struct {
	connection
	List   locationsList   `cmd:"" help:"List the external locations that you may see."`
	Show   locationsShow   `cmd:"" help:"Show one."`
	Create locationsCreate `cmd:"" help:"Create one."`
	Update locationsUpdate `cmd:"" help:"Change one."`
	Adopt  locationsAdopt  `cmd:"" help:"Let tables and storage roots in it that were there before it, or were another's, be used through it."`
	Delete locationsDelete `cmd:"" help:"Delete one. Its files stay."`
}

type locationsList struct{}

func (locationsList) Run(ctx context.Context, o output, c *connection) error {
	return c.list(ctx, o, "/external-locations", "external_locations", nil, "name", "url", "credential_name", "read_only", "owner", "comment")
}

type locationsShow struct {
	Name string `arg:""`
}

func (s locationsShow) Run(ctx context.Context, o output, c *connection) error {
	return c.show(ctx, o, cli.Path("external-locations", s.Name))
}

type locationsCreate struct {
	Name       string `arg:""`
	URL        string `required:"" name:"url" help:"The place, such as s3://bucket/folder." placeholder:"URL"`
	Credential string `required:"" help:"Storage credential that opens it." placeholder:"NAME"`
	ReadOnly   bool   `help:"For reading only."`
	Comment    string `help:"What it is for." placeholder:"TEXT"`
}

func (n locationsCreate) Run(ctx context.Context, o output, c *connection) error {
	body := fields{"name": n.Name, "url": n.URL, "credential_name": n.Credential, "read_only": n.ReadOnly}
	return c.send(ctx, o, http.MethodPost, "/external-locations", body.text("comment", n.Comment))
}

type locationsUpdate struct {
	Name       string  `arg:""`
	URL        *string `name:"url" help:"The place." placeholder:"URL"`
	Credential *string `help:"Storage credential that opens it." placeholder:"NAME"`
	NewName    *string `help:"Rename it." placeholder:"NAME"`
	Comment    *string `help:"What it is for." placeholder:"TEXT"`
	Owner      *string `help:"Give it to this principal or group." placeholder:"PRINCIPAL"`
	ReadOnly   *bool   `help:"For reading only, or not." negatable:""`
	Force      bool    `help:"Give it another URL although tables or storage roots lie at the old one."`
}

func (u locationsUpdate) Run(ctx context.Context, o output, c *connection) error {
	body := fields{}.given("url", u.URL).given("credential_name", u.Credential).given("new_name", u.NewName)
	body.given("comment", u.Comment).given("owner", u.Owner).flag("read_only", u.ReadOnly)
	if len(body) == 0 {
		return errNoChange
	}
	if u.Force {
		body["force"] = true
	}
	return c.send(ctx, o, http.MethodPatch, cli.Path("external-locations", u.Name), body)
}

type locationsAdopt struct {
	Name string `arg:""`
}

func (a locationsAdopt) Run(ctx context.Context, o output, c *connection) error {
	return c.send(ctx, o, http.MethodPatch, cli.Path("external-locations", a.Name), fields{"adopt": true})
}

type locationsDelete struct {
	Name  string `arg:""`
	Force bool   `help:"Although tables lie in it."`
}

func (d locationsDelete) Run(ctx context.Context, o output, c *connection) error {
	return c.remove(ctx, o, cli.Path("external-locations", d.Name), "external location "+d.Name, d.Force)
}
