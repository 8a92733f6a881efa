package server_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"testing"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/server"
)

// secretKeys are settings of Hadoop that engines send along as properties, with keys in them.
var secretKeys = []string{
	"fs.s3a.access.key", "fs.s3a.secret.key", "fs.s3a.session.token", "fs.azure.account.key.acc.dfs.core.windows.net", "fs.azure.sas.c.acc.dfs.core.windows.net",
	"fs.gs.auth.service.account.private.key", "option.fs.s3a.secret.key", "option.fs.gs.auth.access.token", "option.fs.azure.sas.fixed.token",
}

// TestBadSecrets sends secrets in the properties of every face: they are refused or dropped, and
// never stored, shown or logged, whatever becomes of the request.
func TestBadSecrets(t *testing.T) {
	const secret = "hunter2-s3cr3t"
	secrets := object{"k": "v"}
	for _, k := range secretKeys {
		secrets[k] = secret + k
	}
	onSecrets := func(name string, request func(f *fixture) good) {
		for store, open := range stores {
			t.Run(name+" on "+store, func(t *testing.T) {
				t.Parallel()
				s := open(t)
				f := newFixture(t, s)
				log := new(bytes.Buffer)
				logger := slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
				c, err := catalog.New(catalog.Config{Store: s, ManagedRoot: "file:///managed", Logger: logger})
				if err != nil {
					t.Fatal(err)
				}
				f.handler = server.New(c, server.Config{Logger: logger})
				r := request(f)
				// Requests that are refused for another reason must not tell the secrets either.
				answers := map[int]int{}
				for _, e := range []edit{put("no name", "name"), put([]any{}, "updates"), put(object{}, "commit_info"), func(object) {}} {
					status, data, _ := f.call(r.method, r.path, body(edited(f.decode([]byte(body(r.body))), e)))
					if answers[status]++; bytes.Contains(data, []byte(secret)) {
						t.Errorf("%d shows a secret: %.500s", status, data)
					}
				}
				if answers[200] == 0 || answers[200]+answers[400]+answers[409] != 4 {
					t.Errorf("answers are %v", answers)
				}
				for _, n := range f.dump() {
					if all := fmt.Sprintf("%s %s", n.Body, n.Log.State); strings.Contains(all, secret) {
						t.Errorf("%s %s has a secret: %.500s", n.Kind, n.Name, all)
					}
				}
				for path, shown := range f.shown() {
					if strings.Contains(shown, secret) {
						t.Errorf("GET %s shows a secret: %.500s", path, shown)
					}
				}
				if strings.Contains(log.String(), secret) {
					t.Errorf("the log has a secret:\n%.1000s", log)
				}
			})
		}
	}
	// in is a good request with the secrets in the properties at path.
	in := func(section string, path ...any) func(f *fixture) good {
		return func(f *fixture) good {
			g := f.goods[section]
			g.body = f.decode([]byte(body(g.body)))
			all := maps.Clone(secrets)
			if p, ok := at(g.body, path...).(object); ok {
				maps.Copy(all, p)
			}
			put(all, path...)(g.body)
			return g
		}
	}
	onSecrets("create, managed", in("create", "properties"))
	onSecrets("create, external", in("external", "properties"))
	onSecrets("set-properties", func(f *fixture) good {
		g := f.goods["update"]
		g.body = edited(f.decode([]byte(body(g.body))), put(setProperties(secrets), "updates", 0))
		return g
	})
	onSecrets("set-properties with a commit", func(f *fixture) good {
		g := f.goods["full"]
		g.body = edited(f.decode([]byte(body(g.body))), add(setProperties(secrets), "updates"))
		return g
	})
	onSecrets("unity table", in("unity table", "properties"))
	onSecrets("unity managed", in("unity managed", "properties"))
	onSecrets("commit", in("commit", "metadata", "properties", "properties"))
	onSecrets("catalog", in("catalogs", "properties"))
	onSecrets("schema", in("schemas", "properties"))
}
