package ratelock

// Turns gives the number of books that somebody queues for.
func Turns(s *Service) int {
	s.queue.mu.Lock()
	defer s.queue.mu.Unlock()
	return len(s.queue.turns)
}
