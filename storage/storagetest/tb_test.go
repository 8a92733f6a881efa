package storagetest

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// A fakeTB takes down what a test of the suite reports, in the place of the real TB.
type fakeTB struct {
	testing.TB // for Name, TempDir, Context and Helper

	mu       sync.Mutex
	failed   bool
	skipped  bool
	text     []string
	cleanups []func()
}

func (f *fakeTB) report(text string, failed bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.text = append(f.text, text)
	f.failed = f.failed || failed
}

func (f *fakeTB) Failed() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.failed
}

func (f *fakeTB) Helper()                   {}
func (f *fakeTB) Log(a ...any)              { f.report(fmt.Sprint(a...), false) }
func (f *fakeTB) Logf(s string, a ...any)   { f.report(fmt.Sprintf(s, a...), false) }
func (f *fakeTB) Error(a ...any)            { f.report(fmt.Sprint(a...), true) }
func (f *fakeTB) Errorf(s string, a ...any) { f.report(fmt.Sprintf(s, a...), true) }
func (f *fakeTB) Fatal(a ...any)            { f.report(fmt.Sprint(a...), true); runtime.Goexit() }
func (f *fakeTB) Fatalf(s string, a ...any) { f.report(fmt.Sprintf(s, a...), true); runtime.Goexit() }
func (f *fakeTB) Skip(a ...any) {
	f.report(fmt.Sprint(a...), false)
	f.skipped = true
	runtime.Goexit()
}
func (f *fakeTB) Cleanup(fn func()) { f.cleanups = append(f.cleanups, fn) }

// outcomeOf runs one test of the suite on a backend and says whether it failed, and how.
// A panic counts as a failure, as it does for real. A test of a store that is broken
// need not be patient, but may pause to find more.
func outcomeOf(t *testing.T, name string, b Backend, isBroken bool) (failed bool, text string) {
	t.Helper()
	run := find(t, name)
	f := &fakeTB{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if r := recover(); r != nil {
				f.report(fmt.Sprint("panic: ", r), true)
			}
		}()
		e := newEnv(f, b)
		if isBroken {
			e.patience, e.pause, e.short = 100*time.Millisecond, time.Second, false
		}
		run(e)
	}()
	<-done
	for _, fn := range f.cleanups {
		fn()
	}
	if f.skipped {
		t.Errorf("%s was skipped", name)
	}
	return f.failed, strings.Join(f.text, "\n")
}

// find returns the test of this name, subject/test.
func find(t *testing.T, name string) func(e *env) {
	t.Helper()
	for _, s := range subjects() {
		for _, test := range s.tests {
			if s.name+"/"+test.name == name {
				return test.run
			}
		}
	}
	t.Fatalf("there is no test %s", name)
	return nil
}
