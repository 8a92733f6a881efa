package sqlite

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// childEnv, when set, makes the test binary a process that commits to the database it
// names until it is killed.
const childEnv = "LEVEE_SQLITE_CHILD"

// crashTables is how many tables the child commits to, each from a goroutine of its own.
const crashTables = 4

// child opens the database, says so, and then says each version that was acknowledged.
func child(path string) {
	s, err := Open(path)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	var out sync.Mutex
	say := func(a ...any) {
		out.Lock()
		defer out.Unlock()
		fmt.Println(a...) // one write, unbuffered
	}
	s.writer.foldFrom, s.writer.foldAt = 20_000, 20_000 // so that some are killed while the journal moves
	say("open")
	ctx := context.Background()
	var group sync.WaitGroup
	for n := range crashTables {
		group.Go(func() {
			for {
				v, err := storage.Update(ctx, s, func(tx storage.Tx) (int64, error) {
					return commitBody(ctx, tx, id(tableN+n))
				})
				if err != nil {
					say("error", err)
					os.Exit(1)
				}
				if v%10 == 0 { // reads from the database, too
					err = s.View(ctx, func(tx storage.ReadTx) error {
						_, err := tx.List(ctx, storage.ListQuery{Parent: id(schemaN)}, storage.Want{Log: true})
						return err
					})
				}
				if err != nil {
					say("error", err)
					os.Exit(1)
				}
				say(n, v)
			}
		})
	}
	group.Wait()
}

// commitBody is commit, and each fifth version is written into the body of the table, too.
func commitBody(ctx context.Context, tx storage.Tx, table types.ID) (int64, error) {
	chain, err := tx.Get(ctx, table, storage.Want{Log: true})
	if err != nil {
		return 0, err
	}
	if len(chain) == 0 {
		return 0, storage.ErrStale
	}
	n := chain[len(chain)-1]
	if v := n.Log.Last + 1; v%5 == 0 {
		new := n.Object
		new.Revision, new.Body = v/5+1, fmt.Appendf(nil, "%06000d", v)
		if err := tx.Replace(ctx, n.Object, new); err != nil {
			return 0, err
		}
	}
	return commitTo(ctx, tx, table, *n.Log)
}

// isWhole returns an error if a table of commitBody has only a part of an Update.
func isWhole(n storage.Node) error {
	v := n.Log.Last
	body := ""
	if v >= 5 {
		body = fmt.Sprintf("%06000d", v/5*5)
	}
	if string(n.Body) != body || n.Revision != v/5+1 || int64(len(n.Log.Commits)) != min(v, 5) {
		return fmt.Errorf("%s is at version %d with the body …%.20q and %d commits", n.Name, v, n.Body[max(0, len(n.Body)-10):], len(n.Log.Commits))
	}
	return nil
}

// startChild starts a child and returns when it has opened the database.
func startChild(t *testing.T, path string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	return startCommand(t, exec.Command(os.Args[0]), path)
}

func startCommand(t *testing.T, c *exec.Cmd, path string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	c.Env = append(os.Environ(), childEnv+"="+path)
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	lines := bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != "open" {
		t.Fatalf("the child says %q", lines.Text())
	}
	return c, lines
}
