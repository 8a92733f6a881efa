package repo_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"regexp"
	"strings"
	"testing"
)

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(path.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}

// TestReadmeCode holds each piece of Go in the README to be the body of an Example, which
// compiles and whose output is checked.
func TestReadmeCode(t *testing.T) {
	source := read(t, "example_test.go")
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, "example_test.go", source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	examples := map[string]bool{}
	for _, d := range parsed.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && strings.HasPrefix(f.Name.Name, "Example") {
			body := source[files.Position(f.Body.Lbrace).Offset+1 : files.Position(f.Body.Rbrace).Offset]
			examples[strings.TrimSpace(strings.ReplaceAll("\n"+body, "\n\t", "\n"))] = true
		}
	}
	blocks := regexp.MustCompile("(?ms)^```go\n(.*?)^```").FindAllStringSubmatch(read(t, "README.md"), -1)
	if len(blocks) == 0 {
		t.Error("README.md has no Go code")
	}
	for _, b := range blocks {
		if !examples[strings.TrimSpace(b[1])] {
			t.Errorf("this code of README.md is not the body of an Example of example_test.go:\n%s", b[1])
		}
	}
}

// TestLinks follows the relative links of the documents.
func TestLinks(t *testing.T) {
	for _, document := range []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md"} {
		for _, link := range regexp.MustCompile(`\]\(([^):#]+)\)`).FindAllStringSubmatch(read(t, document), -1) {
			if _, err := os.Stat(path.Join(root, link[1])); err != nil {
				t.Errorf("%s links to %s: %v", document, link[1], err)
			}
		}
	}
}

// TestPicture holds CONTRIBUTING.md to name each package.
func TestPicture(t *testing.T) {
	text := read(t, "CONTRIBUTING.md")
	for _, p := range picture {
		if p.pkg != "." && !strings.Contains(text, "`"+p.pkg+"`") {
			t.Errorf("CONTRIBUTING.md does not say what `%s` is", p.pkg)
		}
	}
}

// TestDependencies holds CONTRIBUTING.md to say of each dependency why it is there.
func TestDependencies(t *testing.T) {
	cmd := exec.Command("go", "mod", "edit", "-json")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var mod struct {
		Require []struct {
			Path     string
			Indirect bool
		}
	}
	if err := json.Unmarshal(out, &mod); err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(read(t, "CONTRIBUTING.md"), "\n## Dependencies\n")
	if !ok {
		t.Fatal("CONTRIBUTING.md has no section Dependencies")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	reason := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(section, -1) {
		reason[row[1]] = true
	}
	for _, m := range mod.Require {
		if !m.Indirect && !reason[m.Path] {
			t.Errorf("CONTRIBUTING.md does not say why %s is required", m.Path)
		}
		delete(reason, m.Path)
	}
	for m := range reason {
		t.Errorf("CONTRIBUTING.md says why %s is required, but go.mod does not require it", m)
	}
}
