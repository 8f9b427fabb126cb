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

// failureRows hold the normaliser to a bare map, to a budget at the start, and
// the command to jq, which is left out where it is not installed.
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

// startOurs also tells what the first use of all tables costs, which only the
// first look at them in a process can.
func startOurs() (subject, error) {
	live, total := heap()
	n, err := failures.New(nil)
	if err != nil {
		return subject{}, err
	}
	var missed error
	if _, now := heap(); now-total > idle {
		missed = missedGoal(fmt.Sprintf("nothing loaded before the first use, measured %d bytes", now-total))
	}
	start := time.Now()
	for _, s := range failures.Schemes() {
		if _, err := n.Normalise(failures.Input{Scheme: s, Direction: errcodes.Payin, Code: "51"}); err != nil {
			return subject{}, err
		}
	}
	took := time.Since(start)
	nowLive, nowTotal := heap()
	fmt.Fprintf(os.Stdout, "%d tables at their first use: %v together, %.1f MB live, %.1f MB allocated (goal: 5 ms and 5 MB, or nothing before it)\n",
		len(failures.Schemes()), took.Round(10*time.Microsecond), megabytes(nowLive-live), megabytes(nowTotal-total))
	runtime.KeepAlive(n)
	return subject{func(n int) error {
		for range n {
			if normaliser, err = failures.New(nil); err != nil {
				return err
			}
		}
		return nil
	}, noClose}, missed
}

const idle = 64 << 10 // bytes that a table would exceed

var normaliser *failures.Normaliser // keeps the compiler from dropping the work

func heap() (live, total uint64) {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc, m.TotalAlloc
}

func megabytes(n uint64) float64 { return float64(n) / 1e6 }

func startBudget() (subject, error) {
	return subject{func(n int) error {
		time.Sleep(time.Duration(n) * 5 * time.Millisecond)
		return nil
	}, noClose}, nil
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

// exactCodes are the codes that the shipped tables answer by themselves, in the
// order of the tables, and their meanings.
func exactCodes() ([]failures.Input, map[exactKey]meaning, error) {
	n, err := failures.New(nil)
	if err != nil {
		return nil, nil, err
	}
	var inputs []failures.Input
	meanings := map[exactKey]meaning{}
	for _, s := range failures.Schemes() {
		for _, r := range failures.Rows(s) {
			for _, d := range []errcodes.Direction{errcodes.Payin, errcodes.Payout} {
				in := failures.Input{Scheme: s, Direction: d, Code: r.Code}
				result, err := n.Normalise(in)
				if err != nil || result.MatchedBy != failures.MatchCode {
					continue // a family, or told by the message
				}
				inputs = append(inputs, in)
				meanings[exactKey{s, d, r.Code}] = meaning{result.Outcome, result.Code, result.Confidence}
			}
		}
	}
	if len(inputs) < 1000 {
		return nil, nil, errors.New("the tables have lost their codes")
	}
	return inputs, meanings, nil
}

func exactOurs() (subject, error) {
	n, err := failures.New(nil)
	if err != nil {
		return subject{}, err
	}
	inputs, _, err := exactCodes()
	return subject{func(times int) error {
		for i := range times {
			if result, err = n.Normalise(inputs[i%len(inputs)]); err != nil {
				return err
			}
		}
		return nil
	}, noClose}, err
}

func exactBare() (subject, error) {
	inputs, meanings, err := exactCodes()
	return subject{func(times int) error {
		for i := range times {
			in := &inputs[i%len(inputs)]
			found = meanings[exactKey{in.Scheme, in.Direction, in.Code}]
		}
		return nil
	}, noClose}, err
}

// These keep the compiler from dropping the work.
var (
	result failures.Result
	found  meaning
)

// A round takes one part of the lines; all of them are 1,000,000.
const (
	parts     = 10
	partLines = 100_000
	maxPeak   = 64e6 // bytes
)

// lineParts are files of raw failures, and the command built.
type lineParts struct {
	dir   string
	files []string
}

// ours also holds the command to its memory, over all lines at once.
func (l *lineParts) ours() (subject, error) {
	remove := func() { _ = os.RemoveAll(l.dir) }
	command, err := l.make()
	if err != nil {
		remove()
		return subject{}, err
	}
	err = l.peak(command)
	if _, missed := errors.AsType[missedGoal](err); err != nil && !missed {
		remove()
		return subject{}, err
	}
	return subject{l.pass(command, "normalise", "-"), remove}, err
}

func (l *lineParts) jq() (subject, error) { return subject{l.pass("jq", "-c", "."), noClose}, nil }

func (l *lineParts) make() (command string, err error) {
	if l.dir, err = os.MkdirTemp("", "corridor-bench-"); err != nil {
		return "", err
	}
	command = filepath.Join(l.dir, "corridor")
	build := exec.Command("go", "build", "-C", "../..", "-o", command, "./adapters/cmd/corridor")
	if said, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w: %s", err, said)
	}
	inputs, _, err := exactCodes()
	for i := 0; i < parts && err == nil; i++ {
		l.files = append(l.files, filepath.Join(l.dir, strconv.Itoa(i)))
		err = writeLines(l.files[i], inputs, i*partLines)
	}
	return command, err
}

// writeLines writes lines of which each tenth holds a code that nothing knows.
func writeLines(path string, inputs []failures.Input, first int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(f)
	for i := first; i < first+partLines; i++ {
		in := inputs[i%len(inputs)]
		if i%10 == 0 {
			in.Code = "of tomorrow " + strconv.Itoa(i)
		}
		fmt.Fprintf(out, `{"scheme":%q,"direction":%q,"code":%q,"message":"The provider said \"no\" %d times"}`+"\n", in.Scheme, in.Direction, in.Code, i)
	}
	return errors.Join(out.Flush(), f.Close())
}

// pass runs a filter over one part after the other, a part a round.
func (l *lineParts) pass(name string, args ...string) step {
	next := 0
	return func(int) error {
		in, err := os.Open(l.files[next%parts])
		if err != nil {
			return err
		}
		defer in.Close()
		next++
		filter := exec.Command(name, args...)
		filter.Stdin = in
		return filter.Run()
	}
}

func (l *lineParts) peak(command string) error {
	var all []io.Reader
	for _, path := range l.files {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		all = append(all, f)
	}
	peak, err := childPeak(io.MultiReader(all...), command, "normalise", "-", "--unmapped")
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stdout, "corridor normalise - over %d lines: %.1f MB at its peak (goal: ≤ %.0f MB)\n", parts*partLines, megabytes(uint64(peak)), maxPeak/1e6)
	if peak > maxPeak {
		return missedGoal(fmt.Sprintf("≤ %.0f MB at its peak, measured %.1f MB", maxPeak/1e6, megabytes(uint64(peak))))
	}
	return nil
}
