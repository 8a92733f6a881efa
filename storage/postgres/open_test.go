package postgres

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/leveelake/catalog/internal/pgtest"
	"github.com/leveelake/catalog/storage"
)

var bg = context.Background()

// open1 opens a store that is closed with the test.
func open1(t testing.TB, url string) *Store {
	t.Helper()
	s, err := Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// refused checks that Open refuses url with want, in one line that has all of texts and
// not the password, nor does any error that it wraps.
func refused(t *testing.T, url, password string, want error, texts ...string) {
	t.Helper()
	s, err := Open(t.Context(), url)
	if err == nil {
		s.Close()
		t.Errorf("Open succeeded, want %v", want)
		return
	}
	if !errors.Is(err, want) {
		t.Errorf("Open: %v, want %v", err, want)
	}
	line := err.Error()
	if strings.Contains(line, "\n") {
		t.Errorf("%q is not one line", line)
	}
	for _, text := range texts {
		if !strings.Contains(line, text) {
			t.Errorf("%q does not say %q", line, text)
		}
	}
	t.Log(line)
	secret(t, err, password)
}

// secret checks that no text of err, or of what it wraps, has the password or a part of it.
func secret(t *testing.T, err error, password string) {
	t.Helper()
	if password == "" {
		return
	}
	for _, format := range []string{"%v", "%+v", "%#v", "%q"} {
		text := fmt.Sprintf(format, err)
		for _, p := range []string{password, url.QueryEscape(password), url.PathEscape(password), url.UserPassword("", password).String()[1:]} {
			if strings.Contains(text, p) {
				t.Errorf("%s of the error has the password: %s", format, text)
			}
		}
	}
	switch x := err.(type) {
	case interface{ Unwrap() error }:
		if inner := x.Unwrap(); inner != nil {
			secret(t, inner, password)
		}
	case interface{ Unwrap() []error }:
		for _, inner := range x.Unwrap() {
			secret(t, inner, password)
		}
	}
}

func TestRefusals(t *testing.T) {
	server := pgtest.Shared(t)
	here := fmt.Sprintf("127.0.0.1:%d/", server.Port())
	password := server.Password()
	good := server.URL(t)

	t.Run("no URL", func(t *testing.T) {
		const pw = "se:cr/et@pw"
		for _, bad := range []string{
			"postgres://levee:" + pw + "@127.0.0.1:5432/levee?sslmode=disable", // not escaped
			"postgres://levee:se%zzcret@127.0.0.1/levee", "postgres://levee:" + url.QueryEscape(pw) + "@127.0.0.1:notaport/levee",
			"host=127.0.0.1 password='" + pw + "' port=x", "postgres://levee:" + url.QueryEscape(pw) + "@h/levee?sslmode=perhaps",
			"host=127.0.0.1 password=" + pw + " connect_timeout=soon", "se:cr/et@pw",
		} {
			s, err := Open(t.Context(), bad)
			if err == nil {
				s.Close()
				t.Errorf("Open(%q) succeeded", bad)
				continue
			}
			for _, part := range []string{pw, "cr/et", "se:cr", "zzcret", "et@pw"} {
				if strings.Contains(fmt.Sprintf("%v %+v %#v", err, err, err), part) {
					t.Errorf("Open(%q): %v", bad, err)
				}
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("%q is not one line", err)
			}
		}
	})
	t.Run("unreachable", func(t *testing.T) {
		u := strings.Replace(good, fmt.Sprint(":", server.Port()), ":1", 1)
		refused(t, u, password, ErrUnreachable, "127.0.0.1:1/levee", "refused")
		refused(t, "postgres://levee:pw@no-such-host.invalid/levee", "", ErrUnreachable, "no-such-host.invalid:5432/levee")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if s, err := Open(ctx, u); !errors.Is(err, context.Canceled) {
			t.Errorf("Open with a context that has ended: %v, %v", s, err)
		}
	})
	t.Run("wrong password", func(t *testing.T) {
		refused(t, strings.Replace(good, url.UserPassword("", password).String()[1:], "wr%2Fong", 1), "wr/ong", ErrRefused, here+"levee", "password")
	})
	t.Run("no database", func(t *testing.T) {
		refused(t, server.DSN("levee", "nothing"), password, ErrRefused, here+"nothing", "does not exist")
	})
	t.Run("no role", func(t *testing.T) {
		refused(t, server.DSN("nobody", "levee"), password, ErrRefused, here+"levee")
	})
	t.Run("pool of 0", func(t *testing.T) {
		for _, n := range []string{"0", "-1", "many"} {
			refused(t, good+"&pool_max_conns="+n, password, ErrURL, here+"levee", "pool_max_conns", n)
		}
	})
	t.Run("no schema", func(t *testing.T) {
		refused(t, server.DSN("levee", "levee", "search_path=nothing"), password, ErrRefused, "search_path")
	})
	t.Run("foreign", func(t *testing.T) {
		u := server.URL(t)
		exec(t, u, `CREATE TABLE other ()`)
		refused(t, u, password, ErrForeign, here+"levee", "tables of another program")
		exec(t, u, `DROP TABLE other`)
		open1(t, u)
	})
	t.Run("newer", func(t *testing.T) {
		u := server.URL(t)
		open1(t, u).Close()
		exec(t, u, `INSERT INTO levee_schema (version) VALUES (99)`)
		refused(t, u, password, ErrNewer, here+"levee", "version is 99")
	})
	t.Run("rights", func(t *testing.T) {
		server.Exec(t, `DROP SCHEMA IF EXISTS guests CASCADE`, `DROP ROLE IF EXISTS guest`, `CREATE ROLE guest LOGIN PASSWORD '`+strings.ReplaceAll(password, `'`, `''`)+`'`, `CREATE SCHEMA guests`, `GRANT USAGE ON SCHEMA guests TO guest`)
		u := server.DSN("guest", "levee", "search_path=guests")
		refused(t, u, password, ErrRefused, here+"levee", "permission denied")
		open1(t, server.DSN("postgres", "levee", "search_path=guests")).Close()
		refused(t, u, password, ErrRefused, here+"levee", "permission denied")
		server.Exec(t, `GRANT SELECT ON guests.levee_schema TO guest`, `GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA guests TO guest`)
		refused(t, u, password, ErrRefused, here+"levee", "lacks", `UPDATE of "commit"`, "DELETE of object")
		server.Exec(t, `GRANT UPDATE, DELETE ON ALL TABLES IN SCHEMA guests TO guest`)
		plant(t, open1(t, u)) // it need not own anything
	})
	t.Run("encoding", func(t *testing.T) {
		server.Exec(t, `DROP DATABASE IF EXISTS latin`, `CREATE DATABASE latin OWNER levee TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'`)
		refused(t, server.DSN("levee", "latin"), password, ErrUnsupported, "LATIN1")
	})
}

// exec runs statements in the schema of a URL.
func exec(t testing.TB, url string, statements ...string) {
	t.Helper()
	p, err := pgxpool.New(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for _, q := range statements {
		if _, err := p.Exec(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
}

// TestOpenAtOnce: ten replicas start on an empty database.
func TestOpenAtOnce(t *testing.T) {
	for range 3 {
		u := pgtest.URL(t)
		stores := make([]*Store, 10)
		var wg sync.WaitGroup
		for i := range stores {
			wg.Go(func() {
				s, err := Open(t.Context(), u)
				if err != nil {
					t.Error(err)
					return
				}
				stores[i] = s
			})
		}
		wg.Wait()
		for i, s := range stores {
			if s == nil {
				continue
			}
			if i == 0 {
				plant(t, s)
			}
			if chain := get(t, s, tableID); len(chain) != 3 {
				t.Errorf("replica %d sees %d nodes", i, len(chain))
			}
			s.Close()
		}
	}
}

func TestForms(t *testing.T) {
	server := pgtest.Shared(t)
	u := server.URL(t)
	plant(t, open1(t, u))
	path := u[strings.Index(u, "search_path="):]
	schema := strings.TrimPrefix(path[:strings.IndexByte(path+"&", '&')], "search_path=")
	quoted := strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(server.Password())
	for name, form := range map[string]string{
		"key=value":      fmt.Sprintf("host=127.0.0.1 port=%d user=levee password='%s' dbname=levee sslmode=disable search_path=%s pool_max_conns=3", server.Port(), quoted, schema),
		"several hosts":  strings.Replace(u, "127.0.0.1:", "127.0.0.1:1,127.0.0.1:", 1) + "&target_session_attrs=read-write",
		"one connection": u + "&pool_max_conns=1",
		"its name":       u + "&application_name=replica-7",
	} {
		s := open1(t, form)
		if chain := get(t, s, tableID); len(chain) != 3 {
			t.Errorf("%s: %d nodes", name, len(chain))
		}
		writeBoth(t, s)
		var application string
		if err := s.pool.QueryRow(bg, `SELECT current_setting('application_name')`).Scan(&application); err != nil {
			t.Error(err)
		}
		if want := map[bool]string{true: "replica-7", false: "levee"}[name == "its name"]; application != want {
			t.Errorf("%s: the application is %q", name, application)
		}
	}
}

func TestCloses(t *testing.T) {
	var none *Store
	if err := none.Close(); err != nil {
		t.Error(err)
	}
	s := open1(t, pgtest.URL(t))
	inside, end := make(chan struct{}), make(chan struct{})
	done := make(chan error, 1)
	go func() {
		done <- s.View(bg, func(tx storage.ReadTx) error { close(inside); <-end; return nil })
	}()
	<-inside
	closed := make(chan error, 1)
	go func() { closed <- s.Close() }()
	select {
	case <-closed:
		t.Error("Close does not wait for a View")
	case <-done:
		t.Error("a View does not wait")
	default:
	}
	close(end)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
