package fake

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/corridor-go/corridor/ports"
)

// Connector is a ports.AccountConnector that a test controls:
//
//	an answer  Answer(a), or AnswerFor(identifier, a)
//	down       Fail(err), until Answer
//	slow       Take(clock, d): each lookup takes d by the clock
//	silent     Hold, until the release or the end of the lookup's context
//	deaf       Deafen: lookups ignore their context and answer too late
//
// It is safe for concurrent use.
type Connector struct {
	name string
	can  []ports.Capability

	mu      sync.Mutex
	counted sync.Cond // on mu; a lookup was added
	answer  ports.Answer
	special map[string]ports.Answer
	err     error
	clock   ports.Clock
	takes   time.Duration
	hold    gate // for lookups
	deaf    bool
	lookups []ports.AccountLookup
}

// NewConnector returns a connector that finds every account, without a
// holder's name.
func NewConnector(name string, can []ports.Capability) *Connector {
	c := &Connector{
		name: name, can: can, answer: ports.Answer{Kind: ports.OutcomeFound}, special: map[string]ports.Answer{},
	}
	c.counted.L = &c.mu
	return c
}

// Answer sets the answer of all lookups from now on, and clears the error set by Fail.
func (c *Connector) Answer(a ports.Answer) { c.set(func() { c.answer, c.err = a, nil }) }

// AnswerFor sets the answer of lookups of one identifier, which Fail does not affect.
func (c *Connector) AnswerFor(identifier string, a ports.Answer) {
	c.set(func() { c.special[identifier] = a })
}

// Fail makes lookups return err from now on, and no answer.
func (c *Connector) Fail(err error) { c.set(func() { c.err = err }) }

// Take makes each lookup last d by the clock.
func (c *Connector) Take(clock ports.Clock, d time.Duration) {
	c.set(func() { c.clock, c.takes = clock, d })
}

// Deafen makes lookups ignore the end of their context.
func (c *Connector) Deafen() { c.set(func() { c.deaf = true }) }

// Hold makes lookups wait until release is called, and answer as configured then.
// Release may be called more than once.
func (c *Connector) Hold() (release func()) { return c.hold.shut(&c.mu) }

func (c *Connector) set(change func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change()
}

// Asked returns the lookups so far, including those that wait.
func (c *Connector) Asked() []ports.AccountLookup {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.lookups)
}

// WaitAsked waits until Lookup has been called n times in total.
func (c *Connector) WaitAsked(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.lookups) < n {
		c.counted.Wait()
	}
}

// Name returns the name given to NewConnector.
func (c *Connector) Name() string { return c.name }

// Capabilities returns those given to NewConnector.
func (c *Connector) Capabilities() []ports.Capability { return c.can }

// Lookup returns the configured answer or error.
func (c *Connector) Lookup(ctx context.Context, l ports.AccountLookup) (ports.Answer, error) {
	if err := c.wait(ctx, l); err != nil {
		return ports.Answer{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if a, ok := c.special[l.Identifier]; ok {
		return a, nil
	}
	if c.err != nil {
		return ports.Answer{}, c.err
	}
	return c.answer, nil
}

func (c *Connector) wait(ctx context.Context, l ports.AccountLookup) error {
	c.mu.Lock()
	c.lookups = append(c.lookups, l)
	c.counted.Broadcast()
	hold, over := c.hold.wait, ctx.Done()
	var taken <-chan time.Time
	if c.takes > 0 {
		taken = c.clock.After(c.takes)
	}
	if c.deaf {
		over = nil
	}
	c.mu.Unlock()
	for hold != nil || taken != nil {
		select {
		case <-hold:
			hold = nil
		case <-taken:
			taken = nil
		case <-over:
			return ctx.Err()
		}
	}
	return nil
}
