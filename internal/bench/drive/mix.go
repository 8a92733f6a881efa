package drive

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// An Op is a kind of operation.
type Op string

// The operations.
const (
	Load        Op = "load"        // of a table
	Commit      Op = "commit"      // with a backfill in the same request
	Create      Op = "create"      // of a managed table: two requests, stage and create
	Credentials Op = "credentials" // of a table, to read
	List        Op = "list"        // a page of 100 tables
)

var ops = []Op{Load, Commit, Create, Credentials, List}

// A Mix says how often each operation comes, as a share of the sum of all.
type Mix map[Op]int

// ParseMix reads a text like "load=80,commit=20".
func ParseMix(text string) (Mix, error) {
	m := Mix{}
	for part := range strings.SplitSeq(text, ",") {
		name, share, _ := strings.Cut(strings.TrimSpace(part), "=")
		n, err := strconv.Atoi(share)
		if err != nil || !slices.Contains(ops, Op(name)) {
			return nil, fmt.Errorf("mix: %q is not one of load, commit, create, credentials and list with =NUMBER", part)
		}
		m[Op(name)] = n
	}
	return m, m.check()
}

func (m Mix) check() error {
	sum := 0
	for _, n := range m {
		if n < 0 {
			return errors.New("mix: a share is negative")
		}
		sum += n
	}
	if sum == 0 {
		return errors.New("mix: there is no operation in it")
	}
	return nil
}

// pick returns the operation of request k: by chance, but the same in each run.
func (m Mix) pick(k int64) Op {
	sum := 0
	for _, n := range m {
		sum += n
	}
	at := int(rand.New(rand.NewPCG(uint64(k), 1)).Uint64() % uint64(sum))
	for _, op := range ops { // a map has no order
		if at -= m[op]; at < 0 {
			return op
		}
	}
	panic("unreachable: the shares are the sum")
}
