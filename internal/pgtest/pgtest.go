// Package pgtest gives tests a real PostgreSQL. It starts the one that is installed: as an
// unprivileged user if the tests run as root, on a free port of the loopback interface,
// with a password that has to be right. A server ends with the process that started it,
// however that ends.
package pgtest

import (
	"fmt"
	"os"
	"sync"
	"testing"
)

// URL returns the URL of an empty schema that is the caller's alone, on a server that all
// tests of the process share. That server does not sync to disk: it survives no power
// cut, and neither do tests. The test is skipped if there is no PostgreSQL.
func URL(t testing.TB) string {
	t.Helper()
	return Shared(t).URL(t)
}

// Shared returns the server of [URL], for tests that want to look behind it. They must not
// stop it.
func Shared(t testing.TB) *Server {
	t.Helper()
	p := find(t)
	shared.Lock()
	defer shared.Unlock()
	if shared.server == nil {
		s, err := start(p, "fsync=off", "full_page_writes=off", "synchronous_commit=on")
		if err != nil {
			t.Fatalf("PostgreSQL: %v", err)
		}
		shared.server = s
	}
	return shared.server
}

// shared is a variable of the package because starting a server costs seconds, and
// tests that do not know each other want one. It ends with the process.
var shared struct {
	sync.Mutex
	server *Server
}

// Start starts a server for one test, with these settings ("name=value") beside the
// usual ones, and ends it with the test.
func Start(t testing.TB, settings ...string) *Server {
	t.Helper()
	s, err := start(find(t), settings...)
	if err != nil {
		t.Fatalf("PostgreSQL: %v", err)
	}
	t.Cleanup(s.end)
	return s
}

// find returns where PostgreSQL's programs are, or skips the test.
func find(t testing.TB) programs {
	t.Helper()
	p, err := findPrograms()
	if err == nil {
		return p
	}
	text := fmt.Sprintf("no PostgreSQL for tests: %v; install it, or set LEVEE_PG_BIN to the folder of its programs", err)
	if os.Getenv("LEVEE_REQUIRE") == "all" {
		t.Fatal(text)
	}
	t.Skip(text)
	return p
}
