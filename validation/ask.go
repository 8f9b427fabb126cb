package validation

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// patience is the shortest time after which a provider that asked for time is asked
// again.
const patience = time.Second

// attempts are the connector calls of one lookup.
type attempts struct {
	ended []ports.ConnectorAnswer
	best  answer      // the most informative failure
	later []postponed // connectors that asked for time
}

type postponed struct {
	connector ports.AccountConnector
	at        time.Time
}

// ask calls the connectors in order, each with an equal share of the remaining time,
// until one returns a final answer. If time is left, it then calls once more those that
// asked for time.
func (s *Service) ask(ctx context.Context, l *lookup) answer {
	for i, c := range l.order {
		if a, final := s.askOne(ctx, l, c, s.left(l)/time.Duration(len(l.order)-i)); final {
			return a
		}
	}
	for len(l.attempts.later) > 0 {
		next := l.attempts.soonest()
		if !next.at.Before(l.until) || !s.pause(ctx, next.at) {
			break
		}
		if a, final := s.askOne(ctx, l, next.connector, s.left(l)); final {
			return a
		}
	}
	switch {
	case ctx.Err() != nil:
		return answer{err: errClosed}
	case len(l.attempts.ended) == 0:
		return answer{provider: l.provider(), outcome: ports.OutcomeTimeout} // no time was left
	}
	a := l.attempts.best
	a.asked = l.attempts.ended
	return a
}

// soonest removes and returns the connector that may be called again first.
func (a *attempts) soonest() postponed {
	first := 0
	for i := range a.later {
		if a.later[i].at.Before(a.later[first].at) {
			first = i
		}
	}
	taken := a.later[first]
	a.later = append(a.later[:first], a.later[first+1:]...)
	return taken
}

// left returns the remaining time of a lookup: at most Config.Timeout, even if the clock
// has jumped back.
func (s *Service) left(l *lookup) time.Duration {
	return min(l.until.Sub(s.cfg.Clock.Now()), s.cfg.Timeout)
}

// pause waits until then. It reports false if the lookup is cancelled first.
func (s *Service) pause(ctx context.Context, then time.Time) bool {
	select {
	case <-ctx.Done():
		return false
	case <-s.cfg.Clock.After(min(then.Sub(s.cfg.Clock.Now()), s.cfg.Timeout)): // as in left
		return true
	}
}

// askOne calls one connector and reports whether its answer is final.
func (s *Service) askOne(ctx context.Context, l *lookup, c ports.AccountConnector, budget time.Duration) (answer, bool) {
	if budget <= 0 {
		return answer{}, false
	}
	name, market := c.Name(), l.account.Market
	if l.moveTo(name) {
		_, ids := l.waiting()
		for _, id := range ids {
			s.setProvider(ctx, l, id)
		}
	}
	start := s.cfg.Clock.Now()
	reply, err := s.call(ctx, c, l.lookupBy(c), budget)
	if ctx.Err() != nil {
		return answer{err: errClosed}, true
	}
	took := s.cfg.Clock.Now().Sub(start)
	outcome := ports.OutcomeOf(reply, err)
	if err != nil || outcome == ports.OutcomeMalformed {
		reply = ports.Answer{}
	}
	s.cfg.Hooks.Asked(ctx, name, market, outcome, took)
	s.cfg.Logger.DebugContext(ctx, "connector asked", "connector", name, "market", market.String(),
		"outcome", string(outcome), "code", string(errcodes.Of(err)), "took", took)
	if outcome == ports.OutcomeRefused {
		s.report(ctx, "connector "+name+": the provider rejects its credentials", err)
	}
	again := l.attempts.include(name)
	l.attempts.ended = append(l.attempts.ended, ports.ConnectorAnswer{
		Connector: name, Outcome: outcome, Code: reply.Code, Message: reply.Message, Took: took,
	})
	a := answer{provider: name, reply: reply, outcome: outcome, asked: l.attempts.ended}
	if !outcome.Rule().FailOver {
		return a, true
	}
	if outcome == ports.OutcomeTryLater && !again {
		l.attempts.later = append(l.attempts.later, postponed{c, s.cfg.Clock.Now().Add(max(reply.After, patience))})
	}
	l.attempts.rank(&a)
	return answer{}, false
}

// include reports whether an earlier call of the connector has ended.
func (a *attempts) include(name string) bool {
	for i := range a.ended {
		if a.ended[i].Connector == name {
			return true
		}
	}
	return false
}

// rank keeps the most informative failure: a provider's own words win over a call without
// an answer, and the later of equals wins.
func (a *attempts) rank(failure *answer) {
	if failures[failure.outcome].rank >= failures[a.best.outcome].rank {
		a.best = *failure
	}
}

// call calls a connector and waits at most budget. A later answer is dropped, and
// Hooks.Late is called.
func (s *Service) call(ctx context.Context, c ports.AccountConnector, q ports.AccountLookup, budget time.Duration) (reply ports.Answer, err error) {
	// A context deadline would follow the machine's clock instead of Config.Clock.
	calling, cancel := context.WithCancelCause(ctx)
	defer cancel(context.DeadlineExceeded)
	var decided atomic.Bool // by whichever comes first: the answer or the end of budget
	returned := make(chan struct{})
	var asking sync.WaitGroup
	asking.Go(func() {
		a, failed := s.guarded(calling, c, q)
		if decided.CompareAndSwap(false, true) {
			reply, err = a, failed
			close(returned)
		} else if !s.loops.Stopped() && !errors.Is(failed, context.Canceled) {
			s.cfg.Hooks.Late(calling, c.Name())
		}
	})
	select {
	case <-returned:
	case <-s.cfg.Clock.After(budget):
	case <-ctx.Done():
	}
	if decided.CompareAndSwap(false, true) {
		return ports.Answer{}, context.DeadlineExceeded
	}
	<-returned
	return reply, err
}

// guarded calls a connector and returns a panic as an error.
func (s *Service) guarded(ctx context.Context, c ports.AccountConnector, q ports.AccountLookup) (a ports.Answer, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = errcodes.Panicked(errcodes.MalformedAnswer, v)
			s.cfg.Logger.ErrorContext(ctx, "a connector panicked", "connector", c.Name(), "error", err, "stack", string(debug.Stack()))
		}
	}()
	return c.Lookup(ctx, q)
}

// setProvider stores which connector a pending validation waits for. It reads the lookup
// after the record: if the lookup moves on in between, either the save is a conflict or
// the newer connector is stored.
func (s *Service) setProvider(ctx context.Context, l *lookup, id string) {
	for range maxAttempts {
		rec, err := s.read(ctx, l.owner, id)
		if err != nil {
			s.report(ctx, "cannot read the validation", err)
			return
		}
		name := l.provider()
		t, err := table.Next(rec.Status, OnAsked)
		if err != nil || rec.Provider == name {
			return // it has ended, or is up to date
		}
		rec.Provider = name
		err = s.save(ctx, &rec, t.Event, ports.Millis(s.cfg.Clock.Now()))
		if errcodes.Of(err) != errcodes.Conflict {
			s.report(ctx, "cannot update the validation", err)
			return
		}
	}
}

// report logs an error that no caller sees and calls Hooks.Background.
func (s *Service) report(ctx context.Context, what string, err error) {
	if err != nil {
		_ = s.loops.Report(ctx, fmt.Errorf("%s: %w", what, err))
	}
}
