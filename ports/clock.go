package ports

import "time"

// Clock tells the time to the library. The real and the mock clock of
// github.com/benbjohnson/clock satisfy it; so does portstest.Clock, which moves
// without sleeping.
type Clock interface {
	// Now gives the current time. It may jump, also backwards: the library
	// copes (I9, internal/docs/invariants.md).
	Now() time.Time
	// After gives a channel that receives once, when d has passed. A d of 0 or
	// less has passed already.
	After(d time.Duration) <-chan time.Time
}

// SystemClock is the machine's clock.
func SystemClock() Clock { return clockFuncs{time.Now, time.After} }

type clockFuncs struct {
	now   func() time.Time
	after func(time.Duration) <-chan time.Time
}

func (c clockFuncs) Now() time.Time                         { return c.now() }
func (c clockFuncs) After(d time.Duration) <-chan time.Time { return c.after(d) }

// TimeLayout is the text of an instant in UTC, as it stands on the wire and in
// reports: RFC 3339 with three digits of milliseconds.
const TimeLayout = "2006-01-02T15:04:05.000Z"

// FormatTime returns t in UTC in [TimeLayout].
func FormatTime(t time.Time) string { return t.UTC().Format(TimeLayout) }

// Millis returns t in UTC, cut to the millisecond: what stores keep of it.
func Millis(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }
