package catalog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// A Remover removes all files at and below a location; that there are none is no error.
// errors.ErrUnsupported says that this storage is not the remover's: the files stay.
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
	root, rest, err := localPath(r.Root, location)
	if err != nil {
		return fmt.Errorf("%w: %w", errors.ErrUnsupported, err)
	}
	dir, err := os.OpenRoot(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := dir.RemoveAll(rest); err != nil {
		return fmt.Errorf("%v", err) // of no kind that means more here
	}
	return nil
}
