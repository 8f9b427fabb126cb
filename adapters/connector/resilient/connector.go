package resilient

import (
	"context"
	"errors"
	"reflect"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Connector is a [ports.AccountConnector] around another one. It is safe for concurrent
// use if the inner one is.
type Connector struct {
	inner   ports.AccountConnector
	name    string
	cfg     Config
	clock   ports.Clock
	breaker *breaker
	places  chan struct{}
}

// New wraps inner. A nil inner, or an invalid value in cfg, is
// [errcodes.Configuration].
func New(inner ports.AccountConnector, cfg *Config) (*Connector, error) {
	c, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	if v := reflect.ValueOf(inner); inner == nil || v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, errcodes.New(errcodes.Configuration, "inner is required")
	}
	w := &Connector{
		inner: inner, name: inner.Name(), cfg: c, clock: ports.SystemClock(),
		places: make(chan struct{}, c.MaxConcurrent),
	}
	w.breaker = newBreaker(c, w.heard)
	return w, nil
}

func (c *Connector) heard(ctx context.Context, from, to State) {
	c.cfg.OnStateChange(ctx, StateChange{Connector: c.name, From: from, To: to})
}

// Name returns the inner connector's name.
func (c *Connector) Name() string { return c.name }

// String returns Name.
func (c *Connector) String() string { return c.name }

// Capabilities returns the inner connector's capabilities.
func (c *Connector) Capabilities() []ports.Capability { return c.inner.Capabilities() }

// State returns the breaker's state. An open breaker becomes half-open at the first
// lookup after OpenFor.
func (c *Connector) State() State { return c.breaker.state() }

// Lookup calls the inner connector once or twice, and returns its last answer. While
// the breaker is open, and while too many lookups are in progress, it returns
// [ports.OutcomeTryLater] without a call.
func (c *Connector) Lookup(ctx context.Context, lookup ports.AccountLookup) (ports.Answer, error) {
	if err := ctx.Err(); err != nil {
		return ports.Answer{}, err
	}
	select {
	case c.places <- struct{}{}:
		defer func() { <-c.places }()
	default:
		return ports.Answer{Kind: ports.OutcomeTryLater}, nil
	}
	start := c.clock.Now()
	answer, outcome, err := c.try(ctx, lookup)
	if !c.mayRepeat(lookup.Market) || !outcome.Rule().Retry || !c.timeLeft(ctx, start) || c.State() != Closed {
		return answer, err
	}
	select {
	case <-c.clock.After(c.cfg.RetryDelay):
	case <-ctx.Done():
		return ports.Answer{}, ctx.Err()
	}
	again, outcome, errAgain := c.try(ctx, lookup)
	if outcome == unasked {
		return answer, err
	}
	return again, errAgain
}

// mayRepeat reports whether a lookup in the market may be repeated.
func (c *Connector) mayRepeat(m ports.Market) bool {
	can, _ := ports.CapabilityIn(c.inner.Capabilities(), m)
	return !c.cfg.NoRetry && !can.BillsFailures
}

// timeLeft reports whether a second try can end before the deadline if it takes as long
// as the first.
func (c *Connector) timeLeft(ctx context.Context, start time.Time) bool {
	deadline, ok := ctx.Deadline()
	now := c.clock.Now()
	return !ok || deadline.Sub(now) > c.cfg.RetryDelay+now.Sub(start)
}

// unasked is the outcome of a lookup that the breaker did not let through.
const unasked ports.Outcome = ""

// try looks up once, if the breaker lets it through.
func (c *Connector) try(ctx context.Context, lookup ports.AccountLookup) (answer ports.Answer, outcome ports.Outcome, err error) {
	term, wait, ok := c.breaker.admit(ctx)
	if !ok {
		return ports.Answer{Kind: ports.OutcomeTryLater, After: wait}, unasked, nil
	}
	outcome = ports.OutcomeMalformed // if it panics
	defer func() { c.breaker.count(ctx, term, outcome.Rule()) }()
	answer, err = c.inner.Lookup(ctx, lookup)
	outcome = outcomeOf(ctx, answer, err)
	return answer, outcome, err
}

// outcomeOf is ports.OutcomeOf, except for a connector that returns its own error when
// the caller left or its time was over. Only a timeout is the provider's fault, and the
// context's cause shows which one it is.
func outcomeOf(ctx context.Context, answer ports.Answer, err error) ports.Outcome {
	if err == nil || ctx.Err() == nil || errcodes.Of(err) == errcodes.Configuration {
		return ports.OutcomeOf(answer, err)
	}
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return ports.OutcomeTimeout
	}
	return ports.OutcomeCancelled
}
