// Package repo_test holds the repository to what its documents say of it: which package
// imports which, what each dependency is for, and that the README's code is code that runs.
package repo_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/leveelake/catalog"

// root is the repository, seen from this folder.
const root = "../.."

// picture is the picture of the packages in CONTRIBUTING.md: which others of this module a
// package may import, and which its tests may beside these and itself. "." is the root package.
var picture = []struct{ pkg, imports, tests string }{
	{"types", "", ""},

	{"storage", "types", ""},
	{"storage/memory", "types storage", "storage/storagetest"},
	{"storage/internal/gate", "storage", ""},
	{"storage/internal/nodes", "types storage", "storage/memory"},
	{"storage/sqlite", "types storage storage/internal/gate storage/internal/nodes", "storage/storagetest storage/memory"},
	{"storage/postgres", "types storage storage/internal/gate storage/internal/nodes", "storage/storagetest internal/pgtest"},
	{"storage/storagetest", "types storage storage/memory", ""},

	{"credentials", "types", "credentials/static credentials/vendortest"},
	{"credentials/static", "types credentials", "credentials/vendortest"},
	{"credentials/vendortest", "types credentials", ""},

	{".", "types storage credentials", "storage/memory storage/sqlite storage/storagetest credentials/static"},
	{"server", "types . api", "server/auth storage credentials storage/memory storage/sqlite storage/postgres storage/storagetest credentials/static internal/pgtest"},
	{"server/auth", "types .", "server storage storage/memory storage/sqlite credentials"},
	{"server/clients", "", ". internal/pgtest internal/program"},
	{"api", "", ""},

	{"internal/cli", "types", ". server server/auth storage/memory"},
	{"internal/demo", "types internal/cli", ". server storage/memory"},
	{"internal/history", "", "types storage . server storage/memory storage/sqlite storage/postgres storage/storagetest internal/pgtest internal/program"},
	{"internal/pgtest", "", ""},
	{"internal/program", "", ""},
	{"internal/bench", "types storage . server storage/memory storage/sqlite storage/postgres internal/pgtest internal/bench/*", ""},
	{"internal/bench/*", "types storage . server storage/memory storage/sqlite storage/postgres internal/pgtest internal/bench/*", ""},
	{"internal/repo", "", ""},
	{"cmd/levee", "types storage credentials . server server/auth storage/memory storage/sqlite storage/postgres credentials/static internal/cli internal/demo", "internal/pgtest internal/program"},
	{"examples/*", "types storage credentials . server server/auth storage/memory storage/sqlite storage/postgres credentials/static", ""},
}

// allowed reports whether a file of package from, a test or not, may import package to.
func allowed(from, to string, test bool) bool {
	for _, p := range picture {
		if ok, _ := path.Match(p.pkg, from); ok {
			return matches(p.imports, to) || test && (from == to || matches(p.tests, to))
		}
	}
	return false
}

// matches reports whether one of patterns is pkg's.
func matches(patterns, pkg string) bool {
	return slices.ContainsFunc(strings.Fields(patterns), func(p string) bool {
		ok, _ := path.Match(p, pkg)
		return ok
	})
}

// TestArrows reads the imports of all files, those for other systems too.
func TestArrows(t *testing.T) {
	seen := map[string]bool{}
	err := fs.WalkDir(os.DirFS(root), ".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != "." && strings.ContainsAny(path.Base(file)[:1], "._"), d.Name() == "testdata":
			return fs.SkipDir
		case d.IsDir() || path.Ext(file) != ".go":
			return nil
		}
		from := path.Dir(file)
		seen[from] = true
		f, err := parser.ParseFile(token.NewFileSet(), path.Join(root, file), nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, i := range f.Imports {
			to, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			to, ours := strings.CutPrefix(to+"/", module+"/")
			to = path.Clean(to) // "" is "."
			if ours && !allowed(from, to, strings.HasSuffix(file, "_test.go")) {
				t.Errorf("%s: package %s must not import %s", file, from, to)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for pkg := range seen {
		if !slices.ContainsFunc(picture, func(p struct{ pkg, imports, tests string }) bool {
			ok, _ := path.Match(p.pkg, pkg)
			return ok
		}) {
			t.Errorf("package %s is not in the picture: give it a place there and in CONTRIBUTING.md", pkg)
		}
	}
	for _, p := range picture {
		if !seen[p.pkg] && !strings.Contains(p.pkg, "*") {
			t.Errorf("package %s is in the picture, but there is no such package", p.pkg)
		}
	}
}

// TestAllowed is about arrows that would be the end of the structure.
func TestAllowed(t *testing.T) {
	for _, tt := range []struct {
		from, to string
		test     bool
	}{
		{"types", "storage", false},
		{"storage", ".", false},
		{"storage", "credentials", true},
		{"storage/memory", "storage/sqlite", false},
		{"storage/sqlite", "storage/storagetest", false},
		{"storage/sqlite", "credentials/static", true},
		{".", "storage/memory", false},
		{".", "server", true},
		{"server", "storage", false},
		{"server", "internal/demo", true},
		{"server", "server/auth", false},
		{"server/auth", "server", false},
		{"internal/demo", "server", false},
		{"examples/embed", "internal/demo", false},
		{"somewhere/new", "types", true},
	} {
		if allowed(tt.from, tt.to, tt.test) {
			t.Errorf("package %s may import %s (test: %t)", tt.from, tt.to, tt.test)
		}
	}
}
