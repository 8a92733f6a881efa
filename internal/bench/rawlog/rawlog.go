// Package rawlog is the least that a durable commit can cost: a map in memory that decides who
// wins, and one file, allocated beforehand, to which each batch of commits is written and
// synced once. It recovers nothing. It is what stores are measured against.
//
// There is no timer and no writer of its own: who finds nobody at work writes, with all
// that have come to wait; the others wait for that, or for their turn to write.
package rawlog

import (
	"errors"
	"os"
	"sync"
)

// Record is how many bytes a commit takes in the log.
const Record = 150

// ErrConflict tells that a version is not the next one.
var ErrConflict = errors.New("rawlog: not the next version")

// file is the part of os.File that is used; tests look at it.
type file interface {
	WriteAt(p []byte, off int64) (int, error)
	Sync() error
	Close() error
}

// A Log is an open log. Its methods may be called from many goroutines.
type Log struct {
	file file
	size int64 // the log begins again at the front when it is full
	at   int64 // where the next batch goes; owned by who writes

	mu      sync.Mutex
	last    map[int]int64 // version by table
	next    *batch        // those that wait
	writing bool
	batches int64
}

// A batch is what one sync makes durable.
type batch struct {
	records []byte
	lead    chan struct{} // gets one token if one of those who wait must write
	done    chan struct{} // closed once err is set
	err     error
}

func newBatch() *batch { return &batch{lead: make(chan struct{}, 1), done: make(chan struct{})} }

// Create makes a log of size bytes in a new file.
func Create(path string, size int64) (*Log, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	// Written, not only reserved: else the first sync of each block would write metadata, too.
	zeros := make([]byte, 1<<20)
	for at := int64(0); at < size && err == nil; at += int64(len(zeros)) {
		_, err = f.WriteAt(zeros[:min(int64(len(zeros)), size-at)], at)
	}
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return open(dataFile{f}, size), nil
}

func open(f file, size int64) *Log {
	return &Log{file: f, size: size, last: map[int]int64{}, next: newBatch()}
}

// Commit makes version the last of a table. It returns when that is durable.
func (l *Log) Commit(table int, version int64, data *[Record]byte) error {
	l.mu.Lock()
	if l.last[table]+1 != version {
		l.mu.Unlock()
		return ErrConflict
	}
	l.last[table] = version
	b := l.next
	b.records = append(b.records, data[:]...)
	if l.writing {
		l.mu.Unlock()
		select {
		case <-b.done:
			return b.err
		case <-b.lead:
		}
		l.mu.Lock()
	}
	l.writing = true
	l.next = newBatch()
	l.batches++
	l.mu.Unlock()

	b.err = l.write(b.records)
	close(b.done)

	l.mu.Lock()
	if len(l.next.records) > 0 {
		l.next.lead <- struct{}{} // writing stays true: it is handed on
	} else {
		l.writing = false
	}
	l.mu.Unlock()
	return b.err
}

// write writes a batch and syncs.
func (l *Log) write(records []byte) error {
	if l.at+int64(len(records)) > l.size {
		l.at = 0
	}
	if _, err := l.file.WriteAt(records, l.at); err != nil {
		return err
	}
	l.at += int64(len(records))
	return l.file.Sync()
}

// Last returns the last version of a table.
func (l *Log) Last(table int) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last[table]
}

// Batches returns how many times the log was synced.
func (l *Log) Batches() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.batches
}

// Close closes the file.
func (l *Log) Close() error { return l.file.Close() }
