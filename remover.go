package catalog

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// A LocalRemover removes the folders of dropped managed tables from local disks. It
// touches only file:// locations below Root.
type LocalRemover struct {
	Root string // a file:// URL, usually Config.ManagedRoot
}

// Remove removes the folder at location. That it is gone already is no error.
func (r LocalRemover) Remove(_ context.Context, location string) error {
	path, err := localPath(r.Root, location)
	if err != nil {
		return fmt.Errorf("%w: %w", errors.ErrUnsupported, err)
	}
	return os.RemoveAll(path)
}
