package river

import (
	"context"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/corridor-go/corridor/errcodes"
)

// Tick is one round of a service's background work at now, such as
// validation.Service's. It must end soon after ctx does.
type Tick func(ctx context.Context, now time.Time) error

// rounds runs one Tick for all the jobs that wait for it, one at a time.
type rounds struct {
	tick Tick
	seat chan struct{} // who holds it runs the round
	mu   sync.Mutex
	next *round
}

// round is one Tick. It belongs to all who asked before it began.
type round struct {
	begun bool
	ended chan struct{}
	err   error // read it when ended
}

func newRounds(tick Tick) *rounds { return &rounds{tick: tick, seat: make(chan struct{}, 1)} }

// join gives the round that has not begun yet.
func (r *rounds) join() *round {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.next == nil {
		r.next = &round{ended: make(chan struct{})}
	}
	return r.next
}

// begin reports whether the round is the caller's to run.
func (r *rounds) begin(this *round) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if this.begun {
		return false
	}
	this.begun = true
	r.next = nil
	return true
}

// run runs the round, for whoever holds the seat.
func (r *rounds) run(ctx context.Context, this *round, now time.Time, log *slog.Logger) {
	defer func() { <-r.seat }()
	if !r.begin(this) {
		return
	}
	defer close(this.ended)
	this.err = recovered(ctx, r.tick, now, log)
}

// recovered is a Tick whose panic is an error: the other jobs of the process are
// not to die of it. What it panicked with may hold anything.
func recovered(ctx context.Context, tick Tick, now time.Time, log *slog.Logger) (err error) {
	defer func() {
		if recover() != nil {
			log.ErrorContext(ctx, "a background round panicked", "stack", string(debug.Stack()))
			err = errcodes.New(errcodes.Internal, "A background round panicked")
		}
	}()
	return tick(ctx, now)
}
