package ratelock

import (
	"time"

	"github.com/corridor-go/corridor/ports"
)

// Turns returns the number of books that somebody queues for.
func Turns(s *Service) int {
	s.queue.mu.Lock()
	defer s.queue.mu.Unlock()
	return len(s.queue.turns)
}

// Freshest returns the freshest lock of the book that is valid at its decision
// time, and how many are.
func Freshest(b *Book, now time.Time) (ports.RateLock, int) {
	rec := b.rec
	l, n := freshest(&rec, b.DecisionTime(now))
	if n == 0 {
		return ports.RateLock{}, 0
	}
	return *l, n
}
