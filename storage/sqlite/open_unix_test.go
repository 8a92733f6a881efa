//go:build unix

package sqlite

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// asNobody is the command of a child whose user is not root.
func asNobody(program string) *exec.Cmd {
	c := exec.Command(program)
	c.Dir = "/"
	if os.Getuid() == 0 {
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	return c
}

// openAsNobody opens the database in another process, which is not root's, and returns
// what that says: "open" and more, or the error.
func openAsNobody(t *testing.T, program, path string) string {
	t.Helper()
	c := asNobody(program)
	c.Env = append(os.Environ(), childEnv+"="+path)
	out, err := c.Output()
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		t.Fatal(err)
	}
	return strings.TrimSuffix(string(out), "\n") // the child ends, for there is no table to commit to
}

// forNobody returns a folder that everybody may enter, with a program for asNobody in it.
func forNobody(t *testing.T) (folder, program string) {
	t.Helper()
	folder = t.TempDir()
	self, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	program = filepath.Join(folder, "program")
	if err := errors.Join(
		os.Chmod(filepath.Dir(folder), 0o755), os.Chmod(folder, 0o755), // testing makes it for its user alone
		os.WriteFile(program, self, 0o755),
	); err != nil {
		t.Fatal(err)
	}
	return folder, program
}

// What the user may not write is refused in one line that names it.
func TestNotWritable(t *testing.T) {
	folder, program := forNobody(t)
	readOnly, file := filepath.Join(folder, "readonly"), filepath.Join(folder, "open", "file.db")
	for _, err := range []error{
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

// A store whose files lose their write permission goes on, as what is open stays open; the next
// Open is refused.
func TestBecomesReadOnly(t *testing.T) {
	folder, program := forNobody(t)
	data := filepath.Join(folder, "data")
	path := filepath.Join(data, "levee.db")
	if err := errors.Join(os.Mkdir(data, 0o777), os.Chmod(data, 0o777)); err != nil {
		t.Fatal(err)
	}
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	plant(t, s)
	for n := range crashTables {
		table(t, s, n, "")
	}
	if err := errors.Join(s.Close(), os.Chmod(path, 0o666), os.Chmod(path+".lock", 0o666)); err != nil {
		t.Fatal(err)
	}
	c, lines := startCommand(t, asNobody(program), path)
	var acked [crashTables]int64
	for i := range 400 {
		if i == 40 {
			for _, p := range []string{path, path + "-wal", path + "-shm"} {
				if err := os.Chmod(p, 0o444); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Chmod(data, 0o555); err != nil {
				t.Fatal(err)
			}
		}
		if !lines.Scan() {
			t.Fatal("the child has ended")
		}
		var n int
		var v int64
		if _, err := fmt.Sscan(lines.Text(), &n, &v); err != nil {
			t.Fatalf("the child says %q", lines.Text())
		}
		acked[n] = v
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
		var n int
		var v int64
		if _, err := fmt.Sscan(lines.Text(), &n, &v); err == nil {
			acked[n] = v
		}
	}
	_ = c.Wait()
	if said := openAsNobody(t, program, path); !strings.HasPrefix(said, "sqlite: "+path) || !strings.HasSuffix(said, "permission denied") {
		t.Errorf("Open says %q", said)
	}
	if err := errors.Join(os.Chmod(data, 0o755), os.Chmod(path, 0o644), os.Chmod(path+"-wal", 0o644), os.Chmod(path+"-shm", 0o644)); err != nil {
		t.Fatal(err)
	}
	checkCrashed(t, path, acked[:])
}

// A second name of the file would have a lock and a WAL of its own.
func TestHardLink(t *testing.T) {
	path := filepath.Join(t.TempDir(), "levee.db")
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	plant(t, s)
	link := filepath.Join(t.TempDir(), "link.db")
	if err := os.Link(path, link); err != nil {
		t.Skip(err)
	}
	refused(t, link, ErrLinked)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	refused(t, path, ErrLinked)
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if s, err = Open(path); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
