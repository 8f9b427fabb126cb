package main

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func naps(int) { time.Sleep(time.Millisecond) }

// Missed goals and failures do not stop the following rows, and the final error lists
// them all.
func TestEveryRowIsMeasured(t *testing.T) {
	nap := func(*setup) step { return naps }
	fails := errors.New("no disk")
	compared := func(name string, ours side, most float64) row {
		return row{name: name, reference: "a nap", ours: ours, ref: nap, goal: within(most), allocs: -1, fixed: 1}
	}
	const never, always = 1e-6, 1e6 // even on a busy machine
	var out strings.Builder
	err := measureAll(&out, []row{
		compared("slow", nap, never),
		compared("fails when made ready", func(*setup) step { check(fails); return naps }, always),
		compared("fails when run", func(*setup) step { return func(int) { check(fails) } }, always),
		compared("fat", func(s *setup) step { s.missf("≤ 64 MB, measured %d MB", 65); return naps }, always),
		compared("good", nap, always),
	}, 1)
	if err == nil {
		t.Fatal("no error, although goals were missed and rows failed")
	}
	told := strings.Split(err.Error(), "\n")
	for i, want := range []string{
		"slow: goal missed: ≤ 1e-06 times its time, measured ",
		"fails when made ready: failed: no disk",
		"fails when run: failed: no disk",
		"fat: goal missed: ≤ 64 MB, measured 65 MB",
	} {
		if i >= len(told) || !strings.HasPrefix(told[i], want) {
			t.Errorf("line %d of %q, want %q", i, told, want)
		}
	}
	if len(told) != 4 {
		t.Errorf("%d lines in %q, want 4", len(told), told)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	for i, want := range []string{"what", "slow", "fails when made ready", "fails when run", "fat", "good"} {
		if i >= len(lines) || !strings.HasPrefix(lines[i], want) {
			t.Errorf("line %d of\n%s, want %q", i, out.String(), want)
		}
	}
}

// A run without a missed goal is not an error.
func TestMetGoalsAreNoError(t *testing.T) {
	nap := func(*setup) step { return naps }
	var out strings.Builder
	err := measureAll(&out, []row{{name: "good", ours: nap, ref: nap, goal: within(1e6), allocs: -1, fixed: 1}}, 1)
	if err != nil || !strings.Contains(out.String(), "met") {
		t.Errorf("%v\n%s", err, out.String())
	}
}
