package server

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"mime"
	"net/http"
	"path"
	"runtime/debug"
	"strings"
	"time"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/types"
)

// Config adjusts a server. Each zero field means what its comment says.
type Config struct {
	// Logger gets faults, whole, and at level debug each request. nil means slog.Default.
	Logger *slog.Logger

	// MaxBody is the longest request body, in bytes; 0 means 64 MiB, enough for a
	// schema of tens of thousands of columns.
	MaxBody int64

	// MaxBodies bounds what the bodies of all requests under way have together, in bytes; 0
	// means four times MaxBody. A request beyond it is refused with TooManyRequests.
	MaxBodies int64

	// Timeout is how long a request may take; 0 means a minute. Then it is answered with
	// 503, unless a change is being made durable, which answers when that is known.
	Timeout time.Duration

	// Prefix is where the root mount is: a plain path such as "/uc", not below /api. "" means at the root itself.
	Prefix string

	// Auth finds out who makes a request, and each route but that of TokenEndpoint goes by it; nil means
	// that whoever reaches the server may do as anybody.
	Auth Authenticator

	// TokenEndpoint answers POST /oauth2/token, where tokens are had and so none is asked for; nil means that
	// there is no such path.
	TokenEndpoint http.Handler
}

// A Server answers HTTP requests from a catalog.
type Server struct {
	catalog   *catalog.Catalog
	log       *slog.Logger
	bodies    bodies
	timeout   time.Duration
	auth      Authenticator
	mux       *http.ServeMux
	endpoints []string // what GET /v1/config tells
	patterns  []string // of all routes

	delta, commits, unity, root *face
}

// New makes a server for c.
func New(c *catalog.Catalog, cfg Config) *Server {
	s := &Server{catalog: c, log: cfg.Logger, timeout: cmp.Or(cfg.Timeout, time.Minute), auth: cfg.Auth, mux: http.NewServeMux()}
	if s.log == nil {
		s.log = slog.Default()
	}
	s.bodies.each = cmp.Or(cfg.MaxBody, 64<<20)
	s.bodies.all = cmp.Or(cfg.MaxBodies, 4*s.bodies.each)
	s.delta = &face{jsonOnly: true, failure: deltaFailure}
	s.commits = &face{codec: &codec{strict: true}, failure: unityFailure}
	s.unity = &face{codec: &codec{}, failure: unityFailure, page: unityPage}
	s.root = &face{codec: &codec{camel: true}, failure: rootFailure}
	s.mountAll(cfg)
	return s
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p := r.URL.EscapedPath()
	f := s.faceOf(r)
	defer func() {
		if v := recover(); v != nil {
			if v == http.ErrAbortHandler { //nolint:errorlint // net/http compares it so
				panic(v)
			}
			f.fail(s, w, r, fmt.Errorf("panic: %v\n%s", v, debug.Stack()))
		}
	}()
	if f != s.delta && len(p) > 1 && strings.HasSuffix(p, "/") {
		// Tolerated here; the Delta API tells the two apart.
		r = r.Clone(r.Context())
		r.URL.Path, r.URL.RawPath = strings.TrimSuffix(r.URL.Path, "/"), strings.TrimSuffix(p, "/")
		p = r.URL.RawPath
	}
	if path.Clean(p) != p {
		// net/http would redirect to the clean path, and so to another object.
		f.handler(s, route{endpoint: unknownPath}).ServeHTTP(w, r)
		return
	}
	s.mux.ServeHTTP(w, r)
}

// faceOf is the API that a request is for, by its path unescaped, as net/http matches it.
func (s *Server) faceOf(r *http.Request) *face {
	p := r.URL.Path
	switch {
	case strings.HasPrefix(p, deltaPrefix+"/preview/"):
		return s.commits
	case strings.HasPrefix(p, deltaPrefix+"/"):
		return s.delta
	case p == "/api" || strings.HasPrefix(p, "/api/"):
		return s.unity
	}
	return s.root
}

// An endpoint answers a request with a result, nil for none (204), or an error. A result that
// is an http.Handler answers by itself.
type endpoint func(r *request) (any, error)

// A face is one of the APIs: how it spells requests, results and errors.
type face struct {
	jsonOnly bool                                   // refuses a Content-Type that is not JSON
	codec    *codec                                 // nil: types spell themselves, in kebab-case
	page     int                                    // of lists, if the client does not say; 0: as the catalog does
	failure  func(err *types.Error, status int) any // the body of an error
}

// handler makes a route of f a handler.
func (f *face) handler(s *Server, rt route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(identified(w.Header(), r), s.timeout)
		defer cancel()
		r = r.WithContext(ctx) // a copy: net/http goes by the body of its own
		body := s.bodies.read(w, r)
		defer body.release()
		result, err := f.call(s, rt, r)
		if s.log.Enabled(ctx, slog.LevelDebug) {
			s.log.DebugContext(ctx, "request", "method", r.Method, "path", r.URL.EscapedPath(), "code", types.CodeOf(err), "request", catalog.RequestID(ctx))
		}
		if err != nil {
			f.fail(s, w, r, err)
			return
		}
		if h, ok := result.(http.Handler); ok {
			h.ServeHTTP(w, r)
			return
		}
		if rt.unkept {
			w.Header().Set("Cache-Control", "no-store")
		}
		if err := f.write(w, http.StatusOK, result); err != nil {
			f.fail(s, w, r, err)
		}
	})
}

func (f *face) call(s *Server, rt route, r *http.Request) (any, error) {
	if s.auth != nil && !rt.public {
		var err error
		if r, err = s.authenticated(r); err != nil {
			return nil, err
		}
	}
	if ct := r.Header.Get("Content-Type"); f.jsonOnly && ct != "" && r.Method == http.MethodPost {
		kind, _, err := mime.ParseMediaType(ct)
		if err != nil || kind != "application/json" && !strings.HasSuffix(kind, "+json") {
			return nil, types.BadRequest.Errorf("Content-Type %q is not JSON", ct)
		}
	}
	return rt.endpoint(&request{r, f})
}
