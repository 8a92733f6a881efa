//go:build unix

package history_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/internal/pgtest"
)

// A cluster is some replicas on one database, which has to itself all that a crash may cost.
type cluster struct {
	t       testing.TB
	db      *pgtest.Server
	url     string // of the store
	root    string
	members []*member
	found   *findings
}

// startCluster starts n replicas. They end with the test.
func startCluster(t testing.TB, n int) *cluster {
	t.Helper()
	c := &cluster{t: t, db: pgtest.Start(t, "log_lock_waits=on"), root: catalog.LocalURL(t.TempDir()), found: &findings{}}
	c.url = c.db.URL(t)
	build(t)
	guard := newGuard(t)
	t.Cleanup(guard.end)
	for range n {
		m := newMember(t, guard, "--store", c.url, "--data", t.TempDir(), "--managed-root", c.root, "--catalog", "c",
			"--audit", "off", "--no-check-files") // the commits have none
		c.members = append(c.members, m)
		t.Cleanup(func() {
			m.kill()
			if t.Failed() {
				t.Logf("the last lines of a replica:\n%s", lastLines(m.log.String(), 15))
			}
		})
	}
	var group sync.WaitGroup
	for _, m := range c.members { // at once, so that they meet at the migration
		group.Go(func() {
			if err := m.start(t); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return c
}

func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	lines = lines[max(0, len(lines)-n):]
	for i, l := range lines {
		lines[i] = l[:min(len(l), 500)]
	}
	return strings.Join(lines, "\n")
}

// balancer returns one for all replicas.
func (c *cluster) balancer() *balancer {
	var addresses []string
	for _, m := range c.members {
		addresses = append(addresses, m.address)
	}
	return newBalancer(c.found, secretOf(c.db), addresses)
}

// createSchema creates a schema of the catalog, whatever happens meanwhile.
func (c *cluster) createSchema(web *http.Client, name string) {
	c.t.Helper()
	body := fmt.Sprintf(`{"name": %q, "catalog_name": "c"}`, name)
	last := ""
	for began := time.Now(); time.Since(began) < hangLimit; {
		status, text, err := call(c.t.Context(), web, "POST", "http://any/api/2.1/unity-catalog/schemas", []byte(body))
		switch {
		case err == nil && (status == http.StatusOK || strings.Contains(text, "SCHEMA_ALREADY_EXISTS")):
			return
		case err == nil:
			last = fmt.Sprint(status, " ", text)
		default:
			last = err.Error()
		}
	}
	c.t.Fatalf("schema %s is not created: %s", name, last)
}

func call(ctx context.Context, web *http.Client, method, url string, body []byte) (int, string, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	res, err := web.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	return res.StatusCode, string(data), err
}

func callJSON(ctx context.Context, web *http.Client, method, url string, body any) (int, string, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return 0, "", err
	}
	return call(ctx, web, method, url, data)
}

// logs reads the logs of all tables, past the replicas and what they remember.
func (c *cluster) logs() map[string]tableLog {
	c.t.Helper()
	db, err := pgx.Connect(c.t.Context(), c.url)
	if err != nil {
		c.t.Fatal(err)
	}
	defer db.Close(context.Background())
	rows, err := db.Query(c.t.Context(), `SELECT object, last, backfilled, coalesce(version, 0), coalesce(file, '') FROM log LEFT JOIN "commit" ON log = object`)
	if err != nil {
		c.t.Fatal(err)
	}
	logs := map[string]tableLog{}
	var id, file string
	var last, backfilled, version int64
	_, err = pgx.ForEachRow(rows, []any{&id, &last, &backfilled, &version, &file}, func() error {
		l, ok := logs[id]
		if !ok {
			l = tableLog{last, backfilled, map[int64]string{}}
			logs[id] = l
		}
		if version > 0 {
			l.files[version] = file
		}
		return nil
	})
	if err != nil {
		c.t.Fatal(err)
	}
	return logs
}

// stop ends all replicas in order and looks at what is left to see.
func (c *cluster) stop() {
	for i, m := range c.members {
		if err := m.stop(); err != nil {
			c.found.add("replica %d: SIGTERM: %v", i, err)
		}
	}
	logs := map[string]string{"the database": c.db.Log(c.t)}
	for i, m := range c.members {
		logs[fmt.Sprint("replica ", i)] = m.log.String()
	}
	for name, text := range logs {
		checkLogs(c.found, name, text, secretOf(c.db))
		file := filepath.Join(c.t.ArtifactDir(), strings.ReplaceAll(name, " ", "-")+".log") // with -artifacts it stays
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			c.t.Error(err)
		}
	}
}
