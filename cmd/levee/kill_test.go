package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/leveelake/catalog/types"
)

// TestKill kills the server with SIGKILL under a load of commits, again and again, and
// checks each time that every commit it had acknowledged is still there.
func TestKill(t *testing.T) {
	rounds := 50
	if testing.Short() {
		rounds = 5
	}
	data := t.TempDir()
	// The commits have no files.
	p := serve(t, "--data", data, "--catalog", "main", "--no-check-files")
	tables := make([]*writer, 4)
	for i := range tables {
		tables[i] = newWriter(t, p.url, fmt.Sprintf("t%d", i))
	}
	total := int64(0)
	for round := range rounds {
		var group sync.WaitGroup
		for _, w := range tables {
			group.Go(func() { w.commitUntilDown(t, p.url) })
		}
		time.Sleep(time.Duration(20+rand.IntN(200)) * time.Millisecond)
		if err := p.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = p.Wait()
		group.Wait()

		p = serve(t, "--data", data, "--no-check-files")
		total = 0
		for _, w := range tables {
			w.check(t, p.url)
			total += w.acknowledged
		}
		if t.Failed() {
			t.Fatalf("in round %d", round)
		}
	}
	if total == 0 {
		t.Error("no commit was ever acknowledged: the test tested nothing")
	}
	t.Logf("%d kills, %d commits acknowledged", rounds, total)
	p.stop(t)
}

// A writer commits to a table of its own.
type writer struct {
	path         string
	id           types.ID
	acknowledged int64            // all versions up to here were answered with 200
	files        map[int64]string // the file name of each version that was sent
}

const schemaPath = "/api/2.1/unity-catalog/delta/v1/catalogs/main/schemas/default"

func newWriter(t *testing.T, url, name string) *writer {
	var staged types.StagingTable
	mustPost(t, url+schemaPath+"/staging-tables", types.CreateStagingTable{Name: name}, &staged)
	properties := map[string]string{}
	for k, v := range staged.RequiredProperties {
		properties[k] = *v
	}
	var loaded types.Table
	mustPost(t, url+schemaPath+"/tables", map[string]any{
		"name": name, "location": staged.Location, "table-type": types.Managed, "properties": properties,
		"protocol": staged.RequiredProtocol, "last-commit-timestamp-ms": 1,
		"columns": types.StructType{Fields: []types.StructField{{Name: "id", Type: types.Long, Metadata: types.Metadata{}}}},
	}, &loaded)
	return &writer{path: schemaPath + "/tables/" + name, id: staged.ID, files: map[int64]string{}}
}

// post sends a request and returns its status; 0 if there is no answer.
func post(url string, body any, answer any) (int, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return 0, err
	}
	res, err := http.Post(url, "application/json", bytes.NewReader(data))
	if err != nil {
		return 0, nil
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, nil
	}
	if res.StatusCode != http.StatusOK {
		return res.StatusCode, fmt.Errorf("%s", text)
	}
	return res.StatusCode, json.Unmarshal(text, answer)
}

func mustPost(t *testing.T, url string, body any, answer any) {
	t.Helper()
	if status, err := post(url, body, answer); err != nil || status != http.StatusOK {
		t.Fatalf("%s: %d, %v", url, status, err)
	}
}

// commit sends version with its file; the versions before it count as backfilled, but for the last.
func (w *writer) commit(url string, version int64) (int, types.Table, error) {
	if w.files[version] == "" {
		w.files[version] = fmt.Sprintf("%020d.%d.json", version, rand.Uint64())
	}
	backfilled := max(0, version-3)
	var answer types.Table
	status, err := post(url+w.path, types.UpdateTable{
		Require: types.Requirement{TableUUID: w.id},
		Update: types.Update{
			AddCommit:            &types.AddCommit{Commit: types.Commit{Version: version, Timestamp: 1, FileName: w.files[version], FileSize: 1, FileModificationTimestamp: 1}},
			SetBackfilledVersion: &backfilled,
		},
	}, &answer)
	return status, answer, err
}

func (w *writer) commitUntilDown(t *testing.T, url string) {
	for {
		status, _, err := w.commit(url, w.acknowledged+1)
		switch {
		case status == 0:
			return
		case status != http.StatusOK:
			t.Errorf("%s: version %d: %d, %v", w.path, w.acknowledged+1, status, err)
			return
		}
		w.acknowledged++
	}
}

// check compares the restarted server with what the writer knows, and sends the commit
// that got no answer again.
func (w *writer) check(t *testing.T, url string) {
	res, err := http.Get(url + w.path)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var loaded types.Table
	if err := json.NewDecoder(res.Body).Decode(&loaded); err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", w.path, res.Status, err)
	}
	latest := *loaded.LatestVersion
	if latest != w.acknowledged && latest != w.acknowledged+1 {
		t.Errorf("%s: acknowledged up to %d, but the latest version is %d", w.path, w.acknowledged, latest)
		return
	}
	for i, c := range loaded.Commits {
		if c.Version != latest-int64(i) || c.FileName != w.files[c.Version] {
			t.Errorf("%s: commit %d is %+v, not file %q", w.path, i, c, w.files[c.Version])
		}
	}
	for _, v := range []int64{1, w.acknowledged} { // one long backfilled, and the last
		if v > w.acknowledged || v < 1 {
			continue
		}
		if status, again, err := w.commit(url, v); status != http.StatusOK || *again.LatestVersion != latest {
			t.Errorf("%s: version %d sent again: %d, %v", w.path, v, status, err)
		}
	}
	if status, _, err := w.commit(url, w.acknowledged+1); status != http.StatusOK {
		t.Errorf("%s: version %d, of unknown fate, sent again: %d, %v", w.path, w.acknowledged+1, status, err)
	}
	w.acknowledged++
}
