package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/leveelake/catalog/internal/cli"
	"github.com/leveelake/catalog/types"
)

type tablesCmd struct {
	connection
	List    tablesList    `cmd:"" help:"List the tables of a schema that you may see."`
	Show    tablesShow    `cmd:"" help:"Show one with its columns."`
	Create  tablesCreate  `cmd:"" help:"Register an external table: files that are somewhere already, or will be. Managed tables are created by clients that write Delta, such as Spark."`
	Delete  tablesDelete  `cmd:"" help:"Delete one. The files of a managed table go, too, those of an external one stay."`
	Rename  tablesRename  `cmd:"" help:"Rename one within its schema."`
	Commits tablesCommits `cmd:"" help:"Show the latest version of a managed table, and its commits that are not backfilled."`
}

const tableForm = "CATALOG.SCHEMA.TABLE"

// aTable is the argument that names a table.
type aTable struct {
	Name string `arg:"" name:"catalog.schema.table" help:"Full name."`
}

func (t aTable) path() (string, error) {
	_, err := names(t.Name, tableForm)
	return cli.Path("tables", t.Name), err
}

// delta is the path of the table in the Delta API.
func (t aTable) delta(more ...string) (string, error) {
	parts, err := names(t.Name, tableForm)
	if err != nil {
		return "", err
	}
	return "/delta/v1" + cli.Path(append([]string{"catalogs", parts[0], "schemas", parts[1], "tables", parts[2]}, more...)...), nil
}

type tablesList struct{ aSchema }

func (l tablesList) Run(ctx context.Context, o output, c *connection) error {
	parts, err := names(l.Name, schemaForm)
	if err != nil {
		return err
	}
	query := url.Values{"catalog_name": {parts[0]}, "schema_name": {parts[1]}}
	if c.Output == "table" { // which has none of these
		query["omit_columns"], query["omit_properties"] = []string{"true"}, []string{"true"}
	}
	return c.list(ctx, o, "/tables", "tables", query, "name", "table_type", "data_source_format", "owner", "storage_location")
}

type tablesShow struct{ aTable }

func (s tablesShow) Run(ctx context.Context, o output, c *connection) error {
	path, err := s.path()
	if err != nil {
		return err
	}
	return c.table(ctx, o, http.MethodGet, path, nil)
}

// table sends a request that is answered with a table, and prints that.
func (c *connection) table(ctx context.Context, o output, method, path string, body any) error {
	answer, err := c.do(ctx, method, path, nil, body)
	if err != nil {
		return err
	}
	p := c.printer(o)
	if err := p.Object(answer); err != nil || p.JSON {
		return err
	}
	fmt.Fprintln(o.out)
	return p.List(answer, "columns", "name", "type_text", "nullable", "comment")
}

type tablesCreate struct {
	aTable
	Location string            `required:"" help:"Where its files are." placeholder:"URL"`
	Format   string            `help:"Format of its files (${default})." default:"DELTA"`
	Columns  string            `help:"Its columns, as in SQL: 'id BIGINT NOT NULL, name STRING'."`
	Comment  string            `help:"What it is for." placeholder:"TEXT"`
	Property map[string]string `help:"Property; again for more." mapsep:"none" placeholder:"KEY=VALUE"`
}

func (n tablesCreate) Run(ctx context.Context, o output, c *connection) error {
	parts, err := names(n.Name, tableForm)
	if err != nil {
		return err
	}
	columns, err := cli.ParseColumns(n.Columns)
	if err != nil {
		return fmt.Errorf("--columns: %w", err)
	}
	body := fields{
		"catalog_name": parts[0], "schema_name": parts[1], "name": parts[2], "table_type": types.External,
		"data_source_format": strings.ToUpper(n.Format), "storage_location": n.Location, "columns": columns,
	}
	return c.table(ctx, o, http.MethodPost, "/tables", body.text("comment", n.Comment).properties(n.Property))
}

type tablesDelete struct{ aTable }

func (d tablesDelete) Run(ctx context.Context, o output, c *connection) error {
	path, err := d.path()
	if err != nil {
		return err
	}
	return c.remove(ctx, o, path, "table "+d.Name, false)
}

type tablesRename struct {
	aTable
	NewName string `arg:"" help:"The new name, without catalog and schema."`
}

func (r tablesRename) Run(ctx context.Context, o output, c *connection) error {
	path, err := r.delta("rename")
	if err != nil {
		return err
	}
	answer, err := c.do(ctx, http.MethodPost, path, nil, types.RenameTable{NewName: r.NewName})
	if err != nil {
		return err
	}
	return c.done(o, answer, fmt.Sprintf("renamed table %s to %s", r.Name, r.NewName))
}

type tablesCommits struct{ aTable }

func (l tablesCommits) Run(ctx context.Context, o output, c *connection) error {
	path, err := l.delta()
	if err != nil {
		return err
	}
	answer, err := c.do(ctx, http.MethodGet, path, nil, nil)
	if err != nil {
		return err
	}
	p := c.printer(o)
	if p.JSON {
		return p.Object(answer)
	}
	var t types.Table
	if err := types.DecodeJSON(answer, &t); err != nil {
		return err
	}
	if t.LatestVersion == nil {
		return errors.New("the catalog keeps no versions of this table: it is not managed, and its _delta_log alone tells")
	}
	fmt.Fprintf(o.out, "latest version %d, of which %d wait to be backfilled\n", *t.LatestVersion, len(t.Commits))
	if len(t.Commits) == 0 {
		return nil
	}
	fmt.Fprintln(o.out)
	rows := [][]string{{"version", "committed_at", "bytes", "file"}}
	for _, v := range t.Commits {
		at := time.UnixMilli(v.Timestamp).UTC().Format(time.RFC3339)
		rows = append(rows, []string{strconv.FormatInt(v.Version, 10), at, strconv.FormatInt(v.FileSize, 10), cli.Printable(v.FileName)})
	}
	return p.Rows(rows)
}
