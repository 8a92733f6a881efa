//go:build unix

package sqlite

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// lock takes the file for this process, or returns ErrInUse. The kernel gives it back when
// the file is closed, so also when the process is killed.
//
// It is flock, not a POSIX record lock: it holds between two Opens in one process, too.
func lock(path string) (io.Closer, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err == nil {
		return f, nil
	}
	f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, ErrInUse
	}
	return nil, &os.PathError{Op: "flock", Path: path, Err: err}
}

// names returns how many names a file has.
func names(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Nlink)
	}
	return 1
}
