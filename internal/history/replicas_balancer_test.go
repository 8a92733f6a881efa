//go:build unix

package history_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// hangLimit is how long a request may take. The server's own limits are a minute and,
// where a change is on its way to the database, half a minute more.
const hangLimit = 2 * time.Minute

// A balancer is the load balancer before the replicas. What a replica surely has not taken it
// gives to the next: no connection, or an answer that asks to come back later. When a
// connection breaks, it breaks the client's, who may then do as the API says. It looks at
// each answer that passes.
type balancer struct {
	net       *http.Transport
	upstreams []*upstream
	secret    string // must be in no answer
	found     *findings
	favours   atomic.Pointer[upstream] // gets all requests while it is set

	mu    sync.Mutex
	loads map[string]loaded // by path, the last answer to a load
	count map[string]int

	slowest time.Duration // answer of a replica
}

// An upstream is an address behind the balancer.
type upstream struct {
	address string
	resting atomic.Bool // gets no new requests

	mu      sync.Mutex
	flights map[*context.CancelFunc]bool
}

// loaded is an answer that may be asked for again with If-None-Match.
type loaded struct {
	tag  string
	body []byte
}

func newBalancer(found *findings, secret string, addresses []string) *balancer {
	b := &balancer{
		net: &http.Transport{MaxIdleConnsPerHost: 64}, found: found, secret: secret, loads: map[string]loaded{}, count: map[string]int{},
	}
	for _, a := range addresses {
		b.upstreams = append(b.upstreams, &upstream{address: a, flights: map[*context.CancelFunc]bool{}})
	}
	return b
}

func (b *balancer) close() { b.net.CloseIdleConnections() }

func (b *balancer) counts(what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.count[what]++
}

// pick chooses a replica that rests not, if there is one.
func (b *balancer) pick() *upstream {
	if p := b.favours.Load(); p != nil {
		return p
	}
	p := b.upstreams[rand.IntN(len(b.upstreams))]
	for range b.upstreams {
		if !p.resting.Load() {
			break
		}
		p = b.upstreams[rand.IntN(len(b.upstreams))]
	}
	return p
}

// RoundTrip brings a request to a replica that takes it.
func (b *balancer) RoundTrip(req *http.Request) (*http.Response, error) {
	began := time.Now()
	pause := 5 * time.Millisecond
	for {
		res, err := b.once(b.pick(), copyOf(req))
		dial, isNet := errors.AsType[*net.OpError](err)
		switch {
		case isNet && dial.Op == "dial":
			b.counts("not connected")
		case err != nil:
			b.counts("cut")
			return nil, errCut
		case res.StatusCode == http.StatusServiceUnavailable, res.StatusCode == http.StatusTooManyRequests && tooMany(res):
			b.counts(fmt.Sprint("come back later: ", res.StatusCode))
		default:
			return res, nil
		}
		if time.Since(began) > hangLimit {
			b.found.add("no replica took %s %s in %s", req.Method, req.URL.Path, hangLimit)
			return nil, errCut
		}
		time.Sleep(pause/2 + rand.N(pause))
		pause = min(2*pause, 200*time.Millisecond)
	}
}

// tooMany tells that the server has no room. The other 429 is about the table, and for the client.
func tooMany(res *http.Response) bool {
	return strings.Contains(bodyOf(res), "TooManyRequests")
}

// bodyOf returns the body of an answer that once has read.
func bodyOf(res *http.Response) string { return string(res.Body.(*readBody).all) }

// A readBody is a body that was read to its end.
type readBody struct {
	bytes.Reader
	all []byte
}

func (*readBody) Close() error { return nil }

func newBody(all []byte) *readBody { return &readBody{*bytes.NewReader(all), all} }

// once sends a request to one upstream and reads the answer.
func (b *balancer) once(p *upstream, req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(req.Context(), hangLimit)
	defer cancel()
	p.mu.Lock()
	p.flights[&cancel] = true
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		delete(p.flights, &cancel)
		p.mu.Unlock()
	}()
	req = req.WithContext(ctx)
	req.URL.Host, req.Host = p.address, p.address
	had := b.recall(req)
	began := time.Now()
	res, err := b.net.RoundTrip(req)
	var data []byte
	if err == nil {
		data, err = io.ReadAll(res.Body)
		res.Body.Close()
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		b.found.add("no answer to %s %s in %s", req.Method, req.URL.Path, hangLimit)
	}
	if err != nil {
		return nil, err
	}
	res.Body = newBody(data)
	b.inspect(req, res, data)
	b.mu.Lock()
	b.slowest = max(b.slowest, time.Since(began))
	b.mu.Unlock()
	if res.StatusCode == http.StatusNotModified && had.tag != "" {
		b.counts("not modified")
		res.StatusCode, res.Body = http.StatusOK, newBody(had.body)
	} else if tag := res.Header.Get("ETag"); tag != "" {
		b.mu.Lock()
		b.loads[req.URL.Path] = loaded{tag, data}
		b.mu.Unlock()
	}
	return res, nil
}

// recall makes every other load one that is conditional on what was answered last.
func (b *balancer) recall(req *http.Request) (had loaded) {
	if req.Method != http.MethodGet || rand.IntN(2) == 0 {
		return had
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if had = b.loads[req.URL.Path]; had.tag != "" {
		req.Header.Set("If-None-Match", had.tag)
	}
	return had
}

// inspect looks for what no answer may be or hold. Whether it is the right one is for the model
// to say.
func (b *balancer) inspect(req *http.Request, res *http.Response, data []byte) {
	var head strings.Builder
	_ = res.Header.Write(&head) // to memory
	if leaks(head.String()+string(data), b.secret) {
		b.found.add("the answer to %s %s holds a secret", req.Method, req.URL.Path)
	}
	switch s := res.StatusCode; {
	case s == http.StatusInternalServerError && req.Method != http.MethodGet && req.Method != http.MethodHead &&
		bytes.Contains(data, []byte(`"CommitStateUnknownException"`)):
		b.counts("commit state unknown")
	case s == http.StatusNotModified && req.Header.Get("If-None-Match") == "":
		b.found.add("304 to an unconditional request")
	case s >= 500 && s != http.StatusServiceUnavailable:
		b.found.add("%s %s is answered with %d: %.300s", req.Method, req.URL.Path, s, data)
	case s == http.StatusServiceUnavailable && res.Header.Get("Retry-After") == "":
		b.found.add("%s %s: 503 without Retry-After", req.Method, req.URL.Path)
	}
}

// hangUp gives up about half of what is on its way to p.
func (p *upstream) hangUp() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for cancel := range p.flights {
		if rand.IntN(2) == 0 {
			(*cancel)()
		}
	}
}
