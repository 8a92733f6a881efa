//go:build unix

package history_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A chaos does to a cluster what may happen to one.
type chaos struct {
	*cluster
	b     *balancer
	rng   *rand.Rand
	count map[string]int
}

// A deed is one thing that may happen.
type deed struct {
	name string
	do   func()
}

// rage goes on until ctx is done, but goes at least once through all deeds unless the test fails.
func (c *chaos) rage(ctx context.Context, deeds []deed) {
	for first := true; first || ctx.Err() == nil; first = false {
		c.rng.Shuffle(len(deeds), func(i, j int) { deeds[i], deeds[j] = deeds[j], deeds[i] })
		for _, d := range deeds {
			if !first && ctx.Err() != nil || errors.Is(ctx.Err(), context.Canceled) {
				return
			}
			c.wait(50, 500)
			d.do()
			c.count[d.name]++
		}
	}
}

// deeds is what may happen: all, or the first few if time is short.
func (c *chaos) deeds(few int) []deed {
	crash := func() { c.db.Restart(c.t, "immediate") }
	all := []deed{
		{"a replica is killed", func() { c.kill(1) }},
		{"a replica is frozen", c.freeze},
		{"the database crashes", crash},
		{"a replica is restarted in order", c.restart},
		{"the database crashes twice", func() {
			crash()
			c.wait(0, 200)
			crash()
		}},
		{"the database crashes, and a replica is killed", func() {
			c.together(crash, func() {
				c.wait(0, 400)
				c.kill(1)
			})
		}},
		{"the database crashes while a replica is frozen", func() {
			c.together(c.freeze, func() {
				c.wait(100, 400)
				crash()
			})
		}},
		{"two replicas are killed", func() { c.kill(2) }},
		{"all replicas are killed", func() { c.kill(len(c.members)) }},
	}
	if few < 0 {
		return all
	}
	return all[:few]
}

func (c *chaos) together(do ...func()) {
	var group sync.WaitGroup
	for _, fn := range do {
		group.Go(fn)
	}
	group.Wait()
}

// wait waits some milliseconds. The top-level functions of the package are for many goroutines.
func (c *chaos) wait(least, most int) {
	time.Sleep(time.Duration(least+rand.IntN(most-least)) * time.Millisecond)
}

// kill kills n replicas one after the other and starts them again.
func (c *chaos) kill(n int) {
	victims := rand.Perm(len(c.members))[:n]
	for _, i := range victims {
		c.members[i].kill()
		c.wait(0, 50)
	}
	c.wait(0, 400)
	var starts []func()
	for _, i := range victims {
		starts = append(starts, func() {
			if err := c.members[i].start(c.t); err != nil {
				c.found.add("%v", err)
			}
		})
	}
	c.together(starts...)
}

// restart ends a replica as an update of its program would, in the middle of all, and starts it again.
func (c *chaos) restart() {
	i := rand.IntN(len(c.members))
	err := c.members[i].stop()
	if err == nil {
		err = c.members[i].start(c.t)
	}
	if err != nil {
		c.found.add("replica %d is restarted: %v", i, err)
	}
}

// freeze stops a replica for a while, as a virtual machine may be that moves to another host. The
// balancer notices; some of the clients who wait for the replica give up. When it goes on,
// it is asked at once for what others have changed meanwhile.
func (c *chaos) freeze() {
	i := rand.IntN(len(c.members))
	m, p := c.members[i], c.b.upstreams[i]
	m.signal(syscall.SIGSTOP)
	c.wait(50, 150)
	p.resting.Store(true)
	c.wait(200, 500)
	p.hangUp()
	c.wait(700, 1500)
	p.resting.Store(false)
	c.b.favours.Store(p)
	m.signal(syscall.SIGCONT)
	c.wait(100, 300)
	c.b.favours.Store(nil)
}

func (c *chaos) String() string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(c.count)) {
		all = append(all, fmt.Sprint(c.count[name], " × ", name))
	}
	return strings.Join(all, ", ")
}
