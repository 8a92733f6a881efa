// Levee is a Unity Catalog for Delta Lake tables.
//
//	levee serve   serve a catalog over HTTP
//	levee demo    show a catalog at work, step by step
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"github.com/leveelake/catalog/internal/demo"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A second signal ends the process at once, but for one that comes with the first: some
	// supervisors send it to the process and to its group.
	context.AfterFunc(ctx, func() { time.AfterFunc(time.Second, stop) })
	for _, v := range os.Environ() { // an empty variable is none
		if name, value, _ := strings.Cut(v, "="); value == "" && strings.HasPrefix(name, "LEVEE_") {
			os.Unsetenv(name)
		}
	}
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// command is the command line.
type command struct {
	Serve   serveCmd   `cmd:"" help:"Serve a catalog over HTTP."`
	Demo    demoCmd    `cmd:"" help:"Show a catalog at work: create a table, commit, backfill, load, rename."`
	Version versionCmd `cmd:"" help:"Print the version."`
	Help    helpCmd    `cmd:"" help:"Print this help."`
}

// output is where commands print.
type output struct{ out, err io.Writer }

// run is main without the process: it returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var cmd command
	exit := -1
	parser, err := kong.New(&cmd,
		kong.Name("levee"),
		kong.Description("A Unity Catalog for Delta Lake tables. Each flag may also be given as an environment variable, --data as LEVEE_DATA."),
		kong.DefaultEnvars("LEVEE"),
		kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { exit = code }),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(output{stdout, stderr}),
	)
	if err != nil {
		fmt.Fprintln(stderr, "levee:", err)
		return 1
	}
	if len(args) == 0 {
		args = []string{"help"}
	}
	parsed, err := parser.Parse(args)
	if exit >= 0 { // --help
		return exit
	}
	if err == nil {
		err = parsed.Run()
	}
	if err != nil {
		fmt.Fprintln(stderr, "levee:", err)
		return 1
	}
	return 0
}

type demoCmd struct {
	Server  string `help:"Use the server at this URL instead of one of its own. It must keep managed tables on this machine." placeholder:"URL"`
	Catalog string `help:"Catalog to make the table in; it is created if it is not there." default:"demo"`
}

func (d demoCmd) Run(ctx context.Context, o output) error {
	if d.Server != "" {
		return demo.Run(ctx, o.out, d.Server, d.Catalog)
	}
	dir, err := os.MkdirTemp("", "levee-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s := serveCmd{Listen: "127.0.0.1:0", Data: dir, CheckFiles: true, LogFormat: "text", LogLevel: "warn"}
	return s.with(ctx, output{io.Discard, o.err}, func(ctx context.Context, url string) error {
		return demo.Run(ctx, o.out, url, d.Catalog)
	})
}

type versionCmd struct{}

func (versionCmd) Run(o output) error {
	_, err := fmt.Fprintln(o.out, "levee", version())
	return err
}

// version is the module's version where the build knows it.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}

type helpCmd struct {
	Command []string `arg:"" optional:"" help:"Command to explain."`
}

func (h helpCmd) Run(k *kong.Kong) error {
	ctx, err := kong.Trace(k, h.Command)
	if err != nil {
		return err
	}
	return ctx.PrintUsage(false)
}
