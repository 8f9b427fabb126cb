package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// step performs n operations.
type step func(n int)

// side prepares one side of a row.
type side func(s *setup) step

// setup is the state of a row's preparation.
type setup struct {
	closers []func()
	missed  []string // goals missed during the preparation, such as memory
}

// after calls f when the row is done.
func (s *setup) after(f func()) { s.closers = append(s.closers, f) }

func (s *setup) close() {
	for _, f := range slices.Backward(s.closers) {
		f()
	}
}

// missf records a missed goal; the row is still measured.
func (s *setup) missf(format string, args ...any) {
	s.missed = append(s.missed, fmt.Sprintf(format, args...))
}

// failure is the panic value of must and check.
type failure struct{ error }

// must returns v. It ends the row if there is an error.
func must[T any](v T, err error) T {
	check(err)
	return v
}

// check ends the row if there is an error.
func check(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// try runs f and returns the error with which must or check ended it.
func try(f func()) (err error) {
	defer func() {
		if v := recover(); v != nil {
			failed, ok := v.(failure)
			if !ok {
				panic(v)
			}
			err = failed.error
		}
	}()
	f()
	return nil
}

// row compares corridor with a reference.
type row struct {
	name, reference string
	ours, ref       side
	// goal is for the median of (our time / reference time) per operation.
	goal   goal
	allocs int           // maximum per operation; -1 means no limit
	fixed  int           // operations per round; 0 means as many as fit
	round  time.Duration // 0 means 100 ms
}

// goal is met if the ratio is on the right side of the limit.
type goal struct {
	text string
	met  func(times float64) bool
	show func(times float64) string
}

// faster requires at least n times as many operations per second as the reference.
func faster(n float64) goal {
	return goal{
		text: fmt.Sprintf("≥ %.3g of its speed", n),
		met:  func(times float64) bool { return 1/times >= n },
		show: func(times float64) string { return fmt.Sprintf("%.2f", 1/times) },
	}
}

// within requires at most n times the reference's time.
func within(n float64) goal {
	return goal{
		text: fmt.Sprintf("≤ %.3g times its time", n),
		met:  func(times float64) bool { return times <= n },
		show: func(times float64) string { return fmt.Sprintf("%.2f", times) },
	}
}

func main() {
	only := flag.String("only", "", "run the rows whose name contains this")
	rounds := flag.Int("rounds", 15, "interleaved rounds per row")
	reckon := flag.Bool("capacity", false, "print creates per second and bytes per lock by store, for internal/docs/operations.md")
	flag.Parse()
	measure := func() { run(*only, *rounds) }
	if *reckon {
		measure = printCapacity
	}
	if err := try(measure); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(only string, rounds int) {
	chosen := slices.DeleteFunc(rows(), func(r row) bool { return !strings.Contains(r.name, only) })
	if len(chosen) == 0 {
		check(fmt.Errorf("no row name contains %q", only))
	}
	check(measureAll(os.Stdout, chosen, rounds))
}

// measureAll measures one row after the other and prints each when it is done. Missed
// goals and failed rows do not stop it; it returns all of them as one error.
func measureAll(w io.Writer, rows []row, rounds int) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "what\treference\tratio\tspread\tgoal\tallocs\tours\treference's\t")
	var bad []error
	for _, r := range rows {
		var s setup
		err := try(func() { r.compare(out, rounds, &s) })
		s.close()
		for _, goal := range s.missed {
			bad = append(bad, fmt.Errorf("%s: goal missed: %s", r.name, goal))
		}
		if err != nil {
			fmt.Fprintf(out, "%s\t%s\tFAILED\t\t\t\t\t\t\n", r.name, r.reference)
			bad = append(bad, fmt.Errorf("%s: failed: %w", r.name, err))
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
	return errors.Join(bad...)
}

// compare prepares both sides, runs them in interleaved rounds and prints the row.
func (r row) compare(out io.Writer, rounds int, s *setup) {
	ours, ref := r.ours(s), r.ref(s)
	nOurs, nRef := r.calibrate(ours), r.calibrate(ref)
	var ratios, a, b []float64
	allocs := 0.0
	for range rounds {
		x, mallocs := perOp(ours, nOurs)
		y, _ := perOp(ref, nRef)
		ratios, a, b = append(ratios, x/y), append(a, x), append(b, y)
		allocs = mallocs
	}
	slices.Sort(ratios)
	times, missed := median(ratios), len(s.missed)
	verdict, limit := "met", ""
	if !r.goal.met(times) {
		s.missf("%s, measured %s", r.goal.text, r.goal.show(times))
	}
	if r.allocs >= 0 {
		limit = fmt.Sprintf(" (≤ %d)", r.allocs)
		if allocs >= float64(r.allocs)+0.5 {
			s.missf("≤ %d allocations, measured %.1f", r.allocs, allocs)
		}
	}
	if len(s.missed) > missed {
		verdict = "MISSED"
	}
	fmt.Fprintf(out, "%s\t%s\t%s\t%s … %s\t%s %s\t%.1f%s\t%v\t%v\t\n", r.name, r.reference, r.goal.show(times),
		r.goal.show(ratios[len(ratios)-1]), r.goal.show(ratios[0]), r.goal.text, verdict, allocs, limit,
		time.Duration(median(a)).Round(time.Nanosecond), time.Duration(median(b)).Round(time.Nanosecond))
}

// calibrate returns how many operations fill a round. It also warms up.
func (r row) calibrate(run step) int {
	if r.fixed > 0 {
		run(r.fixed)
		return r.fixed
	}
	round := cmp.Or(r.round, 100*time.Millisecond)
	for n := 1; ; n *= 2 {
		start := time.Now()
		run(n)
		if took := time.Since(start); took > round/2 {
			return max(1, int(float64(n)*float64(round)/float64(took)))
		}
	}
}

func perOp(run step, n int) (nanos, mallocs float64) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := time.Now()
	run(n)
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	return float64(took) / float64(n), float64(after.Mallocs-before.Mallocs) / float64(n)
}

func median(values []float64) float64 {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	return sorted[len(sorted)/2]
}
