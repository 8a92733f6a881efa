package sqlite

import (
	"encoding/binary"
	"errors"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// The entries of a batch are one blob: for each the ID of its log, its numbers and its bytes, in
// this order, numbers as varints and texts with their length before them.

// appendEntry appends an entry of the log of id.
func appendEntry(b []byte, id types.ID, e entry) []byte {
	b = appendText(b, string(id))
	for _, n := range []int64{e.log.Revision, e.log.Last, e.log.Backfilled, e.forgettable} {
		b = binary.AppendVarint(b, n)
	}
	b = appendText(b, e.log.State)
	if e.add == nil {
		return append(b, 0)
	}
	b = append(b, 1)
	b = binary.AppendVarint(b, e.add.Version)
	b = appendText(b, e.add.File)
	return appendText(b, e.add.Data)
}

func appendText[T string | []byte](b []byte, text T) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

var errEntry = errors.New("sqlite: an entry of the journal is cut off")

// A decoder takes entries from what is left of a blob.
type decoder struct {
	left []byte
	bad  bool
}

// entry returns the next entry and the ID of its log.
func (d *decoder) entry() (id types.ID, e entry, err error) {
	id = types.ID(d.text())
	for _, n := range []*int64{&e.log.Revision, &e.log.Last, &e.log.Backfilled, &e.forgettable} {
		*n = d.number()
	}
	e.log.State = cloneBytes(d.text())
	if d.flag() {
		e.add = &storage.Commit{Version: d.number(), File: string(d.text()), Data: cloneBytes(d.text())}
	}
	if d.bad {
		err = errEntry
	}
	return id, e, err
}

func (d *decoder) number() int64 {
	n, size := binary.Varint(d.left)
	d.skip(size)
	return n
}

func (d *decoder) text() []byte {
	n, size := binary.Uvarint(d.left)
	if d.skip(size); n > uint64(len(d.left)) {
		d.bad = true
		return nil
	}
	text := d.left[:n]
	d.left = d.left[n:]
	return text
}

func (d *decoder) flag() bool {
	if len(d.left) == 0 {
		d.bad = true
		return false
	}
	f := d.left[0]
	d.left = d.left[1:]
	return f != 0
}

// skip passes over a number of this size, as encoding/binary tells it.
func (d *decoder) skip(size int) {
	if size <= 0 {
		d.bad, d.left = true, nil
		return
	}
	d.left = d.left[size:]
}
