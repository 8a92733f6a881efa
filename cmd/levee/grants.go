package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/leveelake/catalog/internal/cli"
	"github.com/leveelake/catalog/types"
)

type grantsCmd struct {
	connection
	List   grantsList   `cmd:"" help:"List who was granted what on something."`
	Add    grantsAdd    `cmd:"" help:"Grant privileges to a principal or group: levee grants add catalog main --to alice --privilege 'USE CATALOG'"`
	Remove grantsRemove `cmd:"" help:"Take privileges back."`
}

// securable is what privileges are granted on.
type securable struct {
	Kind string `arg:"" enum:"metastore,catalog,schema,table,location,credential" help:"metastore, catalog, schema, table, location or credential."`
	Name string `arg:"" optional:"" help:"Its full name; the metastore has none."`
}

func (s securable) path(operation string) (string, error) {
	kind, name := s.Kind, s.Name
	switch {
	case kind == "metastore" && name == "":
		name = "metastore"
	case name == "":
		return "", fmt.Errorf("the name of the %s is missing", kind)
	case kind == "location":
		kind = "external_location"
	}
	return cli.Path(operation, kind, name), nil
}

type grantsList struct {
	securable
	Of        string `help:"Of this principal only." placeholder:"PRINCIPAL"`
	Effective bool   `help:"Also what is granted above it."`
}

func (l grantsList) Run(ctx context.Context, o output, c *connection) error {
	operation := "permissions"
	if l.Effective {
		operation = "effective-permissions"
	}
	path, err := l.path(operation)
	if err != nil {
		return err
	}
	query := url.Values{}
	if l.Of != "" {
		query.Set("principal", l.Of)
	}
	answer, err := c.do(ctx, http.MethodGet, path, query, nil)
	if err != nil {
		return err
	}
	if p := c.printer(o); p.JSON || !l.Effective {
		return p.List(answer, "privilege_assignments", "principal", "privileges")
	}
	return effective(c.printer(o), answer)
}

// effective prints a line for each privilege, with where it comes from.
func effective(p cli.Printer, answer json.RawMessage) error {
	var list struct {
		Assignments []struct {
			Principal  string `json:"principal"`
			Privileges []struct {
				Privilege string `json:"privilege"`
				FromType  string `json:"inherited_from_type"`
				FromName  string `json:"inherited_from_name"`
			} `json:"privileges"`
		} `json:"privilege_assignments"`
	}
	if err := json.Unmarshal(answer, &list); err != nil {
		return err
	}
	rows := [][]string{{"principal", "privilege", "granted_on"}}
	for _, a := range list.Assignments {
		for _, v := range a.Privileges {
			from := "itself"
			if v.FromType != "" {
				from = strings.TrimSpace(strings.ToLower(v.FromType) + " " + v.FromName)
			}
			rows = append(rows, []string{cli.Printable(a.Principal), cli.Printable(v.Privilege), cli.Printable(from)})
		}
	}
	return p.Rows(rows)
}

// privileges are all that there are, and what each is for. Each may be granted above that, too.
var privileges = []struct {
	on   string
	list []types.Privilege
}{
	{"the metastore", []types.Privilege{types.PrivilegeCreateCatalog, types.PrivilegeCreateStorageCredential}},
	{"a credential or the metastore", []types.Privilege{types.PrivilegeCreateExternalLocation}},
	{"a location", []types.Privilege{
		types.PrivilegeReadFiles, types.PrivilegeWriteFiles, types.PrivilegeCreateExternalTable, types.PrivilegeCreateManagedStorage,
	}},
	{"a catalog", []types.Privilege{types.PrivilegeUseCatalog, types.PrivilegeCreateSchema}},
	{"a schema", []types.Privilege{types.PrivilegeUseSchema, types.PrivilegeCreateTable}},
	{"a table", []types.Privilege{types.PrivilegeSelect, types.PrivilegeModify}},
	{"any of these", []types.Privilege{types.PrivilegeManage}},
}

// allPrivileges is what there is to grant, on one line.
func allPrivileges() string {
	var all []string
	for _, p := range privileges {
		all = append(all, fmt.Sprintf("on %s %s", p.on, joined(p.list)))
	}
	return strings.Join(all, "; ")
}

func joined(list []types.Privilege) string {
	var names []string
	for _, p := range list {
		names = append(names, string(p))
	}
	return strings.Join(names, ", ")
}

type grantsAdd struct {
	securable
	To        string   `required:"" help:"Who gets them." placeholder:"PRINCIPAL"`
	Privilege []string `required:"" help:"Privilege, such as SELECT or USE_CATALOG, in any case; again, or with commas, for more. Above is the list of them."`
}

// Help is what levee grants add --help says, too.
func (grantsAdd) Help() string {
	text := "The privileges, by what they are for. Each may be granted on what is above that, too, and holds for all that is below."
	for _, p := range privileges {
		text += fmt.Sprintf("\n\n  On %s: %s", p.on, joined(p.list))
	}
	return text
}

func (g grantsAdd) Run(ctx context.Context, o output, c *connection) error {
	return c.grant(ctx, o, g.securable, fields{"principal": g.To, "add": g.Privilege}, g.Privilege)
}

type grantsRemove struct {
	securable
	From      string   `required:"" help:"Who loses them." placeholder:"PRINCIPAL"`
	Privilege []string `required:"" help:"Privilege; again, or with commas, for more."`
}

func (g grantsRemove) Run(ctx context.Context, o output, c *connection) error {
	return c.grant(ctx, o, g.securable, fields{"principal": g.From, "remove": g.Privilege}, g.Privilege)
}

func unknown(privilege string) bool {
	_, err := types.ParsePrivilege(privilege)
	return err != nil
}

// grant sends one change, of the privileges with these names, and prints what the principal has then.
func (c *connection) grant(ctx context.Context, o output, on securable, change fields, names []string) error {
	path, err := on.path("permissions")
	if err != nil {
		return err
	}
	answer, err := c.do(ctx, http.MethodPatch, path, nil, fields{"changes": []fields{change}})
	if refused, ok := errors.AsType[*cli.Error](err); ok && refused.Status == http.StatusBadRequest && slices.ContainsFunc(names, unknown) {
		return refused.WithNext("the privileges: " + allPrivileges())
	}
	if err != nil {
		return err
	}
	return c.printer(o).List(answer, "privilege_assignments", "principal", "privileges")
}
