package repo_test

import (
	"bytes"
	"flag"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/api.txt anew")

// TestAPI compares what the module exports with testdata/api.txt, so that a change of it is a
// line of the diff that a reviewer sees. Run with -update to accept one.
func TestAPI(t *testing.T) {
	var out bytes.Buffer
	for _, dir := range publicPackages(t) {
		out.WriteString(exported(t, filepath.Join("../..", dir)))
	}
	const golden = "testdata/api.txt"
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	had, has := strings.Split(string(want), "\n"), strings.Split(out.String(), "\n")
	for _, l := range had {
		if !slices.Contains(has, l) {
			t.Errorf("gone: %s", l)
		}
	}
	for _, l := range has {
		if !slices.Contains(had, l) {
			t.Errorf("new: %s", l)
		}
	}
	if t.Failed() {
		t.Log("if that is meant: go test ./internal/repo -run TestAPI -update")
	}
}

// publicPackages are the folders of the packages that others can import.
func publicPackages(t *testing.T) []string {
	var dirs []string
	err := filepath.WalkDir("../..", func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		rel, err := filepath.Rel("../..", path)
		if err != nil {
			return err
		}
		switch name := d.Name(); {
		case name == "internal", name == "cmd", name == "examples", name == "testdata", name != ".." && strings.HasPrefix(name, "."):
			return filepath.SkipDir
		}
		files, err := filepath.Glob(filepath.Join(path, "*.go"))
		if slices.ContainsFunc(files, func(f string) bool { return !strings.HasSuffix(f, "_test.go") }) {
			dirs = append(dirs, rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return dirs
}

// exported lists the exported declarations of the package in dir, one a line.
func exported(t *testing.T, dir string) string {
	fset := token.NewFileSet()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, "_windows.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	p, err := doc.NewFromFiles(fset, files, "x")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	line := func(node any) {
		var b bytes.Buffer
		if err := (&printer.Config{Mode: printer.RawFormat}).Fprint(&b, fset, node); err != nil {
			t.Fatal(err)
		}
		for l := range strings.SplitSeq(b.String(), "\n") {
			if l = strings.TrimSpace(l); l != "" && l != "}" && l != ")" {
				out.WriteString(p.Name + ": " + l + "\n")
			}
		}
	}
	values := func(list []*doc.Value) {
		for _, v := range list {
			line(v.Decl)
		}
	}
	funcs := func(list []*doc.Func) {
		for _, f := range list {
			f.Decl.Body = nil
			line(f.Decl)
		}
	}
	values(p.Consts)
	values(p.Vars)
	funcs(p.Funcs)
	for _, typ := range p.Types {
		line(typ.Decl)
		values(typ.Consts)
		values(typ.Vars)
		funcs(typ.Funcs)
		funcs(typ.Methods)
	}
	return out.String()
}
