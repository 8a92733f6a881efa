//go:build unix

package clients_test

import "testing"

// TestReaders: polars, databricks-sdk and daft read an external table that deltalake wrote, and keep catalogs,
// schemas, tables, grants, credentials and external locations.
func TestReaders(t *testing.T) {
	leg(t, "readers", python)
	client := pythonEnv(t, "readers")
	onBoth(t, func(t *testing.T, s server) {
		client.drive(t, beside(t, "readers/driver.py"), s.argv("default")...)
	})
}
