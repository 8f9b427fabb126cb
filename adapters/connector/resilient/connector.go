package resilient

import (
	"context"
	"errors"
	"reflect"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Connector is a [ports.AccountConnector] around another. It is safe for
// concurrent use if that one is.
type Connector struct {
	inner   ports.AccountConnector
	name    string
	cfg     Config
	clock   ports.Clock
	breaker *breaker
	places  chan struct{}
}

// New wraps a connector. A nil one, and a bad value in cfg, are
// [errcodes.Configuration].
func New(inner ports.AccountConnector, cfg *Config) (*Connector, error) {
	c, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	if v := reflect.ValueOf(inner); inner == nil || v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, errcodes.New(errcodes.Configuration, "a connector is required")
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

// Name returns the wrapped connector's.
func (c *Connector) Name() string { return c.name }

// String returns the name.
func (c *Connector) String() string { return c.name }

// Capabilities returns the wrapped connector's.
func (c *Connector) Capabilities() []ports.Capability { return c.inner.Capabilities() }

// State returns the breaker's. An open one shows as such until a lookup finds that
// its time is over.
func (c *Connector) State() State { return c.breaker.state() }

// Lookup asks the wrapped connector, once or twice, and returns its last answer.
// While the breaker is open, and while too many lookups are under way, the answer
// is [ports.OutcomeTryLater] without a call.
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

// mayRepeat reports whether a lookup in the market may be made a second time.
func (c *Connector) mayRepeat(m ports.Market) bool {
	can, _ := ports.CapabilityIn(c.inner.Capabilities(), m)
	return !c.cfg.NoRetry && !can.BillsFailures
}

// timeLeft reports whether a second try can end before the deadline, if it takes
// as long as the first.
func (c *Connector) timeLeft(ctx context.Context, start time.Time) bool {
	deadline, ok := ctx.Deadline()
	now := c.clock.Now()
	return !ok || deadline.Sub(now) > c.cfg.RetryDelay+now.Sub(start)
}

// unasked is the outcome of a lookup that the breaker refused.
const unasked ports.Outcome = ""

// try asks once, if the breaker allows it.
func (c *Connector) try(ctx context.Context, lookup ports.AccountLookup) (answer ports.Answer, outcome ports.Outcome, err error) {
	term, wait, ok := c.breaker.admit(ctx)
	if !ok {
		return ports.Answer{Kind: ports.OutcomeTryLater, After: wait}, unasked, nil
	}
	outcome = ports.OutcomeMalformed // a panic's
	defer func() { c.breaker.count(ctx, term, outcome.Rule()) }()
	answer, err = c.inner.Lookup(ctx, lookup)
	outcome = outcomeOf(ctx, answer, err)
	return answer, outcome, err
}

// outcomeOf is ports.OutcomeOf, but for a connector that has an error of its own
// for a caller that left, or whose time was over. Only the latter is the
// provider's fault, and the context's cause tells the two apart.
func outcomeOf(ctx context.Context, answer ports.Answer, err error) ports.Outcome {
	if err == nil || ctx.Err() == nil || errcodes.Of(err) == errcodes.Configuration {
		return ports.OutcomeOf(answer, err)
	}
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return ports.OutcomeTimeout
	}
	return ports.OutcomeCancelled
}
