package validation

import (
	"sync"

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
	mu     sync.Mutex // held while the validation is stored
	stored bool
	told   ports.Validation // as it was told first
	raw    rawID            // its id
	serial uint16
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
		s = &shared{}
		f.shares[*q] = s
	}
	return s
}
