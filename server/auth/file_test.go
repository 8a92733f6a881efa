package auth_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/leveelake/catalog/server/auth"
	"github.com/leveelake/catalog/types"
)

func TestHashToken(t *testing.T) {
	// printf %s abc | sha256sum
	if got := auth.HashToken("abc"); got != "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" {
		t.Error(got)
	}
}

func TestFileFormat(t *testing.T) {
	h := auth.HashToken
	path := filepath.Join(t.TempDir(), "tokens")
	text := "# people\n\n" +
		h("t1") + " ann\r\n" +
		strings.ToUpper(h("t2")) + "\tbob  g1,g2\n" +
		"  " + h("t3") + " \"a b\" \"data team,ops\" \n" +
		h("t4") + ` "q\"uote" #1` + "\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := auth.File(path, options(newClock()))
	if err != nil {
		t.Fatal(err)
	}
	for token, want := range map[string]string{"t1": "ann []", "t2": "bob [g1 g2]", "t3": "a b [data team ops]", "t4": `q"uote [#1]`} {
		who, groups, err := show(t, f, token)
		if got := fmt.Sprint(who, " ", groups); got != want || err != nil {
			t.Errorf("%s: %s, %v", token, got, err)
		}
		slices.Sort(groups) // they are the caller's
		clear(groups)
	}
	if groups := accepted(t, f, "t2", "bob"); !slices.Equal(groups, []string{"g1", "g2"}) {
		t.Errorf("a caller changed the groups of all: %q", groups)
	}
	refused(t, f, h("t1"), types.NotAuthorized)

	for _, bad := range []string{
		"hunter2hunter2", "hunter2hunter2 ann", h("x"), h("x")[1:] + " ann", h("x") + "00 ann", h("x") + " ann g hunter2hunter2",
		h("x") + ` "ann`, h("x") + ` "ann"hunter2hunter2`, h("x") + ` ""`, h("x") + ` " "`, h("x") + ` "a\nb"`, h("x") + " ann ,", h("x") + " ann g,,h",
		h("x") + " " + strings.Repeat("x", 256), h("x") + " a\nb hunter2hunter2\n", h("x") + " a\n" + h("x") + " b", h("x") + " a\xff",
		h("x") + " a\u200bb", h("x") + " a\u202eb", h("x") + " a\u2028b", h("x") + " a g,h\u00ad",
		h("x") + "  -", h("x") + ` "-" g`, h("x") + " ann -", h("x") + "  - ann",
	} {
		if err := os.WriteFile(path, []byte("# comment\n"+bad+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := auth.File(path, options(newClock()))
		if err == nil || !strings.Contains(err.Error(), "line ") || strings.Contains(err.Error(), "hunter") || strings.Contains(err.Error(), h("x")[:20]) {
			t.Errorf("%.100q: %v", bad, err)
		}
	}
	for _, open := range []string{h("x") + " a", "\n" + h("x") + " a b", "# comment", " ", "\n\n" + h("x") + " a\r"} {
		if err := os.WriteFile(path, []byte(open), 0o600); err != nil {
			t.Fatal(err)
		}
		line := fmt.Sprintf("line %d must end in a newline", strings.Count(open, "\n")+1)
		if _, err := auth.File(path, options(newClock())); err == nil || !strings.Contains(err.Error(), line) {
			t.Errorf("%q: %v, want %s", open, err, line)
		}
	}
	if _, err := auth.File(path+".none", options(newClock())); err == nil {
		t.Error("there is no file")
	}
}

func TestFileIsReadAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path+".new", path); err != nil {
			t.Fatal(err)
		}
	}
	line := func(token, who string) string { return auth.HashToken(token) + " " + who + "\n" }
	write(line("t1", "ann"))
	c, log := newClock(), &bytes.Buffer{}
	o := options(c)
	o.Logger = slog.New(slog.NewTextHandler(log, nil))
	f, err := auth.File(path, o)
	if err != nil {
		t.Fatal(err)
	}
	accepted(t, f, "t1", "ann")

	write(line("t2", "bob")) // of the same length
	accepted(t, f, "t1", "ann")
	c.add(time.Second)
	refused(t, f, "t1", types.NotAuthorized)
	accepted(t, f, "t2", "bob")

	for range 3 {
		c.add(time.Second)
		refused(t, f, "t1", types.NotAuthorized)
	}
	log.Reset()
	unfinished := line("t3", "cy")
	write(unfinished[:len(unfinished)-1]) // of another person, perhaps
	c.add(time.Second)
	accepted(t, f, "t2", "bob")
	refused(t, f, "t3", types.NotAuthorized)
	log.Reset()
	write(line("t3", "cy") + "hunter2 oops\n")
	for range 3 {
		c.add(time.Second)
		accepted(t, f, "t2", "bob")
		refused(t, f, "t3", types.NotAuthorized)
	}
	if got := log.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "line 2") || strings.Contains(got, "hunter") {
		t.Errorf("the log: %s", got)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		c.add(time.Second)
		accepted(t, f, "t2", "bob")
	}
	write(line("t4", "dan"))
	c.add(time.Second)
	refused(t, f, "t2", types.NotAuthorized)
	accepted(t, f, "t4", "dan")

	// In place, too: the inode stays.
	if err := os.WriteFile(path, []byte(line("t5", "dan")+line("t6", "eve")), 0o600); err != nil {
		t.Fatal(err)
	}
	c.add(time.Second)
	refused(t, f, "t4", types.NotAuthorized)
	accepted(t, f, "t6", "eve")
	write("")
	c.add(time.Second)
	refused(t, f, "t6", types.NotAuthorized)
}

func TestFileInParallel(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens")
	lines := auth.HashToken("t") + " ann g\n"
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	c := newClock()
	f, err := auth.File(path, options(c))
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 200 {
				c.add(time.Second)
				accepted(t, f, "t", "ann")
			}
		})
	}
	for i := range 50 {
		if err := os.WriteFile(path+".new", []byte(lines+strings.Repeat("#", i)+"\n"), 0o600); err != nil {
			t.Error(err)
		}
		if err := os.Rename(path+".new", path); err != nil {
			t.Error(err)
		}
	}
	wait.Wait()
}

// TestFileThatLooksTheSame: a change is noticed although size and time of modification are as before, and where the
// system does not tell either, within half a minute.
func TestFileThatLooksTheSame(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens")
	write := func(token string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(auth.HashToken(token)+" ann\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		when := time.Unix(1_700_000_000, 0)
		if err := os.Chtimes(path, when, when); err != nil {
			t.Fatal(err)
		}
	}
	write("old")
	c, log := newClock(), &bytes.Buffer{}
	o := options(c)
	o.Logger = slog.New(slog.NewTextHandler(log, nil))
	f, err := auth.File(path, o)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(20 * time.Millisecond) // the clock of a file system ticks slowly
	write("new")
	if runtime.GOOS == "linux" || runtime.GOOS == "darwin" {
		c.add(time.Second)
	} else {
		c.add(30 * time.Second)
	}
	refused(t, f, "old", types.NotAuthorized)
	accepted(t, f, "new", "ann")
	log.Reset()
	for range 3 { // it is read again, and nothing is to be told
		c.add(30 * time.Second)
		accepted(t, f, "new", "ann")
	}
	if log.Len() > 0 {
		t.Errorf("the log: %s", log)
	}
}

// TestFileIsDue: what shows no change at all is read again.
func TestFileIsDue(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens")
	text := func(token string) []byte { return []byte(auth.HashToken(token) + " ann\n") }
	if err := os.WriteFile(path, text("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := newClock()
	f, err := auth.File(path, options(c))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	auth.Seen(t, f, path)
	c.add(29 * time.Second)
	accepted(t, f, "old", "ann")
	c.add(time.Second)
	refused(t, f, "old", types.NotAuthorized)
	accepted(t, f, "new", "ann")
}
