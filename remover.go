package catalog

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// A Remover removes all files at and below a location; that there are none is no error. errors.ErrUnsupported says
// that this storage is not the remover's: the files stay.
type Remover interface {
	Remove(ctx context.Context, location string) error
}

// A LocalRemover removes the folders of dropped managed tables from local disks. It
// touches only file:// locations below Root.
type LocalRemover struct {
	Root string // a file:// URL, usually Config.ManagedRoot
}

// Remove removes the folder at location.
func (r LocalRemover) Remove(_ context.Context, location string) error {
	path, err := localPath(r.Root, location)
	if err != nil {
		return fmt.Errorf("%w: %w", errors.ErrUnsupported, err)
	}
	return os.RemoveAll(path)
}
