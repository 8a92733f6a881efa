package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/alecthomas/kong"
)

func main() {
	// All that was started ends with ctx, and temporary files go: see lab.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// command is the command line.
type command struct {
	Compare compareCmd `cmd:"" default:"withargs" help:"Compare Levee with references in alternating rounds (the default)."`
	Drive   driveCmd   `cmd:"" help:"Load a server of the Unity Catalog Delta API with a mix of requests."`
	Seed    seedCmd    `cmd:"" help:"Fill a store with many tables, fast."`
	Scale   scaleCmd   `cmd:"" help:"Measure levee serve on a seeded store, and on a small one beside it."`
	Child   childCmd   `cmd:"" hidden:"" help:"What the other commands start: a subject of a comparison."`
}

// output is where commands print: results, and how it goes.
type output struct{ out, err io.Writer }

func (o output) note(format string, args ...any) { fmt.Fprintf(o.err, format+"\n", args...) }

// A locked is a writer that many processes and goroutines may use. A file needs none: it is
// handed to processes as it is.
type locked struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

// run is main without the process: it returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if _, ok := stderr.(*os.File); !ok {
		stderr = &locked{w: stderr}
	}
	var cmd command
	exit := -1
	parser, err := kong.New(&cmd,
		kong.Name("bench"),
		kong.Description("Measures Levee. Figures are only worth something beside their references."),
		kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { exit = code }),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(output{stdout, stderr}),
	)
	if err != nil {
		fmt.Fprintln(stderr, "bench:", err)
		return 1
	}
	parsed, err := parser.Parse(args)
	if exit >= 0 { // --help
		return exit
	}
	if err == nil {
		err = parsed.Run()
	}
	if err != nil {
		fmt.Fprintln(stderr, "bench:", err)
		return 1
	}
	return 0
}
