package sqlite

import (
	"bytes"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/leveelake/catalog/storage"
)

// The sizes of a WAL: its header, and a frame with the header of that.
const walHeader, walFrame = 32, 24 + 4096

// A crashed is a database as a kill -9 has left it.
type crashed struct {
	files map[string][]byte
	ends  []int // the length of the WAL after each version of the table; ends[0]: when it had none
}

// crash makes one of many versions. The journal moves in the middle of them. In an old one the WAL
// has been through a checkpoint and begun anew, so that there is more in it than is true.
func crash(t *testing.T, old bool) crashed {
	t.Helper()
	path := filepath.Join(t.TempDir(), "levee.db")
	p := watch(t, path)
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	plant(t, s)
	table(t, s, 0, "")
	write := func() {
		update(t, s, func(tx storage.Tx) error { _, err := commitBody(bg, tx, id(tableN)); return err })
	}
	length := func() int { return walHeader + int(frames(t, s))*walFrame }
	before := 0
	if old {
		before = 5 * 13
		for range before {
			write()
		}
		update(t, s, func(storage.Tx) error { return s.writer.pragma(qRestart) })
	}
	write()
	c := crashed{ends: slices.Repeat([]int{0}, before+1)}
	c.ends = append(c.ends, length())
	for v := before + 2; v <= before+24; v++ {
		if v%9 == 0 {
			moveJournal(t, s)
		}
		write()
		c.ends = append(c.ends, length())
	}
	c.files = p.cut(nil)
	if wal := len(c.files["-wal"]); old != (wal > length()) {
		t.Fatalf("the WAL has %d bytes, of which %d are true", wal, length())
	}
	return c
}

// version is that at which a WAL opens that is good up to a length.
func (c crashed) version(length int) (v int64) {
	for int(v+1) < len(c.ends) && c.ends[v+1] <= length {
		v++
	}
	return v
}

// opens opens the database with another WAL and checks that it is at a version, all of it.
func (c crashed) opens(t *testing.T, what string, at int, wal []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "levee.db")
	if err := restore(path, map[string][]byte{"": c.files[""], "-wal": wal}); err != nil {
		t.Fatal(err)
	}
	s, err := Open(path)
	if err != nil {
		t.Fatalf("%s at %d: %v", what, at, err)
	}
	defer s.Close()
	chain := get(t, s, id(tableN))
	if len(chain) != 4 {
		if want := c.version(at); want != 0 {
			t.Errorf("%s at %d: there is no table, want version %d", what, at, want)
		}
		return
	}
	if v, want := chain[3].Log.Last, c.version(at); v != want {
		t.Errorf("%s at %d: version %d, want %d", what, at, v, want)
	}
	if err := isWhole(chain[3]); err != nil {
		t.Errorf("%s at %d: %v", what, at, err)
	}
	if bad := number(t, s, `SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'`); bad != 0 {
		t.Errorf("%s at %d: %d faults in the file", what, at, bad)
	}
	update(t, s, func(tx storage.Tx) error { // and it can be written again
		if len(chain) < 4 {
			return nil
		}
		_, err := commitBody(bg, tx, id(tableN))
		return err
	})
}

// A WAL that was cut off or damaged anywhere opens at the last whole Update before that, never in
// the middle of one.
func TestDamagedWAL(t *testing.T) {
	for _, old := range []bool{false, true} {
		c := crash(t, old)
		wal := c.files["-wal"]
		c.opens(t, "whole", len(wal), wal)
		var places []int
		for at := walHeader; at <= c.ends[len(c.ends)-1]; at += walFrame {
			places = append(places, at, at+1+rand.IntN(walFrame-1)) // a boundary, and somewhere in the frame
		}
		if testing.Short() {
			rand.Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
			places = places[:30]
		}
		for _, at := range append(places, 0, 1, walHeader-1) {
			c.opens(t, "cut", at, wal[:min(at, len(wal))])
			if at < len(wal) {
				bad := bytes.Clone(wal)
				bad[at] ^= 1 << rand.IntN(8)
				c.opens(t, "changed", at, bad)
			}
			if !old && (at-walHeader)%walFrame == 0 { // elsewhere what is cut off may be zero itself
				c.opens(t, "zero", at, append(bytes.Clone(wal[:min(at, len(wal))]), make([]byte, 3*walFrame)...))
			}
		}
	}
}
