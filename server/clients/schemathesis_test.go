//go:build unix

package clients_test

import "testing"

// TestSchemathesis: schemathesis makes requests up from the documents of the Delta API and of the commits
// API, good ones and bad ones, and holds the answers to them.
func TestSchemathesis(t *testing.T) {
	leg(t, "schemathesis", python)
	client := pythonEnv(t, "schemathesis")
	s := serve(t)
	for _, document := range []string{"delta.yaml", "commits.yaml"} {
		client.drive(t, beside(t, "schemathesis/driver.py"), s.url, s.catalog, beside(t, "../../api/"+document))
	}
}
