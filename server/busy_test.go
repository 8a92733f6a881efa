package server_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/server"
	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/storage/memory"
)

// A slow store waits, in each Update or View, until it is let go or the request ends.
type slow struct {
	storage.Store
	updates, views bool // which of them wait
	entered        chan struct{}
	release        chan struct{}
}

func (s *slow) wait(ctx context.Context) error {
	select {
	case s.entered <- struct{}{}:
	case <-s.release:
		return nil
	}
	select {
	case <-s.release:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *slow) Update(ctx context.Context, fn func(tx storage.Tx) error) error {
	if s.updates {
		if err := s.wait(ctx); err != nil {
			return err
		}
	}
	return s.Store.Update(ctx, fn)
}

func (s *slow) View(ctx context.Context, fn func(tx storage.ReadTx) error) error {
	if s.views {
		if err := s.wait(ctx); err != nil {
			return err
		}
	}
	return s.Store.View(ctx, fn)
}

// busy makes a server on a slow store.
func busy(t *testing.T, limits catalog.Limits, cfg server.Config) (*slow, http.Handler) {
	t.Helper()
	s := &slow{Store: memory.New(), entered: make(chan struct{}), release: make(chan struct{})}
	c, err := catalog.New(catalog.Config{Store: s, Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Metastore(t.Context()); err != nil {
		t.Fatal(err)
	}
	cfg.Logger = slog.New(slog.DiscardHandler)
	return s, validated(t, server.New(c, cfg))
}

func send(h http.Handler, method, path string, body io.Reader) *http.Response {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, "http://x"+path, body))
	return w.Result()
}

// TestTooManyRequests: who comes when too many wait is told to come back, and when.
func TestTooManyRequests(t *testing.T) {
	s, h := busy(t, catalog.Limits{Queued: 1}, server.Config{})
	s.updates = true
	done := make(chan *http.Response)
	go func() { done <- send(h, "POST", unity+"/catalogs", strings.NewReader(`{"name":"c"}`)) }()
	<-s.entered
	for path, want := range map[string]string{
		s1 + "/staging-tables": `"type":"TooManyRequestsException","code":429`,
		unity + "/catalogs":    `"error_code":"RESOURCE_EXHAUSTED"`,
	} {
		res := send(h, "POST", path, strings.NewReader(`{"name":"x"}`))
		body, _ := io.ReadAll(res.Body)
		if res.StatusCode != http.StatusTooManyRequests || res.Header.Get("Retry-After") == "" || !strings.Contains(string(body), want) {
			t.Errorf("%s: %d %v %s", path, res.StatusCode, res.Header, body)
		}
	}
	close(s.release)
	if res := <-done; res.StatusCode != http.StatusOK {
		t.Errorf("the one that waited: %d", res.StatusCode)
	}
}

// TestTooManyBodies: what all bodies have together is bounded, and counted no longer than they are
// needed.
func TestTooManyBodies(t *testing.T) {
	s, h := busy(t, catalog.Limits{}, server.Config{MaxBody: 1000, MaxBodies: 1500})
	s.updates = true
	long := `{"name":"c","comment":"` + strings.Repeat("x", 900) + `"}`
	post := func() *http.Response { return send(h, "POST", unity+"/catalogs", strings.NewReader(long)) }
	done := make(chan *http.Response)
	go func() { done <- post() }()
	<-s.entered
	for range 3 {
		if res := post(); res.StatusCode != http.StatusTooManyRequests || res.Header.Get("Retry-After") == "" {
			t.Errorf("%d %v", res.StatusCode, res.Header)
		}
	}
	close(s.release)
	if res := <-done; res.StatusCode != http.StatusOK {
		t.Errorf("the one that waited: %d", res.StatusCode)
	}
	if res := post(); res.StatusCode != http.StatusConflict {
		t.Errorf("afterwards: %d", res.StatusCode)
	}
}

// TestTimeout: a request that takes too long is answered.
func TestTimeout(t *testing.T) {
	s, h := busy(t, catalog.Limits{}, server.Config{Timeout: time.Millisecond})
	s.views = true
	go func() { <-s.entered }()
	res := send(h, "GET", t1+"/t", nil)
	if res.StatusCode != http.StatusServiceUnavailable || res.Header.Get("Retry-After") == "" {
		t.Errorf("%d %v", res.StatusCode, res.Header)
	}
}
