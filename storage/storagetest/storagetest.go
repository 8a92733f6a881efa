// Package storagetest proves that a store keeps the contract of package storage: one
// call of [Run] from a test of the store's own. [Bench] measures it. [Faulty] and
// [Rerun] are for those who use a store: they let it fail, or run functions twice.
//
// The suite takes a store for a black box that may lock what it reads or may check it
// when it writes. So a test never takes the error of a single write for the answer,
// but that of Update; its functions can run again; and it waits in a function for
// another transaction only where the contract says that this one waits for nothing.
package storagetest

import (
	"testing"

	"github.com/leveelake/catalog/storage"
)

// A Store is a store under test.
type Store interface {
	storage.Store

	// Close ends the use of the store; later calls return [storage.ErrClosed].
	Close() error
}

// A Backend says how to open stores of one kind and what they can do beyond the contract.
type Backend struct {
	// Open opens the store kept in dir, an existing folder, or makes it if there is
	// none yet. Each test has its own dir. A store that keeps nothing in folders must
	// take dir for a name: the same dir means the same data (if Durable), another dir
	// other data. The suite closes what it opened, at the latest when t ends.
	Open func(t testing.TB, dir string) (Store, error)

	// Durable says that Open finds again what was written before Close.
	Durable bool

	// Shared says that several stores may have the same dir open at once: the races
	// then run on two of them. If not, and the store is Durable, a second Open of a
	// dir in use must fail.
	Shared bool

	// Break, if not nil, makes the next Update of s that writes fail when it commits:
	// after all is durable if persisted, else before anything is. s need not work
	// afterwards, but the next Open of its dir must (if Durable).
	Break func(t testing.TB, s Store, persisted bool)
}

// A test proves one promise. It gets a store of its own and must not start subtests,
// so that the tests of the suite itself can run it against a store that is broken.
type test struct {
	name string
	run  func(e *env)
}

// A subject is a file of tests.
type subject struct {
	name  string
	tests []test
}

func subjects() []subject {
	return []subject{
		{"object", objectTests()},
		{"log", logTests()},
		{"list", listTests()},
		{"overlap", overlapTests()},
		{"names", nameTests()},
		{"want", wantTests()},
		{"tx", txTests()},
		{"instant", instantTests()},
		{"context", contextTests()},
		{"held", heldTests()},
		{"race", raceTests()},
		{"cascade", cascadeTests()},
		{"life", lifeTests()},
		{"model", modelTests()},
	}
}

// Run runs the suite, each test on a store of its own and in parallel with others.
// With -short the heavy tests do less.
func Run(t *testing.T, b Backend) {
	for _, s := range subjects() {
		t.Run(s.name, func(t *testing.T) {
			for _, test := range s.tests {
				t.Run(test.name, func(t *testing.T) {
					t.Parallel()
					test.run(newEnv(t, b))
				})
			}
		})
	}
}
