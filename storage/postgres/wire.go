package postgres

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"time"

	"github.com/jackc/pgx/v5"
)

// binaryFormat says that all parameters, or all results, are binary.
func binaryFormat() []int16 { return []int16{1} }

// run runs one of the few statements that run so often that they are sent and received
// without the general machinery of the driver: prepared once on each connection, under this
// name, with all values in the binary format. It calls row with the values of each row,
// which are the driver's until row returns. It waits for the answer whatever becomes of the
// caller, but not longer than timeout.
func run(c *pgx.Conn, name, sql string, timeout time.Duration, params [][]byte, row func(values [][]byte)) (err error) {
	ctx := context.Background() // with any other, the driver would watch it in a goroutine
	if err := c.PgConn().Conn().SetDeadline(time.Now().Add(timeout)); err != nil {
		return errUnsent{err}
	}
	defer func() { // else it would be that of others, too
		if !c.IsClosed() && c.PgConn().Conn().SetDeadline(time.Time{}) != nil {
			_ = c.Close(ctx)
		}
	}()
	prepared, err := c.Prepare(ctx, name, sql)
	if err != nil {
		return errUnsent{err}
	}
	formats := binaryFormat()
	r := c.PgConn().ExecStatement(ctx, prepared, params, formats, formats)
	for r.NextRow() {
		row(r.Values())
	}
	_, err = r.Close()
	return cmp.Or(err, notReplicated(c))
}

// The OIDs of types that arrays are made of.
const (
	oidBytea = 17
	oidInt8  = 20
	oidText  = 25
)

// An array is an array of PostgreSQL in the binary format, while it is being made.
type array struct {
	data  []byte
	count uint32
	nulls uint32 // 1 if there is a NULL among the elements
}

// arrayHead is the size of the head of an array of one dimension.
const arrayHead = 20

// newArray begins an array.
func newArray() array { return array{data: make([]byte, arrayHead)} }

func (a *array) text(s string) {
	a.count++
	a.data = binary.BigEndian.AppendUint32(a.data, uint32(len(s)))
	a.data = append(a.data, s...)
}

func (a *array) bytes(b []byte) {
	a.count++
	a.data = binary.BigEndian.AppendUint32(a.data, uint32(len(b)))
	a.data = append(a.data, b...)
}

func (a *array) null() {
	a.count++
	a.nulls = 1
	a.data = binary.BigEndian.AppendUint32(a.data, math.MaxUint32)
}

func (a *array) int(n int64) {
	a.count++
	a.data = binary.BigEndian.AppendUint32(a.data, 8)
	a.data = binary.BigEndian.AppendUint64(a.data, uint64(n))
}

// end returns the array, whose elements have this type.
func (a *array) end(oid uint32) []byte {
	head := a.data[:0]
	if a.count == 0 { // an empty array has no dimension
		head = binary.BigEndian.AppendUint32(head, 0)
		head = binary.BigEndian.AppendUint32(head, 0)
		head = binary.BigEndian.AppendUint32(head, oid)
		return head
	}
	head = binary.BigEndian.AppendUint32(head, 1) // dimension
	head = binary.BigEndian.AppendUint32(head, a.nulls)
	head = binary.BigEndian.AppendUint32(head, oid)
	head = binary.BigEndian.AppendUint32(head, a.count)
	binary.BigEndian.AppendUint32(head, 1) // the first index
	return a.data
}

func intOf(value []byte) int64 {
	switch len(value) {
	case 8:
		return int64(binary.BigEndian.Uint64(value))
	case 4:
		return int64(int32(binary.BigEndian.Uint32(value)))
	case 2:
		return int64(int16(binary.BigEndian.Uint16(value)))
	case 1:
		return int64(value[0]) // a boolean
	}
	return 0 // NULL
}

func intParam(n int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }
