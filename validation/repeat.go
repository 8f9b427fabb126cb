package validation

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/corridor-go/corridor/ports"
)

// question is all that a result depends on. Who asks the same while the answer
// is good is told the same result, under an id of its own.
type question struct {
	account  ports.Account
	identity ports.Identity
	owner    string
	merchant string
	name     string
}

// shared is the validation that answers a question, for all who ask it.
type shared struct {
	turn   chan struct{} // held by who stores the validation
	failed error         // of the last who tried
	tries  atomic.Int64  // that failed
	mu     sync.Mutex    // on what follows
	stored bool
	told   ports.Validation // as it was told first
	raw    rawID            // its id
	serial uint16
}

func newShared() *shared { return &shared{turn: make(chan struct{}, 1)} }

// take waits for the turn, until give. Who has waited for one that failed has
// failed too: a store in trouble is not asked by each in turn.
func (s *shared) take(ctx context.Context) error {
	seen := s.tries.Load()
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	if s.tries.Load() == seen {
		return nil
	}
	defer s.give()
	return s.failed
}

func (s *shared) give() { <-s.turn }

// fail tells those who wait of an error that is not the caller's own doing.
func (s *shared) fail(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		s.failed = err
		s.tries.Add(1)
	}
}

// again gives the validation under an id of its own; false when there is none,
// or when its ids are used up.
func (s *shared) again() (ports.Validation, bool) {
	if !s.stored || s.serial == lastSerial {
		return ports.Validation{}, false
	}
	s.serial++
	v := s.told
	v.ID = s.raw.numbered(s.serial)
	return v, true
}

// tell notes the validation that was stored.
func (s *shared) tell(v *ports.Validation) {
	s.stored, s.told, s.serial = true, *v, 0
	s.raw, _ = parseID(v.ID) // we made it
}

// share gives what the callers of a flight share who ask the same.
func (f *flight) share(q *question) *shared {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.shares[*q]
	if s == nil {
		s = newShared()
		f.shares[*q] = s
	}
	return s
}
