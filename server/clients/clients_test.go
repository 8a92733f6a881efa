//go:build unix

// Package clients_test runs Delta clients that other people wrote against a started levee.
//
// Every leg installs one client (once, outside of the repository), starts a server of its own and runs
// a driver: a small program of ours that makes the client work and checks what comes back. README.md
// says what each leg proves and what it needs.
package clients_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

const (
	// Limits against hanging for ever, not measures of speed: a leg that works needs a small part of them.
	installLimit = 45 * time.Minute
	driverLimit  = 20 * time.Minute
	killMargin   = 45 * time.Second // for a child to end on SIGTERM, and for the server after it
	lockPause    = 200 * time.Millisecond
)

var legs = []string{"kernel", "duckdb", "spark", "python", "readers", "rust", "schemathesis"}

func TestMain(m *testing.M) {
	for _, name := range chosenLegs() {
		if !slices.Contains(legs, name) {
			fmt.Fprintf(os.Stderr, "LEVEE_CLIENTS names %q; the legs are %s\n", name, strings.Join(legs, ","))
			os.Exit(1)
		}
	}
	code := m.Run()
	if serverFolder != "" {
		os.RemoveAll(serverFolder)
	}
	os.Exit(code)
}

func chosenLegs() []string {
	return strings.FieldsFunc(os.Getenv("LEVEE_CLIENTS"), func(r rune) bool { return r == ',' || r == ' ' })
}

// leg skips the test unless LEVEE_CLIENTS names it and the machine has what it needs.
func leg(t *testing.T, name string, needs ...tool) {
	t.Helper()
	if !slices.Contains(chosenLegs(), name) {
		t.Skipf("not chosen; run it with: LEVEE_CLIENTS=%s go test -v -timeout 60m ./server/clients/", name)
	}
	for _, n := range needs {
		if exec.Command(n.probe[0], n.probe[1:]...).Run() == nil {
			continue
		}
		if os.Getenv("LEVEE_REQUIRE") == "all" {
			t.Fatalf("missing: %s", n.get)
		}
		t.Skipf("missing: %s", n.get)
	}
}

// A tool is something a leg expects on the machine: a command that only succeeds where it is usable, and
// one line for the person who lacks it.
type tool struct {
	probe []string
	get   string
}

var (
	// javac with a release option, because a runtime alone or an older JDK would fail later and less clearly
	jdk    = tool{[]string{"javac", "--release", "17", "--version"}, "a JDK, 17 or newer (package openjdk-17-jdk, or https://adoptium.net)"}
	maven  = tool{[]string{"mvn", "--version"}, "Maven (package maven, or https://maven.apache.org)"}
	python = tool{
		[]string{"python3", "-c", "import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 10))"},
		"Python 3.10 or newer with venv (packages python3 and python3-venv, or https://www.python.org)",
	}
	cargo = tool{[]string{"cargo", "--version"}, "cargo (https://rustup.rs)"}
)

// cached returns a folder that holds what build made from inputs: files or folders beside this file. The
// folder is built once and shared by later runs and other checkouts; variant tells apart builds of the
// same inputs that cannot replace each other.
//
// Every attempt has a folder of its own, and a link to it, made last, says that it is whole. Not one fixed
// folder, because the children of a test that was killed may go on writing; and not a rename at the end,
// because a Python environment stops working when it is moved.
func cached(t *testing.T, name, variant string, inputs []string, build func(dir string)) string {
	t.Helper()
	link := filepath.Join(cacheRoot(t), name+"-"+digest(t, variant, inputs))
	defer lock(t, link+".lock")()
	if dir, err := filepath.EvalSymlinks(link); err == nil {
		return dir
	}
	_ = os.Remove(link) // there only when the folder behind it was deleted
	abandoned, err := filepath.Glob(link + "-*")
	must(t, err)
	for _, dir := range abandoned {
		_ = os.RemoveAll(dir) // what stays is in nobody's way
	}
	dir, err := os.MkdirTemp(filepath.Dir(link), filepath.Base(link)+"-")
	must(t, err)
	t.Logf("installing into %s", dir)
	start := time.Now()
	build(dir)
	must(t, os.Symlink(filepath.Base(dir), link))
	t.Logf("installed in %s", time.Since(start).Round(time.Second))
	return dir
}

func cacheRoot(t *testing.T) string {
	t.Helper()
	root := os.Getenv("LEVEE_CACHE")
	if root == "" {
		user, err := os.UserCacheDir()
		must(t, err)
		root = filepath.Join(user, "levee", "clients")
	}
	root, err := filepath.Abs(root)
	must(t, err)
	must(t, os.MkdirAll(root, 0o755))
	return root
}

func digest(t *testing.T, variant string, inputs []string) string {
	t.Helper()
	sum := sha256.New()
	fmt.Fprintf(sum, "%q\n", variant)
	for _, input := range inputs {
		must(t, filepath.WalkDir(input, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			content, err := os.ReadFile(path)
			fmt.Fprintf(sum, "%q %d\n%s", filepath.ToSlash(path), len(content), content)
			return err
		}))
	}
	return hex.EncodeToString(sum.Sum(nil))[:12]
}

// lock waits for the other test processes that want the same folder. The kernel drops the lock of a
// process that dies, so there are no stale ones.
func lock(t *testing.T, path string) (unlock func()) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	must(t, err)
	ctx, cancel := limited(t, installLimit)
	defer cancel()
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { f.Close() }
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			t.Fatalf("lock %s: %v", path, err)
		}
		select {
		case <-ctx.Done():
			t.Fatalf("lock %s: held by another process until the time was up", path)
		case <-time.After(lockPause):
		}
	}
}

// limited ends before the test process itself would be stopped, so that no child is left behind.
func limited(t *testing.T, limit time.Duration) (context.Context, context.CancelFunc) {
	end := time.Now().Add(limit)
	if deadline, ok := t.Deadline(); ok && deadline.Add(-killMargin).Before(end) {
		end = deadline.Add(-killMargin)
	}
	return context.WithDeadline(t.Context(), end)
}

// run runs a command to its end, logs what it prints and returns it line by line. The test stops there
// when the command does not succeed.
func run(t *testing.T, limit time.Duration, cmd command) []string {
	t.Helper()
	ctx, cancel := limited(t, limit)
	defer cancel()
	c := exec.CommandContext(ctx, cmd.argv[0], cmd.argv[1:]...)
	c.Dir = cmd.dir
	c.Env = append(os.Environ(), cmd.env...)
	out := &lineLog{t: t}
	c.Stdout, c.Stderr = out, out
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
	c.WaitDelay = 20 * time.Second
	err := c.Run()
	out.flush()
	if err != nil && ctx.Err() != nil {
		t.Fatalf("%s: not finished when its time was up (go test -timeout sets the time of all legs together)", filepath.Base(cmd.argv[0]))
	}
	if err != nil {
		t.Fatalf("%s: %v", strings.Join(cmd.argv, " "), err)
	}
	return out.lines
}

type command struct {
	dir  string // "" is the folder of this file
	env  []string
	argv []string
}

// drive runs a driver in a scratch folder of its own. A driver exits with 0 only when every check held,
// and says OK at the end, so that one which stops half-way is noticed too.
func drive(t *testing.T, env []string, argv ...string) []string {
	t.Helper()
	scratch := t.TempDir()
	lines := run(t, driverLimit, command{dir: scratch, env: append(env, "TMPDIR="+scratch), argv: argv})
	if !slices.Contains(lines, "OK") {
		t.Fatalf("%s ended without saying OK", filepath.Base(argv[0]))
	}
	return lines
}

// beside is the absolute path of a driver in this folder, for commands that run elsewhere.
func beside(t *testing.T, path string) string {
	t.Helper()
	abs, err := filepath.Abs(path)
	must(t, err)
	// read for the go command's sake, as internal/program does: the result depends on the driver's folder
	_, err = os.ReadDir(filepath.Dir(abs))
	must(t, err)
	return abs
}

// copyTree puts a copy of a folder where a build may write beside it.
func copyTree(t *testing.T, to, from string) {
	t.Helper()
	must(t, os.CopyFS(to, os.DirFS(from)))
}

// filesBelow lists the files of a folder and its folders that end in suffix, in lexical order.
func filesBelow(t *testing.T, dir, suffix string) []string {
	t.Helper()
	var found []string
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, suffix) {
			found = append(found, path)
		}
		return err
	}))
	return found
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A lineLog hands whole lines to the test's log as they come, and keeps them.
type lineLog struct {
	t     *testing.T
	mu    sync.Mutex
	part  string
	lines []string
}

var _ io.Writer = (*lineLog)(nil)

func (l *lineLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	whole := strings.Split(l.part+string(p), "\n")
	l.part = whole[len(whole)-1]
	for _, line := range whole[:len(whole)-1] {
		l.keep(line)
	}
	return len(p), nil
}

func (l *lineLog) keep(line string) {
	l.lines = append(l.lines, line)
	l.t.Log(line)
}

func (l *lineLog) flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.part != "" {
		l.keep(l.part)
	}
	l.part = ""
}
