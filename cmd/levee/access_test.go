package main

import (
	"bufio"
	"bytes"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/internal/pgtest"
	"github.com/leveelake/catalog/server/auth"
)

// as runs a command of levee that asks the server at p with a token, and returns its exit code and output.
func (p *process) as(t testing.TB, token string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	cmd := levee(args...)
	cmd.Env = append(cmd.Env, "LEVEE_SERVER="+p.url)
	if token != "" {
		cmd.Env = append(cmd.Env, "LEVEE_TOKEN="+token)
	}
	var out, err strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &err
	if e := cmd.Run(); e != nil && cmd.ProcessState == nil {
		t.Fatal(e)
	}
	return cmd.ProcessState.ExitCode(), out.String(), err.String()
}

// ok runs a command that must succeed.
func (p *process) ok(t testing.TB, token string, args ...string) string {
	t.Helper()
	code, out, err := p.as(t, token, args...)
	if code != 0 {
		t.Fatalf("levee %v: %s", args, err)
	}
	return out
}

// fails runs a command that must not, and say so in one line and what to do in another.
func (p *process) fails(t testing.TB, token, says, next string, args ...string) {
	t.Helper()
	code, out, err := p.as(t, token, args...)
	if first, second, _ := strings.Cut(err, "\n"); code != 1 || out != "" || !strings.Contains(first, says) || !strings.Contains(second, next) || strings.Count(err, "\n") != 2 {
		t.Errorf("levee %v: exit code %d, stdout %q, stderr %q; want %q and %q", args, code, out, err, says, next)
	}
}

func text(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(data))
}

// private fails unless nobody else may use a file.
func private(t testing.TB, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
		t.Errorf("%s has mode %v", path, info.Mode())
	}
}

// TestAdmin: the admin's token is made once, is in a file that nobody else may read, and is printed nowhere.
func TestAdmin(t *testing.T) {
	data := t.TempDir()
	file := filepath.Join(data, "admin.token")
	p := serve(t, "--data", data, "--admin", "me", "--catalog", "main")
	token := text(t, file)
	private(t, file)
	private(t, filepath.Join(data, "levee.key"))
	if out := p.ok(t, token, "catalogs", "list"); !strings.Contains(out, "main") || !strings.Contains(out, "me") {
		t.Errorf("catalogs: %s", out)
	}
	p.fails(t, "", "no token", "LEVEE_TOKEN", "catalogs", "list")
	p.fails(t, "wrong", "UNAUTHENTICATED", "token create", "catalogs", "list")
	p.stop(t)
	if out := <-p.stdout; !strings.Contains(out, file) || strings.Contains(out, token[:40]) {
		t.Errorf("the server printed %q", out)
	}

	p = serve(t, "--data", data, "--admin", "me")
	if text(t, file) != token {
		t.Error("another token was made, although there is one")
	}
	p.stop(t)
	if err := os.Remove(file); err != nil { // it was put away, or the server was killed before it wrote it
		t.Fatal(err)
	}
	p = await(t, levee("serve", "--listen", "127.0.0.1:0", "--data", data, "--admin", "me"))
	p.ok(t, token, "catalogs", "list")
	p.ok(t, text(t, file), "catalogs", "list")
	if said := p.says(t); text(t, file) == token || !strings.Contains(said, "made anew") || strings.Contains(said, text(t, file)[:40]) {
		t.Errorf("the token was not made anew; stderr %s", said)
	}

	if line := refused(t, "move the file away", "--data", data, "--admin", "you"); !strings.Contains(line, `the admin is "me"`) || !strings.Contains(line, `"you" is the admin instead`) {
		t.Error(line)
	}
	if err := os.Rename(file, file+".old"); err != nil {
		t.Fatal(err)
	}
	p = serve(t, "--data", data, "--auth")
	p.ok(t, text(t, file+".old"), "token", "list") // who was refused is no admin
	p.stop(t)
	p = serve(t, "--data", data, "--admin", "you")
	p.fails(t, token, "PERMISSION_DENIED", "admin", "token", "list")
	p.ok(t, text(t, file), "token", "list")
	if said := p.says(t); strings.Count(said, "\n") != 1 || !strings.Contains(said, "level=INFO") || !strings.Contains(said, "admin=you before=me") {
		t.Errorf("a change of the admin is told as %q", said)
	}
	p = serve(t, "--data", data, "--auth", "--catalog", "more") // the admin stays
	p.ok(t, text(t, file), "catalogs", "show", "more")
	p.stop(t)
}

// TestAdminTokenFile: no file that is somebody's is overwritten, and none that nobody needs stays.
func TestAdminTokenFile(t *testing.T) {
	data, other := t.TempDir(), t.TempDir()
	file := filepath.Join(data, "admin.token")
	p := serve(t, "--data", data, "--admin", "me")
	good := text(t, file)
	member := p.ok(t, good, "token", "create", "--principal", "alice", "--group", "me")
	brief := p.ok(t, good, "token", "create", "--principal", "me", "--expires", "1s")
	revoked := p.ok(t, good, "token", "create", "--principal", "me")
	id, _, _ := strings.Cut(revoked, ".")
	p.ok(t, good, "token", "revoke", id)
	stranger := p.ok(t, good, "token", "create", "--principal", "bob")
	p.stop(t)
	serve(t, "--data", other, "--admin", "me").stop(t)
	time.Sleep(1100 * time.Millisecond)
	for name, content := range map[string]string{
		"another store's": text(t, filepath.Join(other, "admin.token")), "expired": brief, "revoked": revoked, "another principal's": stranger, "nothing": "", "no token": "hello",
	} {
		t.Run(name, func(t *testing.T) {
			write(t, file, content)
			refused(t, "move the file away", "--data", data, "--admin", "me")
			if got := text(t, file); got != strings.TrimSpace(content) {
				t.Errorf("it was overwritten: %q", got)
			}
		})
	}
	for _, fine := range []string{good, member} {
		write(t, file, fine)
		left := filepath.Join(data, ".admin.token-123")
		write(t, left, "of a server that was killed")
		serve(t, "--data", data, "--admin", "me").stop(t)
		if _, err := os.Stat(left); err == nil || text(t, file) != strings.TrimSpace(fine) {
			t.Errorf("a file was left behind, or admin.token changed: %v", err)
		}
	}
	// A token that cannot be written down does not stay.
	tokens := func() string {
		out, err := levee("token", "list", "--data", data).Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	before := tokens()
	if os.Remove(file) != nil || os.Symlink(filepath.Join(data, "nowhere"), file) != nil {
		t.Skip("there are no symbolic links")
	}
	refused(t, file, "--data", data, "--admin", "me")
	if after := tokens(); after != before {
		t.Errorf("there is another token:\n%s", after)
	}
}

// TestEmptySettings: what was to protect a server, and is empty, does not leave it open.
func TestEmptySettings(t *testing.T) {
	for _, flag := range []string{"--admin", "--static-tokens", "--oidc", "--key", "--key-file"} {
		for _, value := range []string{"", " "} {
			refused(t, flag+" ", flag+"="+value)
		}
	}
	for _, name := range []string{"LEVEE_ADMIN", "LEVEE_STATIC_TOKENS", "LEVEE_OIDC", "LEVEE_KEY", "LEVEE_KEY_FILE", "LEVEE_AUTH"} {
		data := filepath.Join(t.TempDir(), "data")
		cmd := levee("serve", "--listen", "127.0.0.1:0", "--data", data)
		cmd.Env = append(cmd.Env, name+"=")
		out, err := cmd.CombinedOutput()
		if _, e := os.Stat(data); err == nil || strings.Count(string(out), "\n") != 1 || !strings.Contains(string(out), name) || e == nil {
			t.Errorf("%s: %v, %s", name, err, out)
		}
		cmd = levee("version") // it is no affair of other commands
		cmd.Env = append(cmd.Env, name+"=")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v, %s", name, err, out)
		}
	}
}

// TestNoAuthInOwnedStore: a catalog that has an admin is not opened to everybody by a flag that was left out.
func TestNoAuthInOwnedStore(t *testing.T) {
	data := t.TempDir()
	serve(t, "--data", data, "--admin", "me", "--catalog", "main").stop(t)
	if line := refused(t, "--insecure-no-auth", "--data", data); !strings.Contains(line, "--auth") || !strings.Contains(line, `"me"`) {
		t.Error(line)
	}
	p := serve(t, "--data", data, "--insecure-no-auth")
	p.ok(t, "", "catalogs", "show", "main")
	if warned := p.says(t); !strings.Contains(warned, "level=WARN") || !strings.Contains(warned, "EVERYBODY") {
		t.Errorf("stderr %q", warned)
	}
	serve(t, "--data", data, "--auth").stop(t)
}

// TestKeyFile is about keys that must not be used.
func TestKeyFile(t *testing.T) {
	data, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "some.key")
	file := filepath.Join(data, "levee.key")
	serve(t, "--data", data).stop(t)
	key := text(t, file)

	keys, err := catalog.ParseKeys(key)
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "other.key")
	write(t, other, catalog.NewKey()+"\n"+catalog.NewKey()+"\n")
	shown, err := levee("keygen", "--show", other).Output()
	if err != nil {
		t.Fatal(err)
	}
	refused(t, "--key-file "+other+": the store needs the key "+keys.Fingerprints()[0]+"; the file has "+strings.Join(strings.Fields(string(shown)), " and ")+"\n", "--data", data, "--key-file", other)
	missing := elsewhere + " does not exist, and the store needs the key " + keys.Fingerprints()[0]
	refused(t, missing, "--data", data, "--key-file", elsewhere)
	if _, err := os.Stat(elsewhere); err == nil {
		t.Error("a key of no use was made")
	}
	if err := os.Symlink(elsewhere+".target", elsewhere); err == nil {
		refused(t, missing, "--data", data, "--key-file", elsewhere)
		refused(t, elsewhere+" is a link", "--key-file", elsewhere) // for a new store
		if _, err := os.Stat(elsewhere); err == nil {
			t.Error("a key was made where the link leads")
		}
	}
	if err := os.Rename(file, file+".away"); err != nil {
		t.Fatal(err)
	}
	refused(t, file+" does not exist", "--data", data)
	if files, _ := filepath.Glob(filepath.Join(data, "*.key")); len(files) > 0 {
		t.Errorf("keys were made: %q", files)
	}
	if err := os.Rename(file+".away", file); err != nil {
		t.Fatal(err)
	}
	refused(t, "the store needs the key ", "--data", data, "--key", catalog.NewKey())
	write(t, file, catalog.NewKey())
	refused(t, "the store needs the key ", "--data", data)
	write(t, file, "# the new one\n"+catalog.NewKey()+"\n"+key+"\n") // rotation
	serve(t, "--data", data).stop(t)
	write(t, file, key)
	refused(t, "the store needs the key ", "--data", data)

	if runtime.GOOS == "windows" {
		return
	}
	for _, mode := range []os.FileMode{0o604, 0o640, 0o644} {
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
		refused(t, "chmod 600", "--data", data)
	}
}

// TestKeyFileAtOnce: servers that start at the same time with the same key file, which is not there, agree on one key.
func TestKeyFileAtOnce(t *testing.T) {
	const servers = 6
	file := filepath.Join(t.TempDir(), "shared.key")
	start := func(data string) *exec.Cmd {
		cmd := levee("serve", "--listen", "127.0.0.1:0", "--data", data, "--key-file", file)
		return cmd
	}
	var data []string
	var running []*process
	var mu sync.Mutex
	var wait sync.WaitGroup
	for range servers {
		d := t.TempDir()
		data = append(data, d)
		wait.Go(func() {
			cmd := start(d)
			out, err := cmd.StdoutPipe()
			if err != nil || cmd.Start() != nil {
				t.Error("it does not start", err)
				return
			}
			_, _ = bufio.NewReader(out).ReadString('\n')
			mu.Lock()
			defer mu.Unlock()
			running = append(running, &process{Cmd: cmd, stderr: new(bytes.Buffer)})
		})
	}
	wait.Wait()
	for _, p := range running {
		p.stop(t)
	}
	private(t, file)
	for _, d := range data { // each has the key that is in the file
		await(t, start(d)).stop(t)
	}
	if files, err := os.ReadDir(filepath.Dir(file)); err != nil || len(files) != 1 {
		t.Errorf("something was left beside the key: %v", files)
	}
}

// TestWriteSecret: of many who make one file, one does, and nobody sees half of it.
func TestWriteSecret(t *testing.T) {
	for range 20 {
		file := filepath.Join(t.TempDir(), "secret")
		var made atomic.Int32
		var wait sync.WaitGroup
		for i := range 8 {
			wait.Go(func() {
				content := strings.Repeat(strconv.Itoa(i), 1000)
				switch err := writeSecret(file, content); {
				case err == nil:
					made.Add(1)
				case !errors.Is(err, fs.ErrExist):
					t.Error(err)
				}
				got, err := readSecret(file)
				if err != nil || len(got) != 1000 || strings.Trim(got, got[:1]) != "" {
					t.Errorf("%v, %d bytes", err, len(got))
				}
			})
		}
		wait.Wait()
		if made.Load() != 1 {
			t.Errorf("%d have made it", made.Load())
		}
		if files, _ := os.ReadDir(filepath.Dir(file)); len(files) != 1 {
			t.Errorf("there are %v", files)
		}
	}
}

// TestMemoryKey: what forgets everything makes no key file.
func TestMemoryKey(t *testing.T) {
	data := t.TempDir()
	p := serve(t, "--data", data, "--store", "memory", "--admin", "me")
	p.ok(t, text(t, filepath.Join(data, "admin.memory.token")), "catalogs", "create", "main")
	if _, err := os.Stat(filepath.Join(data, "levee.key")); err == nil {
		t.Error("there is a key file")
	}
	p.stop(t)

	serve(t, "--data", data, "--admin", "me").stop(t) // another store; neither touches the other's token
	kept, stale := text(t, filepath.Join(data, "admin.token")), text(t, filepath.Join(data, "admin.memory.token"))
	p = serve(t, "--data", data, "--store", "memory", "--admin", "you")
	p.ok(t, text(t, filepath.Join(data, "admin.memory.token")), "token", "list")
	if text(t, filepath.Join(data, "admin.token")) != kept || text(t, filepath.Join(data, "admin.memory.token")) == stale {
		t.Error("the wrong file was written")
	}
	p.stop(t)
}

// TestPostgresKey: servers on one PostgreSQL do not each make a key of their own.
func TestPostgresKey(t *testing.T) {
	url, key := pgtest.URL(t), catalog.NewKey()
	root := []string{"--store", url, "--managed-root", "s3://lake/managed", "--data", t.TempDir()}
	refused(t, "levee keygen", append(root, "--admin", "me")...)
	refused(t, "levee keygen", append(root, "--key-file", filepath.Join(t.TempDir(), "none"))...)
	serve(t, root...).stop(t) // nobody is asked for a token: no key is needed
	p := serve(t, append(root, "--admin", "me", "--key", key)...)
	defer p.stop(t)
	refused(t, "the store needs the key ", append(root, "--key", catalog.NewKey())...)
	second := serve(t, append(root, "--auth", "--key", key)...)
	second.ok(t, text(t, filepath.Join(root[5], "admin.token")), "catalogs", "list")
	second.stop(t)
}

// TestStaticTokens: a file of tokens lets in, beside those of the store, and any address may be listened on.
func TestStaticTokens(t *testing.T) {
	data, list := t.TempDir(), filepath.Join(t.TempDir(), "tokens")
	write(t, list, auth.HashToken("open-sesame")+" robot readers\n")
	p := await(t, levee("serve", "--listen", "0.0.0.0:0", "--data", data, "--admin", "me", "--static-tokens", list, "--prefix", "/uc", "--log-level", "error"))
	admin := text(t, filepath.Join(data, "admin.token"))
	p.ok(t, admin, "catalogs", "create", "main")
	p.ok(t, admin, "grants", "add", "catalog", "main", "--to", "readers", "--privilege", "USE_CATALOG")
	p.ok(t, "open-sesame", "catalogs", "show", "main")
	p.fails(t, "open-sesame", "PERMISSION_DENIED", "grants add", "catalogs", "delete", "main")
	for path, want := range map[string]int{"/uc/catalogs": 401, "/catalogs": 401, "/api/2.1/unity-catalog/catalogs": 401} {
		res, err := http.Get(p.url + path)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("%s: %s", path, res.Status)
		}
	}
	res, err := http.PostForm(p.url+"/oauth2/token", map[string][]string{"grant_type": {"client_credentials"}, "client_id": {"me"}, "client_secret": {admin}})
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Errorf("token endpoint: %s", res.Status)
	}
	p.stop(t)
}

// flaky is a writer that fails as it is told.
type flaky struct {
	strings.Builder
	fail bool
}

func (f *flaky) Write(p []byte) (int, error) {
	if f.fail {
		n, _ := f.Builder.Write(p[:len(p)/2])
		return n, errors.New("the disk is full")
	}
	return f.Builder.Write(p)
}

// TestAuditLost: each time that lines of the audit log begin to be lost, and once only, the log tells.
func TestAuditLost(t *testing.T) {
	var out flaky
	var log strings.Builder
	audit := slog.New(slog.NewJSONHandler(&auditWriter{Writer: &out, to: "x", log: slog.New(slog.NewTextHandler(&log, nil))}, nil))
	for i, fail := range []bool{false, true, true, true, false, false, true, false} {
		out.fail = fail
		audit.Info("event", "n", i)
	}
	if got := log.String(); strings.Count(got, "level=ERROR") != 4 || strings.Count(got, "the disk is full") != 2 || !strings.Contains(got, "lost=3") || !strings.Contains(got, "lost=1") {
		t.Errorf("the log: %s", got)
	}
	for _, n := range []int{0, 4, 5, 7} { // whole, whatever was cut off before them
		if !regexp.MustCompile(`(?m)^\{.*"n":` + strconv.Itoa(n) + `\}$`).MatchString(out.String()) {
			t.Errorf("line %d is missing in\n%s", n, out.String())
		}
	}
	if runtime.GOOS != "linux" {
		return
	}
	p := serve(t, "--data", t.TempDir(), "--audit", "/dev/full", "--catalog", "main", "--log-level", "error")
	p.ok(t, "", "catalogs", "create", "other")
	if got := p.says(t); strings.Count(got, "\n") != 1 || !strings.Contains(got, "level=ERROR") || !strings.Contains(got, "/dev/full") {
		t.Errorf("stderr %q", got)
	}
}

// TestAudit: a line for each change, in a file that nobody else may read and that goes on after a restart, and no secret.
func TestAudit(t *testing.T) {
	data, log := t.TempDir(), filepath.Join(t.TempDir(), "audit.log")
	for range 2 {
		serve(t, "--data", data, "--admin", "me", "--catalog", "main", "--audit", log).stop(t)
	}
	private(t, log)
	lines := text(t, log)
	_, secret, _ := strings.Cut(text(t, filepath.Join(data, "admin.token")), ".")
	if n := len(regexp.MustCompile(`(?m)^\{.*"principal":"me","action":"create","kind":"catalog".*\}$`).FindAllString(lines, -1)); n != 1 || strings.Contains(lines, secret) {
		t.Errorf("%d lines of the catalog in %s", n, lines)
	}
	p := await(t, levee("serve", "--listen", "127.0.0.1:0", "--data", data, "--audit", "stderr", "--catalog", "other", "--admin", "me"))
	if said := p.says(t); !strings.Contains(said, `"kind":"catalog"`) {
		t.Errorf("stderr has no audit: %s", said)
	}
	p = serve(t, "--data", data, "--admin", "me", "--audit", "stdout")
	p.ok(t, text(t, filepath.Join(data, "admin.token")), "catalogs", "create", "third")
	p.stop(t)
	if out := <-p.stdout; !strings.Contains(out, `"kind":"catalog"`) {
		t.Errorf("stdout has no audit: %s", out)
	}
	if _, err := os.Stat("stdout"); err == nil {
		t.Error("there is a file named stdout")
	}
}
