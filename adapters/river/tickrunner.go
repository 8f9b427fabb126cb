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

// tickRunner runs one Tick for all the jobs that wait for it, one at a time.
type tickRunner struct {
	tick Tick
	turn chan struct{} // who holds it runs the round
	mu   sync.Mutex
	next *round
}

// round is one Tick. It belongs to all who asked before it began.
type round struct {
	begun bool
	ended chan struct{}
	err   error // read it when ended
}

func newTickRunner(tick Tick) *tickRunner {
	return &tickRunner{tick: tick, turn: make(chan struct{}, 1)}
}

// join returns the round that has not begun yet.
func (r *tickRunner) join() *round {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.next == nil {
		r.next = &round{ended: make(chan struct{})}
	}
	return r.next
}

// begin reports whether the round is the caller's to run.
func (r *tickRunner) begin(this *round) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if this.begun {
		return false
	}
	this.begun = true
	r.next = nil
	return true
}

// run runs the round, for whoever holds the turn.
func (r *tickRunner) run(ctx context.Context, this *round, now time.Time, log *slog.Logger) {
	defer func() { <-r.turn }()
	if !r.begin(this) {
		return
	}
	defer close(this.ended)
	this.err = safeTick(ctx, r.tick, now, log)
}

// safeTick ticks. A panic is an error: the other jobs of the process must not die
// of it. What it panicked with may hold anything.
func safeTick(ctx context.Context, tick Tick, now time.Time, log *slog.Logger) (err error) {
	defer func() {
		if recover() != nil {
			log.ErrorContext(ctx, "a background round panicked", "stack", string(debug.Stack()))
			err = errcodes.New(errcodes.Internal, "A background round panicked")
		}
	}()
	return tick(ctx, now)
}
