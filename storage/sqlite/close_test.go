package sqlite

import (
	"context"
	"errors"
	"os"
	"runtime"
	"testing"

	"github.com/leveelake/catalog/storage"
)

// What makes a commit durable and a cascade whole is set on every connection.
func TestSettings(t *testing.T) {
	s := open1(t)
	group := make(chan error)
	began := make(chan struct{})
	release := make(chan struct{})
	for range 4 {
		go func() {
			group <- s.View(context.Background(), func(tx storage.ReadTx) error {
				_, err := tx.List(context.Background(), storage.ListQuery{}, storage.Want{})
				began <- struct{}{}
				<-release
				return err
			})
		}()
	}
	for range 4 {
		<-began
	}
	close(release)
	for range 4 {
		if err := <-group; err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]int64{
		"synchronous": 2, "foreign_keys": 1, "page_size": 4096, "user_version": 2, "application_id": applicationID,
	} {
		if got := number(t, s, `PRAGMA `+name); got != want {
			t.Errorf("%s is %d, want %d", name, got, want)
		}
	}
	if len(s.views.idle) != 4 {
		t.Errorf("%d connections, want 4", len(s.views.idle))
	}
	for _, c := range s.views.idle {
		if got, err := pragma(c.Conn, `PRAGMA cache_size`); got != -1024 || err != nil { // what bounds the memory of all Views
			t.Errorf("cache_size is %d in a View, %v", got, err)
		}
		for _, name := range []string{"foreign_keys", "query_only"} {
			if got, err := pragma(c.Conn, `PRAGMA `+name); got != 1 || err != nil {
				t.Errorf("%s is %d in a View, %v", name, got, err)
			}
		}
	}
	if i, err := os.Stat(s.path); err != nil || runtime.GOOS != "windows" && i.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", i.Mode(), err)
	}
}

func TestClose(t *testing.T) {
	var none *Store
	if err := none.Close(); err != nil {
		t.Error(err)
	}
	s := open1(t)
	began := make(chan struct{})
	release := make(chan struct{})
	answer := make(chan error)
	go func() {
		answer <- s.Update(context.Background(), func(tx storage.Tx) error {
			close(began)
			<-release
			return insert(1, func() error { return nil })(tx)
		})
	}()
	<-began
	closed := make(chan error)
	for range 2 {
		go func() { closed <- s.Close() }()
	}
	waitFor(t, "Close to begin", func() bool {
		return errors.Is(s.View(context.Background(), func(storage.ReadTx) error { return nil }), storage.ErrClosed)
	})
	close(release)
	for _, c := range []chan error{answer, closed, closed} {
		if err := <-c; err != nil {
			t.Error(err)
		}
	}
	if err := s.Update(t.Context(), nil); !errors.Is(err, storage.ErrClosed) {
		t.Errorf("Update after Close: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(s.path + "-wal"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the WAL is left: %v", err)
	}
	again, err := Open(s.path)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if got := tables(t, again); got != "table1" {
		t.Errorf("there are %s", got)
	}
}
