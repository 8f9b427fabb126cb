package validation

import (
	"sync"
	"time"

	"github.com/corridor-go/corridor/ports"
)

// recent are the results that this process has told lately and that are still
// good, opened. A request that asks the same is answered from here.
type recent struct {
	mu   sync.RWMutex
	told map[question]*shared
	most int
}

func newRecent(most int) *recent { return &recent{told: map[question]*shared{}, most: most} }

// again gives the result of a question that is fresh at now, under an id of its
// own, or false.
func (r *recent) again(q *question, now time.Time) (ports.Validation, bool) {
	if r.most == 0 {
		return ports.Validation{}, false
	}
	r.mu.RLock()
	s := r.told[*q]
	r.mu.RUnlock()
	if s == nil {
		return ports.Validation{}, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !now.Before(s.told.ExpiresAt) {
		return ports.Validation{}, false
	}
	return s.again()
}

// put remembers a result. When there is no room, another has to go: which one
// does not matter much.
func (r *recent) put(q *question, v *ports.Validation) {
	if r.most == 0 {
		return
	}
	s := newShared()
	s.tell(v)
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, there := r.told[*q]; !there && len(r.told) >= r.most {
		for old := range r.told {
			delete(r.told, old)
			break
		}
	}
	r.told[*q] = s
}

// forget drops what is stale at now.
func (r *recent) forget(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for q, s := range r.told {
		if !now.Before(s.told.ExpiresAt) {
			delete(r.told, q)
		}
	}
}
