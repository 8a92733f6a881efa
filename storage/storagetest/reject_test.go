package storagetest

import (
	"slices"
	"testing"

	"github.com/leveelake/catalog/storage/memory"
)

// A mutant is a store with one fault, and the tests that must find it.
type mutant struct {
	name    string
	backend func() Backend
	foundBy []string
}

func mutants() []mutant {
	return slices.Concat(unguarded(), badReads(), badOverlaps(), badWrites(), badTransactions(), badLives())
}

// Each of these faults is found, by each of the tests named.
func TestRejects(t *testing.T) {
	for _, m := range mutants() {
		for _, name := range m.foundBy {
			t.Run(m.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				failed, text := outcomeOf(t, name, m.backend(), true)
				if !failed {
					t.Errorf("%s passes on a store that is broken: %s", name, m.name)
				}
				t.Log(text)
			})
		}
	}
}

// There is no test that cannot fail.
func TestEveryTestFinds(t *testing.T) {
	finds := make(map[string]bool)
	for _, m := range mutants() {
		for _, name := range m.foundBy {
			finds[name] = true
		}
	}
	for _, s := range subjects() {
		for _, test := range s.tests {
			if name := s.name + "/" + test.name; !finds[name] {
				t.Errorf("no fault is found by %s", name)
			}
		}
	}
}

// And on a store that is not broken the same way of running a test finds nothing.
func TestRejectsNothing(t *testing.T) {
	for _, s := range subjects() {
		for _, test := range s.tests {
			if s.name == "life" && test.name != "Apart" {
				continue // not for memory
			}
			t.Run(s.name+"/"+test.name, func(t *testing.T) {
				t.Parallel()
				if failed, text := outcomeOf(t, s.name+"/"+test.name, bend(bent{}), false); failed {
					t.Error(text)
				}
			})
		}
	}
}

// bend opens bent stores that have b's faults.
func bend(b bent) Backend {
	return open(func() Store {
		b := b
		b.Store, b.gate = memory.New(), make(chan struct{}, 1)
		return &b
	})
}

func broken(name string, b bent, foundBy ...string) mutant {
	return mutant{name, func() Backend { return bend(b) }, foundBy}
}
