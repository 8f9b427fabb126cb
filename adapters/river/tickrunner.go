package river

import (
	"context"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/corridor-go/corridor/errcodes"
)

// Tick runs one round of a service's background work at now, such as
// validation.Service.Tick. It must end soon after ctx does.
type Tick func(ctx context.Context, now time.Time) error

// tickRunner runs one Tick for all the jobs that wait for it, one at a time.
type tickRunner struct {
	tick Tick
	turn chan struct{} // its holder runs the round
	mu   sync.Mutex
	next *round
}

// round is one Tick for all callers that joined it before it began.
type round struct {
	begun bool
	ended chan struct{}
	err   error // valid once ended is closed
}

func newTickRunner(tick Tick) *tickRunner {
	return &tickRunner{tick: tick, turn: make(chan struct{}, 1)}
}

// join returns the next round, which has not begun.
func (r *tickRunner) join() *round {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.next == nil {
		r.next = &round{ended: make(chan struct{})}
	}
	return r.next
}

// begin reports whether the caller must run the round.
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

// run runs the round unless it has begun. The caller holds the turn, which run releases.
func (r *tickRunner) run(ctx context.Context, this *round, now time.Time, log *slog.Logger) {
	defer func() { <-r.turn }()
	if !r.begin(this) {
		return
	}
	defer close(this.ended)
	this.err = safeTick(ctx, r.tick, now, log)
}

// safeTick calls tick and returns a panic as an error, so that the process's other jobs
// go on. It does not log the panic's value, which may contain personal data.
func safeTick(ctx context.Context, tick Tick, now time.Time, log *slog.Logger) (err error) {
	defer func() {
		if recover() != nil {
			log.ErrorContext(ctx, "a background round panicked", "stack", string(debug.Stack()))
			err = errcodes.New(errcodes.Internal, "A background round panicked")
		}
	}()
	return tick(ctx, now)
}
