package history_test

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptrace"
	"sync"
)

// errCut is all that a client learns of an accident.
var errCut = errors.New("the connection is gone")

// A wire is the network between clients and server, with accidents: the request is lost; the
// reply is; the client hangs up while the server works; the request arrives twice, at once
// or much later; it arrives when the client has long given it up.
type wire struct {
	net  *http.Transport
	cuts int // of 1000 requests

	mu      sync.Mutex
	rng     *rand.Rand
	sent    int
	held    []held
	flights sync.WaitGroup
}

// held is a request that arrives when so many others were sent.
type held struct {
	due int
	req *http.Request
}

func newWire(seed uint64, cuts int) *wire {
	return &wire{net: &http.Transport{MaxIdleConnsPerHost: 64}, cuts: cuts, rng: rand.New(rand.NewPCG(seed, 2))}
}

func (w *wire) close() { w.net.CloseIdleConnections() }

// twiceKey is the context key of a *bool that is set if a request arrives twice.
type twiceKey struct{}

const (
	passes = iota
	requestLost
	replyLost
	hungUp
	doubled // at the same time; the client gets one of the replies
	echoed  // and once more later
	late
	accidents
)

// RoundTrip sends a request, or does worse.
func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	kind, other := w.fate(req)
	switch kind {
	case requestLost:
		w.drop(req)
		return nil, errCut
	case late:
		w.drop(req)
		return nil, errCut
	case replyLost:
		w.send(req)
		return nil, errCut
	case hungUp:
		// Perhaps the server sees it in time, perhaps not.
		ctx, cancel := context.WithCancel(req.Context())
		defer cancel()
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { cancel() }})
		w.send(req.WithContext(ctx))
		return nil, errCut
	case doubled, echoed:
		*req.Context().Value(twiceKey{}).(*bool) = true
	}
	if kind == doubled {
		again := copyOf(req)
		done := make(chan struct{})
		go func() {
			defer close(done)
			w.send(again)
		}()
		defer func() { <-done }()
		if other {
			// The first reply comes from the second copy, as it were.
			<-done
		}
	}
	return w.net.RoundTrip(req)
}

// fate decides what becomes of req, and sends what is due.
func (w *wire) fate(req *http.Request) (kind int, other bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sent++
	keep := w.held[:0]
	for _, h := range w.held {
		if h.due > w.sent {
			keep = append(keep, h)
			continue
		}
		w.flights.Go(func() { w.send(h.req) })
	}
	w.held = keep
	if w.rng.IntN(1000) >= w.cuts {
		return passes, false
	}
	kind = 1 + w.rng.IntN(accidents-1)
	if kind == echoed || kind == late {
		w.held = append(w.held, held{w.sent + 1 + w.rng.IntN(60), copyOf(req)})
	}
	return kind, w.rng.IntN(2) == 0
}

// settle waits until all that was sent has arrived.
func (w *wire) settle() {
	w.mu.Lock()
	rest := w.held
	w.held = nil
	w.mu.Unlock()
	for _, h := range rest {
		w.send(h.req)
	}
	w.flights.Wait()
}

// copyOf is req for another trip, which outlives it.
func copyOf(req *http.Request) *http.Request {
	c := req.Clone(context.WithoutCancel(req.Context()))
	if req.GetBody != nil {
		c.Body, _ = req.GetBody() // of bytes in memory: it cannot fail
	}
	return c
}

// send delivers req; nobody wants the reply.
func (w *wire) send(req *http.Request) {
	if res, err := w.net.RoundTrip(req); err == nil {
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
	}
}

// drop does for req what a transport must.
func (w *wire) drop(req *http.Request) {
	if req.Body != nil {
		_ = req.Body.Close()
	}
}
