//go:build unix

package clients_test

import "testing"

// TestPython: the Python client generated from the published OpenAPI files, classic endpoints with the
// commits API, and delta/v1.
func TestPython(t *testing.T) {
	leg(t, "python", python)
	client := pythonEnv(t, "python")
	s := serve(t)
	client.drive(t, beside(t, "python/driver.py"), s.url, s.token, s.catalog, "default", "classic-external,classic-staging,v1")
}
