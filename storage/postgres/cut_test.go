package postgres

import (
	"bytes"
	"context"
	"encoding/binary"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/leveelake/catalog/internal/pgtest"
	"github.com/leveelake/catalog/storage/storagetest"
)

// A cutter makes connections that it can cut at a chosen moment.
type cutter struct {
	mode  atomic.Int32 // what happens to the next writes of an Update that are sent
	times atomic.Int32 // how often it was cut
	conns sync.Map
}

const (
	whole  = iota
	before // the connection breaks, and nothing of them arrives
	after  // they arrive and the answer does not
)

func (c *cutter) config(p *pgxpool.Config) {
	p.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		out := &cutConn{Conn: conn, cutter: c}
		c.conns.Store(out, true)
		return out, nil
	}
}

type cutConn struct {
	net.Conn
	cutter *cutter
	mode   atomic.Int32
}

// isWrite tells whether a message that is sent applies writes of an Update: those of a commit
// by the name of their statement, others since no read is several statements.
func isWrite(sent []byte) bool {
	binds := 0
	for len(sent) >= 5 {
		n := int(binary.BigEndian.Uint32(sent[1:])) + 1
		if n > len(sent) {
			break
		}
		if sent[0] == 'B' {
			if bytes.Contains(sent[:n], []byte("levee_commit\x00")) || bytes.Contains(sent[:n], []byte("levee_group\x00")) {
				return true
			}
			binds++
		}
		sent = sent[n:]
	}
	return binds > 1
}

func (c *cutConn) Write(b []byte) (int, error) {
	if mode := c.cutter.mode.Load(); mode != whole && isWrite(b) && c.cutter.mode.CompareAndSwap(mode, whole) {
		c.cutter.times.Add(1)
		c.mode.Store(mode)
	}
	if c.mode.Load() == before {
		c.Conn.Close()
		return len(b), nil // as the kernel does, which takes what it will never deliver
	}
	return c.Conn.Write(b)
}

func (c *cutConn) Read(b []byte) (int, error) {
	switch c.mode.Load() {
	case before:
		return 0, syscall.ECONNRESET
	case after:
		_, _ = c.Conn.Read(b) // the server answers when it has committed
		c.Conn.Close()
		return 0, syscall.ECONNRESET
	}
	return c.Conn.Read(b)
}

// A breakable is a store whose connections can be cut.
type breakable struct {
	*Store
	cutter *cutter
}

func openBreakable(t testing.TB, url string) (*breakable, error) {
	c := &cutter{}
	s, err := open(t.Context(), url, c.config)
	return &breakable{s, c}, err
}

func TestStore(t *testing.T) {
	pgtest.Shared(t)
	var d dirs
	storagetest.Run(t, storagetest.Backend{
		Open: func(t testing.TB, dir string) (storagetest.Store, error) {
			return openBreakable(t, d.url(t, dir))
		},
		Durable: true,
		Shared:  true,
		Break: func(t testing.TB, s storagetest.Store, persisted bool) {
			mode := int32(before)
			if persisted {
				mode = after
			}
			s.(*breakable).cutter.mode.Store(mode)
		},
	})
}
