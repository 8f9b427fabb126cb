package resilient

import (
	"context"
	"sync"
	"time"

	"github.com/failsafe-go/failsafe-go/circuitbreaker"

	"github.com/corridor-go/corridor/ports"
)

// State is a circuit breaker's.
type State string

// The states.
const (
	Closed   State = "closed"    // lookups go through
	Open     State = "open"      // they are answered without a call
	HalfOpen State = "half-open" // one is let through as a probe
)

// StateChange is what [Config.OnStateChange] gets.
type StateChange struct {
	Connector string // its name
	From, To  State
}

var states = map[circuitbreaker.State]State{
	circuitbreaker.ClosedState:   Closed,
	circuitbreaker.OpenState:     Open,
	circuitbreaker.HalfOpenState: HalfOpen,
}

// breaker adds to failsafe's what the answer table needs: a call that counts as
// neither, and calls that are not counted in a state in which they did not begin.
type breaker struct {
	inner  circuitbreaker.CircuitBreaker[any]
	hear   func(ctx context.Context, from, to State)
	clock  ports.Clock
	window time.Duration

	mu     sync.Mutex      // over each use of inner that may change its state
	ctx    context.Context //nolint:containedctx // of the lookup that uses inner
	term   int             // counts the states so far
	quiet  bool            // the change under way is not reported
	latest time.Time       // that the clock showed, as people read it
}

func newBreaker(cfg Config, hear func(ctx context.Context, from, to State)) *breaker {
	b := &breaker{hear: hear, clock: ports.SystemClock(), window: cfg.Window}
	b.inner = circuitbreaker.NewBuilder[any]().
		WithFailureRateThreshold(float64(cfg.FailurePercent)/100, uint(cfg.MinCalls), cfg.Window).
		WithSuccessThreshold(1).
		WithDelay(cfg.OpenFor).
		OnStateChanged(b.changed).
		Build()
	return b
}

// changed runs within a use of inner: mu is held.
func (b *breaker) changed(e circuitbreaker.StateChangedEvent) {
	if b.quiet {
		return
	}
	b.term++
	b.hear(b.ctx, states[e.OldState], states[e.NewState])
}

// admit returns the term in which a call may begin, or how long to wait.
func (b *breaker) admit(ctx context.Context) (term int, wait time.Duration, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ctx = ctx
	b.follow()
	if !b.inner.TryAcquirePermit() {
		return 0, b.inner.RemainingDelay(), false
	}
	return b.term, 0, true
}

// count counts how a call of the term ended.
func (b *breaker) count(ctx context.Context, term int, rule ports.OutcomeRule) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ctx = ctx
	b.follow()
	switch {
	case term != b.term:
	case rule.Failure:
		b.inner.RecordFailure()
	case rule.Success:
		b.inner.RecordSuccess()
	case b.inner.IsHalfOpen():
		// The next lookup is the probe: failsafe frees the probe's place only with a
		// result, so the half-open state begins again.
		b.restart(func() { b.inner.Open(); b.inner.HalfOpen() })
	}
}

// follow resets the window when the clock was set back. The window goes by the time
// of day, and would keep what is in it until that comes again.
func (b *breaker) follow() {
	now := b.clock.Now().Round(0) // what jumps is the time of day
	switch back := b.latest.Sub(now); {
	case back <= 0:
		b.latest = now
	case back > b.window:
		b.latest = now
		if b.inner.IsClosed() {
			b.restart(func() { b.inner.Open(); b.inner.Close() })
		}
	}
}

func (b *breaker) restart(begin func()) {
	b.quiet = true
	begin()
	b.quiet = false
}

func (b *breaker) state() State {
	b.mu.Lock()
	defer b.mu.Unlock()
	return states[b.inner.State()]
}
