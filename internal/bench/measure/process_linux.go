package measure

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Resident returns the memory of a process that is in use, in bytes.
func Resident(pid int) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0, fmt.Errorf("/proc/%d/statm: %q", pid, text)
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize()), err
}

// tick is the unit of times below /proc: 1/100 s on every Linux that Go runs on.
const tick = 10 * time.Millisecond

// FamilyCPU returns the processor time of the parent of a process, of all the parent's
// children, and of those that are gone: of a PostgreSQL, seen from one of its
// connections. false: the system does not tell.
func FamilyCPU(child int) (time.Duration, bool) {
	of, err := statOf(child)
	if err != nil {
		return 0, false
	}
	parent, err := statOf(of.parent)
	if err != nil {
		return 0, false
	}
	sum := parent.own + parent.gone
	names, _ := filepath.Glob("/proc/[0-9]*") // only a bad pattern is an error
	for _, name := range names {
		pid, err := strconv.Atoi(filepath.Base(name))
		if err != nil {
			continue
		}
		if s, err := statOf(pid); err == nil && s.parent == of.parent {
			sum += s.own
		}
	}
	return sum, true
}

type stat struct {
	parent    int
	own, gone time.Duration // of the process, and of its children that it has waited for
}

func statOf(pid int) (stat, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return stat{}, err
	}
	// The name of the program, in parentheses, may contain anything. After it come the state,
	// the parent, and times as the 12th to 15th field.
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	if len(fields) < 15 {
		return stat{}, fmt.Errorf("/proc/%d/stat: %q", pid, text)
	}
	var s stat
	var ticks [4]int64
	s.parent, err = strconv.Atoi(fields[1])
	for i := range ticks {
		if err == nil {
			ticks[i], err = strconv.ParseInt(fields[11+i], 10, 64)
		}
	}
	s.own, s.gone = time.Duration(ticks[0]+ticks[1])*tick, time.Duration(ticks[2]+ticks[3])*tick
	return s, err
}
