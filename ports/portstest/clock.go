package portstest

import (
	"slices"
	"sync"
	"time"
)

// Clock is a ports.Clock whose time changes only when a test moves it. It never
// sleeps, and it is safe for concurrent use.
type Clock struct {
	mu     sync.Mutex
	parked sync.Cond // on mu; a timer was added
	now    time.Time
	timers []timer // ordered by due time, then by creation
}

type timer struct {
	due time.Time
	c   chan time.Time
}

// NewClock returns a clock whose time is t.
func NewClock(t time.Time) *Clock {
	c := &Clock{now: t}
	c.parked.L = &c.mu
	return c
}

// Now returns the clock's time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// After returns a channel that receives the due time, Now + d, once: when the
// clock first reaches or passes it. If d is 0 or less, it receives at once.
func (c *Clock) After(d time.Duration) <-chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	// Buffered, so that moving the clock never waits for a receiver.
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
// due fire in the order of their due times, then of their creation.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.set(c.now.Add(d))
}

// Set moves the clock to t, which may be in the past. Timers keep their due
// times, so a jump back makes them wait longer.
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

// Waiters returns the number of timers that have not fired, including those
// whose channel no goroutine reads any more.
func (c *Clock) Waiters() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.timers)
}

// BlockUntil waits until at least n timers are pending. A test calls it before
// it moves the clock, to be sure that the goroutine under test is waiting.
func (c *Clock) BlockUntil(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.timers) < n {
		c.parked.Wait()
	}
}
