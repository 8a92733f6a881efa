package server

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"mime"
	"net/http"
	"path"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/api"
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
}

// A Server answers HTTP requests from a catalog.
type Server struct {
	catalog   *catalog.Catalog
	log       *slog.Logger
	bodies    bodies
	timeout   time.Duration
	mux       *http.ServeMux
	endpoints []string // what GET /v1/config tells
}

// New makes a server for c.
func New(c *catalog.Catalog, cfg Config) *Server {
	s := &Server{catalog: c, log: cfg.Logger, timeout: cmp.Or(cfg.Timeout, time.Minute), mux: http.NewServeMux()}
	if s.log == nil {
		s.log = slog.Default()
	}
	s.bodies.each = cmp.Or(cfg.MaxBody, 64<<20)
	s.bodies.all = cmp.Or(cfg.MaxBodies, 4*s.bodies.each)
	delta := s.deltaRoutes()
	for _, rt := range delta {
		if rt.pattern != configPattern {
			s.endpoints = append(s.endpoints, rt.pattern)
		}
	}
	s.mount(deltaPrefix, deltaFace, delta)
	s.mount(unityPrefix, unityFace, s.unityRoutes())
	s.mount(unityAlias, unityFace, s.unityRoutes())
	s.mount(deltaPrefix, deltaFace, []route{{"GET /openapi.yaml", openAPI}})
	for path, f := range map[string]*face{"": unityFace, deltaPrefix: deltaFace, deltaPrefix + "/preview": unityFace} {
		s.mux.Handle(path+"/", f.handler(s, unknownPath))
		if path != "" {
			s.mux.Handle(path, f.handler(s, unknownPath)) // else net/http redirects to the one before
		}
	}
	return s
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p := r.URL.EscapedPath()
	f := faceOf(r)
	defer func() {
		if v := recover(); v != nil {
			if v == http.ErrAbortHandler { //nolint:errorlint // net/http compares it so
				panic(v)
			}
			f.fail(s, w, r, fmt.Errorf("panic: %v\n%s", v, debug.Stack()))
		}
	}()
	if f == unityFace && len(p) > 1 && strings.HasSuffix(p, "/") {
		// Tolerated here; the Delta API tells the two apart.
		r = r.Clone(r.Context())
		r.URL.Path, r.URL.RawPath = strings.TrimSuffix(r.URL.Path, "/"), strings.TrimSuffix(p, "/")
		p = r.URL.RawPath
	}
	if path.Clean(p) != p {
		// net/http would redirect to the clean path, and so to another object.
		f.handler(s, unknownPath).ServeHTTP(w, r)
		return
	}
	s.mux.ServeHTTP(w, r)
}

// faceOf is the API that a request is for, by its path unescaped, as net/http matches it. The
// commits API spells like Unity Catalog's.
func faceOf(r *http.Request) *face {
	if at, ok := strings.CutPrefix(r.URL.Path, deltaPrefix+"/"); ok && !strings.HasPrefix(at, "preview/") {
		return deltaFace
	}
	return unityFace
}

// An endpoint answers a request with a result, nil for none (204), or an error.
type endpoint func(r *http.Request) (any, error)

// A face is one of the APIs: how it spells errors.
type face struct {
	jsonOnly bool                                   // refuses a Content-Type that is not JSON
	failure  func(err *types.Error, status int) any // the body of an error
}

// handler makes an endpoint of f a handler.
func (f *face) handler(s *Server, e endpoint) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), s.timeout)
		defer cancel()
		r = r.WithContext(ctx) // a copy: net/http goes by the body of its own
		body := s.bodies.read(w, r)
		defer body.release()
		result, err := f.call(e, r)
		if s.log.Enabled(ctx, slog.LevelDebug) {
			s.log.DebugContext(ctx, "request", "method", r.Method, "path", r.URL.EscapedPath(), "code", types.CodeOf(err))
		}
		if err != nil {
			f.fail(s, w, r, err)
			return
		}
		if err := write(w, http.StatusOK, result); err != nil {
			f.fail(s, w, r, err)
		}
	})
}

func (f *face) call(e endpoint, r *http.Request) (any, error) {
	if ct := r.Header.Get("Content-Type"); f.jsonOnly && ct != "" && r.Method == http.MethodPost {
		kind, _, err := mime.ParseMediaType(ct)
		if err != nil || kind != "application/json" && !strings.HasSuffix(kind, "+json") {
			return nil, types.BadRequest.Errorf("Content-Type %q is not JSON", ct)
		}
	}
	return e(r)
}

// appender is a result that writes its own JSON.
type appender interface{ AppendJSON(dst []byte) []byte }

// buffers are reused for bodies of answers, unless they have grown large.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

const keepBuffer = 1 << 20

// noCache tells caches on the way to ask here each time whether what they have is still so.
var noCache = []string{"private, no-cache"}

// document is a result that is not JSON.
type document []byte

// openAPI answers with the document of the Delta API.
func openAPI(*http.Request) (any, error) { return document(api.Delta), nil }

// write sends a result. An error means that nothing is sent yet.
func write(w http.ResponseWriter, status int, result any) error {
	if result == nil {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	if d, ok := result.(document); ok {
		w.Header().Set("Content-Type", "application/yaml")
		_, _ = w.Write(d)
		return nil
	}
	if t, ok := result.(tagged); ok {
		w.Header()["Etag"] = []string{t.tag}
		w.Header()["Cache-Control"] = noCache
		if t.had {
			w.WriteHeader(http.StatusNotModified)
			return nil
		}
		result = t.appender
	}
	buf := buffers.Get().(*[]byte)
	defer func() {
		if cap(*buf) <= keepBuffer {
			buffers.Put(buf)
		}
	}()
	body := (*buf)[:0]
	if a, ok := result.(appender); ok {
		body = a.AppendJSON(body)
	} else {
		b := bytes.NewBuffer(body)
		e := json.NewEncoder(b)
		e.SetEscapeHTML(false)
		if err := e.Encode(result); err != nil {
			return err
		}
		body = b.Bytes()
	}
	*buf = body
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // nobody to tell if the client is gone
	return nil
}

// uuid reads an ID that stands in the field or parameter of this name.
func uuid(name, text string) (types.ID, error) {
	id, err := types.ParseID(text)
	if err != nil {
		return "", types.BadRequest.Errorf("%s is %q; it must be a UUID", name, text)
	}
	return id, nil
}

// query returns a parameter that must be there and not be blank.
func query(r *http.Request, name string) (string, error) {
	v := r.URL.Query().Get(name)
	if strings.TrimSpace(v) == "" {
		return "", types.InvalidParameterValue.Errorf("query parameter %s is missing", name)
	}
	return v, nil
}

// pageOf reads the page that a list request asks for.
func pageOf(r *http.Request, sizeName, tokenName string, defaultSize int) (types.Page, error) {
	q := r.URL.Query()
	p := types.Page{Size: defaultSize, Token: q.Get(tokenName)}
	if v := q.Get(sizeName); v != "" {
		n, err := strconv.ParseInt(v, 10, 32)
		if err != nil || n < 0 {
			return p, types.InvalidParameterValue.Errorf("query parameter %s is %q; it must be a number, 0 or more", sizeName, v)
		}
		if n > 0 {
			p.Size = int(n)
		}
	}
	return p, nil
}

// flag reads an optional boolean parameter.
func flag(r *http.Request, name string) (bool, error) {
	switch v := strings.ToLower(r.URL.Query().Get(name)); v {
	case "", "false":
		return false, nil
	case "true":
		return true, nil
	default:
		return false, types.InvalidParameterValue.Errorf("query parameter %s is %q; it must be true or false", name, v)
	}
}

// methodError is a request whose path exists, but not for its method.
type methodError struct {
	err   *types.Error
	allow []string
}

func (e *methodError) Error() string { return e.err.Error() }
func (e *methodError) Unwrap() error { return e.err }

func wrongMethod(allow []string) endpoint {
	slices.Sort(allow)
	return func(r *http.Request) (any, error) {
		err := types.BadRequest.Errorf("method %s is not allowed here; allowed are %s", r.Method, strings.Join(allow, ", "))
		return nil, &methodError{err, allow}
	}
}

func unknownPath(r *http.Request) (any, error) {
	return nil, types.NotFound.Errorf("there is nothing at %s", r.URL.EscapedPath())
}

func notImplemented(what string) endpoint {
	return func(*http.Request) (any, error) {
		return nil, types.NotImplemented.Errorf("%s are not part of this catalog", what)
	}
}
