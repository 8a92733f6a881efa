package sqlite

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// A rawLog is an engine that does nothing but what must be: it knows the last version of
// each table, and writes 150 bytes for each commit to a file that has its size
// already, with one sync for all who wait.
type rawLog struct {
	file    *os.File
	queue   chan *rawCommit
	stopped chan struct{}
}

type rawCommit struct {
	table int
	done  chan struct{}
}

const rawRecord, rawSize = 150, 64 << 20

func newRawLog(b *testing.B) *rawLog {
	f, err := os.Create(filepath.Join(b.TempDir(), "raw"))
	if err != nil {
		b.Fatal(err)
	}
	chunk := make([]byte, 1<<20)
	for range rawSize / len(chunk) {
		if _, err := f.Write(chunk); err != nil {
			b.Fatal(err)
		}
	}
	if err := f.Sync(); err != nil {
		b.Fatal(err)
	}
	l := &rawLog{file: f, queue: make(chan *rawCommit, batchMost), stopped: make(chan struct{})}
	go l.run(b)
	return l
}

func (l *rawLog) run(b *testing.B) {
	defer close(l.stopped)
	last := make(map[int]int64)
	var batch []*rawCommit
	var page []byte
	var at int64
	for c := range l.queue {
		batch = append(batch[:0], c)
		for more := true; more && len(batch) < batchMost; {
			select {
			case c := <-l.queue:
				if c != nil {
					batch = append(batch, c)
				}
			default:
				more = false
			}
		}
		page = page[:0]
		for _, c := range batch {
			last[c.table]++
			page = fmt.Appendf(page, "%*d", rawRecord, last[c.table])
		}
		if at+int64(len(page)) > rawSize {
			at = 0
		}
		if _, err := l.file.WriteAt(page, at); err != nil {
			b.Error(err)
		}
		if err := datasync(l.file); err != nil {
			b.Error(err)
		}
		at += int64(len(page))
		for _, c := range batch {
			close(c.done)
		}
	}
}

func (l *rawLog) commit(n int) {
	c := &rawCommit{n, make(chan struct{})}
	l.queue <- c
	<-c.done
}

func (l *rawLog) close() {
	close(l.queue)
	<-l.stopped
	l.file.Close()
}
