package sqlite

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	engine "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/leveelake/catalog/storage"
)

// refused checks that Open refuses path with want, in one line that names the path.
func refused(t *testing.T, path string, want error) {
	t.Helper()
	s, err := Open(path)
	if err == nil {
		s.Close()
		t.Errorf("Open(%q) succeeded", path)
		return
	}
	if want != nil && !errors.Is(err, want) {
		t.Errorf("Open(%q): %v, want %v", path, err, want)
	}
	if text := err.Error(); strings.Contains(text, "\n") || !strings.Contains(text, path) {
		t.Errorf("Open(%q): %q is not one line with the path", path, text)
	}
}

func TestSecondOwner(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "levee.db")
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link.db")
	other := filepath.Join(t.TempDir(), "folder")
	paths := []string{path, filepath.Join(folder, ".", "x", "..", "levee.db")}
	if errors.Join(os.Symlink(path, link), os.Symlink(folder, other)) == nil {
		paths = append(paths, link, filepath.Join(other, "levee.db"))
	}
	for _, p := range paths {
		refused(t, p, ErrInUse)
	}
	plant(t, s) // the refusals have not taken anything away
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, p := range paths {
		s, err := Open(p)
		if err != nil {
			t.Fatal(err)
		}
		if nodes, err := storage.View(t.Context(), s, func(tx storage.ReadTx) ([]storage.Node, error) {
			return tx.Lookup(t.Context(), nil, storage.Want{})
		}); len(nodes) != 1 || err != nil {
			t.Errorf("through %s there are %d roots, %v", p, len(nodes), err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// database makes a SQLite file that is not ours.
func database(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "other.db")
	c, err := engine.OpenConn(path, engine.OpenReadWrite|engine.OpenCreate)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(sqlitex.ExecuteScript(c, script, nil), c.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestNotOurs(t *testing.T) {
	file := func(content string) string {
		path := filepath.Join(t.TempDir(), "other.db")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for what, c := range map[string]struct {
		path string
		want error
	}{
		"short":     {file("{}"), ErrForeign},
		"text":      {file(strings.Repeat("catalog: main\n", 1000)), ErrForeign},
		"magic":     {file("SQLite format 3\x00" + strings.Repeat("x", 8192)), nil},
		"other":     {database(t, `CREATE TABLE object (id TEXT)`), ErrForeign},
		"other ID":  {database(t, `PRAGMA application_id = 1`), ErrForeign},
		"newer":     {database(t, fmt.Sprintf(`PRAGMA application_id = %d; PRAGMA user_version = 1000`, applicationID)), ErrNewer},
		"versioned": {database(t, `PRAGMA user_version = 1`), ErrForeign},
	} {
		t.Run(what, func(t *testing.T) {
			before, err := os.ReadFile(c.path)
			if err != nil {
				t.Fatal(err)
			}
			refused(t, c.path, c.want)
			if after, err := os.ReadFile(c.path); err != nil || !bytes.Equal(before, after) {
				t.Errorf("the file has changed, %v", err)
			}
		})
	}
}

func TestNoFile(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	refused(t, "", nil)
	refused(t, folder, nil)
	refused(t, filepath.Join(folder, "missing", "levee.db"), nil)
	refused(t, filepath.Join(file, "levee.db"), nil)
	if runtime.GOOS != "windows" {
		link := filepath.Join(folder, "link")
		if err := os.Symlink(filepath.Join(folder, "nothing"), link); err != nil {
			t.Fatal(err)
		}
		refused(t, link, nil)
	}
}

func TestDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "levee.db")
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	plant(t, s)
	for n := range 50 {
		table(t, s, n, strings.Repeat("x", 5000))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const page = 4096
	for _, from := range []int{1, 2, 3, 5, 8} {
		bad := bytes.Clone(whole)
		copy(bad[from*page:], bytes.Repeat([]byte{0xff}, page))
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Open(path)
		if err == nil {
			err = s.View(t.Context(), func(tx storage.ReadTx) error {
				for n := range 50 {
					if _, err := tx.Get(t.Context(), id(tableN+n), storage.Want{Log: true}); err != nil {
						return err
					}
				}
				return nil
			})
			_ = s.Close()
		}
		if err != nil && (!errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), path)) {
			t.Errorf("page %d: %v", from, err)
		}
		if err == nil && from < 3 {
			t.Errorf("page %d is not missed", from)
		}
	}
}
