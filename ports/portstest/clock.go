package portstest

import (
	"slices"
	"sync"
	"time"
)

// Clock is a ports.Clock that stands still until a test moves it. It never
// sleeps, and it is safe for concurrent use.
type Clock struct {
	mu     sync.Mutex
	parked sync.Cond // on mu; a timer was added
	now    time.Time
	timers []timer // by due time, then by age
}

type timer struct {
	due time.Time
	c   chan time.Time
}

// NewClock makes a clock that shows t.
func NewClock(t time.Time) *Clock {
	c := &Clock{now: t}
	c.parked.L = &c.mu
	return c
}

// Now gives the time that the clock shows.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// After gives a channel that receives once, when the clock first shows a time
// at or past Now + d. The value received is that due time. A d of 0 or less has
// passed already.
func (c *Clock) After(d time.Duration) <-chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	// Room for the value, so that moving the clock never waits for a receiver.
	t := timer{due: c.now.Add(d), c: make(chan time.Time, 1)}
	if d <= 0 {
		t.c <- t.due
		return t.c
	}
	i, _ := slices.BinarySearchFunc(c.timers, t.due, func(have timer, due time.Time) int {
		if have.due.After(due) {
			return 1
		}
		return -1
	})
	c.timers = slices.Insert(c.timers, i, t)
	c.parked.Broadcast()
	return t.c
}

// Advance moves the clock by d; a negative d moves it back. Timers that come
// due fire in the order of their due times, then of their making.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.set(c.now.Add(d))
}

// Set moves the clock to t, which may lie in the past. Timers keep their due
// time: after a jump back they wait for longer.
func (c *Clock) Set(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.set(t)
}

func (c *Clock) set(t time.Time) {
	c.now = t
	n := 0
	for n < len(c.timers) && !c.timers[n].due.After(t) {
		c.timers[n].c <- c.timers[n].due
		n++
	}
	c.timers = slices.Delete(c.timers, 0, n)
}

// Waiters gives the number of timers that have not fired. A timer that nobody
// listens to any more counts until it fires.
func (c *Clock) Waiters() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.timers)
}

// BlockUntil waits until at least n timers wait. A test calls it before it
// moves the clock, so that the goroutine under test is parked by then.
func (c *Clock) BlockUntil(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.timers) < n {
		c.parked.Wait()
	}
}
