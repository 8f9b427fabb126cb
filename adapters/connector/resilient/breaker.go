package resilient

import (
	"context"
	"sync"
	"time"

	"github.com/failsafe-go/failsafe-go/circuitbreaker"

	"github.com/corridor-go/corridor/ports"
)

// State is a state of a circuit breaker.
type State string

// The states.
const (
	Closed   State = "closed"    // lookups are sent
	Open     State = "open"      // lookups are answered without a call
	HalfOpen State = "half-open" // one lookup is sent as a probe
)

// StateChange is passed to [Config.OnStateChange].
type StateChange struct {
	Connector string // its name
	From, To  State
}

var states = map[circuitbreaker.State]State{
	circuitbreaker.ClosedState:   Closed,
	circuitbreaker.OpenState:     Open,
	circuitbreaker.HalfOpenState: HalfOpen,
}

// breaker adds two things to failsafe's: calls that count as neither success nor
// failure, and calls that are not counted because the state has changed since they
// began.
type breaker struct {
	inner  circuitbreaker.CircuitBreaker[any]
	hear   func(ctx context.Context, from, to State)
	clock  ports.Clock
	window time.Duration

	mu     sync.Mutex      // guards each use of inner that may change its state
	ctx    context.Context //nolint:containedctx // of the lookup that uses inner
	term   int             // the number of states so far
	quiet  bool            // the current change is not reported
	latest time.Time       // the latest time of day that the clock has shown
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

// changed is called by inner while mu is locked.
func (b *breaker) changed(e circuitbreaker.StateChangedEvent) {
	if b.quiet {
		return
	}
	b.term++
	b.hear(b.ctx, states[e.OldState], states[e.NewState])
}

// admit returns the term of a call that may begin, or else how long to wait.
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

// count counts the result of a call of the term.
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
		// The next lookup is the probe. failsafe only accepts a new probe after a
		// result, so the half-open state is started again.
		b.restart(func() { b.inner.Open(); b.inner.HalfOpen() })
	}
}

// follow resets the window if the clock was set back: the window uses the time of day,
// and would keep its content until that time comes again.
func (b *breaker) follow() {
	now := b.clock.Now().Round(0) // without the monotonic reading
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
