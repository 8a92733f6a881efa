package auth

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// File is the method of tokens that a file lists, each as the line
//
//	<hash> <principal> [<group>,<group>…]
//
// where the hash is that of [HashToken]. What has blanks in it is quoted as in Go: "a b" "data team,ops". Blank lines
// and those that begin with # are skipped. The file has no secrets in it, as long as the tokens are random.
//
// A changed file is noticed within a second. As long as a new version is broken or gone, the one before it counts, and
// the log tells the line.
func File(path string, opts Options) (*FileTokens, error) {
	f := &FileTokens{path: path, opts: opts.complete()}
	info, list, err := f.read()
	if err != nil {
		return nil, err
	}
	f.list.Store(&list)
	f.seen, f.next = info, f.opts.Now().Add(fileEvery)
	return f, nil
}

// FileTokens are the tokens of a file; see [File].
type FileTokens struct {
	path string
	opts Options
	list atomic.Pointer[map[[sha256.Size]byte]entry]

	mu   sync.Mutex // held while the file is looked at
	next time.Time  // when to do so again
	seen os.FileInfo
	told string // what the log was told last
}

// An entry is whom a token lets in.
type entry struct {
	principal string
	groups    []string
}

const (
	fileEvery   = time.Second
	maxFileSize = 64 << 20
)

// Authenticate lets in who shows a token of the file.
func (f *FileTokens) Authenticate(r *http.Request) (string, []string, error) {
	return authenticate(f, r)
}

func (f *FileTokens) responsible(token) bool { return true }

func (f *FileTokens) check(_ context.Context, t token) (string, []string, error) {
	f.refresh()
	// The look-up is by a hash of what was shown, so how long it takes tells nothing of the tokens.
	e, ok := (*f.list.Load())[sha256.Sum256([]byte(t.text))]
	if !ok {
		return "", nil, refused("the token is not known here")
	}
	return e.principal, slices.Clone(e.groups), nil
}

// refresh reads the file if it is not as it was seen last. While one request does so, the others use what there is.
func (f *FileTokens) refresh() {
	if !f.mu.TryLock() {
		return
	}
	defer f.mu.Unlock()
	now := f.opts.Now()
	if now.Before(f.next) {
		return
	}
	f.next = now.Add(fileEvery)
	info, err := os.Stat(f.path)
	if err == nil {
		if s := f.seen; s != nil && os.SameFile(s, info) && s.Size() == info.Size() && s.ModTime().Equal(info.ModTime()) {
			return
		}
		var list map[[sha256.Size]byte]entry
		if info, list, err = f.read(); err == nil {
			f.list.Store(&list)
		}
	}
	f.seen = info // a broken version, too, is read once
	switch {
	case err == nil:
		f.told = ""
		f.opts.Logger.Info("the tokens were read again", "file", f.path, "tokens", len(*f.list.Load()))
	case err.Error() != f.told:
		f.told = err.Error()
		f.opts.Logger.Error("the file of tokens cannot be used; the tokens read before still count", "file", f.path, "error", err)
	}
}

// read returns the tokens in the file, and which version of it was read.
func (f *FileTokens) read() (os.FileInfo, map[[sha256.Size]byte]entry, error) {
	file, err := os.Open(f.path)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, nil, err
	}
	data, err := io.ReadAll(io.LimitReader(file, maxFileSize+1))
	switch {
	case err != nil:
		return nil, nil, err
	case len(data) > maxFileSize:
		return info, nil, fmt.Errorf("%s has more than %d bytes", f.path, maxFileSize)
	}
	list, err := parseTokens(string(data))
	if err != nil {
		return info, nil, fmt.Errorf("%s: %w", f.path, err)
	}
	return info, list, nil
}
