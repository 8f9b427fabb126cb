package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"github.com/corridor-go/corridor/authstate/failures"
	"github.com/corridor-go/corridor/errcodes"
)

// failureRows compares the normaliser with a bare map and with a start-up budget, and the
// command with jq if that is installed.
func failureRows() []row {
	rows := []row{
		{
			name: "normalise: start-up, nothing loaded", reference: "5 ms",
			ours: startOurs, ref: startBudget, goal: within(1), allocs: 1,
		},
		{
			name: "normalise: an exact code, all tables", reference: "bare map by scheme, direction and code",
			ours: exactOurs, ref: exactBare, goal: within(4), allocs: 0,
		},
	}
	if _, err := exec.LookPath("jq"); err != nil {
		fmt.Fprintln(os.Stderr, "skipped, since jq is not installed: normalise: the command, a line")
		return rows
	}
	lines := &lineParts{}
	return append(rows, row{
		name: "normalise: the command, a line", reference: "jq -c . over the same files",
		ours: lines.ours, ref: lines.jq, goal: faster(1), allocs: -1, fixed: partLines,
	})
}

// startOurs also prints the cost of the first use of all tables. Only the first use in a
// process can be measured.
func startOurs(made *setup) step {
	live, total := heap()
	n := must(failures.New(nil))
	if _, now := heap(); now-total > idle {
		made.missf("nothing loaded before the first use, measured %d bytes", now-total)
	}
	start := time.Now()
	for _, s := range failures.Schemes() {
		must(n.Normalise(failures.Input{Scheme: s, Direction: errcodes.Payin, Code: "51"}))
	}
	took := time.Since(start)
	nowLive, nowTotal := heap()
	fmt.Fprintf(os.Stdout, "%d tables at their first use: %v together, %.1f MB live, %.1f MB allocated (goal: 5 ms and 5 MB, or nothing before it)\n",
		len(failures.Schemes()), took.Round(10*time.Microsecond), megabytes(nowLive-live), megabytes(nowTotal-total))
	runtime.KeepAlive(n)
	return func(n int) {
		for range n {
			normaliser = must(failures.New(nil))
		}
	}
}

const idle = 64 << 10 // bytes; a loaded table is larger

var normaliser *failures.Normaliser //nolint:unused // keeps the compiler from dropping the work

func heap() (live, total uint64) {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc, m.TotalAlloc
}

func megabytes(n uint64) float64 { return float64(n) / 1e6 }

func startBudget(*setup) step {
	return func(n int) { time.Sleep(time.Duration(n) * 5 * time.Millisecond) }
}

type exactKey struct {
	scheme    failures.Scheme
	direction errcodes.Direction
	code      string
}

type meaning struct {
	outcome    failures.Outcome
	code       errcodes.TransactionCode
	confidence failures.Confidence
}

// exactCodes returns the codes that the built-in tables normalise without a message, in
// table order, and their meanings.
func exactCodes() ([]failures.Input, map[exactKey]meaning) {
	n := must(failures.New(nil))
	var inputs []failures.Input
	meanings := map[exactKey]meaning{}
	for _, s := range failures.Schemes() {
		for _, r := range failures.Rows(s) {
			for _, d := range []errcodes.Direction{errcodes.Payin, errcodes.Payout} {
				in := failures.Input{Scheme: s, Direction: d, Code: r.Code}
				result, err := n.Normalise(in)
				if err != nil || result.MatchedBy != failures.MatchCode {
					continue // a family, or decided by the message
				}
				inputs = append(inputs, in)
				meanings[exactKey{s, d, r.Code}] = meaning{result.Outcome, result.Code, result.Confidence}
			}
		}
	}
	if len(inputs) < 1000 {
		check(errors.New("the tables contain no codes"))
	}
	return inputs, meanings
}

func exactOurs(*setup) step {
	n := must(failures.New(nil))
	inputs, _ := exactCodes()
	return func(times int) {
		for i := range times {
			result = must(n.Normalise(inputs[i%len(inputs)]))
		}
	}
}

func exactBare(*setup) step {
	inputs, meanings := exactCodes()
	return func(times int) {
		for i := range times {
			in := &inputs[i%len(inputs)]
			found = meanings[exactKey{in.Scheme, in.Direction, in.Code}]
		}
	}
}

// These keep the compiler from eliminating the work.
var (
	result failures.Result //nolint:unused // see above
	found  meaning         //nolint:unused // see above
)

// A round processes one part of the 1,000,000 lines.
const (
	parts     = 10
	partLines = 100_000
	maxPeak   = 64e6 // bytes
)

// lineParts are files of raw failures.
type lineParts []string

// ours also checks the command's memory over all lines.
func (l *lineParts) ours(made *setup) step {
	dir := folder(made)
	command := filepath.Join(dir, "corridor")
	if said, err := exec.Command("go", "build", "-C", "../..", "-o", command, "./adapters/cmd/corridor").CombinedOutput(); err != nil {
		check(fmt.Errorf("go build: %w: %s", err, said))
	}
	inputs, _ := exactCodes()
	for i := range parts {
		*l = append(*l, filepath.Join(dir, strconv.Itoa(i)))
		writeLines((*l)[i], inputs, i*partLines)
	}
	if peak := l.peak(command); peak > maxPeak {
		made.missf("≤ %.0f MB at its peak, measured %.1f MB", maxPeak/1e6, megabytes(peak))
	}
	return l.pass(command, "normalise", "-")
}

func (l *lineParts) jq(*setup) step { return l.pass("jq", "-c", ".") }

// writeLines writes lines, a tenth of which have an unknown code.
func writeLines(path string, inputs []failures.Input, first int) {
	f := must(os.Create(path))
	out := bufio.NewWriter(f)
	for i := first; i < first+partLines; i++ {
		in := inputs[i%len(inputs)]
		if i%10 == 0 {
			in.Code = "of tomorrow " + strconv.Itoa(i)
		}
		fmt.Fprintf(out, `{"scheme":%q,"direction":%q,"code":%q,"message":"The provider said \"no\" %d times"}`+"\n", in.Scheme, in.Direction, in.Code, i)
	}
	check(errors.Join(out.Flush(), f.Close()))
}

// pass runs a filter over one part per round.
func (l *lineParts) pass(name string, args ...string) step {
	next := 0
	return func(int) {
		in := must(os.Open((*l)[next%parts]))
		defer in.Close()
		next++
		filter := exec.Command(name, args...)
		filter.Stdin = in
		check(filter.Run())
	}
}

func (l *lineParts) peak(command string) uint64 {
	var all []io.Reader
	for _, path := range *l {
		f := must(os.Open(path))
		defer f.Close()
		all = append(all, f)
	}
	peak := uint64(must(childPeak(io.MultiReader(all...), command, "normalise", "-", "--unmapped")))
	fmt.Fprintf(os.Stdout, "corridor normalise - over %d lines: %.1f MB at its peak (goal: ≤ %.0f MB)\n", parts*partLines, megabytes(peak), maxPeak/1e6)
	return peak
}
