//go:build unix

package clients_test

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Who uses a server that asks who one is. The drivers know the names.
const (
	admin  = "root"
	owner  = "owner"
	reader = "reader"
)

// share lets the owner have the catalog and make others, and the reader read it.
func (s *server) share(t *testing.T, data string) {
	t.Helper()
	file, err := os.ReadFile(filepath.Join(data, "admin.token"))
	must(t, err)
	root := server{url: s.url, token: strings.TrimSpace(string(file))}

	root.call(t, "PATCH", "/catalogs/"+s.catalog, `{"owner":"`+owner+`"}`)
	root.call(t, "PATCH", "/schemas/"+s.catalog+".default", `{"owner":"`+owner+`"}`)
	root.grant(t, "metastore/any", owner, "CREATE CATALOG", "CREATE STORAGE CREDENTIAL", "CREATE EXTERNAL LOCATION")
	s.token, s.reader = root.newToken(t, owner), root.newToken(t, reader)
	s.grant(t, "catalog/"+s.catalog, reader, "USE CATALOG", "USE SCHEMA", "SELECT")
}

func (s server) grant(t *testing.T, on, principal string, privileges ...string) {
	t.Helper()
	list, err := json.Marshal(privileges)
	must(t, err)
	s.call(t, "PATCH", "/permissions/"+on, `{"changes":[{"principal":"`+principal+`","add":`+string(list)+`}]}`)
}

func (s server) newToken(t *testing.T, principal string) string {
	t.Helper()
	var made struct {
		Value string `json:"token_value"`
	}
	must(t, json.Unmarshal(s.call(t, "POST", "/tokens", `{"principal":"`+principal+`"}`), &made))
	return made.Value
}

// call sends a request that must succeed.
func (s server) call(t *testing.T, method, path, body string) []byte {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.url+"/api/2.1/unity-catalog"+path, strings.NewReader(body))
	must(t, err)
	req.Header.Set("Authorization", "Bearer "+s.token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	must(t, err)
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	must(t, err)
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: %s %s", method, path, resp.Status, answer)
	}
	return answer
}
