//go:build unix

package history_test

import (
	"fmt"
	"io"
	"os/exec"
	"sync"
	"syscall"
	"testing"
)

// A guard ends processes when the test process has ended without doing so, as it does after a
// timeout.
type guard struct {
	mu   sync.Mutex
	pipe io.WriteCloser
	cmd  *exec.Cmd
}

// guardScript remembers the numbers that it reads, until there are no more because the other end is
// gone; "done" is the last word of one who has nothing left to end.
const guardScript = `all=; while read -r pid; do if [ "$pid" = done ]; then exit; fi; all="$all $pid"; done; kill -9 $all`

func newGuard(t testing.TB) *guard {
	t.Helper()
	g := &guard{cmd: exec.Command("/bin/sh", "-c", guardScript)}
	g.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // an interrupt must not reach it first
	var err error
	if g.pipe, err = g.cmd.StdinPipe(); err == nil {
		err = g.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func (g *guard) add(pid int) { g.tell(fmt.Sprint(pid)) }

func (g *guard) tell(line string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, _ = io.WriteString(g.pipe, line+"\n") // without a guard only what is rare is worse
}

// end ends the guard, when all that it knows of has ended.
func (g *guard) end() {
	g.tell("done")
	_ = g.pipe.Close()
	_ = g.cmd.Wait()
}
