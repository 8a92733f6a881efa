//go:build unix

package clients_test

import "testing"

// TestSchemathesis: schemathesis makes requests up from the documents of the Delta API, of the commits API and of
// both spellings of the Unity Catalog REST API, good ones and bad ones, and holds the answers to them. Some of the
// servers ask for a token.
func TestSchemathesis(t *testing.T) {
	leg(t, "schemathesis", python)
	client := pythonEnv(t, "schemathesis")
	for document, a := range map[string]access{"delta.yaml": open, "commits.yaml": guarded, "management.yaml": open, "root.yaml": guarded} {
		s := serve(t, a)
		client.drive(t, beside(t, "schemathesis/driver.py"), s.url, s.token, s.catalog, beside(t, "../../api/"+document))
	}
}
