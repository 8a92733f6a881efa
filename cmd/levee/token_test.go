package main

import (
	"path/filepath"
	"strings"
	"testing"
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

func TestCompletion(t *testing.T) {
	p := &process{url: "http://127.0.0.1:1"}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if out := p.ok(t, "", "completion", shell); !strings.Contains(out, "complete ") {
			t.Errorf("%s: %s", shell, out)
		}
	}
	for line, want := range map[string]string{"levee cat": "catalogs", "levee tables ": "commits", "levee serve --adm": "--admin", "levee grants list sch": "schema"} {
		cmd := levee()
		cmd.Env = append(cmd.Env, "COMP_LINE="+line)
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), want+"\n") {
			t.Errorf("%q: %v, %s", line, err, out)
		}
	}
}
