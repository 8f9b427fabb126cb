package validation

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// flightPlan is what a lookup needs to be made.
type flightPlan struct {
	owner  string
	key    ports.AnswerKey
	wanted wanted
	until  time.Time // the lookup's limit
}

// flight is one lookup of an account and all who wait for it in this process.
type flight struct {
	flightPlan
	done    chan struct{}   // closed when end is set
	end     ending          // read after done
	settled chan struct{}   // closed when the validations attached have ended too
	gone    chan struct{}   // closed when its claim has been given back
	before  <-chan struct{} // gone of the lookup of the same account before it; nil for none

	mu      sync.Mutex
	over    bool
	callers int
	shares  map[question]*shared
	pending map[string]struct{} // ids of the validations that end with it
	asked   string              // the connector being asked
}

// flights are the lookups of this process.
type flights struct {
	mu    *sync.Mutex
	byKey map[ports.AnswerKey]*flight
	byID  map[string]*flight
	of    map[string]int // how many of byKey are an owner's
	most  int
}

func newFlights(most int) flights {
	return flights{mu: &sync.Mutex{}, byKey: map[ports.AnswerKey]*flight{}, byID: map[string]*flight{}, of: map[string]int{}, most: most}
}

// eachFree is how many lookups an owner may have for each that is free.
const eachFree = 3

// crowded reports whether there is no room for one more flight of the owner: it
// has its share, and the rest is for the others. The caller holds mu.
func (fs *flights) crowded(owner string) bool {
	return fs.of[owner] >= eachFree*(fs.most-len(fs.byKey))
}

var (
	errFull   = errcodes.New(errcodes.Unavailable, "Too many lookups are running; retry later").WithRetryAfter(time.Second)
	errClosed = errcodes.New(errcodes.Closed, "")
)

// join gives the flight for a plan's key, and starts it if there is none. The
// caller is counted until leave.
func (s *Service) join(ctx context.Context, plan flightPlan) (*flight, error) {
	s.flights.mu.Lock()
	defer s.flights.mu.Unlock()
	last := s.flights.byKey[plan.key]
	if last != nil && last.enter() {
		return last, nil
	}
	if last == nil && s.flights.crowded(plan.owner) {
		return nil, errFull
	}
	if !s.loops.Begin() {
		return nil, errClosed
	}
	f := &flight{
		flightPlan: plan, done: make(chan struct{}), settled: make(chan struct{}), gone: make(chan struct{}),
		callers: 1, shares: map[question]*shared{}, pending: map[string]struct{}{},
	}
	if last != nil {
		f.before = last.gone // and whose place it takes
	} else {
		s.flights.of[plan.owner]++
	}
	s.flights.byKey[plan.key] = f
	// The lookup outlives the call: others may wait for it, or come to.
	outlive := context.WithoutCancel(ctx)
	var lead sync.WaitGroup
	lead.Go(func() {
		defer s.loops.End()
		s.fly(outlive, f)
	})
	return f, nil
}

// enter counts a caller, unless the flight is over.
func (f *flight) enter() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.over {
		f.callers++
	}
	return !f.over
}

func (f *flight) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.callers--
}

func (f *flight) ended() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.over
}

// broken reports of a flight that is over whether it got no answer at all: what
// hangs on it then stays pending.
func (f *flight) broken() bool { return f.end.err != nil }

// asking is the connector that the lookup waits for, or will.
func (f *flight) asking() string {
	if name := f.hasAsked(); name != "" {
		return name
	}
	return f.wanted.order()[0].Name()
}

// hasAsked is the connector that was asked last; "" before the first.
func (f *flight) hasAsked() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.asked
}

// asks notes the connector that is asked next, and reports whether it is another
// than before.
func (f *flight) asks(name string) (moved bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	moved = f.asked != name
	f.asked = name
	return moved
}

func (f *flight) waiting() (callers int, ids []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for id := range maps.Keys(f.pending) {
		ids = append(ids, id)
	}
	return f.callers, ids
}

// drop ends a flight that nobody waits for but the validations seen, so that
// nobody joins it; false when somebody has.
func (f *flight) drop(seen int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.over = f.callers == 0 && len(f.pending) == seen
	return f.over
}

// attach lets the validation of that id end with the flight, unless that is
// over already.
func (fs *flights) attach(f *flight, id string) bool {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.over {
		f.pending[id] = struct{}{}
		fs.byID[id] = f
	}
	return !f.over
}

// full reports whether there is no room for a flight of the owner's for the key.
func (fs *flights) full(owner string, key ports.AnswerKey) bool {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return fs.byKey[key] == nil && fs.crowded(owner)
}

// has reports whether a flight of this process will end the validation.
func (fs *flights) has(id string) bool {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return fs.byID[id] != nil
}

// settled is closed when the flight that the validation hangs on has ended it;
// nil, which blocks, if it hangs on none here.
func (fs *flights) settled(id string) <-chan struct{} {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if f := fs.byID[id]; f != nil {
		return f.settled
	}
	return nil
}

// land ends a flight: from here on nobody joins it.
func (fs *flights) land(f *flight, end *ending) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.end, f.over = *end, true
	close(f.done)
}

// retire forgets a flight whose claim has been given back.
func (fs *flights) retire(f *flight) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if fs.byKey[f.key] == f {
		delete(fs.byKey, f.key)
		if fs.of[f.owner]--; fs.of[f.owner] == 0 {
			delete(fs.of, f.owner)
		}
	}
	close(f.gone)
}

// clear forgets the validations of a flight that has landed.
func (fs *flights) clear(f *flight) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	for id := range f.pending {
		delete(fs.byID, id)
	}
	close(f.settled)
}
