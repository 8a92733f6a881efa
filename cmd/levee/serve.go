package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/server"
	"github.com/leveelake/catalog/types"
)

type serveCmd struct {
	Listen string `help:"Address to listen on (${default})." default:"127.0.0.1:8080" placeholder:"HOST:PORT"`
	Prefix string `help:"Where the paths of the API without /api/… begin, such as /uc. Default: at the root." placeholder:"PATH"`
	storeFlags
	ManagedRoot   string        `help:"Storage URL below which managed tables go. Default: the folder 'managed' in the data folder." placeholder:"URL"`
	StagingAge    time.Duration `help:"How long a staging table may wait to become a table; 0: for ever." default:"168h"`
	CheckFiles    bool          `help:"Look at the commit files of managed tables on local disks instead of taking a client's word for them." default:"true" negatable:""`
	TokenFilesDir string        `help:"Folder of this machine with the files that storage credentials may name as their federated token. Default: none may." placeholder:"DIR"`
	Catalog       string        `help:"Create this catalog, with a schema named default, if it is not there; it is the admin's." placeholder:"NAME"`
	accessFlags
	InsecureNoAuth bool   `help:"Allow everybody everything, on an address that others can reach, and in a catalog that has an admin, too."`
	LogFormat      string `help:"Format of the log: text or json." enum:"text,json" default:"text"`
	LogLevel       string `help:"Least level of the log: debug, info, warn or error." enum:"debug,info,warn,error" default:"info"`
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
	i := &instance{}
	defer func() {
		for _, end := range slices.Backward(i.ends) {
			err = errors.Join(err, end())
		}
	}()
	if err := s.open(ctx, o, i); err != nil {
		return err
	}
	return s.run(ctx, o, i, fn)
}

// An instance is what is open while a server runs.
type instance struct {
	log      *slog.Logger
	data     string // the folder, as an absolute path
	listener net.Listener
	catalog  *catalog.Catalog
	server   server.Config
	admin    admin
	ends     []func() error // what to close, the last first
}

// open makes all that may prevent a start, and what is to be closed if something has.
func (s serveCmd) open(ctx context.Context, o output, i *instance) (err error) {
	if i.log, err = s.logger(o.err); err != nil {
		return err
	}
	if err := s.check(); err != nil {
		return err
	}
	if i.data, err = filepath.Abs(s.Data); err != nil {
		return err
	}
	if i.listener, err = s.listen(i.log); err != nil {
		return err
	}
	i.ends = append(i.ends, func() error { i.listener.Close(); return nil }) // which http.Server has done, perhaps
	if err := os.MkdirAll(i.data, 0o700); err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	events, end, err := s.events(o, i.log)
	if err != nil {
		return err
	}
	i.ends = append(i.ends, end)
	store, end, err := s.storeFlags.open(ctx, i.data)
	if err != nil {
		return err
	}
	i.ends = append(i.ends, end)
	keys, err := s.keys(ctx, store, i.data)
	if err != nil {
		return err
	}
	if i.catalog, err = s.catalog(catalog.Config{Store: store, Keys: keys, Events: events, Logger: i.log}, i.data); err != nil {
		return err
	}
	if err := i.catalog.AdoptKeys(ctx); err != nil {
		return s.wrongKeys(ctx, i, keys, err)
	}
	i.server = server.Config{Logger: i.log, Prefix: s.Prefix}
	if err := s.admit(ctx, i, keys); err != nil {
		return err
	}
	if err := s.ensure(ctx, i.catalog, i.admin); err != nil {
		return err
	}
	if s.authenticates() && i.admin.name == "" {
		i.log.Warn("there is no admin: nobody may create a catalog or grant anything until the server is started with --admin NAME")
	}
	return nil
}

// admit decides whom the server lets in.
func (s serveCmd) admit(ctx context.Context, i *instance, keys catalog.Keys) (err error) {
	if s.authenticates() {
		if i.server.Auth, i.server.TokenEndpoint, err = s.authenticator(i.catalog, keys, i.log); err != nil {
			return err
		}
		i.admin, err = s.appoint(ctx, i.catalog, i.data, i.log)
		return err
	}
	m, err := i.catalog.Metastore(ctx)
	switch {
	case err != nil || m.Owner == "":
		return err
	case !s.InsecureNoAuth:
		return fmt.Errorf("this catalog has an admin, %q, and owners and grants, which would protect nothing now: give --auth to ask for tokens, or --insecure-no-auth to allow everybody everything", m.Owner)
	}
	i.log.Warn("EVERYBODY MAY DO EVERYTHING: nobody is asked for a token, although this catalog has an admin, owners and grants", "admin", m.Owner)
	return nil
}

// run serves what is open while fn runs.
func (s serveCmd) run(ctx context.Context, o output, i *instance, fn func(ctx context.Context, url string) error) error {
	// ctx ends with a signal or when the server or fn ends; requests outlive it until
	// shutdownTime is over.
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	handler := server.New(i.catalog, i.server)
	srv := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       time.Minute, // a body has 64 MiB at most
		WriteTimeout:      2 * time.Minute,
		IdleTimeout:       2 * time.Minute,
		ErrorLog:          slog.NewLogLogger(i.log.Handler(), slog.LevelWarn),
	}
	if !s.InsecureNoAuth && !s.authenticates() {
		srv.Handler = handler.LocalOnly()
	}
	served := make(chan error, 1)
	go func() {
		served <- srv.Serve(i.listener)
		stop()
	}()
	swept := make(chan struct{})
	go func() {
		defer close(swept)
		s.sweep(ctx, i.catalog, i.log)
	}()

	at, others := reachable(i.listener.Addr())
	s.greet(o.out, at, others, i.data, i.admin)
	err := fn(ctx, at)
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

var prefixForm = regexp.MustCompile(`^(/[A-Za-z0-9_-]+)*/?$`)

// check refuses flags that do not go together.
func (s serveCmd) check() error {
	if s.InsecureNoAuth && s.authenticates() {
		return errors.New("--insecure-no-auth contradicts --auth, --admin, --static-tokens and --oidc")
	}
	if first, _, _ := strings.Cut(strings.Trim(s.Prefix, "/"), "/"); !prefixForm.MatchString(s.Prefix) || first == "api" || first == "oauth2" {
		return fmt.Errorf("--prefix %q: want a path such as /uc, and neither /api nor /oauth2", s.Prefix)
	}
	return nil
}

// catalog completes cfg, and makes the catalog.
func (s serveCmd) catalog(cfg catalog.Config, data string) (*catalog.Catalog, error) {
	cfg.ManagedRoot = s.ManagedRoot
	if cfg.ManagedRoot == "" {
		cfg.ManagedRoot = catalog.LocalURL(filepath.Join(data, "managed"))
		if s.isShared() {
			cfg.Logger.Warn("managed tables go to a folder of this machine: other servers on the same store need the same folder, or give all of them a --managed-root", "root", cfg.ManagedRoot)
		}
	}
	if isLocal := strings.HasPrefix(cfg.ManagedRoot, "file:") || filepath.IsAbs(cfg.ManagedRoot); isLocal {
		cfg.Remover = catalog.LocalRemover{Root: cfg.ManagedRoot}
		if s.CheckFiles {
			cfg.Files = catalog.LocalFiles{Root: cfg.ManagedRoot}
		}
	}
	if s.authenticates() {
		cfg.Authorizer = catalog.Grants{}
	}
	if s.TokenFilesDir != "" {
		dir, err := filepath.Abs(s.TokenFilesDir)
		if err != nil {
			return nil, fmt.Errorf("--token-files-dir: %w", err)
		}
		cfg.TokenFiles = dir
	}
	return catalog.New(cfg)
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

// ensure makes a catalog with a schema named default where they are missing.
func (s serveCmd) ensure(ctx context.Context, c *catalog.Catalog, who admin) error {
	if s.Catalog == "" {
		return nil
	}
	if s.authenticates() {
		if who.name == "" {
			return errors.New("--catalog: there is no admin yet whose it could be: give --admin NAME")
		}
		ctx = catalog.WithPrincipal(ctx, who.name)
	}
	_, err := c.CreateCatalog(ctx, types.CreateCatalog{Name: s.Catalog})
	if err != nil && !errors.Is(err, types.AlreadyExists) {
		return fmt.Errorf("--catalog: %w", err)
	}
	_, err = c.CreateSchema(ctx, types.CreateSchema{Name: types.SchemaName{Catalog: s.Catalog, Schema: "default"}})
	if err != nil && !errors.Is(err, types.AlreadyExists) {
		return fmt.Errorf("--catalog: %w", err)
	}
	return nil
}
