package main

import (
	"context"
	"net/http"
	"net/url"

	"github.com/leveelake/catalog/internal/cli"
)

type catalogsCmd struct {
	connection
	List   catalogsList   `cmd:"" help:"List the catalogs that you may see."`
	Show   catalogsShow   `cmd:"" help:"Show one."`
	Create catalogsCreate `cmd:"" help:"Create one."`
	Update catalogsUpdate `cmd:"" help:"Change one."`
	Delete catalogsDelete `cmd:"" help:"Delete one."`
}

type catalogsList struct{}

func (catalogsList) Run(ctx context.Context, o output, c *connection) error {
	return c.list(ctx, o, "/catalogs", "catalogs", nil, "name", "owner", "comment", "created_at")
}

type catalogsShow struct {
	Name string `arg:""`
}

func (s catalogsShow) Run(ctx context.Context, o output, c *connection) error {
	return c.show(ctx, o, cli.Path("catalogs", s.Name))
}

// creation is what may be said of a new catalog or schema.
type creation struct {
	Comment     string            `help:"What it is for." placeholder:"TEXT"`
	StorageRoot string            `help:"Where its managed tables go, instead of the server's place for them." placeholder:"URL"`
	Property    map[string]string `help:"Property; again for more." mapsep:"none" placeholder:"KEY=VALUE"`
}

func (n creation) fields() fields {
	return fields{}.text("comment", n.Comment).text("storage_root", n.StorageRoot).properties(n.Property)
}

// change is what may be changed of a catalog or schema.
type change struct {
	NewName  *string           `help:"Rename it." placeholder:"NAME"`
	Comment  *string           `help:"What it is for." placeholder:"TEXT"`
	Owner    *string           `help:"Give it to this principal or group." placeholder:"PRINCIPAL"`
	Property map[string]string `help:"Property; again for more. They replace all there are." mapsep:"none" placeholder:"KEY=VALUE"`
}

func (n change) fields() fields {
	return fields{}.given("new_name", n.NewName).given("comment", n.Comment).given("owner", n.Owner).properties(n.Property)
}

// deletion is how a catalog or schema is deleted.
type deletion struct {
	Force bool `help:"With all that is in it."`
}

type catalogsCreate struct {
	Name string `arg:""`
	creation
}

func (n catalogsCreate) Run(ctx context.Context, o output, c *connection) error {
	return c.send(ctx, o, http.MethodPost, "/catalogs", n.fields().text("name", n.Name))
}

type catalogsUpdate struct {
	Name string `arg:""`
	change
}

func (u catalogsUpdate) Run(ctx context.Context, o output, c *connection) error {
	return c.send(ctx, o, http.MethodPatch, cli.Path("catalogs", u.Name), u.fields())
}

type catalogsDelete struct {
	Name string `arg:""`
	deletion
}

func (d catalogsDelete) Run(ctx context.Context, o output, c *connection) error {
	return c.remove(ctx, o, cli.Path("catalogs", d.Name), "catalog "+d.Name, d.Force)
}

type schemasCmd struct {
	connection
	List   schemasList   `cmd:"" help:"List the schemas of a catalog that you may see."`
	Show   schemasShow   `cmd:"" help:"Show one."`
	Create schemasCreate `cmd:"" help:"Create one."`
	Update schemasUpdate `cmd:"" help:"Change one."`
	Delete schemasDelete `cmd:"" help:"Delete one."`
}

type schemasList struct {
	Catalog string `arg:""`
}

func (l schemasList) Run(ctx context.Context, o output, c *connection) error {
	return c.list(ctx, o, "/schemas", "schemas", url.Values{"catalog_name": {l.Catalog}}, "full_name", "owner", "comment", "created_at")
}

const schemaForm = "CATALOG.SCHEMA"

// aSchema is the argument that names a schema.
type aSchema struct {
	Name string `arg:"" placeholder:"CATALOG.SCHEMA" name:"catalog.schema" help:"Full name."`
}

type schemasShow struct{ aSchema }

func (s schemasShow) Run(ctx context.Context, o output, c *connection) error {
	if _, err := names(s.Name, schemaForm); err != nil {
		return err
	}
	return c.show(ctx, o, cli.Path("schemas", s.Name))
}

type schemasCreate struct {
	aSchema
	creation
}

func (n schemasCreate) Run(ctx context.Context, o output, c *connection) error {
	parts, err := names(n.Name, schemaForm)
	if err != nil {
		return err
	}
	return c.send(ctx, o, http.MethodPost, "/schemas", n.fields().text("catalog_name", parts[0]).text("name", parts[1]))
}

type schemasUpdate struct {
	aSchema
	change
}

func (u schemasUpdate) Run(ctx context.Context, o output, c *connection) error {
	if _, err := names(u.Name, schemaForm); err != nil {
		return err
	}
	return c.send(ctx, o, http.MethodPatch, cli.Path("schemas", u.Name), u.fields())
}

type schemasDelete struct {
	aSchema
	deletion
}

func (d schemasDelete) Run(ctx context.Context, o output, c *connection) error {
	if _, err := names(d.Name, schemaForm); err != nil {
		return err
	}
	return c.remove(ctx, o, cli.Path("schemas", d.Name), "schema "+d.Name, d.Force)
}
