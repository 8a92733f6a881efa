package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/leveelake/catalog"
)

type keygenCmd struct{}

func (keygenCmd) Run(o output) error {
	_, err := fmt.Fprintln(o.out, catalog.NewKey())
	return err
}

// keys finds the server's keys, and makes one where a single server may decide by itself. made is the file of a new
// key, "" if none was made.
func (s serveCmd) keys(data string) (keys catalog.Keys, made string, err error) {
	switch {
	case s.Key != "" && s.KeyFile != "":
		return keys, "", errors.New("--key (LEVEE_KEY) and --key-file: give one of them")
	case s.Key != "":
		keys, err = catalog.ParseKeys(s.Key)
		if err != nil {
			err = fmt.Errorf("--key: %w", err)
		}
		return keys, "", err
	case s.KeyFile == "" && s.isMemory(): // what it encrypts is forgotten, too
		keys, err = catalog.ParseKeys(catalog.NewKey())
		return keys, "", err
	}
	path := s.KeyFile
	if path == "" {
		path = filepath.Join(data, "levee.key")
	}
	text, err := readSecret(path)
	switch {
	case !errors.Is(err, fs.ErrNotExist):
	case !s.isShared():
		text, made = catalog.NewKey(), path
		err = writeSecret(path, text+"\n")
	case s.KeyFile == "" && !s.authenticates():
		return keys, "", nil // without secrets and tokens, none is needed
	default:
		return keys, "", fmt.Errorf("there is no key: all servers on one PostgreSQL need the same. make one with levee keygen, and give it to each as --key-file FILE (mode 0600) or in the variable LEVEE_KEY; %s does not exist", path)
	}
	if err != nil {
		return keys, "", fmt.Errorf("--key-file: %w", err)
	}
	if keys, err = catalog.ParseKeys(text); err != nil {
		return keys, "", fmt.Errorf("--key-file: %s: %w", path, err)
	}
	return keys, made, nil
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

// writeSecret writes a file that nobody else may read. After a crash it is there as a whole or not at all.
func writeSecret(path, text string) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // of mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // does nothing after the rename
	if _, err = f.WriteString(text); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	if folder, err := os.Open(filepath.Dir(path)); err == nil { // the name is durable, where folders can be synced
		_ = folder.Sync()
		folder.Close()
	}
	return nil
}
