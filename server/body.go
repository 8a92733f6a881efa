package server

import (
	"errors"
	"io"
	"net/http"
	"sync/atomic"

	"github.com/leveelake/catalog/types"
)

// bodies bounds the bodies of requests, each and all together, so that no number of clients makes
// the server keep more than that.
type bodies struct {
	each, all int64 // bytes
	now       atomic.Int64
}

// A bodyReader counts what it reads.
type bodyReader struct {
	io.ReadCloser
	of   *bodies
	read int64
}

var errBodies = errors.New("server: too many bodies")

// read makes r's body a bounded one. It is counted until it is released.
func (b *bodies) read(w http.ResponseWriter, r *http.Request) *bodyReader {
	if r.Body == http.NoBody {
		return nil
	}
	out := &bodyReader{ReadCloser: http.MaxBytesReader(w, r.Body, b.each), of: b}
	r.Body = out
	return out
}

func (r *bodyReader) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	r.read += int64(n)
	if r.of.now.Add(int64(n)) > r.of.all {
		return n, errBodies
	}
	return n, err
}

func (r *bodyReader) release() {
	if r != nil {
		r.of.now.Add(-r.read)
		r.read = 0
	}
}

// unreadable is the error for a body that ends too late or too early.
func unreadable(err error) error {
	if tooLong, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return types.BadRequest.Errorf("the body is longer than %d bytes", tooLong.Limit)
	}
	if errors.Is(err, errBodies) {
		return types.TooManyRequests.Errorf("the server has too many requests to read at once; retry later")
	}
	return types.BadRequest.Errorf("the body cannot be read: %w", err)
}
