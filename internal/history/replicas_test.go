//go:build unix

package history_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

var faultsFlag = flag.Duration("history.faults", 6*time.Second, "how long replicas and their database meet with faults")

// TestReplicas has three servers on one PostgreSQL serve many clients, while servers are killed
// and frozen and the database crashes. Whatever the clients were told must be so: that
// what they saw is linearizable, that no commit is lost that was acknowledged.
func TestReplicas(t *testing.T) {
	clients, most := 16, 2400
	if raceDetector || testing.Short() {
		clients, most = 8, 1200 // for each generation
	}
	c := startCluster(t, 3)
	b := c.balancer()
	defer b.close()
	seed := firstSeed()
	t.Logf("seed %d", seed)
	storm := &chaos{cluster: c, b: b, rng: rand.New(rand.NewPCG(seed, 3)), count: map[string]int{}}
	few := 4
	switch {
	case *faultsFlag >= 20*time.Second:
		few = -1
	case !testing.Short():
		few = 6
	}
	over := make(chan struct{})
	began := time.Now()
	ctx, calm := context.WithTimeout(t.Context(), *faultsFlag)
	defer func() { calm(); <-over }()
	go func() {
		defer close(over)
		storm.rage(ctx, storm.deeds(few))
	}()
	var generations []*generation
	for working := true; working; {
		name := fmt.Sprint("g", len(generations))
		generations = append(generations, c.generate(b, name, clients, most, seed+uint64(len(generations)), over))
		select {
		case <-over:
			working = false
		default:
		}
	}
	took := time.Since(began)
	c.works(b, "quiet")
	for _, g := range generations {
		g.settle(b)
	}
	logs := c.logs()
	c.stop()

	seen, operations, acknowledged := map[string]int{}, 0, 0
	for _, g := range generations {
		history := g.history()
		operations += len(history)
		for what, n := range answers(history) {
			seen[what] += n
		}
		result, info := g.check()
		if result != porcupine.Ok {
			t.Logf("%s: %s", g.name, result)
			explain(t, history, info)
		}
		acknowledged += checkCommits(c.found, history, g.logs(logs))
	}
	if text := c.found.String(); text != "" {
		t.Error(text)
	}
	starts := 0
	for _, m := range c.members {
		starts += m.starts
	}
	t.Logf("%s: %d schemas, %d operations, %d commits acknowledged; %s", took.Round(time.Second), len(generations), operations, acknowledged, storm)
	t.Logf("%d starts in vain; the slowest answer took %s; %s; %s", starts, b.slowest.Round(time.Millisecond), summary(b.count), summary(seen))
	if operations < 2400 {
		return // a slow machine
	}
	for _, what := range []string{"commit 200", "commit unknown", "metadata 200", "rename 204", "load 200", "list 200"} {
		if seen[what] == 0 {
			t.Errorf("not once: %s", what)
		}
	}
}
