package pgtest

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
)

// The roles of a server: one that may do everything, and one that owns its database and
// no more, as that of a careful administrator.
const (
	admin = "postgres"
	role  = "levee"
)

// A Server is a running PostgreSQL.
type Server struct {
	programs programs
	dir      string // of its data, its socket and its log
	port     int
	password string // of both roles; it has characters that a URL must escape

	schemas  atomic.Int64
	leash    io.Closer // closing it ends the server
	watchdog *exec.Cmd
	ending   sync.Once
}

// watchdog waits until the other end of its standard input is closed, by us or by our
// end, and then ends the server and removes what it leaves.
const watchdog = `read -r _; "$1" -D "$2/data" -m immediate -w stop; rm -rf "$2"`

// start makes a database cluster and starts its server.
func start(p programs, settings ...string) (_ *Server, err error) {
	dir, err := os.MkdirTemp("", "levee-pg-") // not below a test's folder, which only its owner may enter
	if err != nil {
		return nil, err
	}
	s := &Server{programs: p, dir: dir, password: "p@ss:/?#[]%&=+'\" \\" + rand.Text()}
	if err := give(dir, p.user); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	s.watchdog = p.as(dir, exec.Command("/bin/sh", "-c", watchdog, "sh", filepath.Join(p.dir, "pg_ctl"), dir))
	if s.leash, err = s.watchdog.StdinPipe(); err == nil {
		err = s.watchdog.Start()
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	defer func() {
		if err != nil {
			s.end()
		}
	}()
	if err := s.init(settings); err != nil {
		return nil, err
	}
	for range 3 { // another process may take the port in between
		if s.port, err = freePort(); err != nil {
			return nil, err
		}
		if err = s.up(); err == nil {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	return s, s.exec(context.Background(), admin,
		`CREATE ROLE levee LOGIN PASSWORD `+quote(s.password),
		`CREATE DATABASE levee OWNER levee`)
}

func (s *Server) init(settings []string) error {
	file := filepath.Join(s.dir, "password")
	if err := os.WriteFile(file, []byte(s.password+"\n"), 0o600); err != nil {
		return err
	}
	if err := give(file, s.programs.user); err != nil {
		return err
	}
	out, err := s.programs.command(s.dir, "initdb", "-D", "data", "-U", admin, "--pwfile", "password",
		"-A", "scram-sha-256", "-E", "UTF8", "--locale=C", "-N").CombinedOutput()
	if err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out)
	}
	conf, err := os.OpenFile(filepath.Join(s.dir, "data", "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer conf.Close()
	for _, line := range append([]string{
		"listen_addresses='127.0.0.1'", "unix_socket_directories=" + quote(s.dir), "max_connections=400",
		"log_min_messages=warning", "log_checkpoints=off", // the log is for people
	}, settings...) {
		if _, err := fmt.Fprintln(conf, line); err != nil { // the last of a name counts
			return err
		}
	}
	return nil
}

// up starts the server on its port.
func (s *Server) up() error {
	out, err := s.programs.command(s.dir, "pg_ctl", "-D", "data", "-l", "log", "-w", "-o", fmt.Sprint("-p ", s.port), "start").CombinedOutput()
	if err != nil {
		log, _ := os.ReadFile(filepath.Join(s.dir, "log"))
		return fmt.Errorf("pg_ctl: %w\n%s%s", err, out, log)
	}
	return nil
}

// end ends the server for good.
func (s *Server) end() {
	s.ending.Do(func() {
		s.leash.Close()
		_ = s.watchdog.Wait() // it has nobody else to complain to
	})
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// Stop stops the server as mode says: "fast" ends its connections, "immediate" is a crash.
func (s *Server) Stop(t testing.TB, mode string) {
	t.Helper()
	if out, err := s.programs.command(s.dir, "pg_ctl", "-D", "data", "-m", mode, "-w", "stop").CombinedOutput(); err != nil {
		t.Errorf("pg_ctl: %v\n%s", err, out)
	}
}

// Restart is Stop and a start on the same port.
func (s *Server) Restart(t testing.TB, mode string) {
	t.Helper()
	s.Stop(t, mode)
	s.Start(t)
}

// Start starts the server after Stop.
func (s *Server) Start(t testing.TB) {
	t.Helper()
	if err := s.up(); err != nil {
		t.Errorf("PostgreSQL: %v", err)
	}
}

// URL returns the URL of a schema made for the caller, as the role that owns the database.
func (s *Server) URL(t testing.TB) string {
	t.Helper()
	name := fmt.Sprint("s", s.schemas.Add(1))
	s.Exec(t, `CREATE SCHEMA `+name+` AUTHORIZATION `+role)
	return s.DSN(role, "", "search_path="+name)
}

// DSN returns the URL of a role and a database (levee if it is empty); parameters are
// "name=value".
func (s *Server) DSN(user, database string, parameters ...string) string {
	query := url.Values{"sslmode": {"disable"}}
	for _, p := range parameters {
		name, value, _ := strings.Cut(p, "=")
		query.Set(name, value)
	}
	u := url.URL{Scheme: "postgres", User: url.UserPassword(user, s.password), Host: fmt.Sprint("127.0.0.1:", s.port),
		Path: "/" + cmp.Or(database, "levee"), RawQuery: query.Encode()}
	return u.String()
}

// Password returns the password of both roles.
func (s *Server) Password() string { return s.password }

// Port returns the port on the loopback interface.
func (s *Server) Port() int { return s.port }

// Log returns what the server has written to its log.
func (s *Server) Log(t testing.TB) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(s.dir, "log"))
	if err != nil {
		t.Error(err)
	}
	return string(b)
}

// Exec runs statements in the database levee, as one who may do everything.
func (s *Server) Exec(t testing.TB, statements ...string) {
	t.Helper()
	if err := s.exec(t.Context(), "", statements...); err != nil {
		t.Fatalf("PostgreSQL: %v", err)
	}
}

func (s *Server) exec(ctx context.Context, database string, statements ...string) error {
	c, err := pgx.Connect(ctx, s.DSN(admin, database, "default_transaction_read_only=off"))
	if err != nil {
		return err
	}
	defer c.Close(context.WithoutCancel(ctx))
	for _, q := range statements {
		if _, err := c.Exec(ctx, q); err != nil {
			return fmt.Errorf("%s: %w", q, err)
		}
	}
	return nil
}

// quote makes a literal of SQL, and of postgresql.conf.
func quote(text string) string { return `'` + strings.ReplaceAll(text, `'`, `''`) + `'` }
