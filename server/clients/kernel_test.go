//go:build unix

package clients_test

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestKernel: Delta Kernel for Java takes a table through its whole life.
func TestKernel(t *testing.T) {
	leg(t, "kernel", jdk, maven)
	k := installKernel(t)
	onBoth(t, func(t *testing.T, s server) { k.drive(t, "v1", s) })
}

// TestKernelPreview: the same table by the way of older clients, classic staging and the commits API.
func TestKernelPreview(t *testing.T) {
	leg(t, "kernel", jdk, maven)
	k := installKernel(t)
	onBoth(t, func(t *testing.T, s server) { k.drive(t, "preview", s) })
}

// A kernel is a class path: our driver and the jars it needs.
type kernel string

func installKernel(t *testing.T) kernel {
	t.Helper()
	dir := cached(t, "kernel", "", []string{"kernel"}, func(dir string) {
		copyTree(t, filepath.Join(dir, "build"), "kernel")
		mavenJars(t, filepath.Join(dir, "build"), filepath.Join(dir, "jars"))
		javac(t, filepath.Join(dir, "build", "src"), filepath.Join(dir, "classes"), filesBelow(t, filepath.Join(dir, "jars"), ".jar"))
	})
	classPath := append([]string{filepath.Join(dir, "classes")}, filesBelow(t, filepath.Join(dir, "jars"), ".jar")...)
	return kernel(strings.Join(classPath, ":"))
}

func (k kernel) drive(t *testing.T, mode string, s server, more ...string) []string {
	t.Helper()
	argv := []string{"java", "-Dlog4j2.level=ERROR", "-cp", string(k), "levee.clients.Main", mode}
	return drive(t, nil, append(argv, s.argv("default", more...)...)...)
}

// keepTable makes a table with Kernel for another client to go on with.
func (k kernel) keepTable(t *testing.T, s server) (name string, rows int) {
	t.Helper()
	for _, line := range k.drive(t, "v1", s, "keep") {
		if words := strings.Fields(line); len(words) == 3 && words[0] == "kept" {
			rows, err := strconv.Atoi(words[2])
			must(t, err)
			return words[1], rows
		}
	}
	t.Fatal("the driver does not say which table it kept")
	return "", 0
}

// mavenJars copies what the pom in dir asks for into the folder to.
func mavenJars(t *testing.T, dir, to string, options ...string) {
	t.Helper()
	argv := []string{"mvn", "-B", "-q", "-Dstyle.color=never", "dependency:copy-dependencies", "-DoutputDirectory=" + to}
	run(t, installLimit, command{dir: dir, argv: append(argv, options...)})
}

// javac compiles every source below src.
func javac(t *testing.T, src, to string, classPath []string) {
	t.Helper()
	sources := filesBelow(t, src, ".java")
	argv := []string{"javac", "-nowarn", "--release", "17", "-d", to, "-cp", strings.Join(classPath, ":")}
	run(t, installLimit, command{argv: append(argv, sources...)})
}
