package ports

import "time"

// Clock is the library's source of time. The real and the mock clock of
// github.com/benbjohnson/clock implement it, and so does portstest.Clock, which a
// test moves without sleeping.
type Clock interface {
	// Now returns the current time. It may jump, also backwards: see I9 in
	// internal/docs/invariants.md.
	Now() time.Time
	// After returns a channel that receives the time once d has elapsed: at once
	// if d is 0 or less.
	After(d time.Duration) <-chan time.Time
}

// SystemClock returns the machine's clock.
func SystemClock() Clock { return clockFuncs{time.Now, time.After} }

type clockFuncs struct {
	now   func() time.Time
	after func(time.Duration) <-chan time.Time
}

func (c clockFuncs) Now() time.Time                         { return c.now() }
func (c clockFuncs) After(d time.Duration) <-chan time.Time { return c.after(d) }

// TimeLayout is the layout of times on the wire and in reports: RFC 3339 in UTC with
// milliseconds.
const TimeLayout = "2006-01-02T15:04:05.000Z"

// FormatTime returns t in UTC in [TimeLayout].
func FormatTime(t time.Time) string { return t.UTC().Format(TimeLayout) }

// Millis returns t in UTC, truncated to the millisecond, as stores store it.
func Millis(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }
