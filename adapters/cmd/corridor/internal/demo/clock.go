package demo

import (
	"sync"
	"time"

	"github.com/benbjohnson/clock"
)

// demoClock moves when the story says so, and tells when a wait begins: time must
// not pass before those whom it is to reach are waiting.
type demoClock struct {
	*clock.Mock

	mu      sync.Mutex
	awaited time.Duration
	begun   chan struct{} // closed when a wait of that length has begun; nil: nobody asks
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

// nextWait gives a channel that is closed when the next wait of d begins.
func (c *demoClock) nextWait(d time.Duration) <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.awaited, c.begun = d, make(chan struct{})
	return c.begun
}
