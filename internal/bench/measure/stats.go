// Package measure holds the arithmetic of comparisons on a machine that is never quiet:
// subjects take turns in short rounds, each round is compared within itself, and medians
// of rounds are shown. It also asks the system for processor time and memory.
package measure

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// A Sample is what one subject did in one round.
type Sample struct {
	Ops     int64
	Elapsed time.Duration      // of the wall clock
	CPU     time.Duration      // of the process that does the work, and of no client
	DB      time.Duration      // CPU of a database beside it; 0 if there is none or it cannot be told
	Refused int64              // operations that were refused on purpose; not among Ops
	Extra   map[string]float64 // what else a subject has measured, by name
}

// Rate is operations per second.
func (s Sample) Rate() float64 { return float64(s.Ops) / s.Elapsed.Seconds() }

// Each is the CPU of one operation in microseconds.
func (s Sample) Each() float64 { return micros(s.CPU) / float64(s.Ops) }

// EachDB is the CPU of the database for one operation in microseconds.
func (s Sample) EachDB() float64 { return micros(s.DB) / float64(s.Ops) }

// Took is the time of one operation in microseconds, if they come one after the other.
func (s Sample) Took() float64 { return micros(s.Elapsed) / float64(s.Ops) }

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// Median returns the median; of an even number the mean of the two in the middle; of
// none NaN.
func Median(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	v := slices.Sorted(slices.Values(values))
	mid := len(v) / 2
	if len(v)%2 == 1 {
		return v[mid]
	}
	return (v[mid-1] + v[mid]) / 2
}

// A Spread is the median of some values, the least and the largest.
type Spread struct{ Median, Min, Max float64 }

// SpreadOf returns the spread of at least one value.
func SpreadOf(values []float64) Spread {
	return Spread{Median(values), slices.Min(values), slices.Max(values)}
}

// Each applies f to all samples.
func Each(samples []Sample, f func(Sample) float64) []float64 {
	out := make([]float64, len(samples))
	for i, s := range samples {
		out[i] = f(s)
	}
	return out
}

// Ratios divides f of our samples by f of the reference's, round by round: what slows a
// round down slows both.
func Ratios(ours, reference []Sample, f func(Sample) float64) []float64 {
	out := make([]float64, min(len(ours), len(reference)))
	for i := range out {
		out[i] = f(ours[i]) / f(reference[i])
	}
	return out
}

// Order is the order in which n subjects take their turns in a round: another one begins each
// time, so that none is always the one after a certain other.
func Order(n, round int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = (i + round) % n
	}
	return out
}

// Percentile returns the value below which p of the values lie (0 < p ≤ 1), by the nearest
// rank. It sorts values.
func Percentile[T cmp.Ordered](values []T, p float64) T {
	slices.Sort(values)
	rank := int(math.Ceil(p * float64(len(values))))
	return values[max(rank, 1)-1]
}
