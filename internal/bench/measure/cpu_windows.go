package measure

import (
	"syscall"
	"time"
)

// CPU returns the processor time that this process has used, in user mode and in the kernel.
func CPU() time.Duration {
	self, err := syscall.GetCurrentProcess()
	if err != nil {
		return 0
	}
	var created, exited, kernel, user syscall.Filetime
	if err := syscall.GetProcessTimes(self, &created, &exited, &kernel, &user); err != nil {
		return 0
	}
	// A duration here, not a time: units of 100 ns.
	units := func(f syscall.Filetime) int64 { return int64(f.HighDateTime)<<32 | int64(f.LowDateTime) }
	return time.Duration(100 * (units(kernel) + units(user)))
}
