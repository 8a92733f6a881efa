package postgres

import (
	"fmt"
	"io"
	"net"
	"net/url"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/leveelake/catalog/internal/pgtest"
)

// TestOpenWhileStarting: a server that is starting up is waited for.
func TestOpenWhileStarting(t *testing.T) {
	to, err := url.Parse(pgtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	server := to.Host
	to.Host = l.Addr().String()
	var refused atomic.Int32
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			if refused.Add(1) > 3 {
				go forward(c, server)
				continue
			}
			b := pgproto3.NewBackend(c, c)
			_, _ = b.ReceiveStartupMessage()
			b.Send(&pgproto3.ErrorResponse{Severity: "FATAL", SeverityUnlocalized: "FATAL", Code: stateStarting, Message: "the database system is starting up"})
			_ = b.Flush()
			_ = c.Close()
		}
	}()
	s, err := Open(bg, to.String())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil || refused.Load() <= 3 {
		t.Error(err, fmt.Sprint(refused.Load()))
	}
}

func forward(c net.Conn, to string) {
	defer c.Close()
	s, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	defer s.Close()
	go func() { _, _ = io.Copy(s, c) }()
	_, _ = io.Copy(c, s)
}
