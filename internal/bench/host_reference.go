package main

import (
	"context"
	"io"
	"net/http"
	"strconv"

	"github.com/leveelake/catalog/internal/bench/measure"
	"github.com/leveelake/catalog/internal/bench/rawlog"
	"github.com/leveelake/catalog/types"
)

// The references that need no database.

func nothing() error { return nil }

// hostStatic answers every request with the same bytes, as they are.
func hostStatic(_ context.Context, s spec) (hosted, error) {
	return hosted{close: nothing, handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { reply(w, s.Body) })}, nil
}

// reply is the least that sends an answer with a body.
func reply(w http.ResponseWriter, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body) // nobody to tell if the client is gone
}

// hostNone answers without a body: what net/http costs.
func hostNone(context.Context, spec) (hosted, error) {
	return hosted{close: nothing, handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent)
	})}, nil
}

// hostCommits does what a server has to do for a commit, but for the commit: it reads the request,
// decodes it and answers.
func hostCommits(_ context.Context, s spec) (hosted, error) {
	return hosted{close: nothing, handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, err := io.ReadAll(r.Body)
		var req types.UpdateTable
		if err == nil {
			err = types.DecodeJSON(data, &req)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		reply(w, s.Body)
	})}, nil
}

// hostRawLog is a log in a file at s.Store, with as many tables as the plan has.
func hostRawLog(_ context.Context, s spec) (hosted, error) {
	l, err := rawlog.Create(s.Store, 64<<20)
	if err != nil {
		return hosted{}, err
	}
	turns := newTurns(s.Plan.Tables)
	var record [rawlog.Record]byte
	return hosted{close: l.Close, works: map[string]work{
		"commit": func(_ context.Context, o order) (measure.Sample, error) {
			return repeat(o, func(w int) error {
				t := turns.next(w, o.Writers)
				turns.last[t]++
				return l.Commit(t, turns.last[t], &record)
			})
		},
	}}, nil
}

// turns deals tables to writers: each has a share of its own and goes round it, as in a catalog
// where many tables change, and none by two writers. With it goes the last version of each.
type turns struct {
	last []int64
	at   []int // by writer
}

func newTurns(tables int) *turns { return &turns{last: make([]int64, tables), at: make([]int, 1024)} }

func (t *turns) next(writer, writers int) int {
	share := max(len(t.last)/writers, 1)
	n := (writer*share + t.at[writer]%share) % len(t.last)
	t.at[writer]++
	return n
}
