package sqlite

import (
	"bytes"
	"os"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// A probe stands between SQLite and the files of one database. It knows what of them
// a power cut would leave, and can let writes and syncs fail.
type probe struct {
	mu    sync.Mutex
	files map[string]*image // by path

	// fail, if not nil, is asked before each write and sync of the WAL, without mu.
	fail func(op string) (code int32, after bool)
}

// An image is what a file holds, and what of it is certainly on the disk.
type image struct{ now, durable []byte }

// probes holds the probes by the path of their database; handles those of open files.
var probes, handles sync.Map

// watch makes a probe for the database at path, which must be opened after it.
func watch(t testing.TB, path string) *probe {
	watchVFS()
	path, err := resolve(path)
	if err != nil {
		t.Fatal(err)
	}
	p := &probe{files: make(map[string]*image)}
	probes.Store(path, p)
	t.Cleanup(func() { probes.Delete(path) })
	return p
}

// cut returns what the files would hold after a power cut at this moment, by the ends of
// their names ("" and "-wal"). check runs at the same moment.
func (p *probe) cut(check func()) map[string][]byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := make(map[string][]byte)
	for path, f := range p.files {
		end := ""
		if strings.HasSuffix(path, "-wal") {
			end = "-wal"
		}
		out[end] = bytes.Clone(f.durable)
	}
	if check != nil {
		check()
	}
	return out
}

// unsynced tells whether the WAL holds anything that was written after its last sync.
func (p *probe) unsynced() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for path, f := range p.files {
		if strings.HasSuffix(path, "-wal") && !bytes.Equal(f.now, f.durable) {
			return true
		}
	}
	return false
}

func (p *probe) ask(path, op string) (code int32, after bool) {
	if p.fail == nil || !strings.HasSuffix(path, "-wal") {
		return 0, false
	}
	return p.fail(op)
}

// A handle is an open file: its path, and the methods of SQLite that it has.
type handle struct {
	*probe
	path string
	was  *lib.Tsqlite3_io_methods
}

// The default file system of SQLite; ours is a copy of it but for xOpen and xDelete.
var (
	plainVFS *lib.Tsqlite3_vfs
	methods  sync.Map // *lib.Tsqlite3_io_methods -> our copy
)

var watchVFS = sync.OnceFunc(func() {
	tls := libc.NewTLS()
	lib.Xsqlite3_initialize(tls)
	plainVFS = pointer[lib.Tsqlite3_vfs](lib.Xsqlite3_vfs_find(tls, 0))
	vfs := memory(tls, *plainVFS)
	name, err := libc.CString("probe")
	if err != nil {
		panic(err)
	}
	vfs.FzName, vfs.FpNext = name, 0
	vfs.FxOpen, vfs.FxDelete = value(probeOpen), value(probeDelete)
	lib.Xsqlite3_vfs_register(tls, address(vfs), 1)
})

func probeOpen(tls *libc.TLS, vfs, name, file uintptr, flags int32, out uintptr) int32 {
	open := function[func(*libc.TLS, uintptr, uintptr, uintptr, int32, uintptr) int32](plainVFS.FxOpen)
	code := open(tls, vfs, name, file, flags, out)
	f := pointer[lib.Tsqlite3_file](file)
	if code != lib.SQLITE_OK || name == 0 {
		return code
	}
	path := libc.GoString(name)
	found, ok := probes.Load(strings.TrimSuffix(path, "-wal"))
	if !ok {
		return code
	}
	h := &handle{probe: found.(*probe), path: path, was: pointer[lib.Tsqlite3_io_methods](f.FpMethods)}
	h.mu.Lock()
	if h.files[path] == nil {
		had, _ := os.ReadFile(path)
		h.files[path] = &image{had, bytes.Clone(had)}
	}
	h.mu.Unlock()
	handles.Store(file, h)
	ours, ok := methods.Load(h.was)
	if !ok {
		m := memory(tls, *h.was)
		m.FxWrite, m.FxSync, m.FxTruncate = value(probeWrite), value(probeSync), value(probeTruncate)
		ours, _ = methods.LoadOrStore(h.was, m)
	}
	f.FpMethods = address(ours.(*lib.Tsqlite3_io_methods))
	return code
}

func probeDelete(tls *libc.TLS, vfs, name uintptr, sync int32) int32 {
	path := libc.GoString(name)
	if p, ok := probes.Load(strings.TrimSuffix(path, "-wal")); ok {
		p := p.(*probe)
		p.mu.Lock()
		delete(p.files, path)
		p.mu.Unlock()
	}
	return function[func(*libc.TLS, uintptr, uintptr, int32) int32](plainVFS.FxDelete)(tls, vfs, name, sync)
}

func handleOf(file uintptr) *handle {
	h, _ := handles.Load(file)
	return h.(*handle)
}

func probeWrite(tls *libc.TLS, file, data uintptr, n int32, at int64) int32 {
	h := handleOf(file)
	if code, _ := h.ask(h.path, "write"); code != 0 {
		return code
	}
	write := function[func(*libc.TLS, uintptr, uintptr, int32, int64) int32](h.was.FxWrite)
	code := write(tls, file, data, n, at)
	if code == lib.SQLITE_OK {
		h.mu.Lock()
		f := h.files[h.path]
		if end := at + int64(n); end > int64(len(f.now)) {
			f.now = append(f.now, make([]byte, end-int64(len(f.now)))...)
		}
		copy(f.now[at:], libc.GoBytes(data, int(n)))
		h.mu.Unlock()
	}
	return code
}

func probeTruncate(tls *libc.TLS, file uintptr, size int64) int32 {
	h := handleOf(file)
	code := function[func(*libc.TLS, uintptr, int64) int32](h.was.FxTruncate)(tls, file, size)
	if code == lib.SQLITE_OK {
		h.mu.Lock()
		if f := h.files[h.path]; size < int64(len(f.now)) {
			f.now = f.now[:size]
		}
		h.mu.Unlock()
	}
	return code
}

func probeSync(tls *libc.TLS, file uintptr, flags int32) int32 {
	h := handleOf(file)
	failure, after := h.ask(h.path, "sync")
	if failure != 0 && !after {
		return failure
	}
	code := function[func(*libc.TLS, uintptr, int32) int32](h.was.FxSync)(tls, file, flags)
	if code == lib.SQLITE_OK {
		h.mu.Lock()
		f := h.files[h.path]
		f.durable = bytes.Clone(f.now)
		h.mu.Unlock()
		code = failure
	}
	return code
}

// C pointers are uintptr in this SQLite, and function pointers are func values.

// memory copies v to where SQLite has its memory. It is never freed.
func memory[T any](tls *libc.TLS, v T) *T {
	p := pointer[T](libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(v))))
	*p = v
	return p
}

func pointer[T any](p uintptr) *T { return *(**T)(unsafe.Pointer(&p)) }

func address[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }

func function[F any](p uintptr) F { return *(*F)(unsafe.Pointer(&p)) }

func value[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&f)) }
