package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"time"

	"github.com/leveelake/catalog/internal/bench/measure"
)

// childCmd is a child: the other side of child.go. It reads a spec, then orders, each a JSON
// value, and answers each with a report.
type childCmd struct{}

func (childCmd) Run(ctx context.Context, o output) error {
	// An interrupt of the keyboard reaches all processes; this one ends when its parent says so.
	signal.Ignore(os.Interrupt)
	// As levee serve has it; for references, too.
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetGCPercent(400)
		debug.SetMemoryLimit(128 << 20)
	}
	return host(context.WithoutCancel(ctx), os.Stdin, o.out)
}

// A hosted is what a child holds.
type hosted struct {
	handler http.Handler // nil if it does not serve
	works   map[string]work
	close   func() error
}

// A work does something for a time with some goroutines at once; see repeat.
type work func(ctx context.Context, o order) (measure.Sample, error)

// hosts makes what a spec asks for, by kind.
func hosts() map[string]func(context.Context, spec) (hosted, error) {
	return map[string]func(context.Context, spec) (hosted, error){
		"catalog":   hostCatalog,
		"static":    hostStatic,
		"none":      hostNone,
		"commits":   hostCommits,
		"rawlog":    hostRawLog,
		"forupdate": hostForUpdate,
	}
}

func host(ctx context.Context, in io.Reader, out io.Writer) (failed error) {
	from, to := json.NewDecoder(bufio.NewReader(in)), json.NewEncoder(out)
	var s spec
	if err := from.Decode(&s); err != nil {
		return err
	}
	makeHost, ok := hosts()[s.Kind]
	if !ok {
		return fmt.Errorf("there is no child of kind %q", s.Kind)
	}
	h, err := makeHost(ctx, s)
	if err != nil {
		return to.Encode(report{Error: err.Error()})
	}
	defer func() { failed = errors.Join(failed, h.close()) }()
	ready := report{}
	if h.handler != nil {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return to.Encode(report{Error: err.Error()})
		}
		srv := serverOf(h.handler)
		go func() { _ = srv.Serve(listener) }() // until Close
		defer srv.Close()
		ready.URL = "http://" + listener.Addr().String()
	}
	if s.Profile != "" {
		stop, err := profile(s.Profile)
		if err != nil {
			return to.Encode(report{Error: err.Error()})
		}
		defer func() { failed = errors.Join(failed, stop()) }()
	}
	if err := to.Encode(ready); err != nil {
		return err
	}
	for {
		var o order
		switch err := from.Decode(&o); {
		case errors.Is(err, io.EOF): // the parent is done, or gone
			return nil
		case err != nil:
			return err
		}
		if err := to.Encode(h.obey(ctx, o)); err != nil {
			return err
		}
	}
}

func (h hosted) obey(ctx context.Context, o order) report {
	if o.Work == "" {
		return report{Sample: measure.Sample{CPU: measure.CPU()}}
	}
	do, ok := h.works[o.Work]
	if !ok {
		return report{Error: fmt.Sprintf("there is no work %q", o.Work)}
	}
	s, err := do(ctx, o)
	if err != nil {
		return report{Error: fmt.Sprintf("%s: %v", o.Work, err)}
	}
	return report{Sample: s}
}

// profile writes a profile of the CPU to a file until stop is called.
func profile(path string) (stop func() error, err error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() error {
		pprof.StopCPUProfile()
		return f.Close()
	}, nil
}

// serverOf is the server as levee serve has it, for Levee and references alike.
func serverOf(h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       time.Minute,
		WriteTimeout:      2 * time.Minute,
		IdleTimeout:       2 * time.Minute,
	}
}

// errRefused is what a step of repeat returns for an operation that was refused on purpose.
var errRefused = errors.New("refused")

// repeat has o.Writers goroutines call step, each with its number, once and on until the time is
// over. The first error ends it.
func repeat(o order, step func(writer int) error) (measure.Sample, error) {
	if o.Writers < 1 {
		return measure.Sample{}, errors.New("there must be a writer")
	}
	runtime.GC() // each round pays for its own garbage
	var stop atomic.Bool
	var done, refused atomic.Int64
	var failed error
	var once sync.Once
	start, cpu := time.Now(), measure.CPU()
	timer := time.AfterFunc(o.For, func() { stop.Store(true) })
	defer timer.Stop()
	var group sync.WaitGroup
	for w := range o.Writers {
		group.Go(func() {
			n, no := int64(0), int64(0)
			defer func() { done.Add(n); refused.Add(no) }()
			for first := true; first || !stop.Load(); first = false {
				switch err := step(w); {
				case err == nil:
					n++
				case errors.Is(err, errRefused):
					no++
				default:
					once.Do(func() { failed = err })
					stop.Store(true)
				}
			}
		})
	}
	group.Wait()
	s := measure.Sample{Ops: done.Load(), Refused: refused.Load(), Elapsed: time.Since(start), CPU: measure.CPU() - cpu}
	if failed == nil && s.Ops == 0 {
		failed = errors.New("nothing was done")
	}
	return s, failed
}
