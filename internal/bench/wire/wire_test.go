package wire

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// answers is a server with each kind of body.
func answers(t *testing.T) Target {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /base/long", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100000")
		w.Header().Set("ETag", `"x1"`)
		_, _ = io.WriteString(w, strings.Repeat("x", 100_000))
	})
	mux.HandleFunc("GET /base/chunked", func(w http.ResponseWriter, r *http.Request) {
		for i := range 3 {
			fmt.Fprintf(w, "part %d;", i)
			w.(http.Flusher).Flush()
		}
	})
	mux.HandleFunc("GET /base/none", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(204) })
	mux.HandleFunc("GET /base/early", func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusEarlyHints)
		w.WriteHeader(404)
		_, _ = io.WriteString(w, "gone")
	})
	mux.HandleFunc("GET /base/last", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Connection", "close")
		_, _ = io.WriteString(w, "bye")
	})
	mux.HandleFunc("POST /base/echo", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Header.Get("Content-Type"), r.Header.Get("Authorization"), " ")
		_, _ = io.Copy(w, r.Body)
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	target, err := ParseTarget(s.URL + "/base/")
	if err != nil {
		t.Fatal(err)
	}
	return target
}

func TestConn(t *testing.T) {
	target := answers(t)
	c, err := Dial(t.Context(), target, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, tt := range []struct {
		request []byte
		status  int
		body    string
	}{
		{target.AppendGet(nil, "/long", ""), 200, strings.Repeat("x", 100_000)},
		{target.AppendGet(nil, "/chunked", ""), 200, "part 0;part 1;part 2;"},
		{target.AppendGet(nil, "/none", ""), 204, ""},
		{target.AppendGet(nil, "/early", ""), 404, "gone"},
		{target.AppendPost(nil, "/echo", "Authorization: Bearer t\r\n", []byte(`{"a":1}`)), 200, `application/jsonBearer t {"a":1}`},
		{target.AppendGet(nil, "/last", ""), 200, "bye"},
	} {
		a, err := c.DoETag(tt.request)
		if err != nil || a.Status != tt.status || string(a.Body) != tt.body {
			t.Fatalf("%.30q: %d %.60q, %v", tt.request, a.Status, a.Body, err)
		}
		if strings.Contains(string(tt.request), "/long") && a.ETag != `"x1"` {
			t.Errorf("ETag %q", a.ETag)
		}
	}
	if _, err := c.Do(target.AppendGet(nil, "/none", "")); err == nil {
		t.Error("a connection that the server has closed answers")
	}
}

// TestHammer counts on the server what the client says it has sent.
func TestHammer(t *testing.T) {
	var seen atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { seen.Add(1) }))
	defer s.Close()
	target, err := ParseTarget(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	get := Repeat{target.AppendGet(nil, "/", ""), 200}
	n, took, err := Hammer(t.Context(), target, 4, 50*time.Millisecond, get)
	if err != nil || n == 0 || n != seen.Load() || took < 50*time.Millisecond {
		t.Errorf("%d answers in %v (%v), but the server has seen %d", n, took, err, seen.Load())
	}
	if _, _, err := Hammer(t.Context(), target, 4, time.Hour, Repeat{get.Request, 204}); err == nil || !strings.Contains(err.Error(), "answered 200") {
		t.Errorf("a wrong status: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, _, err := Hammer(ctx, target, 4, time.Hour, get); err == nil {
		t.Error("nothing ended it")
	}
}

func TestParseTarget(t *testing.T) {
	for _, bad := range []string{"", "127.0.0.1:80", "ftp://host", "http://"} {
		if _, err := ParseTarget(bad); err == nil {
			t.Errorf("%q is a server", bad)
		}
	}
	if got, err := ParseTarget("https://host"); err != nil || got.address != "host:443" || !got.tls {
		t.Errorf("%+v, %v", got, err)
	}
}
