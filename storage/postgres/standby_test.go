package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/leveelake/catalog/internal/pgtest"
	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// demote restarts a server as a standby, of nobody: it answers reads.
func demote(t *testing.T, server *pgtest.Server) {
	t.Helper()
	var data string
	if err := newRival(t, server.DSN("postgres", "")).QueryRow(bg, `SHOW data_directory`).Scan(&data); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, "standby.signal"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	server.Restart(t, "fast")
}

// TestRealStandby: a standby, whose answers may be of long ago, is not used, and waited for until it is promoted.
func TestRealStandby(t *testing.T) {
	server := pgtest.Start(t, "fsync=off")
	u := server.URL(t)
	s := open1(t, u)
	plant(t, s)
	get(t, s, tableID)
	demote(t, server)
	for _, attrs := range []string{"", "&target_session_attrs=any", "&target_session_attrs=prefer-standby"} {
		refused(t, u+attrs, server.Password(), ErrUnreachable, "standby")
	}
	s.patient = 100 * time.Millisecond
	err := s.View(bg, func(tx storage.ReadTx) error { _, err := tx.Get(bg, tableID, storage.Want{}); return err })
	if !errors.Is(err, storage.ErrUnavailable) {
		t.Errorf("View: %v", err)
	}
	for name, way := range ways() {
		if err := way(bg, s); !errors.Is(err, storage.ErrUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
	}
	server.Exec(t, `SELECT pg_promote()`)
	s.patient = patience
	writeBoth(t, s)
}

// TestStandbyBeside: of several hosts the one that writes is used.
func TestStandbyBeside(t *testing.T) {
	primary, standby := pgtest.Start(t, "fsync=off"), pgtest.Start(t, "fsync=off")
	u := primary.URL(t)
	standby.URL(t) // a schema of the same name
	standby.Exec(t, `ALTER ROLE levee PASSWORD '`+strings.ReplaceAll(primary.Password(), `'`, `''`)+`'`)
	demote(t, standby)
	host := fmt.Sprint("127.0.0.1:", primary.Port())
	s := open1(t, strings.Replace(u, host, fmt.Sprintf("127.0.0.1:%d,%s", standby.Port(), host), 1))
	plant(t, s)
	var port int
	if err := s.pool.QueryRow(bg, `SELECT inet_server_port()`).Scan(&port); err != nil || port != primary.Port() {
		t.Errorf("it is at port %d, %v", port, err)
	}
}

// TestNotReplicated: what is durable here but perhaps not on the standby that has to have it is not known to be
// durable.
func TestNotReplicated(t *testing.T) {
	server := pgtest.Start(t, "fsync=off")
	u := server.URL(t)
	s := open1(t, u)
	plant(t, s)
	ids := tables(t, s, 2)
	writeBoth(t, s)
	cancel := newRival(t, server.DSN("postgres", ""))
	// cancelled cancels whatever waits for the standby until done.
	cancelled := func(done chan error) error {
		for {
			select {
			case err := <-done:
				return err
			case <-time.After(time.Millisecond):
				cancel.do(`SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`)
			}
		}
	}
	cancel.do(`ALTER SYSTEM SET synchronous_standby_names = 'nobody'`)
	cancel.do(`SELECT pg_reload_conf()`)
	for name, way := range map[string]func(ctx context.Context, s storage.Store) error{
		"commit": ways()["commit"], "replace": ways()["replace"],
		"group": func(ctx context.Context, _ storage.Store) error {
			dos := make([]func() error, len(ids))
			for i, id := range ids {
				dos[i] = func() error { _, err := commitTo(ctx, s, id); return err }
			}
			errs := grouped(t, s, dos...)
			if !errors.Is(errs[0], types.CommitStateUnknown) {
				return errs[0]
			}
			return errs[1]
		},
	} {
		var was storage.Node
		var err error
		for range 1000 { // the server takes a while to wait for it
			was = get(t, s, tableID)[2]
			done := make(chan error, 1)
			go func() { done <- way(bg, s) }()
			if err = cancelled(done); err != nil {
				break
			}
		}
		if !errors.Is(err, types.CommitStateUnknown) || errors.Is(err, storage.ErrUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
		if now := get(t, s, tableID)[2]; name != "group" && now.Revision+now.Log.Revision != was.Revision+was.Log.Revision+1 {
			t.Errorf("%s: it is not even here", name)
		}
	}
	cancel.do(`ALTER SYSTEM RESET synchronous_standby_names`)
	cancel.do(`SELECT pg_reload_conf()`)
	writeBoth(t, s) // the same connections are as good as any
}
