package validation

import (
	"sync"

	"github.com/corridor-go/corridor/ports"
)

// scratch is the room that a validation needs while it is made. Sealers and
// stores keep none of it: what they keep, they copy.
type scratch struct {
	raw    rawID
	aad    []byte
	plain  []byte // personal
	data   []byte // of an event
	events [1]ports.Event
}

// room hands scratches out.
type room struct{ pool sync.Pool }

func newRoom() *room {
	return &room{sync.Pool{New: func() any { return new(scratch) }}}
}

func (r *room) take() *scratch {
	s, _ := r.pool.Get().(*scratch)
	return s
}

// giveBack takes a scratch back, without what was personal in it.
func (r *room) giveBack(s *scratch) {
	const most = 4096 // what was blown up is not worth keeping
	if cap(s.plain) > most || cap(s.data) > most {
		return
	}
	clear(s.plain[:cap(s.plain)])
	s.events[0] = ports.Event{}
	r.pool.Put(s)
}
