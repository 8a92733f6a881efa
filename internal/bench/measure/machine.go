package measure

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Machine describes where the program runs, as far as the system tells, and the file
// system of a folder.
func Machine(folder string) string {
	cpu := firstValue("/proc/cpuinfo", "model name")
	if cpu == "" {
		cpu = runtime.GOARCH
	}
	kernel, _ := os.ReadFile("/proc/sys/kernel/osrelease") // not there: not told
	parts := []string{
		fmt.Sprintf("%s, %d cores", cpu, runtime.NumCPU()),
		strings.TrimSpace(runtime.GOOS + " " + string(bytes.TrimSpace(kernel))),
	}
	if kind, device := FileSystem(folder); kind != "" {
		parts = append(parts, fmt.Sprintf("%s on %s", kind, device))
	}
	return strings.Join(parts, "; ")
}

// firstValue returns the value of the first line "key : value" of a file.
func firstValue(file, key string) string {
	data, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(data)) {
		if k, v, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(k) == key {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

// FileSystem returns the kind of file system a folder is in and its device; "" if the
// system does not tell. On tmpfs a sync costs nothing, so no figure of it is one.
func FileSystem(folder string) (kind, device string) {
	f, err := os.Open("/proc/mounts")
	if err != nil {
		return "", ""
	}
	defer f.Close()
	if abs, err := filepath.Abs(folder); err == nil {
		folder = abs
	}
	longest := -1
	for s := bufio.NewScanner(f); s.Scan(); {
		fields := strings.Fields(s.Text())
		if len(fields) < 3 {
			continue
		}
		mount := strings.TrimSuffix(fields[1], "/")
		if (folder == mount || strings.HasPrefix(folder, mount+"/")) && len(mount) > longest {
			longest, device, kind = len(mount), fields[0], fields[2]
		}
	}
	return kind, device
}
