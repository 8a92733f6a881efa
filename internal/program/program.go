// Package program builds levee for tests that run it as a process.
package program

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const levee = "github.com/leveelake/catalog/cmd/levee"

// Build builds levee into a folder and returns the path of the binary. The test that calls it is in
// a folder two below the repository's.
func Build(folder string) (string, error) {
	if err := watchSources(); err != nil {
		return "", err
	}
	binary := filepath.Join(folder, "levee")
	if out, err := exec.Command("go", "build", "-o", binary, levee).CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build %s: %w\n%s", levee, err, out)
	}
	return binary, nil
}

// watchSources opens every folder that levee is built from. The go command notes which files a test
// opens; without this it would not know that the result depends on levee, and repeat an old one.
func watchSources() error {
	const format = `{{if .Module}}{{if .Module.Main}}{{.Dir}}{{$dir := .Dir}}{{range .EmbedFiles}}
{{$dir}}/{{.}}{{end}}{{end}}{{end}}`
	out, err := exec.Command("go", "list", "-deps", "-f", format, levee).Output()
	if err != nil {
		return fmt.Errorf("go list -deps %s: %w", levee, err)
	}
	for path := range strings.FieldsFuncSeq(string(out)+"\n../../go.mod", func(r rune) bool { return r == '\n' }) {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		f.Close()
	}
	return nil
}
