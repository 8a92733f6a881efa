package server

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
)

// appender is a result that writes its own JSON.
type appender interface{ AppendJSON(dst []byte) []byte }

// buffers are reused for bodies of answers, unless they have grown large.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

const keepBuffer = 1 << 20

// noCache tells caches on the way to ask here each time whether what they have is still so.
var noCache = []string{"private, no-cache"}

// document is a result that is not JSON.
type document []byte

// openAPI answers with the document of an API.
func openAPI(text []byte) endpoint {
	return func(*request) (any, error) { return document(text), nil }
}

// write sends a result. An error means that nothing is sent yet.
func (f *face) write(w http.ResponseWriter, status int, result any) error {
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
	} else if f.codec != nil {
		body = f.codec.append(body, result)
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
