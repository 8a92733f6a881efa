package sqlite

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// smallDisk returns a folder on a disk of this many bytes. The test runs again for that, in another
// process with mounts of its own; then the first call returns false.
func smallDisk(t *testing.T, size int) (folder string, inside bool) {
	t.Helper()
	const env = "LEVEE_SQLITE_MOUNT"
	if folder := os.Getenv(env); folder != "" {
		err := errors.Join(
			syscall.Mount("none", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""), // others need not see it
			syscall.Mount("tmpfs", folder, "tmpfs", 0, fmt.Sprint("size=", size)))
		if err != nil {
			t.Skip("cannot mount a small disk: ", err)
		}
		return folder, true
	}
	c := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v", fmt.Sprint("-test.short=", testing.Short()))
	c.Env = append(os.Environ(), env+"="+t.TempDir())
	c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if os.Getuid() != 0 {
		c.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		c.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		c.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	out, err := c.CombinedOutput()
	text := string(out)
	switch _, ran := errors.AsType[*exec.ExitError](err); {
	case err != nil && !ran:
		t.Skip("no process may have mounts of its own here: ", err)
	case err != nil:
		t.Error(text)
	case strings.Contains(text, "--- SKIP"):
		t.Skip(text)
	default:
		t.Log(text)
	}
	return "", false
}

// fill writes a file until the disk is full.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	chunk := make([]byte, 4096)
	for {
		if _, err := f.Write(chunk); errors.Is(err, syscall.ENOSPC) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// isFull checks that err says so, of the file, and that nothing happened.
func isFull(t *testing.T, err error, path string) {
	t.Helper()
	if err == nil {
		return // there was room for it
	}
	if text := err.Error(); !strings.Contains(text, path) || !strings.Contains(text, "disk is full") || strings.Contains(text, "\n") {
		t.Errorf("on a full disk: %v", err)
	}
	if errors.Is(err, types.CommitStateUnknown) {
		t.Errorf("on a full disk nobody knows what happened: %v", err)
	}
}

// On a full disk Updates fail with a clear error and change nothing, Views work, and when there is room
// again, all goes on.
func TestFullDisk(t *testing.T) {
	folder, inside := smallDisk(t, 12<<20)
	if !inside {
		return
	}
	path, filler := filepath.Join(folder, "levee.db"), filepath.Join(folder, "filler")
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	plant(t, s)
	const writers = 4
	var acked [writers]int64
	for n := range writers {
		table(t, s, n, "")
	}
	// commits commits to all tables, and returns how many were refused.
	commits := func(each int) (refused int) {
		t.Helper()
		for range each {
			for n := range writers {
				v, err := storage.Update(bg, s, func(tx storage.Tx) (int64, error) { return commitBody(bg, tx, id(tableN+n)) })
				isFull(t, err, path)
				if err != nil {
					refused++
				} else if acked[n]++; v != acked[n] {
					t.Fatalf("table %d: version %d follows %d", n, v, acked[n]-1)
				}
			}
		}
		return refused
	}
	check := func(when string) {
		t.Helper()
		for n, v := range acked {
			err := s.View(bg, func(tx storage.ReadTx) error {
				chain, err := tx.Get(bg, id(tableN+n), storage.Want{Log: true})
				if err == nil && chain[3].Log.Last != v {
					err = fmt.Errorf("the last version is %d, %d was acknowledged", chain[3].Log.Last, v)
				}
				if err == nil {
					err = isWhole(chain[3])
				}
				return err
			})
			if err != nil {
				t.Errorf("%s: table %d: %v", when, n, err)
			}
		}
	}
	for round := range 6 {
		if n := commits(20); n > 0 {
			t.Errorf("%d commits were refused while there is room", n)
		}
		fill(t, filler)
		refused := 0
		for range 40 {
			refused += commits(10)
		}
		if refused == 0 {
			t.Error("the disk was never full")
		}
		update(t, s, func(storage.Tx) error { s.writer.foldAt = 0; return nil }) // and the journal cannot move, which nobody must notice
		refused = commits(5)
		check("full")
		forgetAll(s)
		check("full, from the database")
		if round%2 == 1 { // closed and opened while it is full
			if err := s.Close(); err != nil {
				isFull(t, err, path)
			}
			if s, err = Open(path); err != nil {
				isFull(t, err, path)
			} else if check("full, opened again"); s.Close() != nil {
				t.Log("it cannot be emptied on closing")
			}
			if err := os.Remove(filler); err != nil {
				t.Fatal(err)
			}
			if s, err = Open(path); err != nil {
				t.Fatal(err)
			}
		} else if err := os.Remove(filler); err != nil {
			t.Fatal(err)
		}
		check("with room again")
		t.Logf("round %d: %d refused, %v acknowledged", round, refused, acked)
	}
	if n := commits(20); n > 0 {
		t.Errorf("%d commits were refused when there was room again", n)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	checkCrashed(t, path, acked[:])
}
