//go:build unix

package history_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/anishathalye/porcupine"
	"github.com/jackc/pgx/v5"
)

// TestBrokenReplicasAreRejected proves that what TestReplicas looks at would show a fault: each
// of these clusters breaks one promise, most of them only now and then.
func TestBrokenReplicasAreRejected(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a while")
	}
	c := startCluster(t, 2)
	const twisted = "not linearizable"
	for _, broken := range []struct {
		name  string
		front func(h http.Handler, d *dice) http.Handler // before one of the replicas
		sql   string                                     // before
		after string                                     // after, for tables of the schema $1
		want  string                                     // "": nothing is found
	}{
		{name: "nothing"},
		{name: "a replica answers loads from a cache", front: staleAnswers("/tables/"), want: twisted},
		{name: "a replica answers lists from a cache", front: staleAnswers("/tables"), want: twisted},
		{name: "a replica confirms what a client has without a look", front: confirmsAll, want: twisted},
		{name: "a replica tells the loser that it has won", front: twoWinners, want: twisted},
		{name: "a replica tells the winner that it has lost", front: noWinner, want: twisted},
		{name: "a replica fails", front: fails, want: "is answered with 500"},
		{name: "a replica tells its secrets", front: tells(c.url), want: "holds a secret"},
		{name: "the last commit of each table is lost in the end", want: "was ratified with", after: `
			WITH mine AS (SELECT l.object, l.last FROM log l JOIN object o ON o.id = l.object JOIN object s ON s.id = o.parent WHERE s.name = $1 AND l.last > 0),
			gone AS (DELETE FROM "commit" WHERE (log, version) IN (SELECT object, last FROM mine))
			UPDATE log SET last = last - 1, backfilled = least(backfilled, last - 1) WHERE object IN (SELECT object FROM mine)`},
		{name: "a commit in the middle is lost in the end", want: "but version 1 is missing", after: `
			DELETE FROM "commit" WHERE version = 1 AND log IN (SELECT o.id FROM object o JOIN object s ON s.id = o.parent WHERE s.name = $1)`},
		{name: "the database forgets some commits when they are acknowledged", want: "(?s)was ratified.*" + twisted, sql: `
			CREATE FUNCTION forget() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
				UPDATE log SET revision = OLD.revision, last = OLD.last, backfilled = OLD.backfilled, state = OLD.state WHERE object = OLD.object;
				DELETE FROM "commit" WHERE log = NEW.object AND version = NEW.last;
				RETURN NULL;
			END $$;
			CREATE TRIGGER forget AFTER UPDATE ON log FOR EACH ROW WHEN (NEW.last > OLD.last AND random() < 0.03) EXECUTE FUNCTION forget()`},
	} {
		t.Run(broken.name, func(t *testing.T) {
			first := firstSeed()
			if broken.sql != "" {
				c.sql(t, broken.sql)
			}
			const tries = 30
			for seed := first; seed < first+tries; seed++ {
				c.found = &findings{}
				b := c.balancer()
				defer b.close()
				if broken.front != nil {
					b.upstreams[0].address = front(t, c.members[0].address, func(h http.Handler) http.Handler { return broken.front(h, newDice(seed)) })
				}
				g := c.generate(b, fmt.Sprint("broken", rand.Uint64()), 16, 500, seed, nil)
				if broken.after != "" {
					c.sql(t, broken.after, g.name)
				}
				g.settle(b)
				checkCommits(c.found, g.history(), g.logs(c.logs()))
				result, _ := g.check()
				switch {
				case result == porcupine.Illegal:
					c.found.add(twisted)
				case result == porcupine.Unknown:
					t.Logf("seed %d: unknown, which is no proof", seed)
				}
				found := c.found.String()
				switch {
				case broken.want == "" && found != "":
					t.Fatalf("seed %d: %s", seed, found)
				case broken.want == "" && seed == first+1:
					return
				case broken.want != "" && regexp.MustCompile(broken.want).MatchString(found):
					t.Logf("rejected at history %d", seed-first+1)
					return
				}
			}
			t.Errorf("accepted %d times from seed %d on", tries, first)
		})
	}
}

// front is the address of a server before the one at address.
func front(t *testing.T, address string, bend func(h http.Handler) http.Handler) string {
	behind := &http.Transport{MaxIdleConnsPerHost: 64}
	web := httptest.NewServer(bend(&httputil.ReverseProxy{
		Transport: behind,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: address})
		},
	}))
	t.Cleanup(func() {
		web.Close()
		behind.CloseIdleConnections()
	})
	return web.Listener.Addr().String()
}

// sql runs a statement as the role of the replicas, in their schema.
func (c *cluster) sql(t *testing.T, query string, args ...any) {
	t.Helper()
	db, err := pgx.Connect(t.Context(), c.url)
	if err == nil {
		defer db.Close(context.Background())
		_, err = db.Exec(t.Context(), query, args...)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// staleAnswers answers some reads of what has a part in its path, or ends with it, with an older answer.
func staleAnswers(part string) func(h http.Handler, d *dice) http.Handler {
	return func(h http.Handler, d *dice) http.Handler {
		var old sync.Map
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodGet || !strings.HasSuffix(r.URL.Path, part) && (part == "/tables" || !strings.Contains(r.URL.Path, part)) {
				h.ServeHTTP(w, r)
				return
			}
			r.Header.Del("If-None-Match")
			if had, ok := old.Load(r.URL.Path); ok && d.IntN(5) > 0 {
				reply(w, had.(*httptest.ResponseRecorder))
				return
			}
			got := answer(h, r, http.MethodGet, nil)
			old.Store(r.URL.Path, got)
			reply(w, got)
		})
	}
}

func confirmsAll(h http.Handler, d *dice) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("If-None-Match") != "" && d.IntN(3) == 0 {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		h.ServeHTTP(w, r)
	})
}

func fails(h http.Handler, d *dice) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if d.IntN(100) == 0 {
			w.WriteHeader(http.StatusInternalServerError)
			fmt.Fprint(w, `{"error":{"type":"InternalServerErrorException","code":500,"message":"internal error"}}`)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// tells lets a header tell text.
func tells(text string) func(h http.Handler, d *dice) http.Handler {
	return func(h http.Handler, d *dice) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if d.IntN(100) == 0 {
				w.Header().Set("Store", text)
			}
			h.ServeHTTP(w, r)
		})
	}
}

// TestLogsAreLookedAt proves the same of logs.
func TestLogsAreLookedAt(t *testing.T) {
	for line, want := range map[string]string{
		"level=ERROR msg=\"request failed\" err=\"CommitStateUnknownException: the store failed\"": "",
		"FATAL:  the database system is starting up":                                               "",
		"levee: --store: postgres: 127.0.0.1:5432/levee: it cannot be reached":                     "",
		"panic: runtime error: index out of range":                                                 "says",
		"goroutine 17 [running]:":                                                                  "says",
		"ERROR:  deadlock detected":                                                                "says",
		"level=ERROR msg=\"request failed\" err=\"postgres: h: x (SQLSTATE 40001)\"":               "says",
		"connecting to postgres://levee:x@127.0.0.1/levee":                                         "secret",
		"the word is SECRET7":                                                                      "secret",
	} {
		found := &findings{}
		checkLogs(found, "a server", line, "SECRET7")
		if text := found.String(); (want == "") != (text == "") || !strings.Contains(text, want) {
			t.Errorf("%s\n\t%q, want %q", line, text, want)
		}
	}
}
