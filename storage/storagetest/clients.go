package storagetest

import (
	"errors"
	"sync"
	"time"

	"github.com/leveelake/catalog/storage"
)

// rounds is how often a race is run.
func (e *env) rounds(n int) int {
	if e.short {
		return max(1, n/5)
	}
	return n
}

// race runs fn n times at once, on the stores in turn, and returns the errors.
func (e *env) race(n int, fn func(i int, s storage.Store) error) []error {
	errs := make([]error, n)
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			<-start
			errs[i] = fn(i, e.all[i%len(e.all)])
		})
	}
	close(start)
	wg.Wait()
	return errs
}

// winners returns which of errs are nil and checks that the others are one of lost.
func (e *env) winners(errs []error, lost ...error) []int {
	e.Helper()
	var won []int
next:
	for i, err := range errs {
		if err == nil {
			won = append(won, i)
			continue
		}
		for _, l := range lost {
			if errors.Is(err, l) {
				continue next
			}
		}
		e.Errorf("loser %d got %v, want one of %v", i, err, lost)
	}
	return won
}

// wait reports whether end was closed before d was over.
func wait(end <-chan struct{}, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-end:
		return true
	case <-timer.C:
		return false
	}
}

// beside starts do in another goroutine, as another client of the store would, when
// call is first called, and waits for its end: at most for the pause if it may have to
// wait for us, else with patience. call reports whether do is over, done waits for it.
func (e *env) beside(do func() error, mayWait bool) (call func() bool, done func() error) {
	var once sync.Once
	end := make(chan struct{})
	var err error
	start := func() { go func() { defer close(end); err = do() }() }
	call = func() bool {
		once.Do(start)
		if mayWait {
			return wait(end, e.pause)
		}
		over := wait(end, e.patience)
		if !over {
			e.Error("another transaction waits for this one")
		}
		return over
	}
	done = func() error {
		once.Do(start)
		<-end
		return err
	}
	return call, done
}

// hold runs an Update that has written and is not done before release is called.
func (e *env) hold(fn func(tx storage.Tx) error) (release func() error) {
	written, end, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	var once sync.Once
	var err error
	go func() {
		defer close(done)
		defer once.Do(func() { close(written) }) // if it fails before
		err = e.try(func(tx storage.Tx) error {
			if err := fn(tx); err != nil {
				return err
			}
			once.Do(func() { close(written) })
			<-end
			return nil
		})
	}()
	<-written
	return func() error { close(end); <-done; return err }
}
