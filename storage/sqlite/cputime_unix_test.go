//go:build unix

package sqlite

import (
	"syscall"
	"time"
)

// processorTime returns how long this process has computed, in itself and in the system.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
