package rawlog

import (
	"errors"
	"os"
	"syscall"
)

// dataFile syncs what was written and no times of the file: fdatasync.
type dataFile struct{ *os.File }

func (f dataFile) Sync() error {
	for {
		if err := syscall.Fdatasync(int(f.Fd())); !errors.Is(err, syscall.EINTR) {
			return os.NewSyscallError("fdatasync", err)
		}
	}
}
