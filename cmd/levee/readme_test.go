package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/leveelake/catalog/internal/program"
)

// TestReadme runs the commands of README.md as they stand there, but for the address, which is a free one, and for
// those that fetch and build levee.
func TestReadme(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are for a POSIX shell")
	}
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	bin, home := t.TempDir(), t.TempDir()
	if _, err := program.Build(bin); err != nil {
		t.Fatal(err)
	}
	env := []string{"HOME=" + home, "PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH"), "TMPDIR=" + t.TempDir(), "LEVEE_LISTEN=127.0.0.1:0"}
	shell := func(script string) *exec.Cmd {
		cmd := exec.Command("sh", "-euc", script)
		cmd.Dir, cmd.Env = home, env
		return cmd
	}
	run := func(script string, says ...string) {
		t.Helper()
		out, err := shell(script).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s\n%s", err, script, out)
		}
		for _, s := range says {
			if !bytes.Contains(out, []byte(s)) {
				t.Errorf("nothing says %q:\n%s\n%s", s, script, out)
			}
		}
	}

	demo := fences(t, string(text), "Try it")
	if last := strings.TrimSpace(demo[0][strings.LastIndex(strings.TrimSpace(demo[0]), "\n")+1:]); last != "go run ./cmd/levee demo" {
		t.Errorf("the last of the first commands is %q", last)
	}
	run("levee demo", "latest version 3")

	steps := fences(t, string(text), "The first five minutes")
	install, start, _ := strings.Cut(steps[0], "\n")
	if !strings.HasPrefix(install, "go install ./cmd/levee") || !strings.HasPrefix(start, "levee serve") {
		t.Fatalf("the first step is not to install levee and start a server:\n%s", steps[0])
	}
	p := await(t, shell("exec "+start))
	env = append(env, "LEVEE_SERVER="+p.url)
	script := strings.ReplaceAll(strings.Join(steps[1:], ""), "http://127.0.0.1:8080", p.url)
	run(script, "shop.eu.cities", "EXTERNAL", "bigint", "latest version 3, of which 1 wait", "renamed table", "alice", "deleted catalog shop")
	if _, err := os.Stat(filepath.Join(home, "levee-data", "admin.token")); err != nil {
		t.Error(err)
	}
	if err := p.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := p.Wait(); err != nil {
		t.Errorf("%v: %s", err, p.stderr)
	}
}

// fences returns the shell commands of a section, fence by fence.
func fences(t *testing.T, text, section string) []string {
	t.Helper()
	_, text, ok := strings.Cut(text, "\n## "+section+"\n")
	text, _, _ = strings.Cut(text, "\n## ")
	var out []string
	for _, m := range regexp.MustCompile("(?ms)^```sh\n(.*?)^```").FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	if !ok || len(out) == 0 {
		t.Fatalf("README.md has no commands in a section %q", section)
	}
	return out
}
