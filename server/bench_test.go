package server_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"
)

// BenchmarkLoad measures loads of a table over HTTP against a handler that writes the same bytes
// statically, in alternating rounds of one run. What counts is x-static: the share of the
// static handler's requests per second.
func BenchmarkLoad(b *testing.B) {
	for _, columns := range []int{2, 100, 3000} {
		for _, commits := range []int64{0, 10} {
			b.Run(fmt.Sprintf("columns=%d/commits=%d", columns, commits), func(b *testing.B) {
				a := newAPI(b, stores["sqlite"](b))
				m := a.managed("t", func(req object) {
					var fields []any
					for i := range columns {
						fields = append(fields, object{"name": fmt.Sprintf("column_%d", i), "type": "string", "nullable": true, "metadata": object{"comment": "what the column holds, in some words"}})
					}
					req["columns"] = object{"type": "struct", "fields": fields}
				})
				for v := int64(1); v <= commits; v++ {
					m.commit(v, fmt.Sprintf("%020d.01234567-89ab-cdef-0123-456789abcdef.json", v))
				}
				_, loaded, _ := a.call("GET", m.path, "")
				static := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", "application/json")
					w.Header().Set("Content-Length", fmt.Sprint(len(loaded)))
					_, _ = w.Write(loaded)
				}))
				defer static.Close()
				load := httptest.NewServer(a.handler)
				defer load.Close()

				client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
				compare(b, client, load.URL+m.path, static.URL)
				b.ReportMetric(float64(len(loaded)), "bytes")
			})
		}
	}
}

const clients = 8

// compare reports the rate of url as a share of that of reference.
func compare(b *testing.B, client *http.Client, url, reference string) {
	const round = 400 // requests
	var ratios []float64
	for b.Loop() {
		ours, theirs := time.Duration(0), time.Duration(0)
		for range 2 {
			ours += fetch(b, client, url, round)
			theirs += fetch(b, client, reference, round)
		}
		ratios = append(ratios, theirs.Seconds()/ours.Seconds())
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "x-static")
	b.ReportMetric(float64(2*2*round), "requests/op")
}

// fetch gets url n times, with some clients at once.
func fetch(b *testing.B, client *http.Client, url string, n int) time.Duration {
	start := time.Now()
	var group sync.WaitGroup
	for range clients {
		group.Go(func() {
			for range n / clients {
				res, err := client.Get(url)
				if err != nil {
					b.Error(err)
					return
				}
				if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != http.StatusOK {
					b.Error(res.Status, err)
				}
				res.Body.Close()
			}
		})
	}
	group.Wait()
	return time.Since(start)
}
