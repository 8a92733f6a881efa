//go:build unix

package clients_test

import (
	"bytes"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/internal/pgtest"
	"github.com/leveelake/catalog/internal/program"
)

const (
	startLimit = 2 * time.Minute
	stopLimit  = time.Minute
	shownLines = 200
)

// serverFolder holds the binary all legs of this process run; TestMain removes it.
var serverFolder string

var buildServer = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "levee-clients-")
	if err != nil {
		return "", err
	}
	serverFolder = dir
	return program.Build(dir)
})

// A server is a started levee with an empty store.
type server struct {
	url     string
	catalog string
	token   string // of the catalog's owner; any where none is asked for, because clients insist on sending one
	reader  string // of one who may read all of the catalog and do no more; "" where no token is asked for
}

// argv is what a driver's arguments begin with.
func (s server) argv(schema string, more ...string) []string {
	return append([]string{s.url, s.token, s.reader, s.catalog, schema}, more...)
}

// An access is whether a server asks who one is.
type access bool

const (
	open    access = false
	guarded access = true
)

// onBoth runs fn on a server that lets everybody do everything, and on one that asks for tokens. On another store than
// the usual one the latter must do.
func onBoth(t *testing.T, fn func(t *testing.T, s server)) {
	if os.Getenv("LEVEE_CLIENTS_STORE") != "postgres" {
		t.Run("open", func(t *testing.T) { fn(t, serve(t, open)) })
	}
	t.Run("guarded", func(t *testing.T) { fn(t, serve(t, guarded)) })
}

// serve starts a server that ends with the test and must then end cleanly.
func serve(t *testing.T, a access) server {
	t.Helper()
	binary, err := buildServer()
	must(t, err)
	s := server{catalog: "main", token: "any"}
	address := freeAddress(t)
	s.url = "http://" + address

	data := t.TempDir()
	cmd := exec.Command(binary, "serve", "--listen", address, "--data", data, "--catalog", s.catalog)
	if a == guarded {
		cmd.Args = append(cmd.Args, "--admin", admin)
	}
	switch store := os.Getenv("LEVEE_CLIENTS_STORE"); store {
	case "", "sqlite":
	case "postgres":
		cmd.Args = append(cmd.Args, "--store", pgtest.URL(t))
	default:
		t.Fatalf("LEVEE_CLIENTS_STORE is %q; it may be sqlite or postgres", store)
	}
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "LEVEE_") }) // they set flags, too
	cmd.Env = append(cmd.Env, "LEVEE_KEY="+catalog.NewKey())
	var log syncBuffer
	cmd.Stdout, cmd.Stderr = &log, &log
	must(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()

	t.Cleanup(func() {
		stop(t, cmd, ended)
		text := log.String()
		if strings.Contains(text, "panic") {
			t.Error("the server panicked")
		}
		if t.Failed() {
			t.Logf("the server's last lines:\n%s", lastLines(text, shownLines))
		}
	})
	s.await(t, ended)
	if a == guarded {
		s.share(t, data)
	}
	return s
}

func stop(t *testing.T, cmd *exec.Cmd, ended <-chan error) {
	t.Helper()
	// an error here means that it has ended already, which the exit status tells
	_ = cmd.Process.Signal(syscall.SIGTERM)
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("the server ended with: %v", err)
		}
	case <-time.After(stopLimit):
		t.Errorf("the server did not stop within %s of SIGTERM", stopLimit)
		_ = cmd.Process.Kill()
		<-ended
	}
}

// await returns when the server answers the question every delta/v1 client asks first, be it with a request for a token.
func (s server) await(t *testing.T, ended chan error) {
	t.Helper()
	config := s.url + "/api/2.1/unity-catalog/delta/v1/config?catalog=" + s.catalog + "&protocol-versions=1.0"
	last := ""
	for start := time.Now(); time.Since(start) < startLimit; time.Sleep(50 * time.Millisecond) {
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("the server ended before it was ready")
		default:
		}
		resp, err := http.Get(config)
		if err != nil {
			last = err.Error()
			continue
		}
		resp.Body.Close()
		if resp.StatusCode == http.StatusOK || resp.StatusCode == http.StatusUnauthorized {
			return
		}
		last = resp.Status
	}
	t.Fatalf("the server was not ready after %s; GET %s: %s", startLimit, config, last)
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer l.Close()
	return l.Addr().String()
}

func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// A syncBuffer is a buffer that may be read while the process still writes.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
