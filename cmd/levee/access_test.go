package main

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

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

	if err := os.Remove(file); err != nil { // it was put away
		t.Fatal(err)
	}
	p = serve(t, "--data", data, "--admin", "me")
	p.ok(t, token, "catalogs", "list")
	if _, err := os.Stat(file); err == nil {
		t.Error("another token was made, although there is one")
	}
	p.stop(t)
	p = serve(t, "--data", data, "--admin", "you") // another admin
	p.fails(t, token, "PERMISSION_DENIED", "admin", "token", "list")
	p.ok(t, text(t, file), "token", "list")
	p.stop(t)
	p = serve(t, "--data", data, "--auth", "--catalog", "more") // the admin stays
	p.ok(t, text(t, file), "catalogs", "show", "more")
	p.stop(t)
}

// TestKeyFile is about keys that must not be used.
func TestKeyFile(t *testing.T) {
	data, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "some.key")
	file := filepath.Join(data, "levee.key")
	serve(t, "--data", data).stop(t)
	key := text(t, file)

	refused(t, "not those that this store was made with", "--data", data, "--key-file", elsewhere)
	if _, err := os.Stat(elsewhere); err == nil {
		t.Error("a key of no use was left behind")
	}
	refused(t, "not those that this store was made with", "--data", data, "--key", catalog.NewKey())
	write(t, file, catalog.NewKey())
	refused(t, "not those that this store was made with", "--data", data)
	write(t, file, "# the new one\n"+catalog.NewKey()+"\n"+key+"\n") // rotation
	serve(t, "--data", data).stop(t)
	write(t, file, key)
	refused(t, "not those that this store was made with", "--data", data)

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

// TestMemoryKey: what forgets everything makes no key file.
func TestMemoryKey(t *testing.T) {
	data := t.TempDir()
	p := serve(t, "--data", data, "--store", "memory", "--admin", "me")
	p.ok(t, text(t, filepath.Join(data, "admin.token")), "catalogs", "create", "main")
	if _, err := os.Stat(filepath.Join(data, "levee.key")); err == nil {
		t.Error("there is a key file")
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
	refused(t, "not those that this store was made with", append(root, "--key", catalog.NewKey())...)
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
	if err := p.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = p.Wait()
	if !strings.Contains(p.stderr.String(), `"kind":"catalog"`) {
		t.Errorf("stderr has no audit: %s", p.stderr)
	}
}
