package catalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

const limit = 10

func commitOf(version int64, file string) types.Commit {
	return types.Commit{Version: version, Timestamp: 1, FileName: file, FileSize: 1, FileModificationTimestamp: 1}
}

func fileOf(version int64) string { return fmt.Sprintf("f%d", version) }

// logOf is a log whose versions up to last were ratified from f1, f2, …
func logOf(last, backfilled int64) storage.Log {
	l := storage.Log{Revision: last, Last: last, Backfilled: backfilled}
	for v := backfilled + 1; v <= last; v++ {
		l.Commits = append(l.Commits, storage.Commit{Version: v, File: fileOf(v)})
	}
	return l
}

// asked is l as read with Want.Version v, of which it remembers all.
func asked(l storage.Log, v int64) storage.Log {
	if v >= 1 && v <= l.Last {
		l.Asked = &storage.Commit{Version: v, File: fileOf(v)}
	}
	return l
}

func TestCheckCommit(t *testing.T) {
	good := commitOf(1, "00000000000000000001.5f3c.json")
	if err := checkCommit(good); err != nil {
		t.Error(err)
	}
	numbers := map[string]func(c *types.Commit) *int64{
		"version":                     func(c *types.Commit) *int64 { return &c.Version },
		"timestamp":                   func(c *types.Commit) *int64 { return &c.Timestamp },
		"file-size":                   func(c *types.Commit) *int64 { return &c.FileSize },
		"file-modification-timestamp": func(c *types.Commit) *int64 { return &c.FileModificationTimestamp },
	}
	for name, field := range numbers {
		for _, v := range []int64{0, -1, math.MinInt64} {
			c := good
			*field(&c) = v
			if err := checkCommit(c); !errors.Is(err, types.InvalidParameterValue) || !strings.Contains(err.Error(), name) {
				t.Errorf("%s %d: %v", name, v, err)
			}
		}
		c := good
		*field(&c) = math.MaxInt64
		if err := checkCommit(c); err != nil {
			t.Errorf("%s %d: %v", name, int64(math.MaxInt64), err)
		}
	}
	for _, name := range []string{"", " ", "\t", ".", "..", "a/b", `a\b`, "/", "../x", "a\x00b", "a\nb", "a\x7f", "\u0085", "\xff", strings.Repeat("a", maxFileName+1)} {
		if err := checkCommit(commitOf(1, name)); !errors.Is(err, types.InvalidParameterValue) {
			t.Errorf("file name %q: %v", name, err)
		}
	}
	for _, name := range []string{"a", "00000001.json", "%2e%2e%2fx", "é.json", "...", strings.Repeat("a", maxFileName)} {
		if err := checkCommit(commitOf(1, name)); err != nil {
			t.Errorf("file name %q: %v", name, err)
		}
	}
}

// TestJudge goes through the rows of the commit rules that a log decides by itself.
func TestJudge(t *testing.T) {
	for _, test := range []struct {
		name    string
		last    int64
		forgot  bool
		version int64
		file    string
		want    verdict
	}{
		{"first", 0, false, 1, "f1", isNew},
		{"next", 3, false, 4, "x", isNew},
		{"gap is new", 3, false, 9, "x", isNew},
		{"highest is new", 3, false, math.MaxInt64, "x", isNew},
		{"replay of the last", 3, false, 3, "f3", isReplay},
		{"replay of an earlier one", 3, false, 1, "f1", isReplay},
		{"taken", 3, false, 3, "f4", isTaken},
		{"taken earlier", 3, false, 1, "f2", isTaken},
		{"forgotten", 3, true, 1, "f1", isUnknown},
	} {
		t.Run(test.name, func(t *testing.T) {
			log := logOf(test.last, 0)
			if !test.forgot {
				log = asked(log, test.version)
			}
			if got := judge(log, commitOf(test.version, test.file)); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

// TestAdvance goes through the rows of the commit rules that change the log.
func TestAdvance(t *testing.T) {
	b := func(v int64) *int64 { return &v }
	for _, test := range []struct {
		name       string
		last, back int64
		add        int64 // 0: none
		backfilled *int64
		wantLast   int64
		wantBack   int64
		want       types.Code
	}{
		{"first commit", 0, 0, 1, nil, 1, 0, ""},
		{"first commit, nothing backfilled", 0, 0, 1, b(0), 1, 0, ""},
		{"next", 3, 1, 4, nil, 4, 1, ""},
		{"next with backfill", 3, 1, 4, b(3), 4, 3, ""},
		{"next with an older backfill", 3, 2, 4, b(1), 4, 2, ""},
		{"next with a negative backfill", 3, 2, 4, b(-1), 4, 2, ""},
		{"first commit must be 1", 0, 0, 2, nil, 0, 0, types.InvalidParameterValue},
		{"gap", 3, 1, 5, nil, 0, 0, types.InvalidParameterValue},
		{"gap up to the end", 3, 1, math.MaxInt64, nil, 0, 0, types.InvalidParameterValue},
		{"gap comes before the limit", 10, 0, 12, nil, 0, 0, types.InvalidParameterValue},
		{"gap comes before the backfill", 3, 0, 5, b(9), 0, 0, types.InvalidParameterValue},
		{"backfill of the commit itself", 3, 1, 4, b(4), 0, 0, types.InvalidParameterValue},
		{"backfill above the commit", 3, 1, 4, b(math.MaxInt64), 0, 0, types.InvalidParameterValue},
		{"tenth", 9, 0, 10, nil, 10, 0, ""},
		{"eleventh", 10, 0, 11, nil, 0, 0, types.ResourceExhausted},
		{"eleventh with an idle backfill", 10, 0, 11, b(0), 0, 0, types.ResourceExhausted},
		{"eleventh with backfill of one", 10, 0, 11, b(1), 11, 1, ""},
		{"eleventh with backfill of all", 10, 0, 11, b(10), 11, 10, ""},
		{"backfill before any commit", 0, 0, 0, b(0), 0, 0, types.InvalidParameterValue},
		{"negative backfill before any commit", 0, 0, 0, b(-1), 0, 0, types.InvalidParameterValue},
		{"backfill beyond the last", 3, 1, 0, b(4), 0, 0, types.InvalidParameterValue},
		{"backfill", 3, 1, 0, b(2), 3, 2, ""},
		{"backfill of all", 3, 1, 0, b(3), 3, 3, ""},
		{"backfill again", 3, 2, 0, b(2), 3, 2, ""},
		{"older backfill", 3, 2, 0, b(1), 3, 2, ""},
		{"negative backfill", 3, 2, 0, b(-1), 3, 2, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			var add *types.Commit
			if test.add != 0 {
				c := commitOf(test.add, fileOf(test.add))
				add = &c
			}
			last, back, err := advance(logOf(test.last, test.back), add, test.backfilled, limit)
			if types.CodeOf(err) != test.want || last != test.wantLast || back != test.wantBack {
				t.Errorf("got %d, %d, %v; want %d, %d, %v", last, back, err, test.wantLast, test.wantBack, test.want)
			}
		})
	}
}

func TestMemoryForgets(t *testing.T) {
	const keep = 5
	at := func(d int) time.Time { return time.Date(2026, 1, 1, 23, 0, 0, 0, time.UTC).AddDate(0, 0, d) }
	var m memory
	var forget []int64
	for v := int64(1); v <= 12; v++ { // one version a day, three days kept
		forget = append(forget, m.ratified(v, at(int(v)), keep, 3*day))
	}
	// The last 5 versions are kept even where they are older than 3 days, and versions
	// of the last 3 days even where they are more than 5.
	if want := []int64{0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7}; !cmp.Equal(forget, want) {
		t.Errorf("forget %v, want %v", forget, want)
	}
	if len(m.Days) > 3+2 {
		t.Errorf("%d day marks", len(m.Days))
	}
	m = memory{}
	for v := int64(1); v <= 100; v++ {
		if f := m.ratified(v, at(0), keep, 3*day); f != 0 {
			t.Fatalf("version %d of today: forget %d", v, f)
		}
	}
	if f := m.ratified(101, at(-30), keep, 3*day); f != 0 || len(m.Days) != 1 {
		t.Errorf("clock went back: forget %d, marks %v", f, m.Days)
	}
}

func TestMemoryRoundTrip(t *testing.T) {
	for _, m := range []memory{
		{},
		{RowIDHighWaterMark: ptr(int64(-1))},
		{Days: []dayMark{{1, 2}, {math.MaxInt64, math.MaxInt64}, {-1, -2}}},
		{Days: []dayMark{{20_000, 1}}, RowIDHighWaterMark: ptr(int64(9007199254740993))},
	} {
		data := m.encode()
		if back, err := decodeMemory(data); err != nil || !cmp.Equal(back, m) {
			t.Errorf("%x decodes as %v, %v", data, back, err)
		}
		for n := 1; n < len(data); n++ {
			if back, err := decodeMemory(data[:n]); err == nil && (m.RowIDHighWaterMark == nil || back.RowIDHighWaterMark != nil) {
				t.Errorf("the first %d bytes of %x are taken for %v", n, data, back)
			}
		}
		if back, err := decodeMemory(append(data, 1, 1)); err == nil {
			t.Errorf("%x and more decodes as %v", data, back)
		}
	}
	for _, bad := range []string{"\xff", "\x01", "\xff\xff\xff\xff\xff\xff\xff\xff\x7f"} {
		if m, err := decodeMemory([]byte(bad)); err == nil {
			t.Errorf("%x decodes as %v", bad, m)
		}
	}
}

func TestLogCommitRoundTrip(t *testing.T) {
	want := types.Commit{Version: math.MaxInt64, Timestamp: math.MaxInt64 - 1, FileName: "x", FileSize: math.MaxInt64 - 2, FileModificationTimestamp: 9007199254740993}
	c := logCommit(want)
	if got, err := wireCommit(*c); err != nil || got != want {
		t.Errorf("%v, %v", got, err)
	}
	for n := range c.Data {
		if _, err := wireCommit(storage.Commit{Data: c.Data[:n]}); err == nil {
			t.Errorf("the first %d bytes are taken for all", n)
		}
	}
}

// FuzzLog plays any sequence of commits and backfills against one table, and checks
// what must hold whatever clients send.
func FuzzLog(f *testing.F) {
	f.Add([]byte{1, 1, 0, 2, 1, 1, 2, 1, 1, 200, 3, 0, 1, 1, 0})
	f.Add([]byte{1, 1, 0, 1, 1, 0, 1, 2, 0, 0, 0, 1})
	f.Fuzz(func(t *testing.T, steps []byte) {
		r := rules{properties: 1000, unbackfilled: limit, remember: 1 << 40, rememberFor: 30 * day}
		tab := &table{object: storage.Object{ID: "00000000-0000-0000-0000-000000000000", Revision: 1}, record: record{Type: types.Managed}}
		names := map[int64]string{} // what was ratified
		now := time.Unix(1e9, 0)
		for len(steps) >= 3 {
			version, file, back := int64(int8(steps[0])), int(steps[1]), int64(int8(steps[2]))
			steps = steps[3:]
			now = now.Add(time.Hour)
			req := types.UpdateTable{Require: types.Requirement{TableUUID: tab.object.ID}}
			if version != 0 {
				c := commitOf(tab.log.Last+version, fmt.Sprint("f", file%3))
				req.Update.AddCommit = &types.AddCommit{Commit: c}
				if checkCommit(c) != nil {
					continue
				}
			}
			if back != 0 || version == 0 {
				b := tab.log.Backfilled + back
				req.Update.SetBackfilledVersion = &b
			}
			old := *tab.clone()
			old.log.Asked = nil
			if c := req.Update.AddCommit; c != nil {
				if name, ok := names[c.Commit.Version]; ok {
					old.log.Asked = &storage.Commit{Version: c.Commit.Version, File: name}
				}
			}
			before, _ := json.Marshal(old.log)
			ch, err := apply(&old, req, "tester", now, r, sighting{})
			if after, _ := json.Marshal(old.log); string(after) != string(before) {
				t.Fatalf("the old log changed: %s, then %s", before, after)
			}
			if c := req.Update.AddCommit; c != nil {
				name, known := names[c.Commit.Version]
				switch {
				case known && name == c.Commit.FileName:
					if err != nil || ch.object || ch.log != nil {
						t.Fatalf("replay of %v: %+v, %v", c.Commit, ch, err)
					}
				case known && !errors.Is(err, types.CommitVersionConflict):
					t.Fatalf("version %d is %s; %v: %v", c.Commit.Version, name, c.Commit, err)
				case !known && err == nil:
					names[c.Commit.Version] = c.Commit.FileName
				}
			}
			if err != nil {
				if code := types.CodeOf(err); code == types.Internal || code == types.CommitStateUnknown {
					t.Fatal(err)
				}
				continue
			}
			if ch.object {
				t.Fatalf("the etag moved: %+v", req.Update)
			}
			tab = ch.table
			l := tab.log
			if l.Backfilled > l.Last || l.Last-l.Backfilled > limit || l.Last < old.log.Last || l.Backfilled < old.log.Backfilled || int64(len(names)) != l.Last {
				t.Fatalf("after %+v: %+v with %d names", req.Update, l, len(names))
			}
			for i, c := range l.Commits {
				if c.Version != l.Backfilled+1+int64(i) || c.File != names[c.Version] {
					t.Fatalf("commit %d is %+v after backfill %d", i, c, l.Backfilled)
				}
			}
			if n := int64(len(l.Commits)); n != l.Last-l.Backfilled {
				t.Fatalf("%d commits in (%d, %d]", n, l.Backfilled, l.Last)
			}
			if d := ch.log; d != nil && (d.Last != l.Last || d.Backfilled != l.Backfilled || d.Forget > d.Backfilled || d.Revision != old.log.Revision+1) {
				t.Fatalf("delta %+v for log %+v", d, l)
			}
		}
	})
}
