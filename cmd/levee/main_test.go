package main

import (
	"bufio"
	"bytes"
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/leveelake/catalog"
)

// asLevee makes this test binary behave as the levee command, so that tests can
// start it, signal it and kill it.
const asLevee = "LEVEE_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asLevee) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// A process is a running server.
type process struct {
	*exec.Cmd
	url    string
	stderr *bytes.Buffer
	stdout chan string // all of it, when the server has ended
}

// command is a levee command that has not been started. Its environment has no LEVEE_ variables
// of the developer's.
func levee(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "LEVEE_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, asLevee+"=1", "LEVEE_AUDIT=off") // so that nothing is on stderr but what goes wrong
	return cmd
}

// serve starts a server on a free port and waits until it says where it is.
func serve(t testing.TB, args ...string) *process {
	t.Helper()
	return await(t, levee(append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...))
}

// await starts the command of a server and waits likewise.
func await(t testing.TB, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{Cmd: cmd, stderr: new(bytes.Buffer)}
	p.Stderr = p.stderr
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Process.Kill() })
	lines := bufio.NewReader(out)
	line, err := lines.ReadString('\n')
	p.url = regexp.MustCompile(`http://[0-9.:]+`).FindString(line)
	if err != nil || p.url == "" {
		if err == nil {
			_ = p.Process.Kill()
		}
		_ = p.Wait()
		t.Fatalf("the server said %q, %v; stderr %s", line, err, p.stderr)
	}
	p.stdout = make(chan string, 1)
	go func() {
		var rest bytes.Buffer
		_, _ = lines.WriteTo(&rest)
		p.stdout <- line + rest.String()
	}()
	return p
}

// stop asks the server to stop and expects that it does so in order.
func (p *process) stop(t testing.TB) {
	t.Helper()
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := p.Wait(); err != nil || p.stderr.Len() > 0 {
		t.Errorf("stop: %v, stderr %s", err, p.stderr)
	}
}

// says is stop of a server that has something to say on stderr, and returns that.
func (p *process) says(t testing.TB) string {
	t.Helper()
	if err := p.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := p.Wait(); err != nil {
		t.Errorf("stop: %v, stderr %s", err, p.stderr)
	}
	return p.stderr.String()
}

func TestServe(t *testing.T) {
	data := filepath.Join(t.TempDir(), "new", "data")
	config := "/api/2.1/unity-catalog/delta/v1/config?catalog=main&protocol-versions=1.0"
	for _, args := range [][]string{{"--catalog", "main"}, nil} { // the second start finds what the first made
		p := serve(t, append(args, "--data", data)...)
		res, err := http.Get(p.url + config)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != http.StatusOK {
			t.Errorf("config: %s", res.Status)
		}
		p.stop(t)
	}
}

func TestHelpOfNothing(t *testing.T) {
	for _, args := range [][]string{{"help", "nosuch"}, {"help", "token", "nosuch"}} {
		if out, err := levee(args...).CombinedOutput(); err == nil || strings.Count(string(out), "\n") != 1 || !strings.Contains(string(out), "nosuch") {
			t.Errorf("levee %v: %v, %s", args, err, out)
		}
	}
}

func TestUnknownCommand(t *testing.T) {
	for _, args := range [][]string{{"nosuch"}, {"catalogs", "nosuch"}} {
		if out, err := levee(args...).CombinedOutput(); err == nil || strings.Count(string(out), "\n") != 1 || !strings.Contains(string(out), "see levee help") {
			t.Errorf("levee %v: %v, %s", args, err, out)
		}
	}
}

func TestFlagsFromEnvironment(t *testing.T) {
	cmd := levee("serve")
	cmd.Env = append(cmd.Env, "LEVEE_LISTEN=nonsense", "LEVEE_DATA="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "nonsense") {
		t.Errorf("%v: %s", err, out)
	}
}

func TestHelpAndVersion(t *testing.T) {
	for _, args := range [][]string{nil, {"help"}, {"--help"}, {"serve", "--help"}, {"version"}, {"--version"}} {
		out, err := levee(args...).CombinedOutput()
		if err != nil || !strings.Contains(string(out), "levee") {
			t.Errorf("levee %v: %v, %s", args, err, out)
		}
	}
}

// TestStartErrors: what prevents a start is told in one line, and the exit code is 1.
func TestStartErrors(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	inUse := t.TempDir()
	serve(t, "--data", inUse)
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "this is no database, whatever it looks like")
	misspelt, nothing := filepath.Join(t.TempDir(), "misspelt"), filepath.Join(t.TempDir(), "nothing")
	write(t, misspelt, `[{"url": "https://id.example", "audiences": ["levee"]}]`)
	write(t, nothing, `[{"url": "https://id.example"}]`)
	for name, test := range map[string]struct {
		args []string
		says string
	}{
		"port in use":        {[]string{"--listen", taken.Addr().String()}, taken.Addr().String()},
		"not loopback":       {[]string{"--listen", "0.0.0.0:0"}, "--insecure-no-auth"},
		"all addresses":      {[]string{"--listen", ":0"}, "--insecure-no-auth"},
		"no port":            {[]string{"--listen", "127.0.0.1"}, "--listen"},
		"data is a file":     {[]string{"--data", file}, file},
		"data below a file":  {[]string{"--data", filepath.Join(file, "x")}, file},
		"store is no folder": {[]string{"--store", filepath.Join(file, "x.db")}, "x.db"},
		"store is no SQLite": {[]string{"--store", file}, file},
		"store is unknown":   {[]string{"--store", "mysql://u:secret@h/d"}, "mysql://"},
		"store in use":       {[]string{"--data", inUse}, inUse},
		"managed root":       {[]string{"--managed-root", "s3a://x"}, "s3"},
		"catalog name":       {[]string{"--catalog", "a.b"}, "a.b"},
		"auth or not":        {[]string{"--admin", "me", "--insecure-no-auth"}, "--insecure-no-auth"},
		"nobody's catalog":   {[]string{"--auth", "--catalog", "main"}, "--admin"},
		"admin without name": {[]string{"--admin", " "}, "--admin"},
		"prefix":             {[]string{"--prefix", "/{x}"}, "--prefix"},
		"prefix of another":  {[]string{"--prefix", "/api"}, "--prefix"},
		"two keys":           {[]string{"--key", catalog.NewKey(), "--key-file", file}, "--key-file"},
		"key is none":        {[]string{"--key", "levee-key-short"}, "43 characters"},
		"key file is none":   {[]string{"--key-file", file}, file},
		"audit in a file":    {[]string{"--audit", filepath.Join(file, "x")}, "--audit"},
		"no static tokens":   {[]string{"--static-tokens", file + ".none"}, "--static-tokens"},
		"no such token line": {[]string{"--static-tokens", file}, file},
		"issuers are none":   {[]string{"--oidc", file}, "--oidc"},
		"issuers misspelt":   {[]string{"--oidc", misspelt}, "audiences"},
		"issuer of nothing":  {[]string{"--oidc", nothing}, "audience"},
		"issuer twice":       {[]string{"--oidc", issuers(t, `[{"url": "https://id.example", "audience": ["a"], "url": "https://evil.example"}]`)}, `issuer 1: "url" is there twice`},
		"issuer of 2 types":  {[]string{"--oidc", issuers(t, `[{"url": "https://id.example", "audience": "a"}]`)}, `issuer 1: "audience" must be a list of texts`},
		"issuer of no URL":   {[]string{"--oidc", issuers(t, `[{"url": 5, "audience": ["a"]}]`)}, `"url" must be a text`},
		"issuer's claim":     {[]string{"--oidc", issuers(t, `[{"url": "https://id.example", "audience": ["a"], "principal-claim": null}]`)}, `"principal-claim" must be a text`},
		"issuer's trust":     {[]string{"--oidc", issuers(t, `[{"url": "https://id.example", "audience": ["a"], "trust-email": "yes"}]`)}, `"trust-email" must be true or false`},
		"issuer's prefix":    {[]string{"--oidc", issuers(t, `[{"url": "https://id.example", "audience": ["a"], "prefix": "corp: "}]`)}, "blanks around"},
		"issuer not listed":  {[]string{"--oidc", issuers(t, `{"url": "https://id.example", "audience": ["a"]}`)}, "want a list of issuers"},
		"issuer is a text":   {[]string{"--oidc", issuers(t, `["https://id.example"]`)}, "issuer 1: want one object"},
		"issuer is null":     {[]string{"--oidc", issuers(t, `[null]`)}, "issuer 1: want one object"},
		"issuer not UTF-8":   {[]string{"--oidc", issuers(t, "[{\"url\": \"https://id.example/\xff\", \"audience\": [\"a\"]}]")}, "UTF-8"},
		"issuers are empty":  {[]string{"--oidc", issuers(t, `[]`)}, "empty"},
		"issuers and more":   {[]string{"--oidc", issuers(t, `[] []`)}, "after top-level value"},
		"unknown flag":       {[]string{"--nonsense"}, "--nonsense"},
		"unknown log format": {[]string{"--log-format", "xml"}, "xml"},
	} {
		t.Run(name, func(t *testing.T) { refused(t, test.says, test.args...) })
	}
}

// TestStoresWithPasswords: what is no URL of a PostgreSQL, but looks as if it was meant to be one, becomes no file, and is not repeated.
func TestStoresWithPasswords(t *testing.T) {
	for _, store := range []string{
		"host=db password=s3cret", "password=s3cret host=db", "dbname=levee user=u password = 's3cret'", "HOST=db PASSWORD=s3cret", "service=s3cret", "postgres:/u:s3cret@h/d",
		"postgres:u:s3cret@h/d", "postgresql:/u:s3cret@h/d", " postgres://u:s3cret@h/d", "POSTGRES://u:s3cret@h/d", "mysql://u:s3cret@h/d", "jdbc:postgresql://h/d?password=s3cret",
	} {
		if line := refused(t, "--store: ", "--store", store); strings.Contains(line, "s3cret") {
			t.Errorf("%q is repeated: %s", store, line)
		}
		out, err := levee("token", "list", "--store", store).CombinedOutput()
		if err == nil || strings.Count(string(out), "\n") != 1 || strings.Contains(string(out), "s3cret") {
			t.Errorf("%q: %v, %s", store, err, out)
		}
	}
	if left, _ := filepath.Glob("*s3cret*"); len(left) > 0 {
		t.Errorf("files were made: %q", left)
	}
}

// issuers is a file for --oidc.
func issuers(t testing.TB, text string) string {
	file := filepath.Join(t.TempDir(), "issuers")
	write(t, file, text)
	return file
}

// write writes a file that nobody else may read.
func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// refused starts a server that must not start, and returns the one line that says why.
func refused(t *testing.T, says string, args ...string) string {
	t.Helper()
	cmd := levee(append([]string{"serve", "--listen", "127.0.0.1:0", "--data", t.TempDir()}, args...)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
	err := cmd.Wait()
	stop()
	text := stderr.String()
	if code := cmd.ProcessState.ExitCode(); code != 1 {
		t.Errorf("exit code %d, %v", code, err)
	}
	if strings.Count(text, "\n") != 1 || !strings.HasPrefix(text, "levee: ") || !strings.Contains(text, says) {
		t.Errorf("stderr %q, want something with %q", text, says)
	}
	if stdout.Len() > 0 {
		t.Errorf("stdout %q", stdout.String())
	}
	return text
}
