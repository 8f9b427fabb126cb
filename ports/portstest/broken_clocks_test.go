package portstest_test

import (
	"sync"
	"testing"
	"time"

	mock "github.com/benbjohnson/clock"

	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
	"github.com/corridor-go/corridor/ports/portstest/internal/broken"
)

// flawedClock is a correct clock whose methods a flaw can replace.
type flawedClock struct {
	now     func() time.Time
	after   func(time.Duration) <-chan time.Time
	advance func(time.Duration)
}

func newFlawedClock() *flawedClock {
	c := portstest.NewClock(start)
	return &flawedClock{c.Now, c.After, c.Advance}
}

func (c *flawedClock) Now() time.Time                         { return c.now() }
func (c *flawedClock) After(d time.Duration) <-chan time.Time { return c.after(d) }

var start = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// afterBy wraps After.
func afterBy(fn func(after func(time.Duration) <-chan time.Time, d time.Duration) <-chan time.Time) func(c *flawedClock) {
	return func(c *flawedClock) {
		after := c.after
		c.after = func(d time.Duration) <-chan time.Time { return fn(after, d) }
	}
}

type afterFunc = func(time.Duration) <-chan time.Time

// timersBeyond makes all timers after the first n never fire.
func timersBeyond(n int) func(c *flawedClock) {
	return func(c *flawedClock) {
		var mu sync.Mutex
		afterBy(func(after afterFunc, d time.Duration) <-chan time.Time {
			mu.Lock()
			defer mu.Unlock()
			if n--; n < 0 {
				return nil
			}
			return after(d)
		})(c)
	}
}

var clockFlaws = []struct {
	flaw, check string
	spoil       func(c *flawedClock)
}{
	{"stands still", "Now advances", func(c *flawedClock) { c.now = func() time.Time { return start } }},
	{"waits for zero durations", "After of zero or a negative duration fires at once", afterBy(func(after afterFunc, d time.Duration) <-chan time.Time {
		return after(max(d, 1))
	})},
	{"fires too early", "After fires when its time has come, not before", afterBy(func(after afterFunc, d time.Duration) <-chan time.Time {
		return after(d / 2)
	})},
	{"fires too late", "After fires when its time has come, not before", afterBy(func(after afterFunc, d time.Duration) <-chan time.Time {
		return after(d + 1)
	})},
	{"fires repeatedly", "After fires once", func(c *flawedClock) {
		tick := make(chan time.Time, 10)
		advance := c.advance
		c.after = func(time.Duration) <-chan time.Time { return tick }
		c.advance = func(d time.Duration) { advance(d); tick <- c.now() }
	}},
	{"has room for three timers", "After does not wait for its receiver", timersBeyond(3)},
	{"loses timers", "timers created by many goroutines all fire", timersBeyond(10)},
}

func TestEveryFlawOfAClockIsCaught(t *testing.T) {
	for _, s := range clockFlaws {
		t.Run(s.flaw, func(t *testing.T) {
			r := broken.Record(t, func(tb testing.TB) {
				c := newFlawedClock()
				s.spoil(c)
				portstest.RunClockCheck(tb, s.check, c, c.advance)
			})
			if !r.Failed() {
				t.Errorf("the check %q did not catch it", s.check)
			}
		})
	}
}

func TestCorrectClocksPass(t *testing.T) {
	for name, open := range map[string]func(testing.TB) (ports.Clock, func(time.Duration)){
		"this package's clock": func(testing.TB) (ports.Clock, func(time.Duration)) {
			c := portstest.NewClock(start)
			return c, c.Advance
		},
		"the system's clock": func(testing.TB) (ports.Clock, func(time.Duration)) { return ports.SystemClock(), nil },
		"benbjohnson's mock clock": func(testing.TB) (ports.Clock, func(time.Duration)) {
			c := mock.NewMock()
			return c, c.Add
		},
		"benbjohnson's real clock": func(testing.TB) (ports.Clock, func(time.Duration)) { return mock.New(), nil },
	} {
		t.Run(name, func(t *testing.T) { portstest.ClockPort(t, portstest.ClockHarness{Open: open}) })
	}
}
