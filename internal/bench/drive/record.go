package drive

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// A Refusal is an answer that is not a success.
type Refusal struct {
	Status int
	Code   string // "" if the body has none
}

func (r *Refusal) Error() string { return fmt.Sprintf("%d %s", r.Status, r.Code) }

// A recorder counts what happened.
type recorder struct {
	mu  sync.Mutex
	ops map[Op]*record
	lag *hdrhistogram.Histogram
}

type record struct {
	latency *hdrhistogram.Histogram // of all, in microseconds
	errors  map[string]int64
	unsent  int64
}

// longest is the longest latency that is told apart from longer ones.
const longest = time.Hour

func newHistogram() *hdrhistogram.Histogram {
	return hdrhistogram.New(1, longest.Microseconds(), 3)
}

func newRecorder() *recorder { return &recorder{ops: map[Op]*record{}, lag: newHistogram()} }

// of must be called with mu held.
func (r *recorder) of(op Op) *record {
	if r.ops[op] == nil {
		r.ops[op] = &record{latency: newHistogram(), errors: map[string]int64{}}
	}
	return r.ops[op]
}

func add(h *hdrhistogram.Histogram, d time.Duration) {
	_ = h.RecordValue(min(max(d, time.Microsecond), longest).Microseconds()) // fails only out of its bounds
}

// answered counts an operation. One that failed took its time, too: to leave it out would make a
// server look faster that refuses what takes long.
func (r *recorder) answered(op Op, took time.Duration, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	o := r.of(op)
	add(o.latency, took)
	if err == nil {
		return
	}
	if refusal, ok := errors.AsType[*Refusal](err); ok {
		o.errors[refusal.Error()]++
	} else {
		o.errors["no answer: "+err.Error()]++
	}
}

// unsent counts an operation that was due but is not sent any more.
func (r *recorder) unsent(op Op, waited time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	o := r.of(op)
	add(o.latency, waited)
	o.unsent++
}

// late counts by how much a worker that had nothing else to do missed the time of a request.
func (r *recorder) late(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	add(r.lag, d)
}

// A Result is what a run found out.
type Result struct {
	Asked   float64 // the rate asked for; 0: closed loop
	Elapsed time.Duration
	Ops     []OpResult    // of those that came, in a fixed order, and the sum as the last
	Lag     time.Duration // by how much the client itself was late, 99th percentile
}

// An OpResult is about one operation, or all, with Op "all".
type OpResult struct {
	Op      Op
	Count   int64 // answered
	Rate    float64
	Unsent  int64
	Errors  map[string]int64
	Latency Latency
}

// A Latency is some percentiles.
type Latency struct{ P50, P90, P99, P999, Max time.Duration }

func (r *recorder) result(cfg Config, elapsed time.Duration) *Result {
	out := &Result{Asked: cfg.Rate, Elapsed: elapsed, Lag: micros(r.lag.ValueAtQuantile(99))}
	sum := &record{latency: newHistogram(), errors: map[string]int64{}}
	for _, op := range ops {
		o := r.ops[op]
		if o == nil {
			continue
		}
		out.Ops = append(out.Ops, o.result(op, elapsed))
		sum.latency.Merge(o.latency)
		sum.unsent += o.unsent
		for text, n := range o.errors {
			sum.errors[text] += n
		}
	}
	out.Ops = append(out.Ops, sum.result("all", elapsed))
	return out
}

func (o *record) result(op Op, elapsed time.Duration) OpResult {
	count := o.latency.TotalCount() - o.unsent
	h := o.latency
	return OpResult{
		Op: op, Count: count, Rate: float64(count) / elapsed.Seconds(), Unsent: o.unsent, Errors: maps.Clone(o.errors),
		Latency: Latency{
			P50: micros(h.ValueAtQuantile(50)), P90: micros(h.ValueAtQuantile(90)), P99: micros(h.ValueAtQuantile(99)),
			P999: micros(h.ValueAtQuantile(99.9)), Max: micros(h.Max()),
		},
	}
}

func micros(n int64) time.Duration { return time.Duration(n) * time.Microsecond }

// Kinds are the errors by how often they came.
func (r OpResult) Kinds() []string {
	kinds := slices.Collect(maps.Keys(r.Errors))
	slices.SortFunc(kinds, func(a, b string) int { return int(r.Errors[b] - r.Errors[a]) })
	return kinds
}
