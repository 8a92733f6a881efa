//go:build unix

package history_test

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/anishathalye/porcupine"

	"github.com/leveelake/catalog/internal/pgtest"
)

// Findings are what was wrong.
type findings struct {
	mu   sync.Mutex
	all  []string
	more int
}

func (f *findings) add(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.all) == 50 {
		f.more++
		return
	}
	f.all = append(f.all, fmt.Sprintf(format, args...))
}

// String is all of it, a line each.
func (f *findings) String() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	text := strings.Join(f.all, "\n")
	if f.more > 0 {
		text += fmt.Sprintf("\nand %d more", f.more)
	}
	return text
}

// secretOf is the part of a server's password that no way of quoting changes.
func secretOf(db *pgtest.Server) string {
	secret := regexp.MustCompile(`[A-Z0-9]+$`).FindString(db.Password())
	if len(secret) < 20 {
		panic("the password has no such part any more")
	}
	return secret
}

// credentials is a URL with a user.
var credentials = regexp.MustCompile(`postgres(ql)?://[^/\s"]*@`)

func leaks(text, secret string) bool {
	return secret != "" && strings.Contains(text, secret) || credentials.MatchString(text)
}

// alarming is what no log may hold. Deadlocks are in there because every statement takes its locks
// in one order.
var alarming = regexp.MustCompile(`(?i)panic|deadlock|goroutine \d|data race|level=ERROR.*SQLSTATE (4|23|XX)`)

// checkLogs looks at what the replicas, and the database, have written.
func checkLogs(found *findings, name, text, secret string) {
	if leaks(text, secret) {
		found.add("the log of %s holds a secret", name)
	}
	told := 0
	for line := range strings.Lines(text) {
		if alarming.MatchString(line) && told < 3 {
			told++
			found.add("the log of %s says: %.500s", name, strings.TrimSpace(line))
		}
	}
}

// A tableLog is the log of a table, as the database has it.
type tableLog struct {
	last, backfilled int64
	files            map[int64]string
}

// checkCommits compares what clients were told to be ratified with the logs of the tables that are
// there. What became of tables that are not is for the model to say; here it has to be that
// somebody has tried to drop them.
func checkCommits(found *findings, history []porcupine.Operation, logs map[string]tableLog) (acknowledged int) {
	dropped := map[int]bool{}
	for _, op := range history {
		if in := op.Input.(input); in.op == "drop" {
			dropped[in.slot] = true
		}
	}
	for _, op := range history {
		in, out := op.Input.(input), op.Output.(output)
		if in.op != "update" || in.version == 0 || out.unknown || out.status != 200 {
			continue
		}
		acknowledged++
		log, ok := logs[string(in.id)]
		switch file := log.files[in.version]; {
		case !ok && !dropped[in.slot]:
			found.add("the log of table %s is gone, and nobody has dropped it", in.id)
		case ok && file != fileName(in.version, in.file):
			found.add("version %d of table %s was ratified with %q, and now is %q", in.version, in.id, fileName(in.version, in.file), file)
		}
	}
	for id, log := range logs {
		for v := int64(1); v <= log.last; v++ {
			if log.files[v] == "" {
				found.add("table %s has %d versions, but version %d is missing", id, log.last, v)
			}
		}
		if len(log.files) > int(log.last) || log.backfilled > log.last {
			found.add("table %s has %d versions, %d commits, and %d are backfilled", id, log.last, len(log.files), log.backfilled)
		}
	}
	return acknowledged
}
