package memory_test

import (
	"testing"

	"github.com/leveelake/catalog/storage/memory"
	"github.com/leveelake/catalog/storage/storagetest"
)

func backend() storagetest.Backend {
	return storagetest.Backend{
		Open: func(testing.TB, string) (storagetest.Store, error) { return memory.New(), nil },
	}
}

func TestStore(t *testing.T) { storagetest.Run(t, backend()) }

func BenchmarkStore(b *testing.B) { storagetest.Bench(b, backend()) }
