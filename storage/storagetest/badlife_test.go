package storagetest

import (
	"context"
	"testing"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/storage/memory"
)

func plain(s storage.Store) storage.Store { return s }

// badLives are faults of opening, closing and failing.
func badLives() []mutant {
	keptWith := func(bend func(k *kept, b *Backend)) func() Backend {
		return func() Backend {
			k := newKept(false, plain)
			b := k.backend()
			bend(k, &b)
			return b
		}
	}
	faults := func(notPersisted, persisted Fault) func() Backend {
		return keptWith(func(_ *kept, b *Backend) {
			b.Break = func(_ testing.TB, s Store, p bool) {
				s.(*client).fault = notPersisted
				if p {
					s.(*client).fault = persisted
				}
			}
		})
	}
	return []mutant{
		{"nothing is kept", keptWith(func(k *kept, _ *Backend) {
			k.wrap = func(storage.Store) storage.Store { return memory.New() }
		}), []string{"life/Reopen"}},
		{"any number of owners", func() Backend {
			b := newKept(true, plain).backend()
			b.Shared = false
			return b
		}, []string{"life/SecondOwner"}},
		{"a second owner ends the first", keptWith(func(k *kept, b *Backend) {
			b.Open = func(t testing.TB, dir string) (Store, error) {
				s, err := k.open(t, dir)
				if err != nil {
					k.mu.Lock()
					defer k.mu.Unlock()
					delete(k.stores, dir)
					k.last.closed.Store(true)
				} else {
					k.last = s.(*client)
				}
				return s, err
			}
		}), []string{"life/SecondOwner"}},
		{"all dirs are one", keptWith(func(k *kept, b *Backend) {
			k.shared = true
			b.Open = func(t testing.TB, _ string) (Store, error) { return k.open(t, "") }
		}), []string{"life/Apart"}},
		{"a failure is a success", keptWith(func(_ *kept, b *Backend) {
			b.Break = func(_ testing.TB, s Store, p bool) {
				s.(*client).store = successful{s.(*client).store}
			}
		}), []string{"life/FailedNotPersisted", "life/FailedButPersisted"}},
		{"what failed is there", faults(FailedButPersisted(), FailedButPersisted()), []string{"life/FailedNotPersisted"}},
		{"what may be there is not", faults(FailedNotPersisted(), FailedNotPersisted()), []string{"life/FailedButPersisted"}},
		{"it says that nothing happened", faults(Fault{Err: errStop}, Fault{Err: errStop, Persisted: true}), []string{"life/FailedButPersisted"}},
		{"it says that there was a conflict", faults(Fault{Err: storage.ErrExists}, Fault{}), []string{"life/FailedNotPersisted"}},
	}
}

// successful drops every Update and says it went well.
type successful struct{ storage.Store }

func (s successful) Update(context.Context, func(tx storage.Tx) error) error { return nil }
