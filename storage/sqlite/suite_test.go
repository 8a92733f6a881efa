package sqlite

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	lib "modernc.org/sqlite/lib"

	"github.com/leveelake/catalog/storage/storagetest"
)

func TestStore(t *testing.T) {
	storagetest.Run(t, storagetest.Backend{
		Open: func(t testing.TB, dir string) (storagetest.Store, error) {
			path := filepath.Join(dir, "levee.db")
			p := watch(t, path)
			s, err := Open(path)
			if err != nil {
				return nil, err
			}
			return &breakable{Store: s, probe: p}, nil
		},
		Durable: true,
		Break: func(t testing.TB, s storagetest.Store, persisted bool) {
			s.(*breakable).breaks(persisted)
		},
	})
}

// A breakable is a store whose next COMMIT can fail. After that it is closed by
// a power cut.
type breakable struct {
	*Store
	probe  *probe
	broken bool
}

func (b *breakable) breaks(persisted bool) {
	b.broken = true
	synced := false
	b.probe.fail = func(op string) (int32, bool) {
		switch {
		case !persisted:
			b.probe.fail = nil
		case op == "write" && !synced:
			return 0, false
		case op == "write": // no seal, either
			return lib.SQLITE_IOERR_WRITE, false
		}
		synced = true
		return lib.SQLITE_IOERR_FSYNC, persisted
	}
}

func (b *breakable) Close() error {
	if !b.broken {
		return b.Store.Close()
	}
	b.broken = false
	left := b.probe.cut(nil)
	b.probe.fail = nil
	err := b.Store.Close()
	return errors.Join(err, restore(b.path, left))
}

// restore writes what a power cut has left.
func restore(path string, files map[string][]byte) error {
	for end, data := range files {
		if err := os.WriteFile(path+end, data, 0o600); err != nil {
			return err
		}
	}
	return nil
}
