// Package wire is a client of HTTP/1.1 that costs little: it runs on the same machine as the
// server that it measures, and what it takes of the processors the server does not get.
// Requests are bytes made beforehand, answers are read into a buffer that is used again.
package wire

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http/httputil"
	"net/url"
	"strconv"
	"time"
)

// A Target is where requests go.
type Target struct {
	address string
	host    string // as requests name it
	prefix  string // of all paths
	tls     bool
}

// ParseTarget reads the URL of a server; what it has of a path begins all paths.
func ParseTarget(server string) (Target, error) {
	u, err := url.Parse(server)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return Target{}, fmt.Errorf("server %q: want a URL like http://127.0.0.1:8080", server)
	}
	t := Target{address: u.Host, host: u.Host, prefix: u.EscapedPath(), tls: u.Scheme == "https"}
	if u.Port() == "" {
		t.address = net.JoinHostPort(u.Hostname(), map[bool]string{false: "80", true: "443"}[t.tls])
	}
	if n := len(t.prefix); n > 0 && t.prefix[n-1] == '/' {
		t.prefix = t.prefix[:n-1]
	}
	return t, nil
}

// AppendHead appends the first line and the headers of a request, but for the end; headers are
// whole lines.
func (t Target) AppendHead(dst []byte, method, path, headers string) []byte {
	dst = append(append(append(dst, method...), ' '), t.prefix...)
	dst = append(append(dst, path...), " HTTP/1.1\r\nHost: "...)
	return append(append(append(dst, t.host...), "\r\n"...), headers...)
}

// AppendGet appends a request without a body.
func (t Target) AppendGet(dst []byte, path, headers string) []byte {
	return append(t.AppendHead(dst, "GET", path, headers), "\r\n"...)
}

// AppendPost appends a request with a body of JSON.
func (t Target) AppendPost(dst []byte, path, headers string, body []byte) []byte {
	dst = t.AppendHead(dst, "POST", path, headers)
	dst = append(dst, "Content-Type: application/json\r\nContent-Length: "...)
	dst = strconv.AppendInt(dst, int64(len(body)), 10)
	return append(append(dst, "\r\n\r\n"...), body...)
}

// A Conn is a connection that stays open. It is for one goroutine.
type Conn struct {
	conn    net.Conn
	r       *bufio.Reader
	body    []byte
	timeout time.Duration
	forget  func() bool
	closing bool // the server will close it after this answer
}

// Dial connects to t. The end of ctx ends the connection, and with it a request that waits. An
// answer may take as long as timeout.
func Dial(ctx context.Context, t Target, timeout time.Duration) (*Conn, error) {
	d := net.Dialer{Timeout: timeout}
	conn, err := d.DialContext(ctx, "tcp", t.address)
	if err != nil {
		return nil, err
	}
	if t.tls {
		host, _, _ := net.SplitHostPort(t.address) // ParseTarget made it
		conn = tls.Client(conn, &tls.Config{ServerName: host})
	}
	c := &Conn{conn: conn, r: bufio.NewReaderSize(conn, 32<<10), timeout: timeout}
	c.forget = context.AfterFunc(ctx, func() { conn.Close() })
	return c, nil
}

// Close closes the connection.
func (c *Conn) Close() {
	c.forget()
	c.conn.Close()
}

// An Answer is what came back. Its Body is valid until the next request of the connection.
type Answer struct {
	Status int
	Body   []byte
	ETag   string // only if it was asked for
}

var errClosed = errors.New("the server has closed the connection")

// Do sends a request and reads the answer. After an error the connection is of no use.
func (c *Conn) Do(request []byte) (Answer, error) { return c.do(request, false) }

// DoETag is Do with the ETag, at the price of a string.
func (c *Conn) DoETag(request []byte) (Answer, error) { return c.do(request, true) }

func (c *Conn) do(request []byte, etag bool) (Answer, error) {
	if c.closing {
		return Answer{}, errClosed
	}
	if err := c.conn.SetDeadline(time.Now().Add(c.timeout)); err != nil {
		return Answer{}, err
	}
	if _, err := c.conn.Write(request); err != nil {
		return Answer{}, err
	}
	for {
		a, h, err := c.head(etag)
		switch {
		case err != nil:
			return a, err
		case a.Status < 200: // one more is to come
			continue
		}
		c.closing = h.close
		a.Body, err = c.read(a.Status, h)
		return a, err
	}
}

// header is what matters of the headers of an answer.
type header struct {
	length  int64 // -1: not told
	chunked bool
	close   bool
}

func (c *Conn) head(etag bool) (Answer, header, error) {
	h := header{length: -1}
	line, err := c.line()
	if err != nil {
		return Answer{}, h, err
	}
	if len(line) < 12 || !bytes.HasPrefix(line, []byte("HTTP/1.")) {
		return Answer{}, h, fmt.Errorf("no answer of HTTP/1: %q", line)
	}
	status, err := strconv.Atoi(string(line[9:12]))
	if err != nil {
		return Answer{}, h, fmt.Errorf("no answer of HTTP/1: %q", line)
	}
	a := Answer{Status: status}
	h.close = line[7] == '0'
	for {
		line, err := c.line()
		if err != nil || len(line) == 0 {
			return a, h, err
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimSpace(value)
		switch {
		case is(name, "content-length"):
			if h.length, err = strconv.ParseInt(string(value), 10, 64); err != nil || h.length < 0 {
				return a, h, fmt.Errorf("Content-Length: %q", value)
			}
		case is(name, "transfer-encoding"):
			h.chunked = is(value, "chunked")
		case is(name, "connection"):
			h.close = h.close || is(value, "close")
		case etag && is(name, "etag"):
			a.ETag = string(value)
		}
	}
}

// is compares without regard to case; lower must be in lower case.
func is(b []byte, lower string) bool {
	return len(b) == len(lower) && bytes.EqualFold(b, []byte(lower))
}

func (c *Conn) line() ([]byte, error) {
	line, err := c.r.ReadSlice('\n')
	if err != nil {
		return nil, err
	}
	return bytes.TrimRight(line, "\r\n"), nil
}

// read reads the body.
func (c *Conn) read(status int, h header) (body []byte, err error) {
	switch {
	case status == 204 || status == 304:
		return nil, nil
	case h.chunked:
		body, err = readAll(httputil.NewChunkedReader(c.r), c.body[:0])
		if err == nil {
			err = c.trailer()
		}
	case h.length >= 0:
		if int64(cap(c.body)) < h.length {
			c.body = make([]byte, h.length)
		}
		body = c.body[:h.length]
		_, err = io.ReadFull(c.r, body)
	default: // as much as comes
		c.closing = true
		body, err = readAll(c.r, c.body[:0])
	}
	if cap(body) > cap(c.body) {
		c.body = body
	}
	return body, err
}

// trailer reads what follows the last chunk: lines up to an empty one.
func (c *Conn) trailer() error {
	for {
		line, err := c.line()
		if err != nil || len(line) == 0 {
			return err
		}
	}
}

// readAll is io.ReadAll into a buffer.
func readAll(r io.Reader, dst []byte) ([]byte, error) {
	for {
		if len(dst) == cap(dst) {
			dst = append(dst, 0)[:len(dst)]
		}
		n, err := r.Read(dst[len(dst):cap(dst)])
		dst = dst[:len(dst)+n]
		if errors.Is(err, io.EOF) {
			return dst, nil
		}
		if err != nil {
			return dst, err
		}
	}
}
