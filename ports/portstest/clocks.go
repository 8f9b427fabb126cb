package portstest

import (
	"runtime"
	"testing"
	"time"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// ClockHarness opens clocks for the suite.
type ClockHarness struct {
	// Open returns a clock and a function that moves it forward. The function is
	// nil for a clock that runs by itself; the suite then waits for a few
	// milliseconds.
	Open func(tb testing.TB) (clock ports.Clock, advance func(d time.Duration))
}

// ClockPort checks a ports.Clock. ([Clock] is this package's clock for tests.)
func ClockPort(t *testing.T, h ClockHarness) {
	t.Helper()
	kit.Run(t, nil, clockChecks, func(t *testing.T) *clockKit {
		clock, advance := h.Open(t)
		return &clockKit{Kit: kit.Kit{TB: t}, clock: clock, advance: advance}
	})
}

type clockKit struct {
	kit.Kit
	clock   ports.Clock
	advance func(time.Duration)
}

// step is short enough to wait for on a running clock.
const step = 3 * time.Millisecond

func (k *clockKit) pass(d time.Duration) {
	if k.advance != nil {
		k.advance(d)
		return
	}
	start := k.clock.Now()
	for k.clock.Now().Sub(start) < d {
		runtime.Gosched()
	}
}

func fired(c <-chan time.Time) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// heard receives from a timer that is due. The value must be there, but on a
// running clock it may come a little late.
func (k *clockKit) heard(c <-chan time.Time, what string) {
	if k.advance == nil {
		<-c
	} else if !fired(c) {
		k.Fatalf("%s: the timer did not fire", what)
	}
}

type clockCheck kit.Check[*clockKit]

var clockChecks = []clockCheck{
	{"Now advances", func(k *clockKit) {
		last := k.clock.Now()
		for range 3 {
			k.pass(step)
			now := k.clock.Now()
			if now.Sub(last) < step {
				k.Fatalf("Now advanced from %v to %v while at least %v passed", last, now, step)
			}
			last = now
		}
	}},
	{"After of zero or a negative duration fires at once", func(k *clockKit) {
		for _, d := range []time.Duration{0, -time.Hour} {
			what := "After(" + d.String() + ")"
			k.Case(what, func() { k.heard(k.clock.After(d), what) })
		}
	}},
	{"After fires when its time has come, not before", afterDue},
	{"After fires once", func(k *clockKit) {
		c := k.clock.After(step)
		k.pass(step)
		k.heard(c, "After")
		k.pass(2 * step)
		k.Same(fired(c), false, "After fired again")
	}},
	{"After does not wait for its receiver", func(k *clockKit) {
		for range 3 {
			k.clock.After(step) // nobody reads it
		}
		k.pass(2 * step)
		c := k.clock.After(step)
		k.pass(step)
		k.heard(c, "After, following timers that nobody reads")
	}},
	{"timers created by many goroutines all fire", func(k *clockKit) {
		timers := make([]<-chan time.Time, kit.Racers)
		kit.Race(kit.Racers, func(i int) error {
			k.clock.Now()
			timers[i] = k.clock.After(step)
			return nil
		})
		k.pass(step)
		for _, c := range timers {
			k.heard(c, "one of many concurrent timers")
		}
	}},
}

func afterDue(k *clockKit) {
	start := k.clock.Now()
	c := k.clock.After(3 * step)
	if k.advance == nil {
		<-c
		if passed := k.clock.Now().Sub(start); passed < 3*step {
			k.Fatalf("After(%v) fired after %v", 3*step, passed)
		}
		return
	}
	k.pass(2 * step)
	k.Same(fired(c), false, "After fired before its due time")
	k.pass(step)
	k.heard(c, "After at its due time")
}
