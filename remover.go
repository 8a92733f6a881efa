package catalog

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// A LocalRemover removes the folders of dropped managed tables from local disks. It
// touches only file:// locations below Root.
type LocalRemover struct {
	Root string // a file:// URL, usually Config.ManagedRoot
}

// Remove removes the folder at location. That it is gone already is no error.
func (r LocalRemover) Remove(_ context.Context, location string) error {
	root, err := parseLocation("root", r.Root)
	if err != nil {
		return err
	}
	rest, ok := strings.CutPrefix(location, root+"/")
	if !ok || rest == "" || !strings.HasPrefix(location, "file:///") {
		return fmt.Errorf("%s is not below %s", location, root)
	}
	dir, err := url.PathUnescape(strings.TrimPrefix(location, "file://"))
	if err != nil {
		return fmt.Errorf("%s: %w", location, err)
	}
	return os.RemoveAll(filepath.FromSlash(dir))
}
