//go:build unix

package sqlite

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// openAsNobody opens the database in another process, which is not root's, and returns
// what that says: "open" and more, or the error.
func openAsNobody(t *testing.T, program, path string) string {
	t.Helper()
	c := exec.Command(program)
	c.Env = append(os.Environ(), childEnv+"="+path)
	c.Dir = "/"
	if os.Getuid() == 0 {
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	out, err := c.Output()
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		t.Fatal(err)
	}
	return strings.TrimSuffix(string(out), "\n") // the child ends, for there is no table to commit to
}

// What the user may not write is refused in one line that names it.
func TestNotWritable(t *testing.T) {
	folder := t.TempDir()
	self, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(folder, "program")
	readOnly, file := filepath.Join(folder, "readonly"), filepath.Join(folder, "open", "file.db")
	for _, err := range []error{
		os.Chmod(filepath.Dir(folder), 0o755), os.Chmod(folder, 0o755), // testing makes it for its user alone
		os.WriteFile(program, self, 0o755),
		os.Mkdir(readOnly, 0o755), os.Mkdir(filepath.Dir(file), 0o755), os.Chmod(filepath.Dir(file), 0o777),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	s, err := Open(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{os.Chmod(file, 0o444), os.Chmod(file+".lock", 0o666), os.Chmod(readOnly, 0o555)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{filepath.Join(readOnly, "levee.db"), file} {
		said := openAsNobody(t, program, path)
		if !strings.HasPrefix(said, "sqlite: "+path) || !strings.HasSuffix(said, "permission denied") || strings.Contains(said, "\n") {
			t.Errorf("Open(%q) says %q", path, said)
		}
	}
	if said := openAsNobody(t, program, filepath.Join(filepath.Dir(file), "new.db")); !strings.HasPrefix(said, "open\n") {
		t.Errorf("Open of a new file says %q", said)
	}
}
