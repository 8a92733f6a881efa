// Package demo walks through the life of a catalog-managed table against a running
// server, as any client would, and tells what happens on the way.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/leveelake/catalog/internal/cli"
	"github.com/leveelake/catalog/types"
)

// Run plays the demo on the server of api, in a catalog of this name, which it creates
// if it is missing. The table gets a new name each time and stays when the demo is over. The
// server must keep managed tables on this machine, because the demo writes their files.
func Run(ctx context.Context, w io.Writer, api *cli.Client, catalogName string) error {
	p := &play{
		client: &client{api, w},
		out:    w,
		name:   types.TableName{Catalog: catalogName, Schema: "default", Table: "trips_" + uuid.NewString()[:8]},
	}
	fmt.Fprintf(w, "One table's life in a catalog: %s\nPaths below start with %s\n", p.name, api.Base())
	for i, s := range p.steps() {
		fmt.Fprintf(w, "\n%d. %s\n", i+1, s.title)
		if err := s.run(ctx); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	fmt.Fprintf(w, `
That was all: the files are the writers' work, and the catalog decides which of them count.

Next:
  levee serve --catalog main    a catalog that stays (without an installed levee: go run ./cmd/levee ...)
  examples/embed                the same within a Go program, without a server
  README.md                     how to point Spark, DuckDB or Delta Kernel at it
If you gave --server, the table is still there:
  levee tables commits %s
`, p.name)
	return nil
}

// A play is the state of one run.
type play struct {
	*client
	out    io.Writer
	name   types.TableName
	staged types.StagingTable
	log    deltaLog
	sent   []types.Commit // ratified, by version from 1
}

type step struct {
	title string
	run   func(context.Context) error
}

func (p *play) steps() []step {
	return []step{
		{"A catalog and a schema, so that the table can have a name.", p.namespace},
		{"Reserve a place. The catalog chooses an ID and a location, and says what the table's Delta log must declare.", p.stage},
		{"The writer puts version 0 there and registers the table. From now on the catalog knows it.", p.create},
		{"Commit three times. A staged file is nothing yet: it is a version of the table once the catalog ratifies it.", p.commit},
		{"Two writers, one version. Another writer has prepared a version 3, too. Only one can win.", p.lose},
		{"Was the answer lost on the way? The winner sends its commit again. It is known, and nothing is doubled.", p.resend},
		{"Backfill. The writer publishes versions 1 and 2 in _delta_log under their plain names, then tells the catalog.", p.backfill},
		{"Load, as every reader does first.", p.load},
		{"Rename. Location, ID and versions stay; the etag moves, because what readers see of the table has changed.", p.rename},
	}
}

// inSchema is the path of something in the table's schema.
func (p *play) inSchema(rest string) string {
	return "/delta/v1/catalogs/" + url.PathEscape(p.name.Catalog) + "/schemas/" + p.name.Schema + rest
}

// path is the path of the table under its present name.
func (p *play) path() string { return p.inSchema("/tables/" + p.name.Table) }

func (p *play) namespace(ctx context.Context) error {
	for _, c := range []struct {
		path, name string
		body       any
	}{
		{"/catalogs", p.name.Catalog, map[string]string{"name": p.name.Catalog, "comment": "made by levee demo"}},
		{"/schemas", p.name.Catalog + "." + p.name.Schema, map[string]string{"name": p.name.Schema, "catalog_name": p.name.Catalog}},
	} {
		err := p.call(ctx, http.MethodPost, c.path, "", c.body, nil)
		refused, ok := errors.AsType[*cli.Error](err)
		there := ok && refused.Status == http.StatusConflict
		if ok && refused.Status == http.StatusForbidden { // who may not make it may perhaps use it
			there = p.call(ctx, http.MethodGet, cli.Path(c.path[1:], c.name), "", nil, nil) == nil
		}
		if there {
			p.say("it is there already, which is just as well")
			err = nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *play) stage(ctx context.Context) error {
	err := p.call(ctx, http.MethodPost, p.inSchema("/staging-tables"), "", types.CreateStagingTable{Name: p.name.Table}, &p.staged)
	if err != nil {
		return err
	}
	p.say("ID        %s", p.staged.ID)
	p.say("location  %s", p.staged.Location)
	p.say("features  %s", strings.Join(p.staged.RequiredProtocol.WriterFeatures, ", "))
	p.log, err = openLog(p.staged.Location)
	return err
}

func (p *play) create(ctx context.Context) error {
	req := version0(p.staged, p.name.Table)
	file, timestamp, err := p.log.writeVersion0(p.staged, req)
	if err != nil {
		return err
	}
	p.say("wrote _delta_log/%s", file)
	req.LastCommitTimestamp = &timestamp
	return p.show(ctx, http.MethodPost, p.inSchema("/tables"), "", req)
}

func (p *play) commit(ctx context.Context) error {
	for version := int64(1); version <= 3; version++ {
		c, err := p.log.stage(version)
		if err != nil {
			return err
		}
		p.say("wrote _delta_log/_staged_commits/%s", c.FileName)
		if err := p.ratify(ctx, c); err != nil {
			return err
		}
		p.sent = append(p.sent, c)
	}
	p.say("the etag stands still: it goes with what the table is, not with what is in it")
	return nil
}

func (p *play) ratify(ctx context.Context, c types.Commit) error {
	return p.update(ctx, fmt.Sprintf("add-commit %d", c.Version), map[string]any{"action": "add-commit", "commit": c})
}

func (p *play) lose(ctx context.Context) error {
	c, err := p.log.stage(3)
	if err != nil {
		return err
	}
	p.say("wrote _delta_log/_staged_commits/%s", c.FileName)
	err = p.ratify(ctx, c)
	refused, ok := errors.AsType[*cli.Error](err)
	switch {
	case err == nil:
		return errors.New("the catalog ratified two files as version 3")
	case !ok || refused.Status != http.StatusConflict:
		return err
	}
	p.say("%s: %s", refused.Code, refused.Message)
	p.say("the loser reads what version 3 has become, builds on it and tries again as version 4")
	return p.log.discard(c)
}

func (p *play) resend(ctx context.Context) error { return p.ratify(ctx, p.sent[len(p.sent)-1]) }

func (p *play) backfill(ctx context.Context) error {
	for _, c := range p.sent[:2] {
		file, err := p.log.publish(c)
		if err != nil {
			return err
		}
		p.say("published _delta_log/%s", file)
	}
	return p.update(ctx, "set-latest-backfilled-version 2", map[string]any{"action": "set-latest-backfilled-version", "latest-published-version": 2})
}

func (p *play) load(ctx context.Context) error {
	if err := p.show(ctx, http.MethodGet, p.path(), "", nil); err != nil {
		return err
	}
	p.say("so it reads versions 0 to 2 from _delta_log and version 3 from _delta_log/_staged_commits")
	return nil
}

func (p *play) rename(ctx context.Context) error {
	old := p.path()
	renamed := strings.Replace(p.name.Table, "trips", "rides", 1)
	if err := p.call(ctx, http.MethodPost, path.Join(old, "rename"), "new-name "+renamed, types.RenameTable{NewName: renamed}, nil); err != nil {
		return err
	}
	err := p.call(ctx, http.MethodGet, old, "", nil, nil)
	if refused, ok := errors.AsType[*cli.Error](err); !ok || refused.Status != http.StatusNotFound {
		return errors.Join(errors.New("the old name still leads somewhere"), err)
	}
	p.name.Table = renamed
	return p.show(ctx, http.MethodGet, p.path(), "", nil)
}

// update sends one action on the table and shows the table after it.
func (p *play) update(ctx context.Context, note string, action map[string]any) error {
	return p.show(ctx, http.MethodPost, p.path(), note, map[string]any{
		"requirements": []any{map[string]any{"type": "assert-table-uuid", "uuid": p.staged.ID}},
		"updates":      []any{action},
	})
}

// show sends a request that is answered with the table, and tells what a reader of it sees.
func (p *play) show(ctx context.Context, method, path, note string, body any) error {
	var t types.Table
	if err := p.call(ctx, method, path, note, body, &t); err != nil {
		return err
	}
	if t.LatestVersion == nil {
		return errors.New("the server's answer has no latest-table-version")
	}
	waiting := "nothing"
	var versions []string
	for _, c := range slices.Backward(t.Commits) {
		versions = append(versions, fmt.Sprint(c.Version))
	}
	if len(versions) > 0 {
		waiting = strings.Join(versions, ", ")
	}
	p.say("a reader now sees: latest version %d | to be backfilled: %s | etag %s", *t.LatestVersion, waiting, t.ETag)
	return nil
}

func (p *play) say(format string, args ...any) {
	fmt.Fprintf(p.out, "   "+format+"\n", args...)
}
