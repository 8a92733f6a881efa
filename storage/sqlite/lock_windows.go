package sqlite

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// lock takes the file for this process, or returns ErrInUse: it opens it so that nobody
// else can. Windows closes it when the process ends, whatever ends it.
func lock(path string) (io.Closer, error) {
	const errorSharingViolation = syscall.Errno(32)
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil,
		syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, errorSharingViolation) {
		return nil, ErrInUse
	}
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), path), nil
}

// names returns 1: how many names a file has is not to be had from its FileInfo here.
func names(fs.FileInfo) uint64 { return 1 }
