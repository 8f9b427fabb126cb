package portstest_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/corridor-go/corridor/ports/portstest"
)

func TestClockJumpsBackAndTimersKeepTheirDueTime(t *testing.T) {
	c := portstest.NewClock(start)
	timer := c.After(time.Minute)
	c.Set(start.Add(-time.Hour))
	if got := c.Now(); !got.Equal(start.Add(-time.Hour)) {
		t.Fatalf("Now after a jump back: %v", got)
	}
	c.Advance(time.Hour + time.Minute - 1)
	if c.Waiters() != 1 {
		t.Fatalf("the timer fired before its due time")
	}
	c.Advance(1)
	if got := <-timer; !got.Equal(start.Add(time.Minute)) {
		t.Fatalf("the timer received %v, want its due time", got)
	}
}

func TestClockBlockUntilSeesAParkedGoroutine(t *testing.T) {
	c := portstest.NewClock(start)
	heard := make(chan time.Time)
	for range 2 {
		go func() { heard <- <-c.After(time.Second) }()
	}
	c.BlockUntil(2)
	c.Advance(time.Second)
	for range 2 {
		<-heard
	}
	if c.Waiters() != 0 {
		t.Fatalf("Waiters returned %d, want 0", c.Waiters())
	}
}

// Each timer fires in the first move that reaches its due time.
func TestClockFiresOnlyDueTimers(t *testing.T) {
	type timer struct {
		due time.Time
		c   <-chan time.Time
	}
	rapid.Check(t, func(t *rapid.T) {
		c := portstest.NewClock(start)
		var waiting []timer
		t.Repeat(map[string]func(*rapid.T){
			"after": func(t *rapid.T) {
				d := time.Duration(rapid.Int64Range(1, 50).Draw(t, "d"))
				waiting = append(waiting, timer{c.Now().Add(d), c.After(d)})
			},
			"move": func(t *rapid.T) {
				c.Advance(time.Duration(rapid.Int64Range(-30, 30).Draw(t, "by")))
			},
			"": func(t *rapid.T) {
				waiting = slices.DeleteFunc(waiting, func(w timer) bool {
					select {
					case got := <-w.c:
						if w.due.After(c.Now()) || !got.Equal(w.due) {
							t.Fatalf("a timer due at %v received %v at %v", w.due, got, c.Now())
						}
						return true
					default:
						if !w.due.After(c.Now()) {
							t.Fatalf("a timer due at %v did not fire at %v", w.due, c.Now())
						}
						return false
					}
				})
				if c.Waiters() != len(waiting) {
					t.Fatalf("Waiters returned %d, want %d", c.Waiters(), len(waiting))
				}
			},
		})
	})
}

func ExampleNewClock() {
	clock := portstest.NewClock(time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC))
	timer := clock.After(time.Hour)
	clock.Advance(2 * time.Hour)
	fmt.Println(clock.Now().Format(time.TimeOnly), (<-timer).Format(time.TimeOnly))
	// Output: 11:00:00 10:00:00
}
