package history_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/anishathalye/porcupine"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/storage/memory"
)

// TestBrokenIsRejected proves that the check can fail: each of these catalogs breaks one
// promise, most of them only now and then.
func TestBrokenIsRejected(t *testing.T) {
	store := func(bend func(s storage.Store, d *dice) storage.Store) func(s *setup) {
		return func(s *setup) { s.store = bend(s.store, newDice(s.seed)) }
	}
	handler := func(bend func(h http.Handler, d *dice) http.Handler) func(s *setup) {
		return func(s *setup) {
			s.handler = func(h http.Handler) http.Handler { return bend(h, newDice(s.seed)) }
		}
	}
	for _, b := range []struct {
		name  string
		bend  func(s *setup)
		sound bool
	}{
		{"nothing is broken", func(*setup) {}, true},
		{"an acknowledged commit is lost", store(losesCommits), false},
		{"an acknowledged drop is lost", store(losesDrops), false},
		{"an acknowledged rename is lost", store(losesRenames), false},
		{"a version has two winners", handler(twoWinners), false},
		{"a commit has no winner", handler(noWinner), false},
		{"a load shows an old state", store(staleViews), false},
		{"a load shows the log of one state and the metadata of another", store(tornViews), false},
		{"metadata is applied and its commit is not", store(halfUpdates), false},
		{"a commit is applied and its metadata is not", store(otherHalfUpdates), false},
		{"replays of backfilled versions are forgotten", store(forgetsFiles), false},
		{"a backfill takes one version more", store(backfillsMore), false},
		{"the ETag moves on data commits", store(movesETags), false},
		{"the ETag stands still on metadata", store(stillETags), false},
		{"assert-etag is not looked at", handler(ignoresETag), false},
		{"assert-table-uuid is not looked at", handler(ignoresUUID), false},
		// It takes a long history until so many wait.
		{"eleven commits may wait", func(s *setup) { s.limits.Unbackfilled, s.operations = mostWaiting+1, 2400 }, false},
	} {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			// Few are so lucky as to come through one history.
			const tries = 60
			first := firstSeed()
			for seed := first; seed < first+tries; seed++ {
				s := setup{clients: 16, operations: 400, cuts: 30, seed: seed, store: memory.New()}
				b.bend(&s)
				result := porcupine.CheckOperationsTimeout(model, record(t, s), checkTime/4)
				switch {
				case b.sound && result != porcupine.Ok:
					t.Fatalf("seed %d: %s", seed, result)
				case result == porcupine.Unknown:
					t.Logf("seed %d: unknown, which is no proof", seed)
				case result == porcupine.Illegal:
					t.Logf("rejected at history %d", seed-first+1)
					return
				case b.sound && seed == first+1:
					return
				}
			}
			t.Errorf("accepted %d times from seed %d on", tries, first)
		})
	}
}

// answer is what h answers to r, whose body is body.
func answer(h http.Handler, r *http.Request, method string, body []byte) *httptest.ResponseRecorder {
	again := r.Clone(r.Context())
	again.Method, again.Body, again.ContentLength = method, io.NopCloser(bytes.NewReader(body)), int64(len(body))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, again)
	return w
}

func reply(w http.ResponseWriter, from *httptest.ResponseRecorder) {
	for k, v := range from.Header() {
		w.Header()[k] = v
	}
	w.WriteHeader(from.Code)
	_, _ = w.Write(from.Body.Bytes())
}

// onUpdate bends the answers to updates.
func onUpdate(h http.Handler, bend func(r *http.Request, body []byte) *httptest.ResponseRecorder) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		last := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
		if r.Method != http.MethodPost || last == "tables" || last == "rename" || !strings.Contains(r.URL.Path, "/tables/") {
			h.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		reply(w, bend(r, body))
	})
}

// twoWinners tells the loser that it has won.
func twoWinners(h http.Handler, d *dice) http.Handler {
	return onUpdate(h, func(r *http.Request, body []byte) *httptest.ResponseRecorder {
		got := answer(h, r, http.MethodPost, body)
		if strings.Contains(got.Body.String(), "CommitVersionConflict") && d.IntN(20) == 0 {
			return answer(h, r, http.MethodGet, nil)
		}
		return got
	})
}

// noWinner tells the winner that it has lost.
func noWinner(h http.Handler, d *dice) http.Handler {
	return onUpdate(h, func(r *http.Request, body []byte) *httptest.ResponseRecorder {
		got := answer(h, r, http.MethodPost, body)
		if got.Code == http.StatusOK && bytes.Contains(body, []byte("add-commit")) && d.IntN(20) == 0 {
			got = httptest.NewRecorder()
			got.WriteHeader(http.StatusConflict)
			fmt.Fprint(got, `{"error":{"type":"CommitVersionConflictException","code":409,"message":"no"}}`)
		}
		return got
	})
}

// edited is an update with its requirements changed.
func edited(body []byte, edit func(requirement map[string]any) bool) []byte {
	var v struct {
		Requirements []map[string]any  `json:"requirements"`
		Updates      []json.RawMessage `json:"updates"`
	}
	if err := json.Unmarshal(body, &v); err != nil {
		return body
	}
	var keep []map[string]any
	for _, r := range v.Requirements {
		if edit(r) {
			keep = append(keep, r)
		}
	}
	v.Requirements = keep
	out, err := json.Marshal(v)
	if err != nil {
		return body
	}
	return out
}

func ignoresETag(h http.Handler, _ *dice) http.Handler {
	return onUpdate(h, func(r *http.Request, body []byte) *httptest.ResponseRecorder {
		return answer(h, r, http.MethodPost, edited(body, func(r map[string]any) bool { return r["type"] != "assert-etag" }))
	})
}

// ignoresUUID lets an update hit whatever table has the name.
func ignoresUUID(h http.Handler, _ *dice) http.Handler {
	return onUpdate(h, func(r *http.Request, body []byte) *httptest.ResponseRecorder {
		var table struct {
			Metadata struct {
				ID string `json:"table-uuid"`
			} `json:"metadata"`
		}
		if json.Unmarshal(answer(h, r, http.MethodGet, nil).Body.Bytes(), &table) == nil && table.Metadata.ID != "" {
			body = edited(body, func(r map[string]any) bool {
				if r["type"] == "assert-table-uuid" {
					r["uuid"] = table.Metadata.ID
				}
				return true
			})
		}
		return answer(h, r, http.MethodPost, body)
	})
}
