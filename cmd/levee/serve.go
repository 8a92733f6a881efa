package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/server"
	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/storage/memory"
	"github.com/leveelake/catalog/storage/postgres"
	"github.com/leveelake/catalog/storage/sqlite"
	"github.com/leveelake/catalog/types"
)

type serveCmd struct {
	Listen         string        `help:"Address to listen on (${default})." default:"127.0.0.1:8080" placeholder:"HOST:PORT"`
	Data           string        `help:"Folder for the database and the files of managed tables (${default})." default:"./levee-data" placeholder:"DIR"`
	Store          string        `help:"Where the state is kept: the path of a SQLite file, postgres://USER:PASSWORD@HOST/DATABASE, which several servers may share, or 'memory' to forget it at exit. Default: catalog.db in the data folder." placeholder:"PATH|URL"`
	ManagedRoot    string        `help:"Storage URL below which managed tables go. Default: the folder 'managed' in the data folder." placeholder:"URL"`
	StagingAge     time.Duration `help:"How long a staging table may wait to become a table; 0: for ever." default:"168h"`
	CheckFiles     bool          `help:"Look at the commit files of managed tables on local disks instead of taking a client's word for them." default:"true" negatable:""`
	Catalog        string        `help:"Create this catalog, with a schema named default, if it is not there." placeholder:"NAME"`
	LogFormat      string        `help:"Format of the log: text or json." enum:"text,json" default:"text"`
	LogLevel       string        `help:"Least level of the log: debug, info, warn or error." enum:"debug,info,warn,error" default:"info"`
	InsecureNoAuth bool          `help:"Listen on an address that others can reach, although nobody is authenticated."`
}

// shutdownTime is how long requests in flight may take after a signal to stop.
const shutdownTime = 15 * time.Second

// How much memory may be spent so that the garbage collector runs rarely: most of what a request
// makes is garbage when it is answered, and what stays is bounded by the caches. GOGC and GOMEMLIMIT
// override it.
const (
	garbagePercent = 400 // of what is in use …
	memoryGoal     = 128 << 20
)

func tuneCollector() {
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetGCPercent(garbagePercent)
		debug.SetMemoryLimit(memoryGoal) // … and less as this comes near
	}
}

// Run serves until ctx is done.
func (s serveCmd) Run(ctx context.Context, o output) error {
	tuneCollector()
	return s.with(ctx, o, func(ctx context.Context, url string) error {
		<-ctx.Done()
		return nil
	})
}

// with serves while fn runs; fn gets the server's URL.
func (s serveCmd) with(ctx context.Context, o output, fn func(ctx context.Context, url string) error) (err error) {
	log, err := s.logger(o.err)
	if err != nil {
		return err
	}
	data, err := filepath.Abs(s.Data)
	if err != nil {
		return err
	}
	listener, err := s.listen()
	if err != nil {
		return err
	}
	defer listener.Close()
	if err := os.MkdirAll(data, 0o700); err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	store, closeStore, err := s.open(ctx, data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeStore()) }()

	root := s.ManagedRoot
	if root == "" {
		root = catalog.LocalURL(filepath.Join(data, "managed"))
		if s.isShared() {
			log.Warn("managed tables go to a folder of this machine: other servers on the same store need the same folder, or give all of them a --managed-root", "root", root)
		}
	}
	cfg := catalog.Config{Store: store, ManagedRoot: root, Logger: log}
	if isLocal := strings.HasPrefix(root, "file:") || filepath.IsAbs(root); isLocal {
		cfg.Remover = catalog.LocalRemover{Root: root}
		if s.CheckFiles {
			cfg.Files = catalog.LocalFiles{Root: root}
		}
	}
	c, err := catalog.New(cfg)
	if err != nil {
		return fmt.Errorf("--managed-root: %w", err)
	}
	if s.Catalog != "" {
		if err := ensure(ctx, c, s.Catalog); err != nil {
			return err
		}
	}

	// ctx ends with a signal or when the server or fn ends; requests outlive it until
	// shutdownTime is over.
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	handler := server.New(c, server.Config{Logger: log})
	srv := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       time.Minute, // a body has 64 MiB at most
		WriteTimeout:      2 * time.Minute,
		IdleTimeout:       2 * time.Minute,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	if !s.InsecureNoAuth {
		srv.Handler = handler.LocalOnly()
	}
	served := make(chan error, 1)
	go func() {
		served <- srv.Serve(listener)
		stop()
	}()
	swept := make(chan struct{})
	go func() {
		defer close(swept)
		s.sweep(ctx, c, log)
	}()

	at := "http://" + listener.Addr().String()
	s.greet(o.out, at, data)
	err = fn(ctx, at)
	stop()
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
	defer cancel()
	if e := srv.Shutdown(ending); e != nil {
		err = errors.Join(err, srv.Close(), fmt.Errorf("requests were still running %s after the signal to stop", shutdownTime))
	}
	if e := <-served; e != nil && !errors.Is(e, http.ErrServerClosed) {
		err = errors.Join(err, e)
	}
	select {
	case <-swept:
	case <-ending.Done(): // a large folder is being removed: its note stays
	}
	return err
}

// sweepPause is how long the files of a dropped table may stay, and how long it takes
// until what could not be removed is tried again, which is longer each time.
const (
	sweepPause, maxSweepPause = 2 * time.Second, time.Hour
	expirePause               = time.Hour
)

// sweep removes files of dropped tables, and expires staging tables, until ctx is done.
func (s serveCmd) sweep(ctx context.Context, c *catalog.Catalog, log *slog.Logger) {
	expired := time.Time{} // when that was done
	for pause := sweepPause; ; {
		if s.StagingAge > 0 && time.Since(expired) > expirePause {
			n, err := c.ExpireStaging(ctx, s.StagingAge)
			if n > 0 {
				log.InfoContext(ctx, "staging tables expired", "number", n)
			}
			if err == nil {
				expired = time.Now()
			} else if ctx.Err() == nil {
				log.WarnContext(ctx, "staging tables are not expired yet", "err", err)
			}
		}
		switch err := c.Sweep(ctx); {
		case ctx.Err() != nil:
			return
		case err != nil:
			log.WarnContext(ctx, "files of dropped tables are not removed yet", "err", err)
			pause = min(2*pause, maxSweepPause)
		default:
			pause = sweepPause
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// greet says where the server is and what to try.
func (s serveCmd) greet(w io.Writer, at, data string) {
	name := s.Catalog
	fmt.Fprintf(w, "levee %s serves on %s (data in %s)\n", version(), at, data)
	if name == "" {
		fmt.Fprintf(w, "try: levee demo --server %s\n", at)
		return
	}
	fmt.Fprintf(w, "try: curl '%s/api/2.1/unity-catalog/delta/v1/config?catalog=%s&protocol-versions=1.0'\n", at, url.QueryEscape(name))
}

func (s serveCmd) logger(w io.Writer) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(s.LogLevel)); err != nil {
		return nil, fmt.Errorf("--log-level: %w", err)
	}
	opts := &slog.HandlerOptions{Level: level}
	if s.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, opts)), nil
	}
	return slog.New(slog.NewTextHandler(w, opts)), nil
}

// listen refuses addresses that others can reach: nobody is authenticated yet.
func (s serveCmd) listen() (net.Listener, error) {
	host, _, err := net.SplitHostPort(s.Listen)
	if err != nil {
		return nil, fmt.Errorf("--listen %q: %w", s.Listen, err)
	}
	ip := net.ParseIP(host)
	if loopback := host == "localhost" || ip != nil && ip.IsLoopback(); !loopback && !s.InsecureNoAuth {
		return nil, fmt.Errorf("--listen %q: others can reach this address, and there is no authentication: listen on 127.0.0.1, or give --insecure-no-auth to allow everybody everything", s.Listen)
	}
	return net.Listen("tcp", s.Listen)
}

// open opens the store.
func (s serveCmd) open(ctx context.Context, data string) (storage.Store, func() error, error) {
	switch {
	case s.Store == "memory":
		m := memory.New()
		return m, m.Close, nil
	case s.isShared():
		db, err := postgres.Open(ctx, s.Store)
		if err != nil {
			return nil, nil, fmt.Errorf("--store: %w", err)
		}
		return db, db.Close, nil
	case strings.Contains(s.Store, "://"):
		scheme, _, _ := strings.Cut(s.Store, "://") // no more: there may be a password
		return nil, nil, fmt.Errorf("--store: %s:// is no store that this server knows; it may be the path of a SQLite file, postgres://… or memory", scheme)
	case s.Store == "":
		s.Store = filepath.Join(data, "catalog.db")
	}
	db, err := sqlite.Open(s.Store)
	if err != nil {
		return nil, nil, err
	}
	return db, db.Close, nil
}

// isShared tells of a store that other servers may have open, too.
func (s serveCmd) isShared() bool {
	return strings.HasPrefix(s.Store, "postgres://") || strings.HasPrefix(s.Store, "postgresql://")
}

// ensure makes a catalog with a schema named default where they are missing.
func ensure(ctx context.Context, c *catalog.Catalog, name string) error {
	_, err := c.CreateCatalog(ctx, types.CreateCatalog{Name: name})
	if err != nil && !errors.Is(err, types.AlreadyExists) {
		return fmt.Errorf("--catalog: %w", err)
	}
	_, err = c.CreateSchema(ctx, types.CreateSchema{Name: types.SchemaName{Catalog: name, Schema: "default"}})
	if err != nil && !errors.Is(err, types.AlreadyExists) {
		return fmt.Errorf("--catalog: %w", err)
	}
	return nil
}
