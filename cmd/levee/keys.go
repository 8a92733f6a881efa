package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/storage"
)

type keygenCmd struct {
	Show *string `help:"Make none, but print the fingerprints of the keys in this file, by which messages and the store call them." placeholder:"FILE"`
}

func (k keygenCmd) Run(o output) error {
	if k.Show != nil {
		text, err := readSecret(*k.Show)
		if err != nil {
			return fmt.Errorf("--show: %w", err)
		}
		keys, err := catalog.ParseKeys(text)
		if err != nil {
			return fmt.Errorf("--show: %s: %w", *k.Show, err)
		}
		_, err = fmt.Fprintln(o.out, strings.Join(keys.Fingerprints(), "\n"))
		return err
	}
	_, err := fmt.Fprintln(o.out, catalog.NewKey())
	return err
}

// keys finds the server's keys, and makes one where a single server may decide by itself.
func (s serveCmd) keys(ctx context.Context, store storage.Store, data string) (keys catalog.Keys, err error) {
	switch {
	case s.Key != "" && s.KeyFile != "":
		return keys, errors.New("--key (LEVEE_KEY) and --key-file: give one of them")
	case s.Key != "":
		if keys, err = catalog.ParseKeys(s.Key); err != nil {
			err = fmt.Errorf("--key: %w", err)
		}
		return keys, err
	case s.KeyFile == "" && s.isMemory(): // what it encrypts is forgotten, too
		return catalog.ParseKeys(catalog.NewKey())
	}
	path := cmp.Or(s.KeyFile, filepath.Join(data, "levee.key"))
	text, err := readSecret(path)
	if errors.Is(err, fs.ErrNotExist) {
		if text, err = s.firstKey(ctx, store, path); err == nil && text == "" {
			return keys, nil
		}
	}
	if err != nil {
		return keys, fmt.Errorf("--key-file: %w", err)
	}
	if keys, err = catalog.ParseKeys(text); err != nil {
		return keys, fmt.Errorf("--key-file: %s: %w", path, err)
	}
	return keys, nil
}

// wrongKeys says in the operator's words why the catalog refused keys.
func (s serveCmd) wrongKeys(ctx context.Context, i *instance, keys catalog.Keys, refusal error) error {
	from, has := "--key", "the one given is"
	if s.Key == "" {
		from, has = "--key-file "+cmp.Or(s.KeyFile, filepath.Join(i.data, "levee.key")), "the file has"
	}
	needed, err := i.catalog.NeedsKeys(ctx)
	ours := keys.Fingerprints()
	needed = slices.DeleteFunc(needed, func(fp string) bool { return slices.Contains(ours, fp) })
	if err != nil || len(needed) == 0 || len(ours) == 0 {
		return fmt.Errorf("%s: %w", from, refusal)
	}
	return fmt.Errorf("%s: the store needs the key %s; %s %s", from, strings.Join(needed, " and "), has, strings.Join(ours, " and "))
}

// firstKey makes the key file of a store that never had a key, and returns what is in it: "" if no key is needed.
func (s serveCmd) firstKey(ctx context.Context, store storage.Store, path string) (string, error) {
	c, err := catalog.New(catalog.Config{Store: store})
	if err != nil {
		return "", err
	}
	needed, err := c.NeedsKeys(ctx)
	link, noFile := os.Lstat(path)
	switch {
	case err != nil:
		return "", err
	case len(needed) > 0:
		return "", fmt.Errorf("%s does not exist, and the store needs the key %s", path, strings.Join(needed, " and "))
	case noFile == nil && link.Mode()&fs.ModeSymlink != 0:
		return "", fmt.Errorf("%s is a link to a file that does not exist", path)
	case s.isShared() && s.KeyFile == "" && !s.authenticates():
		return "", nil // without secrets and tokens
	case s.isShared():
		return "", fmt.Errorf("there is no key: all servers on one PostgreSQL need the same. make one with levee keygen, and give it to each as --key-file FILE (mode 0600) or in the variable LEVEE_KEY; %s does not exist", path)
	}
	if err := writeSecret(path, catalog.NewKey()+"\n"); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return readSecret(path) // of a server that started at the same time, if that was faster
}

// readSecret reads a file that nobody else may read.
func readSecret(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 && runtime.GOOS != "windows" {
		return "", fmt.Errorf("others may use %s (mode %04o): chmod 600 '%s'", path, mode, path)
	}
	data, err := io.ReadAll(io.LimitReader(f, 1<<20))
	return string(data), err
}

// writeSecret makes a file that nobody else may read; fs.ErrExist if there is one of that name. It is there as a whole
// or not at all, but for file systems that have no links.
func writeSecret(path, text string) error {
	f, err := os.CreateTemp(filepath.Dir(path), leftover(path)+"*") // of mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err := fill(f, text); err != nil {
		return err
	}
	if err = os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		if f, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600); err == nil {
			err = fill(f, text)
		}
	}
	if folder, e := os.Open(filepath.Dir(path)); e == nil { // the name is durable, where folders can be synced
		_ = folder.Sync()
		folder.Close()
	}
	return err
}

// fill writes all of a file, durably, and closes it.
func fill(f *os.File, text string) error {
	_, err := f.WriteString(text)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// leftover is how names of files begin that writeSecret leaves when it is killed.
func leftover(path string) string { return "." + filepath.Base(path) + "-" }

// removeLeftovers removes them. A writeSecret under way does without.
func removeLeftovers(path string) {
	files, _ := os.ReadDir(filepath.Dir(path))
	for _, f := range files {
		if strings.HasPrefix(f.Name(), leftover(path)) {
			_ = os.Remove(filepath.Join(filepath.Dir(path), f.Name()))
		}
	}
}
