//go:build unix

package clients_test

import "testing"

// TestPython: the Python client generated from the published OpenAPI files, classic endpoints with the
// commits API, delta/v1, and what it makes of refusals.
func TestPython(t *testing.T) {
	leg(t, "python", python)
	client := pythonEnv(t, "python")
	onBoth(t, func(t *testing.T, s server) {
		client.drive(t, beside(t, "python/driver.py"), s.argv("default", "classic-external,classic-storage,classic-staging,v1,refusals")...)
	})
}
