//go:build unix

package history_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
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

	"github.com/leveelake/catalog/internal/program"
)

// Only a server that hangs needs longer to start or to stop.
const startLimit, stopLimit = 3 * time.Minute, 2 * time.Minute

// built is the program of all replicas of this process; TestMain removes it.
var built struct {
	sync.Once
	dir    string
	binary string
	err    error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if built.dir != "" {
		if err := os.RemoveAll(built.dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	os.Exit(code)
}

// build returns the path of the program.
func build(t testing.TB) string {
	t.Helper()
	built.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "levee-history-"); built.err == nil {
			built.binary, built.err = program.Build(built.dir)
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.binary
}

// A member is a replica: one address, and a process that comes and goes. One goroutine at a
// time starts and ends it.
type member struct {
	address string
	args    []string
	guard   *guard
	log     logBuffer // of all its processes

	cmd    *exec.Cmd
	ended  chan struct{} // closed when cmd has ended, with this
	result error
	starts int // that came to nothing
}

// newMember chooses an address. It is not one that the system gives to outgoing connections, or it
// might be taken while the replica is down.
func newMember(t testing.TB, guard *guard, args ...string) *member {
	t.Helper()
	for range 1000 {
		l, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", 10_000+rand.IntN(20_000)))
		if err != nil {
			continue
		}
		l.Close()
		address := l.Addr().String()
		return &member{address: address, guard: guard, args: append([]string{"serve", "--listen", address}, args...)}
	}
	t.Fatal("no port is free")
	return nil
}

// start starts a process and returns when it answers. If it ends instead, as one must that finds no
// database, another one is started.
func (m *member) start(t testing.TB) error {
	for began := time.Now(); time.Since(began) < startLimit; time.Sleep(50 * time.Millisecond) {
		m.cmd = exec.Command(build(t), m.args...)
		m.cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "LEVEE_") }) // they set flags, too
		m.cmd.Stdout, m.cmd.Stderr = &m.log, &m.log
		if err := m.cmd.Start(); err != nil {
			return err
		}
		m.guard.add(m.cmd.Process.Pid)
		ended := make(chan struct{})
		m.ended = ended
		go func() {
			m.result = m.cmd.Wait()
			close(ended)
		}()
		if m.answers(began) {
			return nil
		}
		if m.running() {
			return fmt.Errorf("a replica does not answer %s after its start", startLimit)
		}
		m.starts++
	}
	return fmt.Errorf("a replica could not be started in %s", startLimit)
}

func (m *member) running() bool {
	if m.cmd == nil {
		return false
	}
	select {
	case <-m.ended:
		return false
	default:
		return true
	}
}

// answers waits until the process answers or ends.
func (m *member) answers(began time.Time) bool {
	c := http.Client{Timeout: startLimit}
	defer c.CloseIdleConnections()
	for m.running() && time.Since(began) < startLimit {
		res, err := c.Get("http://" + m.address + "/no/such/path") // that needs no database
		if err == nil {
			res.Body.Close()
			return true
		}
		time.Sleep(10 * time.Millisecond)
	}
	return false
}

// signal sends the process a signal. The error, that it has ended already, shows elsewhere.
func (m *member) signal(s os.Signal) { _ = m.cmd.Process.Signal(s) }

// kill ends the process at once.
func (m *member) kill() {
	if m.running() {
		m.signal(os.Kill)
		<-m.ended
	}
}

// stop ends the process as an administrator would, and says what was wrong with its end.
func (m *member) stop() error {
	if !m.running() {
		return errors.New("it was not running")
	}
	m.signal(syscall.SIGTERM)
	select {
	case <-m.ended:
		return m.result
	case <-time.After(stopLimit):
		m.kill()
		return fmt.Errorf("it did not end within %s of SIGTERM", stopLimit)
	}
}

// A logBuffer is a buffer that may be read while processes write.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
