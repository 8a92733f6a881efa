package pgtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
)

// programs is the folder with initdb, pg_ctl and postgres of one installation, and the
// user to run them as.
type programs struct {
	dir  string
	user *owner // nil: the one that runs the tests
}

// An owner is a user and group of the system.
type owner struct{ uid, gid uint32 }

// findPrograms looks where LEVEE_PG_BIN says, and nowhere else if it says anything; then
// in PATH, then where packages put the programs, the newest first.
func findPrograms() (programs, error) {
	user, err := unprivileged()
	if err != nil {
		return programs{}, err
	}
	if dir := os.Getenv("LEVEE_PG_BIN"); dir != "" {
		if err := complete(dir); err != nil {
			return programs{}, fmt.Errorf("LEVEE_PG_BIN: %w", err)
		}
		return programs{dir, user}, nil
	}
	var dirs []string
	if path, err := exec.LookPath("initdb"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil { // a link need not have its neighbours
			dirs = append(dirs, filepath.Dir(path))
		}
	}
	var usual []string
	for _, pattern := range []string{
		"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/usr/local/pgsql/bin",
		"/opt/homebrew/opt/postgresql@*/bin", "/usr/local/opt/postgresql@*/bin",
	} {
		found, _ := filepath.Glob(pattern) // only a bad pattern is an error
		usual = append(usual, found...)
	}
	slices.SortFunc(usual, func(a, b string) int { return number(b) - number(a) })
	for _, dir := range append(dirs, usual...) {
		if complete(dir) == nil {
			return programs{dir, user}, nil
		}
	}
	return programs{}, errors.New("initdb, pg_ctl and postgres were not found")
}

// complete says what is missing in dir.
func complete(dir string) error {
	for _, name := range []string{"initdb", "pg_ctl", "postgres"} {
		if _, err := exec.LookPath(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// number returns the first number in a path: the version, of all paths that are usual.
func number(path string) int {
	from := 0
	for from < len(path) && (path[from] < '0' || path[from] > '9') {
		from++
	}
	to := from
	for to < len(path) && path[to] >= '0' && path[to] <= '9' {
		to++
	}
	n, _ := strconv.Atoi(path[from:to])
	return n
}

// command is a program of PostgreSQL, to be run in home as the user it belongs to.
func (p programs) command(home, name string, args ...string) *exec.Cmd {
	return p.as(home, exec.Command(filepath.Join(p.dir, name), args...))
}

// as makes cmd run in home, as the right user, and without what variables may say of
// another PostgreSQL.
func (p programs) as(home string, cmd *exec.Cmd) *exec.Cmd {
	cmd.Dir = home
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "LC_ALL=C", "TZ=UTC"}
	apart(cmd, p.user)
	return cmd
}
