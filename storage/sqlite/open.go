package sqlite

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/leveelake/catalog/storage/internal/nodes"
)

// Open opens the store in the file at path, or makes it there; the folder must exist.
// Until Close, no other Open of the file succeeds, in this process or another, by
// whatever path: it returns an error that is [ErrInUse]. A file that is not ours, too new, or
// not readable as a database is left as it is: [ErrForeign], [ErrNewer], [ErrDamaged]; so is one
// that has two names, since the lock goes by the name: [ErrLinked].
func Open(path string) (*Store, error) { return open(path, "FULL") }

// open is Open with the given synchronous setting. FULL is the only one that keeps the
// contract; tests show that they notice another.
func open(path, synchronous string) (_ *Store, err error) {
	given := path
	defer func() {
		if err != nil {
			err = faultOf(given, err)
		}
	}()
	if path, err = resolve(path); err != nil {
		return nil, err
	}
	owner, err := lock(path + ".lock")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			owner.Close()
		}
	}()
	if err := prepare(path); err != nil {
		return nil, err
	}
	c, err := openWriter(path, synchronous)
	if err != nil {
		return nil, err
	}
	s := &Store{path: path, lock: owner, cache: nodes.New(cacheLimit), views: newPool(func() (*conn, error) {
		// As many KiB for each: few, since what is read most is in our own cache.
		c, err := connect(path, `query_only = ON`, `foreign_keys = ON`, `cache_size = -1024`)
		return c, faultOf(path, err)
	})}
	s.writer = newWriter(c, s.cache, &s.journal)
	j, number, err := c.loadJournal()
	if err != nil {
		c.Close()
		return nil, err
	}
	s.journal.Store(j)
	s.writer.number = number
	s.end = sync.OnceValue(s.close)
	go s.writer.run()
	return s, nil
}

// openWriter opens the connection that writes. It changes nothing before it knows that
// the file is ours.
func openWriter(path, synchronous string) (_ *conn, err error) {
	c, err := connect(path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			c.Close()
		}
	}()
	version, err := versionOf(c.Conn)
	if err != nil {
		return nil, err
	}
	err = c.set(
		`page_size = 4096`,       // for a new file; smaller and larger ones were slower
		`journal_mode = WAL`,     // Views do not wait for Updates
		`wal_autocheckpoint = 0`, // the writer does it after its answers
		`synchronous = `+synchronous,
		`fullfsync = ON`, // macOS: past the cache of the drive
		`foreign_keys = ON`,
		`temp_store = MEMORY`, // what a savepoint undoes is kept in no file
		`cache_size = -8192`,  // KiB; no other writer ever makes it useless
	)
	if err != nil {
		return nil, err
	}
	if wal, err := pragma(c.Conn, `SELECT journal_mode = 'wal' FROM pragma_journal_mode`); err != nil || wal != 1 {
		return nil, errors.Join(err, errors.New("its file system cannot hold a write-ahead log"))
	}
	return c, migrate(c.Conn, version)
}

// resolve returns the one name of the file: absolute and without symbolic links.
func resolve(path string) (string, error) {
	if path == "" {
		return "", errors.New("the path is empty")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if _, err := os.Lstat(path); err == nil { // also a link to nothing, which then is an error
		return filepath.EvalSymlinks(path)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	folder, err := filepath.EvalSymlinks(filepath.Dir(path))
	return filepath.Join(folder, filepath.Base(path)), err
}

// prepare makes the file if there is none, readable by its owner alone, and refuses what
// cannot be a database in words clearer than SQLite's.
func prepare(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer f.Close() // before SQLite opens it: POSIX locks do not survive this in the same process
	if info, err := f.Stat(); err != nil {
		return err
	} else if names(info) > 1 {
		return ErrLinked
	}
	const magic = "SQLite format 3\x00"
	head := make([]byte, len(magic))
	switch _, err := io.ReadFull(f, head); {
	case errors.Is(err, io.EOF): // empty
		return nil
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: it is no SQLite file", ErrForeign)
	case err != nil:
		return err
	}
	if !bytes.Equal(head, []byte(magic)) {
		return fmt.Errorf("%w: it is no SQLite file", ErrForeign)
	}
	return nil
}
