// Levee is a Unity Catalog for Delta Lake tables.
//
//	levee serve   serve a catalog over HTTP
//	levee demo    show a catalog at work, step by step
//
// The other commands ask a server: levee help lists them.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
	"github.com/willabides/kongplete"

	"github.com/leveelake/catalog/internal/cli"
	"github.com/leveelake/catalog/internal/demo"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A second signal ends the process at once, but for one that comes with the first: some
	// supervisors send it to the process and to its group.
	context.AfterFunc(ctx, func() { time.AfterFunc(time.Second, stop) })
	for _, v := range os.Environ() { // an empty variable is none, but for those that accessFlags refuse
		switch name, value, _ := strings.Cut(v, "="); name {
		case "LEVEE_AUTH", "LEVEE_ADMIN", "LEVEE_STATIC_TOKENS", "LEVEE_OIDC", "LEVEE_KEY", "LEVEE_KEY_FILE":
		default:
			if value == "" && strings.HasPrefix(name, "LEVEE_") {
				os.Unsetenv(name)
			}
		}
	}
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// command is the command line.
type command struct {
	Serve       serveCmd       `cmd:"" help:"Serve a catalog over HTTP."`
	Demo        demoCmd        `cmd:"" help:"Show a catalog at work: create a table, commit, backfill, load, rename."`
	Catalogs    catalogsCmd    `cmd:"" help:"Catalogs of a server."`
	Schemas     schemasCmd     `cmd:"" help:"Schemas of a server."`
	Tables      tablesCmd      `cmd:"" help:"Tables of a server."`
	Locations   locationsCmd   `cmd:"" help:"External locations: where tables may lie outside of managed storage."`
	Credentials credentialsCmd `cmd:"" help:"Storage credentials: how the server gets at external locations."`
	Grants      grantsCmd      `cmd:"" help:"Who may do what."`
	Token       tokenCmd       `cmd:"" help:"Tokens, by which a server knows who asks."`
	Keygen      keygenCmd      `cmd:"" help:"Print a new key for --key-file, or the fingerprints of those that a file has."`
	Completion  completionCmd  `cmd:"" help:"Print what makes a shell complete levee's commands."`
	Version     versionCmd     `cmd:"" help:"Print the version."`
	Help        helpCmd        `cmd:"" help:"Print this help."`

	ShowVersion kong.VersionFlag `name:"version" help:"Print the version."`
}

// output is where commands print.
type output struct{ out, err io.Writer }

// run is main without the process: it returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var cmd command
	exit := -1
	parser, err := kong.New(&cmd,
		kong.Name("levee"),
		kong.Description("A Unity Catalog for Delta Lake tables. Flags of serve and demo may also be given as environment variables, --data as LEVEE_DATA."),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Vars{"version": "levee " + version()},
		kong.PostBuild(environment),
		kong.PostBuild(completePrivileges),
		kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { exit = code }),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(output{stdout, stderr}),
	)
	if err != nil {
		fmt.Fprintln(stderr, "levee:", err)
		return 1
	}
	if kongplete.Complete(parser); exit >= 0 { // a shell has asked
		return exit
	}
	if len(args) == 0 {
		args = []string{"help"}
	}
	parsed, err := parser.Parse(args)
	if exit >= 0 { // --help, --version
		return exit
	}
	if err == nil {
		err = parsed.Run()
	} else if p, ok := errors.AsType[*kong.ParseError](err); ok && strings.HasPrefix(err.Error(), "unexpected argument ") && !complete(p.Context) {
		err = fmt.Errorf("%w; see levee help", err)
	}
	if err != nil {
		fmt.Fprintln(stderr, "levee:", err)
		if refused, ok := errors.AsType[*cli.Error](err); ok && refused.Next() != "" {
			fmt.Fprintln(stderr, "      ", refused.Next())
		}
		return 1
	}
	return 0
}

// complete reports whether a line has all of a command's name, so that what is wrong is behind it.
func complete(k *kong.Context) bool {
	command := k.Selected()
	return command != nil && len(command.Children) == 0
}

// environment gives each flag of serve and demo its variable. What is asked of a server is in the command
// line alone, but for the flags that say which server and who asks.
func environment(k *kong.Kong) error {
	for _, command := range k.Model.Children {
		if command.Name != "serve" && command.Name != "demo" {
			continue
		}
		for _, f := range command.Flags {
			if len(f.Envs) == 0 {
				f.Envs = []string{"LEVEE_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))}
				f.Tag.Envs = f.Envs
			}
		}
	}
	return nil
}

type demoCmd struct {
	Server string `help:"Use the server at this URL instead of one of its own. It must keep managed tables on this machine." placeholder:"URL"`
	identity
	Catalog string `help:"Catalog to make the table in; it is created if it is not there." default:"demo"`
}

func (d demoCmd) Run(ctx context.Context, o output) error {
	if d.Server != "" {
		api, err := d.client(d.Server)
		if err != nil {
			return err
		}
		return demo.Run(ctx, o.out, api, d.Catalog)
	}
	dir, err := os.MkdirTemp("", "levee-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s := serveCmd{Listen: "127.0.0.1:0", storeFlags: storeFlags{Data: dir}, CheckFiles: true, LogFormat: "text", LogLevel: "warn", accessFlags: accessFlags{Audit: "off"}}
	return s.with(ctx, output{io.Discard, o.err}, func(ctx context.Context, url string) error {
		api, err := cli.New(cli.Config{Server: url})
		if err != nil {
			return err
		}
		return demo.Run(ctx, o.out, api, d.Catalog)
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
	if err == nil {
		err = ctx.Error
	}
	if err != nil {
		return err
	}
	return ctx.PrintUsage(false)
}
