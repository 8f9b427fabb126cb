// Command mutants measures the tests of packages: it makes small changes to the code, one
// at a time, and counts those that no test detects.
//
//	go run ./internal/mutants -seed 1 -n 100 ./ratelock ./report/match
//	go run ./internal/mutants -also ./internal/integration/validation ./validation
//
// From each package it draws n mutations and runs the package's tests on each, then those
// of the packages of -also if the mutant survived. It does not change files: mutants are
// built with the go command's -overlay. The same seed draws the same mutations, and an
// edit of one function does not affect the draw in others.
//
// A mutant that fails a test, hangs or runs out of memory is killed. One that does not
// compile is replaced by another. Each survivor is printed as a line with its place, its
// function, the source line before → after, and its number among equal changes in that
// function. It points to a rule without a test or to unused code: write the test or
// delete the code. If the mutant behaves like the original for every input, add the line
// to equivalents.txt with only the file as its place, and the reason. The last lines are
// a table with a row per package; the score is killed / (killed + survived), in percent.
// The exit status is 1 if a score is below -least.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"text/tabwriter"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	passed, err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(2)
	case !passed:
		os.Exit(1)
	}
}

// run reports whether every package reached the required score.
func run(ctx context.Context, args []string, out io.Writer) (passed bool, err error) {
	flags := flag.NewFlagSet("mutants", flag.ContinueOnError)
	seed := flags.Uint64("seed", 1, "seed of the sample")
	n := flags.Int("n", 100, "mutants per package")
	least := flags.Float64("least", 95, "minimum score in percent")
	parallel := flags.Int("p", 1, "concurrent mutants")
	floor := flags.Duration("limit", 20*time.Second, "minimum time limit of a mutant's tests; the limit is at least three times the time of the unchanged code")
	also := flags.String("also", "", "comma-separated `packages` whose tests run on survivors")
	list := flags.String("equivalents", "internal/mutants/equivalents.txt", "`file` of mutants that behave like the original")
	if err := flags.Parse(args); err != nil {
		return false, err
	}
	known, err := readEquivalents(*list)
	if err != nil {
		return false, err
	}
	packages, err := listPackages(ctx, flags.Args())
	if err != nil {
		return false, err
	}

	r := runner{seed: *seed, n: *n, parallel: *parallel, floor: *floor, known: known, out: out}
	if *also != "" {
		r.also = strings.Split(*also, ",")
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	rows := []string{"package\tsampled\tkilled\tsurvived\tequivalents\tscore\t"}
	passed = true
	for _, p := range packages {
		t, err := r.measure(ctx, p)
		if err != nil {
			return false, fmt.Errorf("%s: %w", p.path, err)
		}
		rows = append(rows, fmt.Sprintf("%s\t%d\t%d\t%d\t%d\t%.1f\t", p.path, t.sampled(), t.killed, t.survived, t.equivalents, t.score()))
		passed = passed && t.score() >= *least
	}
	fmt.Fprintln(table, strings.Join(rows, "\n"))
	return passed, table.Flush()
}
