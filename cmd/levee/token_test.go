package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestToken makes, lists and revokes tokens through a server and, when that is stopped, in its store.
func TestToken(t *testing.T) {
	data := t.TempDir()
	p := serve(t, "--data", data, "--admin", "me", "--catalog", "main")
	admin := text(t, filepath.Join(data, "admin.token"))
	code, out, note := p.as(t, admin, "token", "create", "--principal", "alice", "--group", "data team", "--group", "a,b", "--expires", "720h", "--comment", "for tests")
	alice := strings.TrimSpace(out)
	id, secret, ok := strings.Cut(alice, ".")
	if code != 0 || !ok || strings.Count(out, "\n") != 1 || !strings.Contains(note, id) || strings.Contains(note, secret) {
		t.Fatalf("exit code %d, stdout %q, stderr %q", code, out, note)
	}
	p.ok(t, alice, "catalogs", "list")
	list := p.ok(t, admin, "token", "list", "--principal", "alice")
	for _, want := range []string{id, "data team, a,b", "for tests", "me"} {
		if !strings.Contains(list, want) || strings.Contains(list, secret) {
			t.Errorf("the list has no %q: %s", want, list)
		}
	}
	p.fails(t, alice, "PERMISSION_DENIED", "admin", "token", "create", "--principal", "me")
	p.fails(t, admin, "NOT_FOUND", "list", "token", "revoke", strings.Repeat("0", 8)+id[8:])
	direct := func(args ...string) (int, string, string) { return p.as(t, "", append([]string{"token"}, args...)...) }
	if code, _, err := direct("list", "--data", data); code != 1 || !strings.Contains(err, "in use") {
		t.Errorf("a running server's store: %d, %s", code, err)
	}
	p.stop(t)

	code, out, note = direct("create", "--principal", "bob", "--data", data)
	bob := strings.TrimSpace(out)
	if code != 0 || !strings.Contains(note, "until it is revoked") {
		t.Fatalf("exit code %d, stdout %q, stderr %q", code, out, note)
	}
	if _, out, _ := direct("list", "--data", data); !strings.Contains(out, id) || !strings.Contains(out, "bob") {
		t.Errorf("the list is %s", out)
	}
	if code, out, err := direct("revoke", id, "--store", filepath.Join(data, "catalog.db")); code != 0 || !strings.Contains(out, id) {
		t.Errorf("revoke: %d, %s, %s", code, out, err)
	}
	for _, where := range [][]string{{"--data", filepath.Join(data, "nowhere")}, {"--store", filepath.Join(data, "none.db")}, {"--store", "memory"}} {
		if code, _, err := direct(append([]string{"list"}, where...)...); code != 1 || !strings.Contains(err, "no catalog") {
			t.Errorf("%v: %d, %s", where, code, err)
		}
	}

	p = serve(t, "--data", data, "--auth")
	p.fails(t, alice, "UNAUTHENTICATED", "token create", "catalogs", "list")
	p.ok(t, bob, "catalogs", "list")
	id, _, _ = strings.Cut(bob, ".")
	p.ok(t, admin, "token", "revoke", id)
	p.fails(t, bob, "UNAUTHENTICATED", "token create", "catalogs", "list")
	p.stop(t)
}

// TestTokenFlags: what is given counts, or is refused.
func TestTokenFlags(t *testing.T) {
	data, dir := t.TempDir(), t.TempDir()
	p := serve(t, "--data", data, "--admin", "me")
	file := filepath.Join(data, "admin.token")
	admin, wrong := text(t, file), filepath.Join(dir, "wrong")
	write(t, wrong, "wrong\n")
	create := func(args ...string) []string {
		return append([]string{"token", "create", "--principal", "x"}, args...)
	}
	for _, args := range [][]string{
		create("--expires", "0d"), create("--expires", "1.5d"), create("--expires", "d"), create("--expires", "99999999999999999d"), create("--expires", "soon"), create("--expires", "0s"), create("--expires", "0"), create("--expires=-1s"), create("--expires", "500ms"), create("--out", filepath.Join(dir, "x"), "-o", "json"),
		{"token", "list", "--data", data, "--server", p.url}, {"token", "list", "--data", data, "--token", "x"}, {"token", "list", "--store", "x.db", "--token-file", file},
		{"token", "list", "--insecure-http", "--data", data}, {"token", "list", "--data", data, "--store", "x.db"}, {"token", "--server", p.url, "list", "--data", data},
	} {
		if code, out, err := p.as(t, admin, args...); code != 1 || out != "" || strings.Count(err, "\n") != 1 || strings.Contains(err, "in use") {
			t.Errorf("levee %v: exit code %d, %q, %q", args, code, out, err)
		}
	}
	p.fails(t, admin, "INVALID_ARGUMENT", "levee token list", "token", "revoke", "nonsense")

	// The command line wins over variables; two variables, or two flags, are a mistake.
	for _, tt := range []struct {
		env, args []string
		ok        bool
	}{
		{[]string{"LEVEE_TOKEN=wrong"}, []string{"--token-file", file}, true},
		{[]string{"LEVEE_TOKEN_FILE=" + wrong}, []string{"--token", admin}, true},
		{[]string{"LEVEE_TOKEN=wrong", "LEVEE_TOKEN_FILE=" + wrong}, []string{"--token-file", file}, true},
		{[]string{"LEVEE_TOKEN=" + admin}, []string{"--token-file", wrong}, false},
		{[]string{"LEVEE_TOKEN=" + admin, "LEVEE_TOKEN_FILE=" + file}, nil, false},
		{nil, []string{"--token", admin, "--token-file", file}, false},
	} {
		for _, command := range []string{"catalogs", "token"} {
			cmd := levee(append([]string{command, "list", "--server", p.url}, tt.args...)...)
			cmd.Env = append(cmd.Env, tt.env...)
			if out, err := cmd.CombinedOutput(); tt.ok != (err == nil) {
				t.Errorf("%s %v: %v, %s", command, tt, err, out)
			}
		}
	}

	if _, _, err := p.as(t, admin, create("--expires", "soon")...); err != "levee: --expires: \"soon\" is no time that a token may count: want whole days, such as 30d, or hours, minutes and seconds, such as 12h or 1h30m\n" {
		t.Errorf("stderr %q", err)
	}
	if _, _, note := p.as(t, admin, create("--expires", "30d")...); !strings.Contains(note, "until "+time.Now().AddDate(0, 0, 30).UTC().Format("2006-01")) {
		t.Errorf("stderr %q", note)
	}
	out := filepath.Join(dir, "alice.token")
	_, printed, note := p.as(t, admin, "token", "create", "--principal", "alice", "--out", out)
	private(t, out)
	_, secret, _ := strings.Cut(text(t, out), ".")
	if printed != "" || !strings.Contains(note, out) || strings.Contains(note, secret) {
		t.Errorf("stdout %q, stderr %q", printed, note)
	}
	p.ok(t, text(t, out), "catalogs", "list")
	before := p.ok(t, admin, "token", "list")
	for _, taken := range []string{out, filepath.Join(dir, "none", "x")} { // no token is made, or it does not stay
		if code, printed, note := p.as(t, admin, create("--out", taken)...); code != 1 || printed != "" || !strings.Contains(note, "--out: ") {
			t.Errorf("%s: %d, %q, %q", taken, code, printed, note)
		}
	}
	if after := p.ok(t, admin, "token", "list"); after != before || text(t, out) == "" {
		t.Errorf("tokens stayed that nobody has:\n%s", after)
	}
	p.stop(t)
}

// TestTokenAudit: what is done to the store of a stopped server is in the audit log, too, and no store becomes a catalog by it.
func TestTokenAudit(t *testing.T) {
	data, log := t.TempDir(), filepath.Join(t.TempDir(), "audit")
	serve(t, "--data", data, "--admin", "me").stop(t)
	create := func(env string, args ...string) (string, error) {
		cmd := levee(append([]string{"token", "create", "--principal", "bob"}, args...)...)
		cmd.Env = append(cmd.Env, env)
		var errors strings.Builder
		cmd.Stderr = &errors
		_, err := cmd.Output()
		return errors.String(), err
	}
	const line = `"action":"create","kind":"token"`
	if said, err := create("LEVEE_AUDIT=", "--data", data); err != nil || !strings.Contains(said, line) {
		t.Errorf("%v, stderr %s", err, said)
	}
	if said, err := create("LEVEE_AUDIT="+log, "--data", data); err != nil || strings.Contains(said, line) || strings.Count(text(t, log), line) != 1 {
		t.Errorf("%v, stderr %s", err, said)
	}
	empty := filepath.Join(t.TempDir(), "empty.db")
	write(t, empty, "")
	if said, err := create("LEVEE_AUDIT=off", "--store", empty); err == nil || !strings.Contains(said, "no catalog") {
		t.Errorf("%v, stderr %s", err, said)
	}
}

func TestCompletion(t *testing.T) {
	p := &process{url: "http://127.0.0.1:1"}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if out := p.ok(t, "", "completion", shell); !strings.Contains(out, "complete ") {
			t.Errorf("%s: %s", shell, out)
		}
	}
	for line, want := range map[string]string{"levee cat": "catalogs", "levee tables ": "commits", "levee serve --adm": "--admin", "levee grants list sch": "schema", "levee grants add catalog x --privilege USE_C": "USE_CATALOG"} {
		cmd := levee()
		cmd.Env = append(cmd.Env, "COMP_LINE="+line)
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), want+"\n") {
			t.Errorf("%q: %v, %s", line, err, out)
		}
	}
}
