package ratelock

import (
	"time"

	"github.com/corridor-go/corridor/ports"
)

// Turns returns the number of books that have a queue.
func Turns(s *Service) int {
	s.queue.mu.Lock()
	defer s.queue.mu.Unlock()
	return len(s.queue.turns)
}

// Freshest returns the book's freshest lock that is valid at its decision time, and the
// number of valid locks.
func Freshest(b *Book, now time.Time) (ports.RateLock, int) {
	rec := b.rec
	l, n := freshest(&rec, b.DecisionTime(now))
	if n == 0 {
		return ports.RateLock{}, 0
	}
	return *l, n
}
