//go:build unix

package clients_test

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestDuckDB: DuckDB, which shares no code with the Java clients, goes on with a table that Kernel made,
// and Kernel reads what DuckDB wrote. It also reads an external table.
func TestDuckDB(t *testing.T) {
	leg(t, "duckdb", jdk, maven, python)
	k := installKernel(t)
	duckdb := pythonEnv(t, "duckdb")
	driver := beside(t, "duckdb/driver.py")
	onBoth(t, func(t *testing.T, s server) {
		table, rows := k.keepTable(t, s)
		duckdb.drive(t, driver, s.argv("default", table, strconv.Itoa(rows))...)
		const inserted = 4
		k.drive(t, "read", s, table, strconv.Itoa(rows+inserted))
	})
}

// A venv is a Python environment: the folder of one.
type venv string

// pythonEnv installs what a leg's requirements.txt pins.
func pythonEnv(t *testing.T, name string) venv {
	t.Helper()
	requirements := filepath.Join(name, "requirements.txt")
	dir := cached(t, name+"-python", pythonVersion(t), []string{requirements}, func(dir string) {
		run(t, installLimit, command{argv: []string{"python3", "-m", "venv", dir}})
		pip := []string{venv(dir).python(), "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-input", "-r", requirements}
		run(t, installLimit, command{argv: pip})
	})
	return venv(dir)
}

// pythonVersion tells interpreters apart: an environment works with the one that made it, and no other.
func pythonVersion(t *testing.T) string {
	t.Helper()
	lines := run(t, installLimit, command{argv: []string{"python3", "-c", "import sys; print(sys.version, sys.base_prefix)"}})
	return strings.Join(lines, " ")
}

func (v venv) python() string {
	return filepath.Join(string(v), "bin", "python")
}

func (v venv) drive(t *testing.T, driver string, argv ...string) []string {
	t.Helper()
	// no byte code, because Python would put it beside the driver, into the checkout
	env := []string{"PYTHONDONTWRITEBYTECODE=1", "PYTHONUNBUFFERED=1"}
	return drive(t, env, append([]string{v.python(), driver}, argv...)...)
}
