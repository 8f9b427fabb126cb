package main

import (
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
type step func(n int) error

// subject is one side of a row, ready to run.
type subject struct {
	run   step
	close func()
}

// row compares ours with a reference.
type row struct {
	name, reference string
	ours, ref       func() (subject, error)
	// goal judges the median of (our time / the reference's time) an operation.
	goal   goal
	allocs int           // at most, an operation; -1: not judged
	fixed  int           // operations a round; 0: as many as fit
	round  time.Duration // 0: 100 ms
}

// goal is met when the ratio is on the right side of the limit. Without met the
// ratio is not judged.
type goal struct {
	text string
	met  func(times float64) bool
	show func(times float64) string
}

// faster: at least n times as many operations a second as the reference.
func faster(n float64) goal {
	return goal{
		text: fmt.Sprintf("≥ %.3g of its speed", n),
		met:  func(times float64) bool { return 1/times >= n },
		show: func(times float64) string { return fmt.Sprintf("%.2f", 1/times) },
	}
}

// told is a figure beside another row's, which is judged.
var told = goal{text: "not", show: faster(0).show}

// within: at most n times the reference's time.
func within(n float64) goal {
	return goal{
		text: fmt.Sprintf("≤ %.3g times its time", n),
		met:  func(times float64) bool { return times <= n },
		show: func(times float64) string { return fmt.Sprintf("%.2f", times) },
	}
}

func main() {
	only := flag.String("only", "", "run the rows whose name contains this")
	rounds := flag.Int("rounds", 15, "interleaved rounds a row")
	reckon := flag.Bool("capacity", false, "print creates a second and bytes a lock by store, for internal/docs/capacity.md")
	flag.Parse()
	measure := func() error { return run(*only, *rounds) }
	if *reckon {
		measure = printCapacity
	}
	if err := measure(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(only string, rounds int) error {
	var chosen []row
	for _, r := range rows() {
		if strings.Contains(r.name, only) {
			chosen = append(chosen, r)
		}
	}
	if len(chosen) == 0 {
		return fmt.Errorf("no row is called %q", only)
	}
	return measureAll(os.Stdout, chosen, rounds)
}

// measureAll measures one row after the other and prints each when it is done.
// A goal that is missed and a row that fails do not stop the rows after them;
// the error lists them all.
func measureAll(w io.Writer, rows []row, rounds int) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "what\treference\tratio\tspread\tgoal\tallocs\tours\treference's\t")
	var bad []string
	for _, r := range rows {
		missed, err := r.measure(out, rounds)
		for _, goal := range missed {
			bad = append(bad, fmt.Sprintf("%s: goal missed: %s", r.name, goal))
		}
		if err != nil {
			fmt.Fprintf(out, "%s\t%s\tFAILED\t\t\t\t\t\t\n", r.name, r.reference)
			bad = append(bad, fmt.Sprintf("%s: failed: %v", r.name, err))
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
	if len(bad) > 0 {
		return errors.New(strings.Join(bad, "\n"))
	}
	return nil
}

// missedGoal is a goal that is judged while a side of a row is made ready, such
// as one of memory. The side is returned with it and can be measured.
type missedGoal string

func (g missedGoal) Error() string { return string(g) }

// ready makes one side of a row ready and separates the goal that it missed
// meanwhile from a failure.
func ready(side func() (subject, error)) (s subject, missed []string, err error) {
	s, err = side()
	if goal, ok := errors.AsType[missedGoal](err); ok {
		return s, []string{string(goal)}, nil
	}
	return s, nil, err
}

// measure prints the row and returns the goals that were missed.
func (r row) measure(out *tabwriter.Writer, rounds int) (missed []string, err error) {
	ours, missed, err := ready(r.ours)
	if err != nil {
		return missed, err
	}
	defer ours.close()
	ref, missedByRef, err := ready(r.ref)
	missed = append(missed, missedByRef...)
	if err != nil {
		return missed, err
	}
	defer ref.close()
	missedByRounds, err := r.compare(out, rounds, ours, ref)
	return append(missed, missedByRounds...), err
}

// compare runs both sides in interleaved rounds.
func (r row) compare(out *tabwriter.Writer, rounds int, ours, ref subject) (missed []string, err error) {
	nOurs, err := r.calibrate(ours.run)
	if err != nil {
		return nil, err
	}
	nRef, err := r.calibrate(ref.run)
	if err != nil {
		return nil, err
	}
	var ratios, a, b []float64
	allocs := 0.0
	for range rounds {
		x, mallocs, err := perOp(ours.run, nOurs)
		if err != nil {
			return nil, err
		}
		y, _, err := perOp(ref.run, nRef)
		if err != nil {
			return nil, err
		}
		ratios, a, b = append(ratios, x/y), append(a, x), append(b, y)
		allocs = mallocs
	}
	slices.Sort(ratios)
	times := median(ratios)
	verdict, limit := "met", ""
	if r.goal.met == nil {
		verdict = "judged"
	} else if !r.goal.met(times) {
		missed = append(missed, fmt.Sprintf("%s, measured %s", r.goal.text, r.goal.show(times)))
	}
	if r.allocs >= 0 {
		limit = fmt.Sprintf(" (≤ %d)", r.allocs)
		if allocs >= float64(r.allocs)+0.5 {
			missed = append(missed, fmt.Sprintf("≤ %d allocations, measured %.1f", r.allocs, allocs))
		}
	}
	if len(missed) > 0 {
		verdict = "MISSED"
	}
	fmt.Fprintf(out, "%s\t%s\t%s\t%s … %s\t%s %s\t%.1f%s\t%v\t%v\t\n", r.name, r.reference, r.goal.show(times),
		r.goal.show(ratios[len(ratios)-1]), r.goal.show(ratios[0]), r.goal.text, verdict, allocs, limit,
		time.Duration(median(a)).Round(time.Nanosecond), time.Duration(median(b)).Round(time.Nanosecond))
	return missed, nil
}

// calibrate finds how many operations fill a round, which also warms up.
func (r row) calibrate(run step) (int, error) {
	if r.fixed > 0 {
		return r.fixed, run(r.fixed)
	}
	round := r.round
	if round == 0 {
		round = 100 * time.Millisecond
	}
	for n := 1; ; n *= 2 {
		start := time.Now()
		if err := run(n); err != nil {
			return 0, err
		}
		if took := time.Since(start); took > round/2 {
			return max(1, int(float64(n)*float64(round)/float64(took))), nil
		}
	}
}

func perOp(run step, n int) (nanos, mallocs float64, err error) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := time.Now()
	err = run(n)
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	return float64(took) / float64(n), float64(after.Mallocs-before.Mallocs) / float64(n), err
}

func median(values []float64) float64 {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	return sorted[len(sorted)/2]
}
