package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"

	"github.com/leveelake/catalog/internal/bench/measure"
)

type compareCmd struct {
	Rounds    int           `help:"How many rounds of each experiment (${default})." default:"5"`
	RoundTime time.Duration `help:"How long each subject works in a round (${default})." default:"1s"`
	Only      string        `help:"Only experiments whose name matches this regular expression." placeholder:"REGEXP"`
	List      bool          `help:"Print the names of experiments and end."`
	Markdown  bool          `help:"Print the table as Markdown, with the machine described."`
	Postgres  string        `help:"Use the PostgreSQL at this URL, as a user who may create databases, instead of starting one." placeholder:"URL"`
	Profile   string        `help:"Write a CPU profile of each subject and reference to this folder." placeholder:"DIR"`
	Dir       string        `help:"Make stores in a new folder below this one. A disk that syncs, not a tmpfs. Default: the folder for temporary files." placeholder:"DIR"`
}

func (c compareCmd) Run(ctx context.Context, o output) (err error) {
	only, err := regexp.Compile(c.Only)
	if err != nil {
		return fmt.Errorf("--only: %w", err)
	}
	if c.Rounds < 1 || c.RoundTime <= 0 {
		return errors.New("there must be a round, and it must take time")
	}
	var chosen []experiment
	postgres := false
	for _, e := range experiments() {
		if only.MatchString(e.name) {
			chosen = append(chosen, e)
			postgres = postgres || e.postgres
		}
	}
	if c.List {
		for _, e := range chosen {
			fmt.Fprintln(o.out, e.name)
		}
		return nil
	}
	l, err := newLab(c.Dir, o.err)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.close()) }()
	if l.keep = c.Profile; l.keep != "" {
		if l.keep, err = filepath.Abs(l.keep); err == nil {
			err = os.MkdirAll(l.keep, 0o755)
		}
		if err != nil {
			return err
		}
	}
	if kind, _ := measure.FileSystem(l.dir); kind == "tmpfs" {
		o.note("warning: %s is a tmpfs, where a sync costs nothing; choose another folder with --dir", l.dir)
	}
	if postgres {
		if err := l.findPostgres(ctx, c.Postgres); err != nil {
			return err
		}
	}
	table, failed := c.all(ctx, o, l, chosen)
	if ctx.Err() != nil {
		return errors.New("interrupted")
	}
	if err := c.print(ctx, o, l, table); err != nil {
		return err
	}
	if failed > 0 {
		return fmt.Errorf("%d experiments failed", failed)
	}
	return nil
}

// all runs experiments. One that fails gets a row that says why.
func (c compareCmd) all(ctx context.Context, o output, l *lab, chosen []experiment) (*measure.Table, int) {
	table := &measure.Table{Head: []string{"measurement", "ops/s", "CPU µs", "reference", "ops/s ", "CPU µs ", "compared", "measured", "of rounds", "target", ""}}
	failed := 0
	for i, e := range chosen {
		if ctx.Err() != nil {
			break
		}
		o.note("%d/%d %s", i+1, len(chosen), e.name)
		row := func(text string) {
			cells := make([]string, len(table.Head))
			cells[0], cells[len(cells)-1] = e.name, text
			table.Rows = append(table.Rows, cells)
			o.note("    %s", text)
		}
		if e.postgres && l.pg == nil {
			row("skipped: " + l.noPG)
			continue
		}
		subjects, samples, err := c.one(ctx, l, e)
		if err != nil {
			failed++
			row("FAILED: " + strings.Join(strings.Fields(err.Error()), " ")) // a table has no room for lines
			continue
		}
		table.Rows = append(table.Rows, rows(e, subjects, samples)...)
	}
	return table, failed
}

// one runs an experiment: samples are by subject and round.
func (c compareCmd) one(ctx context.Context, l *lab, e experiment) (subjects []subject, samples [][]measure.Sample, err error) {
	l.doing = e.name
	before := len(l.ending)
	defer func() { err = errors.Join(err, l.endAfter(before)) }()
	if subjects, err = e.prepare(ctx, l); err != nil {
		return nil, nil, err
	}
	if !e.once {
		for _, s := range subjects { // caches fill, connections open, the heap finds its size
			if _, err := s.run(ctx, c.RoundTime/2+1); err != nil {
				return nil, nil, fmt.Errorf("%s: %w", s.name, err)
			}
		}
	}
	samples = make([][]measure.Sample, len(subjects))
	for round := range c.Rounds {
		for _, i := range measure.Order(len(subjects), round) {
			s, err := subjects[i].run(ctx, c.RoundTime)
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", subjects[i].name, err)
			}
			samples[i] = append(samples[i], s)
		}
	}
	return subjects, samples, nil
}

// rows are the lines of an experiment. A line does not say again what stands in the one above.
func rows(e experiment, subjects []subject, samples [][]measure.Sample) [][]string {
	var out [][]string
	told := -1
	for i, k := range e.checks {
		var values []float64
		compared := k.by.name
		if k.against > 0 {
			values = measure.Ratios(samples[0], samples[k.against], k.by.of)
			compared += ", ratio"
		} else {
			values = measure.Each(samples[0], k.by.of)
			if k.by.name == cpu.name {
				compared += ", µs"
			}
		}
		s := measure.SpreadOf(values)
		cells := []string{"", "", "", "", "", "", compared, measure.Number(s.Median),
			measure.Number(s.Min) + "–" + measure.Number(s.Max), k.want.String(), k.want.verdict(s.Median)}
		if i == 0 {
			cells[0], cells[1], cells[2] = e.name, speed(samples[0]), each(samples[0])
		}
		if k.against > 0 && k.against != told {
			told = k.against
			r := samples[k.against]
			cells[3], cells[4], cells[5] = subjects[k.against].name, speed(r), each(r)
		}
		out = append(out, cells)
	}
	return out
}

func speed(samples []measure.Sample) string {
	return measure.Number(measure.Median(measure.Each(samples, measure.Sample.Rate)))
}

// each is the CPU of an operation, with that of the database if there is one.
func each(samples []measure.Sample) string {
	own := measure.Number(measure.Median(measure.Each(samples, measure.Sample.Each)))
	if db := measure.Median(measure.Each(samples, measure.Sample.EachDB)); db > 0 {
		own += " + " + measure.Number(db)
	}
	return own
}

func (c compareCmd) print(ctx context.Context, o output, l *lab, t *measure.Table) error {
	versions := fmt.Sprintf("%s, SQLite %s", runtime.Version(), sqlite.Version)
	if l.pg != nil {
		var v string
		if err := l.pg.conn.QueryRow(ctx, `SHOW server_version`).Scan(&v); err != nil {
			return err
		}
		versions += ", PostgreSQL " + v
	}
	about := fmt.Sprintf("%s. %s; %s. Medians of %d alternating rounds of %s.",
		time.Now().Format(time.DateOnly), measure.Machine(l.dir), versions, c.Rounds, c.RoundTime)
	if c.Markdown {
		fmt.Fprintf(o.out, "%s\n\n", about)
		return t.Markdown(o.out)
	}
	fmt.Fprintln(o.out, about)
	return t.Text(o.out)
}
