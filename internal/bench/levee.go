package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"sync"
	"time"

	"github.com/leveelake/catalog/internal/bench/measure"
	"github.com/leveelake/catalog/internal/bench/seed"
	"github.com/leveelake/catalog/internal/bench/wire"
)

// A levee is a running levee serve.
type levee struct {
	target  wire.Target
	pid     int
	started time.Duration // from the start of the process to its first answer
	stop    func() error  // does nothing more the second time
}

// serve starts the program on a store and asks for path until it is answered with 200.
func (l *lab) serve(ctx context.Context, store, data, path string) (*levee, error) {
	binary, err := l.build(ctx)
	if err != nil {
		return nil, err
	}
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	target, err := wire.ParseTarget("http://" + address)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, binary, "serve", "--listen", address, "--data", data, "--store", store,
		"--managed-root", seed.ManagedRoot, "--no-check-files", "--log-level", "warn", "--audit", "off")
	cmd.Stderr = l.err
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	gone := make(chan error, 1)
	go func() { gone <- cmd.Wait() }()
	s := &levee{target: target, pid: cmd.Process.Pid}
	s.stop = sync.OnceValue(func() error {
		if err := terminate(cmd.Process); err != nil {
			return err
		}
		select {
		case <-gone: // however it ended: it was told to
			return nil
		case <-time.After(20 * time.Second):
			return errors.Join(errors.New("levee serve does not end"), cmd.Process.Kill())
		}
	})
	request := target.AppendGet(nil, path, "")
	for {
		select {
		case err := <-gone:
			return nil, fmt.Errorf("levee serve has ended: %w", err)
		default:
		}
		if err := once(ctx, target, request); err == nil {
			s.started = time.Since(start)
			return s, nil
		} else if ctx.Err() != nil || time.Since(start) > 5*time.Minute {
			return nil, errors.Join(err, s.stop())
		}
		time.Sleep(time.Millisecond)
	}
}

// once sends one request over a connection of its own.
func once(ctx context.Context, t wire.Target, request []byte) error {
	c, err := wire.Dial(ctx, t, time.Minute)
	if err != nil {
		return err
	}
	defer c.Close()
	a, err := c.Do(request)
	if err == nil {
		err = wire.Want(a, 200)
	}
	return err
}

// mebibytes is the memory of the server.
func (s *levee) mebibytes() (float64, error) {
	n, err := measure.Resident(s.pid)
	return float64(n) / (1 << 20), err
}

// freeAddress returns an address that nobody listens on. Another program may take it before
// the server does; then the server says so.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}
