package drive

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/leveelake/catalog/internal/bench/wire"
)

// A worker performs operations over one connection, which it opens again when it breaks.
type worker struct {
	*scene
	conn    *wire.Conn
	request []byte
	body    []byte
}

func (s *scene) worker() actor { return &worker{scene: s} }

func (w *worker) close() {
	if w.conn != nil {
		w.conn.Close()
		w.conn = nil
	}
}

// answerTime is how long an answer may take.
const answerTime = time.Minute

// send sends a request and returns the body of a successful answer, valid until the next one.
func (w *worker) send(ctx context.Context, request []byte) ([]byte, error) {
	if w.conn == nil {
		c, err := wire.Dial(ctx, w.target, answerTime)
		if err != nil {
			return nil, err
		}
		w.conn = c
	}
	a, err := w.conn.Do(request)
	if err != nil {
		w.close()
		return nil, err
	}
	if a.Status >= 300 {
		return nil, &Refusal{a.Status, codeOf(a.Body)}
	}
	return a.Body, nil
}

func (w *worker) post(ctx context.Context, path string, body any) ([]byte, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	return w.send(ctx, w.target.AppendPost(nil, path, w.headers, data))
}

// codeOf finds the code in the body of an error, in the words of either API.
func codeOf(body []byte) string {
	var e struct {
		Delta struct {
			Type string `json:"type"`
		} `json:"error"`
		Code string `json:"error_code"`
	}
	if json.Unmarshal(body, &e) != nil {
		return ""
	}
	if e.Delta.Type != "" {
		return e.Delta.Type
	}
	return e.Code
}

// do performs an operation on any table.
func (w *worker) do(ctx context.Context, op Op) error {
	var err error
	switch op {
	case Load:
		_, err = w.get(ctx, w.any().path, "")
	case Credentials:
		_, err = w.get(ctx, w.any().path, "/credentials?operation=READ")
	case List:
		_, err = w.get(ctx, wire.SchemaPath(w.schema), "/tables?max-results=100")
	case Create:
		err = w.create(ctx, fmt.Sprintf("made_%s_%d", w.run, w.created.Add(1)))
	case Commit:
		t := <-w.free // there is one: tables are as many as workers
		err = w.commitNext(ctx, t)
		w.free <- t
	default:
		panic("unknown operation " + string(op))
	}
	return err
}

func (w *worker) any() *table { return w.tables[rand.IntN(len(w.tables))] }

func (w *worker) get(ctx context.Context, path, rest string) ([]byte, error) {
	w.body = append(append(w.body[:0], path...), rest...)
	w.request = w.target.AppendGet(w.request[:0], string(w.body), w.headers)
	return w.send(ctx, w.request)
}

// commitNext commits the next version of a table that nobody else commits to.
func (w *worker) commitNext(ctx context.Context, t *table) error {
	if t.version < 0 {
		if err := w.look(ctx, t); err != nil {
			return err
		}
	}
	return w.commit(ctx, t)
}

// commit commits the version after t's. If that fails, what the server knows may be another version.
func (w *worker) commit(ctx context.Context, t *table) error {
	next := t.version + 1
	w.body = wire.AppendCommit(w.body[:0], t.id, next, max(t.version-w.cfg.Unbackfilled, 0))
	w.request = w.target.AppendPost(w.request[:0], t.path, w.headers, w.body)
	if _, err := w.send(ctx, w.request); err != nil {
		t.version = -1
		return err
	}
	t.version = next
	return nil
}
