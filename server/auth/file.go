package auth

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"os"
	"reflect"
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
// The last line, too, must end in a newline: else it may be one that is still being written. The token itself must not look
// like one of the catalog's own (<UUID>.<text>), which [Any] has judged by [Tokens] alone.
//
// A changed file is noticed within a second, and one whose change nothing shows, within half a minute. As long as a new
// version is broken or gone, the one before it counts, and the log tells the line. Replace the file by renaming another to
// its name: of one that is written in place, a part may be read.
func File(path string, opts Options) (*FileTokens, error) {
	f := &FileTokens{path: path, opts: opts.complete()}
	if err := f.read(f.opts.Now()); err != nil {
		return nil, err
	}
	return f, nil
}

// FileTokens are the tokens of a file; see [File].
type FileTokens struct {
	path string
	opts Options
	list atomic.Pointer[map[[sha256.Size]byte]entry]

	mu   sync.Mutex // held while the file is looked at
	next time.Time  // when to do so again
	due  time.Time  // when to read it although it looks the same
	seen os.FileInfo
	sum  [sha256.Size]byte // of the text in use
	told string            // what the log was told last
}

// An entry is whom a token lets in.
type entry struct {
	principal string
	groups    []string
}

const (
	fileEvery   = time.Second
	readEvery   = 30 * time.Second
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
	if err == nil && now.Before(f.due) && same(f.seen, info) {
		return
	}
	before := f.sum
	switch err := f.read(now); {
	case err == nil && f.sum == before && f.told == "":
	case err == nil:
		f.told = ""
		f.opts.Logger.Info("the tokens were read again", "file", f.path, "tokens", len(*f.list.Load()))
	case err.Error() != f.told:
		f.told = err.Error()
		f.opts.Logger.Error("the file of tokens cannot be used; the tokens read before still count", "file", f.path, "error", err)
	}
}

// same reports whether a and b are of one version of a file, as far as the system tells.
func same(a, b os.FileInfo) bool {
	return a != nil && os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && changed(a) == changed(b)
}

// changed is when the file was changed, whatever somebody has set as its time of modification; "" where the system does not tell.
func changed(info os.FileInfo) string {
	if sys := reflect.Indirect(reflect.ValueOf(info.Sys())); sys.Kind() == reflect.Struct {
		for _, name := range []string{"Ctim", "Ctimespec"} { // of Linux, of BSDs
			if f := sys.FieldByName(name); f.IsValid() {
				return fmt.Sprint(f.Interface())
			}
		}
	}
	return ""
}

// read takes the tokens in the file. A version that is broken is seen, too, and not read again before it is due.
func (f *FileTokens) read(now time.Time) error {
	f.seen, f.due = nil, now.Add(readEvery)
	file, err := os.Open(f.path)
	if err != nil {
		return err
	}
	defer file.Close()
	if f.seen, err = file.Stat(); err != nil {
		return err
	}
	data, err := io.ReadAll(io.LimitReader(file, maxFileSize+1))
	switch {
	case err != nil:
		f.seen = nil
		return err
	case len(data) > maxFileSize:
		return fmt.Errorf("%s has more than %d bytes", f.path, maxFileSize)
	}
	list, err := parseTokens(string(data))
	if err != nil {
		return fmt.Errorf("%s: %w", f.path, err)
	}
	f.list.Store(&list)
	f.sum = sha256.Sum256(data)
	return nil
}
