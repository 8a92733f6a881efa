package server_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"
)

// A wire is a connection to a server, on which anything may be written.
type wire struct {
	*api
	net.Conn
	r *bufio.Reader
}

func (a *api) dial(s *httptest.Server) *wire {
	a.Helper()
	c, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		a.Fatal(err)
	}
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	return &wire{a, c, bufio.NewReader(c)}
}

// write writes text; a server may have closed the connection meanwhile.
func (w *wire) write(text string) { _, _ = io.WriteString(w, text) }

// answer reads one answer; status 0 means that the connection was closed without one.
func (w *wire) answer(method string) (status int, data []byte, res *http.Response) {
	w.Helper()
	res, err := http.ReadResponse(w.r, &http.Request{Method: method})
	if err != nil {
		return 0, nil, nil
	}
	defer res.Body.Close()
	data, err = io.ReadAll(res.Body)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		w.Errorf("body of %d: %v", res.StatusCode, err)
	}
	return res.StatusCode, data, res
}

// request writes the head of a request and a body.
func request(method, path, body string, header ...string) string {
	head := method + " " + path + " HTTP/1.1\r\nHost: x\r\n"
	for _, h := range header {
		head += h + "\r\n"
	}
	return head + "\r\n" + body
}

func length(n int) string { return fmt.Sprint("Content-Length: ", n) }

// chunked is a body in chunks of some bytes.
func chunked(body string, size int) string {
	var b strings.Builder
	for len(body) > 0 {
		n := min(size, len(body))
		fmt.Fprintf(&b, "%x\r\n%s\r\n", n, body[:n])
		body = body[n:]
	}
	return b.String() + "0\r\n\r\n"
}

// TestBadWire sends what only a socket can: requests that are badly framed, slow, or meant for
// another protocol. What is refused by net/http itself has no JSON.
func TestBadWire(t *testing.T) {
	onEachRace(t, func(f *fixture) {
		f.bare(f.store, 8*mib)
		s := httptest.NewServer(f.handler)
		defer s.Close()
		m := f.table()
		staging := s1 + "/staging-tables"
		name := `{"name":"n"}`
		const over = 9 * mib // more than this server takes
		chunks := "Transfer-Encoding: chunked"
		for _, test := range []struct {
			name, text string
			want       string // statuses that are fine, 0 for a connection that is closed
			json       bool   // the answer is ours
		}{
			{"chunked", request("POST", staging, chunked(name, 3), chunks), "200", true},
			{"chunked, too long", request("POST", staging, chunked(`{"name":"`+strings.Repeat("n", over)+`"}`, mib), chunks), "400 0", false},
			{"bad chunk", request("POST", staging, "zz\r\n"+name+"\r\n0\r\n\r\n", chunks), "400", true},
			{"chunk of another length", request("POST", staging, "2\r\n"+name+"\r\n0\r\n\r\n", chunks), "400", true},
			{"huge chunk", request("POST", staging, "ffffffffffffffff1\r\n"+name, chunks), "400", true},
			{"chunked twice", request("POST", staging, chunked(name, 3), chunks, chunks), "400 501", false},
			{"unknown coding", request("POST", staging, name, "Transfer-Encoding: gzip", length(len(name))), "501 400", false},
			{"chunked with a length", request("POST", staging, chunked(name, 99), chunks, length(3)), "200 400", false},
			{"two lengths", request("POST", staging, name, length(len(name)), length(3)), "400", false},
			{"negative length", request("POST", staging, name, "Content-Length: -1"), "400", false},
			{"length that is none", request("POST", staging, name, "Content-Length: 1x"), "400", false},
			{"length beyond int64", request("POST", staging, name, "Content-Length: 99999999999999999999"), "400", false},
			{"no length", request("POST", staging, ""), "400", true},
			{"length too small", request("POST", staging, name, length(len(name)-1)), "400", true},
			{"length of a longer body than allowed", request("POST", staging, name+strings.Repeat(" ", over), length(len(name)+over)), "400 0", false},
			{"gzip", request("POST", staging, "\x1f\x8b\x08\x00", "Content-Encoding: gzip", length(4)), "400", true},
			{"another method by header", request("POST", m.path, "{}", "X-HTTP-Method-Override: DELETE", length(2)), "400", true},
			{"h2c", request("GET", m.path, "", "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAAP__"), "200", true},
			{"websocket", request("GET", m.path, "", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Key: x", "Sec-WebSocket-Version: 13"), "200", true},
			{"preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "505 400 404 0", false},
			{"HTTP/3", "GET / HTTP/3.0\r\n\r\n", "505 400 0", false},
			{"HTTP/1.0", "GET " + m.path + " HTTP/1.0\r\n\r\n", "200", true},
			{"HTTP/0.9", "GET " + m.path + "\r\n", "400 0", false},
			{"TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", "400 0", false},
			{"no host", "GET " + m.path + " HTTP/1.1\r\n\r\n", "400", false},
			{"whole URL", request("GET", "http://y"+m.path, ""), "200", true},
			{"URL of another scheme", request("GET", "file:///etc/passwd", ""), "404 400", false},
			{"asterisk", request("OPTIONS", "*", ""), "200 404", false},
			{"CONNECT", request("CONNECT", "x:443", ""), "404 405", true},
			{"lower case", request("get", m.path, ""), "405", true},
			{"unknown method", request("BREW", m.path, ""), "405", true},
			{"method that is none", request("G(T", m.path, ""), "400", false},
			{"NUL in the path", request("GET", m.path+"\x00", ""), "400", false},
			{"raw bytes in the path", request("GET", m.path+"\xff\xfe", ""), "404 400", false},
			{"bad escape", request("GET", m.path+"%zz", ""), "400", false},
			{"blank in the path", request("GET", m.path+" x", ""), "400", false},
			{"backslashes", request("GET", unity+`\..\..\x`, ""), "404", true},
			{"dots", request("GET", unity+"/../../../etc/passwd", ""), "404", true},
			{"escaped dots", request("GET", unity+"/catalogs/%2e%2e/%2e%2e", ""), "404", true},
			{"long path", request("GET", t1+"/"+strings.Repeat("n", 500_000), ""), "404", true},
			{"many segments", request("GET", unity+strings.Repeat("/x", 200_000), ""), "404", true},
			{"long query", request("GET", t1+"?x="+strings.Repeat("y", 500_000), ""), "200", true},
			{"many parameters", request("GET", t1+"?"+strings.Repeat("max-results=1&", 60_000), ""), "200 400", true},
			{"semicolons", request("GET", t1+"?"+strings.Repeat("a;", 100_000)+"max-results=-1", ""), "200 400", true},
			{"long value of a query", request("GET", t1+"?max-results="+strings.Repeat("9", 500_000), ""), "400", true},
			{"long location", request("GET", delta+"/temporary-path-credentials?operation=READ&location=s3://b/"+strings.Repeat("a/", 250_000), ""), "400", true},
			{"long token", request("GET", t1+"?page-token="+strings.Repeat("QUFB", 100_000), ""), "400", true},
			{"long header", request("GET", m.path, "", "X: "+strings.Repeat("y", 2*mib)), "431 0", false},
			{"many headers", request("GET", m.path, "", strings.Split(strings.TrimSpace(strings.Repeat("X: y ", 10)), " X")...), "200 400", false},
			{"header without a name", request("GET", m.path, "", ": y"), "400", false},
			{"folded header", request("GET", m.path, "", "X: y\r\n z"), "200 400", false},
			{"NUL in a header", request("GET", m.path, "", "X: \x00"), "400", false},
			{"long Content-Type", request("POST", staging, name, "Content-Type: application/json"+strings.Repeat(";a=b", 50_000), length(len(name))), "200 400", true},
			{"expectation that nobody knows", request("POST", staging, name, "Expect: miracles", length(len(name))), "417", false},
		} {
			w := f.dial(s)
			before := dump(f, f.store)
			w.write(test.text)
			method, _, _ := strings.Cut(test.text, " ")
			status, data, res := w.answer(method)
			for status == http.StatusContinue {
				status, data, res = w.answer(method)
			}
			_ = w.Close()
			if !strings.Contains(" "+test.want+" ", fmt.Sprintf(" %d ", status)) {
				f.Errorf("%s: got %d %.300s, want one of %s", test.name, status, data, test.want)
			}
			if test.json && (res == nil || res.Header.Get("Content-Type") != "application/json" || status >= 400 && !knows(data)) {
				f.Errorf("%s: got %d %.300s, want JSON of the API", test.name, status, data)
			}
			if status >= 400 && !reflect.DeepEqual(before, dump(f, f.store)) {
				f.Errorf("%s: got %d, but the store changed", test.name, status)
			}
		}
		f.slow(s, m)
	})
}

// knows reports whether data is a refusal of one of the APIs.
func knows(data []byte) bool {
	code, message := refusal(data)
	return code != "" && message != ""
}

// slow sends what needs a connection for longer than one answer.
func (f *fixture) slow(s *httptest.Server, m *tab) {
	staging, name := s1+"/staging-tables", `{"name":"n"}`
	// A client asks before it sends a body, and waits until it is told to go on or not.
	for _, ask := range []struct {
		method, path, header string
		want                 int
	}{
		{"POST", staging, "X: y", 200}, {"POST", t1 + "/nope/x", "X: y", 404}, {"PUT", m.path, "X: y", 405}, {"POST", staging, "Content-Type: text/plain", 400},
	} {
		w := f.dial(s)
		_ = w.SetDeadline(time.Now().Add(5 * time.Second)) // else it would be for ever
		w.write(request(ask.method, ask.path, "", "Expect: 100-continue", ask.header, length(len(name))))
		status, data, _ := w.answer(ask.method)
		if status == http.StatusContinue {
			w.write(name)
			status, data, _ = w.answer(ask.method)
		}
		if status != ask.want {
			f.Errorf("%s %s, which waits to go on: got %d %s, want %d", ask.method, ask.path, status, data, ask.want)
		}
		_ = w.Close()
	}
	w := f.dial(s) // one after the other, sent at once
	w.write(request("POST", staging, name, length(len(name))) + request("GET", t1+"/nope", "") + request("POST", staging, "{", length(1)) + request("DELETE", t1+"/nope", "") + request("GET", m.path, ""))
	for i, want := range []int{200, 404, 400, 404, 200} {
		if status, data, _ := w.answer("GET"); status != want {
			f.Errorf("answer %d of a pipeline: %d %s, want %d", i, status, data, want)
		}
	}
	_ = w.Close()
	for _, cut := range []int{0, 1, len(name) - 1} { // a client that goes away
		before := dump(f, f.store)
		w := f.dial(s)
		w.write(request("POST", staging, name[:cut], length(len(name))))
		if err := w.Conn.(*net.TCPConn).CloseWrite(); err != nil {
			f.Error(err)
		}
		if status, data, _ := w.answer("POST"); status != 400 && status != 0 || status == 400 && !knows(data) {
			f.Errorf("a body cut at byte %d: %d %s", cut, status, data)
		}
		_ = w.Close()
		f.same("objects", len(dump(f, f.store)), len(before))
	}
	// Bodies that come byte by byte hold up nobody.
	slow := make([]*wire, 50)
	for i := range slow {
		slow[i] = f.dial(s)
		slow[i].write(request("POST", m.path, "{", length(len(name))))
	}
	for v := range int64(5) {
		for _, w := range slow {
			w.write(name[v+1 : v+2])
		}
		m.commit(v+1, "f")
	}
	for _, w := range slow {
		w.write(name[6:])
		if status, data, _ := w.answer("POST"); status != 400 || !knows(data) {
			f.Errorf("a slow body: %d %s", status, data)
		}
		_ = w.Close()
	}
}
