package measure

import (
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestMedian(t *testing.T) {
	for _, tt := range []struct {
		values []float64
		want   float64
	}{
		{[]float64{3}, 3},
		{[]float64{9, 1, 2}, 2},
		{[]float64{4, 1, 2, 9}, 3},
	} {
		if got := Median(tt.values); got != tt.want {
			t.Errorf("Median(%v) = %v, want %v", tt.values, got, tt.want)
		}
	}
	if !math.IsNaN(Median(nil)) {
		t.Error("the median of nothing is a number")
	}
	v := []float64{3, 1, 2}
	Median(v)
	if !slices.Equal(v, []float64{3, 1, 2}) {
		t.Error("Median has sorted its argument")
	}
}

// TestRatios is about a machine that slows down by and by: the ratio must not notice.
func TestRatios(t *testing.T) {
	var ours, reference []Sample
	for round := range 5 {
		slow := time.Duration(1 + round)
		ours = append(ours, Sample{Ops: 100, Elapsed: slow * time.Second, CPU: slow * time.Second})
		reference = append(reference, Sample{Ops: 200, Elapsed: slow * time.Second, CPU: slow * time.Second})
	}
	if got, want := SpreadOf(Ratios(ours, reference, Sample.Rate)), (Spread{0.5, 0.5, 0.5}); got != want {
		t.Errorf("rates: %v, want %v", got, want)
	}
	if got := Median(Ratios(ours, reference, Sample.Each)); got != 2 {
		t.Errorf("CPU: %v, want 2", got)
	}
	if got := ours[0].Each(); got != 10_000 {
		t.Errorf("an operation takes %v µs, want 10000", got)
	}
}

func TestOrder(t *testing.T) {
	first := map[int]int{}
	for round := range 6 {
		o := Order(3, round)
		first[o[0]]++
		if !slices.Equal(slices.Sorted(slices.Values(o)), []int{0, 1, 2}) {
			t.Errorf("round %d: %v", round, o)
		}
	}
	if first[0] != 2 || first[1] != 2 || first[2] != 2 {
		t.Errorf("who is first: %v", first)
	}
}

func TestPercentile(t *testing.T) {
	v := make([]int, 1000)
	for i := range v {
		v[i] = 1000 - i
	}
	for p, want := range map[float64]int{0.5: 500, 0.99: 990, 0.999: 999, 1: 1000, 0.0001: 1} {
		if got := Percentile(v, p); got != want {
			t.Errorf("Percentile(%v) = %d, want %d", p, got, want)
		}
	}
}

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{
		0.934: "0.93", 9.994: "9.99", 12.34: "12.3", 99.9: "100", 1234: "1234", 20_149: "20.1k", 231_000: "231k", math.NaN(): "",
	} {
		if got := Number(v); got != want {
			t.Errorf("Number(%v) = %q, want %q", v, got, want)
		}
	}
}

func TestTable(t *testing.T) {
	table := Table{Head: []string{"what", "rate", "against"}, Rows: [][]string{{"loads", "20.1k", "static"}, {"", "9", ""}}}
	var text, markdown strings.Builder
	if err := table.Text(&text); err != nil {
		t.Fatal(err)
	}
	if err := table.Markdown(&markdown); err != nil {
		t.Fatal(err)
	}
	if want := "what    rate  against\nloads  20.1k  static\n           9\n"; text.String() != want {
		t.Errorf("text:\n%s\nwant:\n%s", text.String(), want)
	}
	if want := "| what | rate | against |\n| --- | ---: | --- |\n| loads | 20.1k | static |\n|  | 9 |  |\n"; markdown.String() != want {
		t.Errorf("Markdown:\n%s\nwant:\n%s", markdown.String(), want)
	}
}

func TestCPU(t *testing.T) {
	before := CPU()
	for start := time.Now(); time.Since(start) < 50*time.Millisecond; { // busy
	}
	if used := CPU() - before; used <= 0 {
		t.Errorf("50 ms of work took %v of CPU", used)
	}
	if size, err := Resident(os.Getpid()); err != nil || size < 1<<20 {
		t.Errorf("resident: %d, %v", size, err)
	}
}
