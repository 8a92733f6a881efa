//go:build unix

package clients_test

import (
	"os"
	"path/filepath"
	"testing"
)

// TestRust: delta-kernel-rs with its Unity Catalog crates, which spell nested types as Delta's log does.
func TestRust(t *testing.T) {
	leg(t, "rust", cargo)
	driver := rustDriver(t)
	onBoth(t, func(t *testing.T, s server) {
		drive(t, nil, driver, s.url, s.token, s.catalog, "default")
	})
}

// rustDriver returns the built driver. Cargo's own folder stays beside the cached ones, for a change of
// the driver should not compile the crates again; it may be deleted, a run does not need it.
func rustDriver(t *testing.T) string {
	t.Helper()
	target := filepath.Join(cacheRoot(t), "rust-target")
	dir := cached(t, "rust", "", []string{"rust"}, func(dir string) {
		defer lock(t, target+".lock")() // Cargo's own lock would end before the result is taken away
		argv := []string{"cargo", "build", "--locked", "--manifest-path", "rust/Cargo.toml", "--target-dir", target}
		run(t, installLimit, command{argv: argv})
		must(t, os.Rename(filepath.Join(target, "debug", "ucdelta"), filepath.Join(dir, "ucdelta")))
	})
	return filepath.Join(dir, "ucdelta")
}
