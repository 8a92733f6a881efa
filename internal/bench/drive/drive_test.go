package drive

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/server"
	"github.com/leveelake/catalog/storage/memory"
)

// A stub is a server that takes as long as step says for its n-th operation, from 0.
type stub struct {
	n    *atomic.Int64
	step func(n int64) (time.Duration, error)
}

func (s stub) do(ctx context.Context, _ Op) error {
	d, err := s.step(s.n.Add(1) - 1)
	time.Sleep(d)
	return err
}

func (stub) close() {}

// drove drives a stub; time is that of the bubble.
func drove(t *testing.T, cfg Config, step func(n int64) (time.Duration, error)) (r *Result) {
	synctest.Test(t, func(t *testing.T) {
		n := new(atomic.Int64)
		var err error
		if r, err = drive(t.Context(), cfg, func() actor { return stub{n, step} }); err != nil {
			t.Fatal(err)
		}
	})
	return r
}

// about allows for the precision of histograms.
func about(t *testing.T, what string, got, want time.Duration) {
	t.Helper()
	if got < want*99/100 || got > want*101/100+time.Microsecond {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

var loads = Mix{Load: 1}

// TestStall has a server stall once for a quarter of the run: a quarter of all requests were due
// meanwhile and waited. A client that counts from sending sees one slow request of 2,000.
func TestStall(t *testing.T) {
	cfg := Config{Rate: 1000, Duration: 2 * time.Second, Connections: 1, Mix: loads}
	r := drove(t, cfg, func(n int64) (time.Duration, error) {
		if n == 500 {
			return 500 * time.Millisecond, nil
		}
		return 10 * time.Microsecond, nil
	})
	all := r.Ops[len(r.Ops)-1]
	if all.Count != 2000 || all.Unsent != 0 {
		t.Fatalf("%d answered, %d not sent, want 2000 and none", all.Count, all.Unsent)
	}
	about(t, "p50", all.Latency.P50, 10*time.Microsecond)
	about(t, "p90", all.Latency.P90, 302*time.Millisecond) // the first 200 of those that wait, one each ms, wait longer
	about(t, "max", all.Latency.Max, 500*time.Millisecond)
}

// TestTooMuch asks for twice of what the server can do: half is never sent, but counted.
func TestTooMuch(t *testing.T) {
	cfg := Config{Rate: 1000, Duration: time.Second, Connections: 1, Mix: loads}
	r := drove(t, cfg, func(int64) (time.Duration, error) { return 2 * time.Millisecond, nil })
	all := r.Ops[len(r.Ops)-1]
	if all.Count+all.Unsent != 1000 || all.Count < 499 || all.Count > 502 {
		t.Errorf("%d answered, %d not sent, want 500 of each", all.Count, all.Unsent)
	}
	// Request k of the first half was answered k + 2 ms late; those of the other half wait until the end.
	about(t, "p99", all.Latency.P99, 497*time.Millisecond)
	about(t, "rate", time.Duration(all.Rate), 500)
}

// TestPace is a server that is fast: every request goes out when it is due.
func TestPace(t *testing.T) {
	cfg := Config{Rate: 500, Duration: 2 * time.Second, Connections: 8, Mix: Mix{Load: 3, List: 1}}
	r := drove(t, cfg, func(n int64) (time.Duration, error) {
		switch {
		case n%100 == 0:
			return 3 * time.Millisecond, &Refusal{429, "TooManyRequestsException"}
		case n%100 == 1:
			return 3 * time.Millisecond, errors.New("broken")
		}
		return 3 * time.Millisecond, nil
	})
	load, list, all := r.Ops[0], r.Ops[1], r.Ops[2]
	if load.Count+list.Count != 1000 || all.Count != 1000 || list.Count < 200 || list.Count > 300 {
		t.Errorf("%d loads and %d lists", load.Count, list.Count)
	}
	about(t, "p50", all.Latency.P50, 3*time.Millisecond)
	about(t, "max", all.Latency.Max, 3*time.Millisecond)
	if all.Errors["429 TooManyRequestsException"] != 10 || all.Errors["no answer: broken"] != 10 {
		t.Errorf("errors: %v", all.Errors)
	}
	about(t, "the time of the run", r.Elapsed, 2*time.Second)
}

// TestClosed is the closed loop: as many as go.
func TestClosed(t *testing.T) {
	cfg := Config{Duration: time.Second, Connections: 4, Mix: loads}
	r := drove(t, cfg, func(int64) (time.Duration, error) { return 10 * time.Millisecond, nil })
	if all := r.Ops[1]; all.Count != 400 {
		t.Errorf("%d answered, want 400", all.Count)
	}
}

func TestMix(t *testing.T) {
	m, err := ParseMix("load=80, commit=15,list=5")
	if err != nil {
		t.Fatal(err)
	}
	count := map[Op]int{}
	for k := range int64(10_000) {
		op := m.pick(k)
		count[op]++
		if m.pick(k) != op {
			t.Fatal("a request is one, then another")
		}
	}
	if c := count[Commit]; count[Load] < 7500 || c < 1200 || c > 1800 || count[List] < 350 || count[Create] > 0 {
		t.Errorf("picked %v", count)
	}
	for _, bad := range []string{"", "load", "load=x", "fly=1", "load=0", "load=-1,list=2"} {
		if _, err := ParseMix(bad); err == nil {
			t.Errorf("%q is a mix", bad)
		}
	}
}

// TestRun drives Levee, twice, in what the first run has left.
func TestRun(t *testing.T) {
	c, err := catalog.New(catalog.Config{Store: memory.New(), ManagedRoot: "file:///managed"})
	if err != nil {
		t.Fatal(err)
	}
	levee := server.New(c, server.Config{})
	var token atomic.Value
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token.Store(r.Header.Get("Authorization"))
		levee.ServeHTTP(w, r)
	}))
	defer s.Close()
	cfg := Config{
		Server: s.URL, Token: "secret", Rate: 400, Duration: 500 * time.Millisecond, Connections: 4,
		Mix:     Mix{Load: 1, Commit: 1, Create: 1, Credentials: 1, List: 1},
		Catalog: "c1", Schema: "s1", Tables: 5, Columns: 3, Unbackfilled: 2,
	}
	for range 2 {
		r, err := Run(t.Context(), cfg, t.Logf)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Ops) != 6 {
			t.Errorf("%d operations, want 5 and their sum", len(r.Ops))
		}
		for _, op := range r.Ops {
			if op.Count == 0 || len(op.Errors) > 0 {
				t.Errorf("%s: %d answered, errors %v", op.Op, op.Count, op.Errors)
			}
		}
	}
	if got := token.Load(); got != "Bearer secret" {
		t.Errorf("Authorization: %q", got)
	}
}

// TestCannot is about runs that cannot begin.
func TestCannot(t *testing.T) {
	stranger := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Error(w, "no", http.StatusForbidden) }))
	defer stranger.Close()
	good := Config{Server: stranger.URL, Rate: 1, Duration: time.Second, Connections: 1, Mix: loads, Catalog: "c", Schema: "s", Tables: 1, Columns: 1}
	for _, tt := range []struct {
		name   string
		change func(*Config)
		want   string
	}{
		{"refused", func(*Config) {}, "/catalogs/c: 403"},
		{"no server", func(c *Config) { c.Server = "http://127.0.0.1:1" }, "dial tcp"},
		{"no URL", func(c *Config) { c.Server = "x" }, "want a URL"},
		{"few tables", func(c *Config) { c.Connections = 2 }, "too few"},
		{"no mix", func(c *Config) { c.Mix = Mix{} }, "mix"},
		{"no time", func(c *Config) { c.Duration = 0 }, "more than zero"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cfg := good
			tt.change(&cfg)
			if _, err := Run(t.Context(), cfg, t.Logf); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an error that says %q", err, tt.want)
			}
		})
	}
}
