package catalog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// Files reads the commit files of managed tables. With it the catalog does not take a
// client's word for a backfill, nor for version 0 of a new table, and can tell a late retry of a
// commit whose file name it has forgotten.
type Files interface {
	// Open opens the file at a storage URL and tells its size in bytes. Its error is
	// fs.ErrNotExist if there is no such file, and errors.ErrUnsupported if this
	// storage is not one it can read: the catalog then goes by what clients say.
	Open(ctx context.Context, location string) (io.ReadCloser, int64, error)
}

// LocalFiles reads local files. It reads only file:// locations below Root.
type LocalFiles struct {
	Root string // a file:// URL, usually Config.ManagedRoot
}

// Open opens the file at location.
func (f LocalFiles) Open(_ context.Context, location string) (io.ReadCloser, int64, error) {
	root, rest, err := localPath(f.Root, location)
	if err != nil {
		return nil, 0, fmt.Errorf("%w: %w", errors.ErrUnsupported, err)
	}
	// Clients write below the root, links and pipes too: no link may lead out of it, and no
	// pipe may hold up the request.
	dir, err := os.OpenRoot(root)
	if err != nil {
		return nil, 0, err
	}
	defer dir.Close()
	file, err := dir.OpenFile(rest, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ENOTDIR) {
		return nil, 0, fs.ErrNotExist
	}
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fs.ErrNotExist // there is something, but no file
	}
	if err != nil {
		return nil, 0, errors.Join(err, file.Close())
	}
	return file, info.Size(), nil
}

// localPath is the path of root, a file:// URL, and within it that of a location.
func localPath(root, location string) (dir, rest string, err error) {
	normal, err := parseLocation("root", root)
	if err != nil {
		return "", "", err
	}
	// In another form than the normal one it could lead out of the root again.
	if same, err := parseLocation("location", location); err != nil || same != location {
		return "", "", fmt.Errorf("%s is not a location in normal form", location)
	}
	below, ok := strings.CutPrefix(location, normal+"/")
	if !ok || !strings.HasPrefix(location, "file:///") {
		return "", "", fmt.Errorf("%s is not below %s", location, normal)
	}
	dir, err1 := url.PathUnescape(strings.TrimPrefix(normal, "file://"))
	rest, err2 := url.PathUnescape(below)
	if err := errors.Join(err1, err2); err != nil {
		return "", "", fmt.Errorf("%s: %w", location, err)
	}
	if runtime.GOOS == "windows" {
		dir = strings.TrimPrefix(dir, "/") // /C:/data
	}
	return filepath.FromSlash(dir), filepath.FromSlash(rest), nil
}

// LocalURL is the file:// URL of an absolute local path, for Config.ManagedRoot.
func LocalURL(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/data
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// A question is what a rule must know of a table's files before it can decide. The rules
// are pure: they ask by a value, the catalog looks outside of the transaction and asks
// them again.
type question struct {
	location  string
	published []int64       // are these versions published?
	same      *types.Commit // is this commit's staged file the one that is published?
}

// A sighting is what has been seen of a table's files. What is published stays so.
type sighting struct {
	published map[int64]bool
	same      map[types.Commit]bool
}

// maxCompared bounds the files that are compared to decide a replay, in bytes. A commit
// file is rarely as long as 1 MiB.
const maxCompared = 64 << 20

// look answers q into seen. A file that cannot be read leaves the outcome unknown.
func (c *Catalog) look(ctx context.Context, q *question, seen *sighting) error {
	log := q.location + "/_delta_log/"
	if seen.published == nil {
		*seen = sighting{published: map[int64]bool{}, same: map[types.Commit]bool{}}
	}
	for _, v := range q.published {
		file, size, err := c.files.Open(ctx, log+publishedName(v))
		switch {
		case err == nil:
			file.Close()
			seen.published[v] = size > 0 // an empty one is a publication that was cut short
		case errors.Is(err, fs.ErrNotExist):
			seen.published[v] = false
		case errors.Is(err, errors.ErrUnsupported):
			seen.published[v] = true
		default:
			return unread(err)
		}
	}
	if q.same != nil {
		same, err := c.sameFile(ctx, log+"_staged_commits/"+url.PathEscape(q.same.FileName), log+publishedName(q.same.Version))
		if err != nil {
			return unread(err)
		}
		seen.same[*q.same] = same
	}
	return nil
}

// maxLooks bounds how often a request looks at files: once for the commit, once for the
// backfill, and again if another request changed the table meanwhile.
const maxLooks = 8

// decide is update for a function that may ask a question instead of an answer: it looks
// outside of the transaction and runs the function again, with what has been seen.
func decide[T any](ctx context.Context, c *Catalog, fn func(tx storage.Tx, seen sighting) (T, *question, error)) (T, error) {
	type result struct {
		value T
		ask   *question
	}
	var none T
	var seen sighting
	for range maxLooks {
		r, err := update(ctx, c, func(tx storage.Tx) (r result, err error) {
			r.value, r.ask, err = fn(tx, seen)
			return r, err
		})
		if err != nil {
			return none, err
		}
		if r.ask == nil {
			return r.value, nil
		}
		if err := c.look(ctx, r.ask, &seen); err != nil {
			return none, err
		}
	}
	return none, types.UpdateRequirementConflict.Errorf("other requests kept getting in the way; reload and retry")
}

func unread(err error) error {
	return types.CommitStateUnknown.Errorf("the commit files of the table cannot be read now").Because(err)
}

// publishedName is the name of a version's file in _delta_log (Delta protocol, "Delta
// Log Entries").
func publishedName(version int64) string { return fmt.Sprintf("%020d.json", version) }

// sameFile compares two files, with little memory.
func (c *Catalog) sameFile(ctx context.Context, a, b string) (bool, error) {
	x, sizeX, err := c.files.Open(ctx, a)
	if err != nil {
		return false, err
	}
	defer x.Close()
	y, sizeY, err := c.files.Open(ctx, b)
	if err != nil {
		return false, err
	}
	defer y.Close()
	switch {
	case sizeX != sizeY:
		return false, nil
	case sizeX > maxCompared:
		return false, fmt.Errorf("%s has %d bytes; files of more than %d are not compared", a, sizeX, maxCompared)
	}
	return sameBytes(io.LimitReader(x, sizeX+1), io.LimitReader(y, sizeX+1))
}

func sameBytes(x, y io.Reader) (bool, error) {
	var p, q [32 << 10]byte
	for {
		n, errX := io.ReadFull(x, p[:])
		m, errY := io.ReadFull(y, q[:])
		if n != m || string(p[:n]) != string(q[:m]) {
			return false, nil
		}
		end := func(err error) bool { return err == io.EOF || err == io.ErrUnexpectedEOF }
		switch {
		case end(errX) && end(errY):
			return true, nil
		case errX != nil && !end(errX):
			return false, errX
		case errY != nil && !end(errY):
			return false, errY
		}
	}
}
