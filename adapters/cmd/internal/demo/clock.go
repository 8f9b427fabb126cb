package demo

import (
	"sync"
	"time"

	"github.com/benbjohnson/clock"
)

// demoClock is a clock that the story moves. It reports when a wait begins, because time
// must not pass before the waiting has begun.
type demoClock struct {
	*clock.Mock

	mu      sync.Mutex
	awaited time.Duration
	begun   chan struct{} // closed when a wait of that length has begun; may be nil
}

func newDemoClock() *demoClock { return &demoClock{Mock: clock.NewMock()} }

// After begins a wait.
func (c *demoClock) After(d time.Duration) <-chan time.Time {
	passed := c.Mock.After(d)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.begun != nil && d == c.awaited {
		close(c.begun)
		c.begun = nil
	}
	return passed
}

// nextWait returns a channel that is closed when the next wait of d begins.
func (c *demoClock) nextWait(d time.Duration) <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.awaited, c.begun = d, make(chan struct{})
	return c.begun
}
