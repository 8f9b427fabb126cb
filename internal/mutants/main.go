// Command mutants measures the tests of packages: it changes the code in small
// ways, one at a time, and counts the changes that no test notices.
//
//	go run ./internal/mutants -seed 1 -n 100 ./ratelock ./report/match
//	go run ./internal/mutants -also ./internal/integration/validation ./validation
//
// From each package it draws n mutations and runs the package's tests on each,
// then those of the packages of -also if the mutant survived. It changes no file:
// mutants are built with the go command's -overlay. The same seed draws the same
// mutations, and an edit of one function leaves the draw in the others as it is.
//
// A mutant that fails a test, hangs or runs out of memory is killed. One that does
// not compile is not counted; another is drawn. Each survivor is a line with its
// place, its function, the source line before → after, and which of the equal
// changes in that function it is. It shows a rule without a test, or code without
// a use: write the test or delete the code. If the mutant behaves like the original
// for every input, add it to equivalents.txt: the same line with the file alone as
// its place, and the reason. The last lines are a table with a row per package; the
// score is killed / (killed + survived), in percent. The exit status is 1 if a score
// is below -least.
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

// run reports whether every package reached the least score.
func run(ctx context.Context, args []string, out io.Writer) (passed bool, err error) {
	flags := flag.NewFlagSet("mutants", flag.ContinueOnError)
	seed := flags.Uint64("seed", 1, "draws the sample")
	n := flags.Int("n", 100, "mutants per package")
	least := flags.Float64("least", 95, "lowest score that passes, in percent")
	parallel := flags.Int("p", 1, "mutants at a time")
	floor := flags.Duration("limit", 20*time.Second, "time of a mutant's tests; three times that of the clean run if it is longer")
	also := flags.String("also", "", "`packages`, separated by commas, whose tests run on survivors")
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
