//go:build !linux

package measure

import (
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// Resident returns the memory of a process that is in use, in bytes.
func Resident(pid int) (int64, error) {
	out, err := exec.Command("ps", "-o", "rss=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return 0, fmt.Errorf("ps: %w", err)
	}
	kib, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	return kib << 10, err
}

// FamilyCPU returns the processor time of the parent of a process and of all the parent's
// children. false: the system does not tell.
func FamilyCPU(int) (time.Duration, bool) { return 0, false }
