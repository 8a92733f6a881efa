package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/leveelake/catalog/internal/bench/measure"
	"github.com/leveelake/catalog/internal/bench/seed"
	"github.com/leveelake/catalog/internal/bench/wire"
	"github.com/leveelake/catalog/types"
)

// A step asks a side's server for n things of a kind, and keeps how long they took.
type step func(ctx context.Context, s *side, n int) error

// steps are those of a round; the first is loads, of which there are more.
func steps() []step { return []step{randomLoads, pages, renames, overlapping, free, look} }

// scaleConns is how many clients load: enough to be done soon, and so few that none waits for others.
const scaleConns = 2

// randomLoads loads tables by chance, each as likely as any other.
func randomLoads(ctx context.Context, s *side, n int) error {
	each := n / scaleConns
	took := make([]time.Duration, each*scaleConns)
	failed := make([]error, scaleConns)
	seeds := s.random.Uint64()
	var group sync.WaitGroup
	for c := range scaleConns {
		group.Go(func() {
			failed[c] = s.timed(ctx, took[c*each:(c+1)*each], 200, func(i int, dst []byte) []byte {
				at := int(splitmix(seeds+uint64(c*each+i)) % uint64(s.plan.Tables))
				return s.server.target.AppendGet(dst, wire.TablePath(s.plan.Name(at)), "")
			})
		})
	}
	group.Wait()
	for _, err := range failed {
		if err != nil {
			return err
		}
	}
	s.add(loadP50, measure.Percentile(took, 0.5))
	s.add("load p99, ms", measure.Percentile(took, 0.99))
	return nil
}

// splitmix scatters numbers.
func splitmix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// timed sends requests one after the other and keeps how long each took.
func (s *side) timed(ctx context.Context, took []time.Duration, status int, request func(i int, dst []byte) []byte) error {
	conn, err := wire.Dial(ctx, s.server.target, time.Minute)
	if err != nil {
		return err
	}
	defer conn.Close()
	var buf []byte
	for i := range took {
		buf = request(i, buf[:0])
		start := time.Now()
		a, err := conn.Do(buf)
		took[i] = time.Since(start)
		if err == nil {
			err = wire.Want(a, status)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// p99 times n requests and keeps the 99th percentile.
func (s *side) p99(ctx context.Context, what string, n, status int, request func(i int, dst []byte) []byte) error {
	took := make([]time.Duration, n)
	err := s.timed(ctx, took, status, request)
	if err == nil {
		s.add(what, measure.Percentile(took, 0.99))
	}
	return err
}

// pages asks for pages of 100 tables of the big schema, one after the other, and begins again at
// its end.
func pages(ctx context.Context, s *side, n int) error {
	conn, err := wire.Dial(ctx, s.server.target, time.Minute)
	if err != nil {
		return err
	}
	defer conn.Close()
	took := make([]time.Duration, n)
	path, token := wire.SchemaPath(s.plan.Schema(0))+"/tables?max-results=100", ""
	for i := range took {
		request := s.server.target.AppendGet(nil, path+token, "")
		start := time.Now()
		a, err := conn.Do(request)
		took[i] = time.Since(start)
		if err == nil {
			err = wire.Want(a, 200)
		}
		var page struct {
			Next string `json:"next-page-token"`
		}
		if err == nil {
			err = json.Unmarshal(a.Body, &page)
		}
		if err != nil {
			return err
		}
		if token = ""; page.Next != "" {
			token = "&page-token=" + page.Next
		}
	}
	s.add("list page p99, ms", measure.Percentile(took, 0.99))
	return nil
}

// renames renames tables, and gives them their names back.
func renames(ctx context.Context, s *side, n int) error {
	tables := make([]types.TableName, (n+1)/2)
	for i := range tables {
		tables[i] = s.plan.Name(s.random.IntN(s.plan.Tables))
	}
	return s.p99(ctx, "rename p99, ms", 2*len(tables), 204, func(i int, dst []byte) []byte {
		from := tables[i/2]
		to := from.Table
		if i%2 == 0 {
			to += "_renamed"
		} else {
			from.Table += "_renamed"
		}
		return s.server.target.AppendPost(dst, wire.TablePath(from)+"/rename", "", fmt.Appendf(nil, `{"new-name":%q}`, to))
	})
}

// create is the request for an external table at a location.
func (s *side) create(dst []byte, name, location string) []byte {
	body := fmt.Appendf(nil, `{"name":%q,"location":%q,"table-type":"EXTERNAL","columns":`, name, location)
	body = seed.Columns(max(s.plan.Columns, 1)).AppendJSON(body)
	body = append(body, `,"protocol":{"min-reader-version":1,"min-writer-version":2},"properties":{},"last-commit-timestamp-ms":1}`...)
	return s.server.target.AppendPost(dst, wire.SchemaPath(s.plan.Schema(0))+"/tables", "", body)
}

// overlapping asks for tables beneath, at and above others: each is found, and refused.
func overlapping(ctx context.Context, s *side, n int) error {
	return s.p99(ctx, "overlap found p99, ms", n, 400, func(i int, dst []byte) []byte {
		location := s.plan.Location(s.random.IntN(s.plan.Tables))
		switch i % 3 {
		case 1:
			location += "/a/b/c"
		case 2:
			location = location[:bytes.LastIndexByte([]byte(location), '/')]
		}
		return s.create(dst, "never", location)
	})
}

// free creates tables where there are none, and drops them.
func free(ctx context.Context, s *side, n int) error {
	first := s.fresh
	s.fresh += n
	name := func(i int) string { return fmt.Sprintf("made_%d_%d", s.server.pid, first+i) }
	err := s.p99(ctx, "create where free p99, ms", n, 200, func(i int, dst []byte) []byte {
		return s.create(dst, name(i), fmt.Sprintf("s3://bench/%s/%s", s.plan.Schema(s.random.IntN(s.plan.Tables)).Schema, name(i)))
	})
	if err != nil {
		return err
	}
	took := make([]time.Duration, n)
	return s.timed(ctx, took, 204, func(i int, dst []byte) []byte {
		return append(s.server.target.AppendHead(dst, "DELETE", wire.TablePath(s.plan.Schema(0).Table(name(i))), ""), "\r\n"...)
	})
}

// look looks at the memory of the server.
func look(_ context.Context, s *side, _ int) error {
	m, err := s.server.mebibytes()
	s.keep(resident, m)
	return err
}
