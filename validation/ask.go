package validation

import (
	"context"
	"errors"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// patience is how long a provider that says "later", but not when, is left
// alone.
const patience = time.Second

// round is one lookup's way through the connectors.
type round struct {
	*flight
	asked []ports.ConnectorAnswer
	best  ending      // the most telling failure so far
	later []postponed // who asked for time
}

type postponed struct {
	connector ports.AccountConnector
	at        time.Time
}

// ask asks the connectors in their order, each with a fair share of the time
// that is left, until one has said something final. Then those that asked for
// time are asked once more, if the time is there.
func (s *Service) ask(ctx context.Context, f *flight) ending {
	r := &round{flight: f}
	order := f.wanted.order()
	for i, c := range order {
		budget := s.left(f) / time.Duration(len(order)-i)
		if end, final := s.askOne(ctx, r, c, budget); final {
			return end
		}
	}
	for len(r.later) > 0 {
		next := r.soonest()
		if !next.at.Before(f.until) || !s.pause(ctx, next.at) {
			break
		}
		if end, final := s.askOne(ctx, r, next.connector, s.left(f)); final {
			return end
		}
	}
	if len(r.asked) == 0 {
		r.best = ending{provider: f.asking(), outcome: ports.OutcomeTimeout} // no time was left
	}
	r.best.asked = r.asked
	if ctx.Err() != nil {
		r.best.err = errClosed
	}
	return r.best
}

// soonest takes who may be asked again first.
func (r *round) soonest() postponed {
	first := 0
	for i := range r.later {
		if r.later[i].at.Before(r.later[first].at) {
			first = i
		}
	}
	taken := r.later[first]
	r.later = append(r.later[:first], r.later[first+1:]...)
	return taken
}

// left is what is left of a lookup's time: never more than all of it, though the
// clock has jumped back.
func (s *Service) left(f *flight) time.Duration {
	return min(f.until.Sub(s.cfg.Clock.Now()), s.cfg.Timeout)
}

// pause waits until then, and reports false when the flight was broken off.
func (s *Service) pause(ctx context.Context, then time.Time) bool {
	select {
	case <-ctx.Done():
		return false
	case <-s.cfg.Clock.After(min(then.Sub(s.cfg.Clock.Now()), s.cfg.Timeout)): // as in left
		return true
	}
}

// askOne asks one connector and reports whether what it said is final.
func (s *Service) askOne(ctx context.Context, r *round, c ports.AccountConnector, budget time.Duration) (ending, bool) {
	if budget <= 0 || ctx.Err() != nil {
		return ending{}, false
	}
	name := c.Name()
	if r.asks(name) {
		s.reroute(ctx, r.flight)
	}
	start := s.cfg.Clock.Now()
	answer, err := s.call(ctx, c, r.wanted.lookup(c), budget)
	if ctx.Err() != nil {
		return ending{err: errClosed}, true
	}
	took := s.cfg.Clock.Now().Sub(start)
	outcome := ports.OutcomeOf(answer, err)
	if outcome == ports.OutcomeMalformed {
		answer = ports.Answer{}
	}
	s.cfg.Hooks.Asked(name, r.wanted.account.Market, outcome, took)
	s.cfg.Logger.DebugContext(ctx, "connector asked", "connector", name, "market", r.wanted.account.Market.String(),
		"outcome", string(outcome), "code", string(errcodes.Of(err)), "took", took)
	if outcome == ports.OutcomeRefused {
		s.note(ctx, "a provider refuses the credentials of connector "+name, err)
	}
	again := r.askedBefore(name)
	r.asked = append(r.asked, ports.ConnectorAnswer{
		Connector: name, Outcome: outcome, Code: answer.Code, Message: answer.Message, Took: took,
	})
	end := ending{provider: name, answer: answer, outcome: outcome, asked: r.asked}
	if !outcome.Rule().FailOver {
		return end, true
	}
	if outcome == ports.OutcomeTryLater && !again {
		after := max(answer.After, patience)
		r.later = append(r.later, postponed{c, s.cfg.Clock.Now().Add(after)})
	}
	r.keep(&end)
	return ending{}, false
}

func (r *round) askedBefore(name string) bool {
	for _, a := range r.asked {
		if a.Connector == name {
			return true
		}
	}
	return false
}

// keep remembers the most telling failure: what a provider said before what
// none could say, and the later before the earlier.
func (r *round) keep(end *ending) {
	if r.best.outcome == "" || failures[end.outcome].telling >= failures[r.best.outcome].telling {
		r.best = *end
	}
}

// reply is what a connector returned.
type reply struct {
	answer ports.Answer
	err    error
}

// call asks a connector and waits no longer than budget. What comes later is
// counted and dropped.
func (s *Service) call(ctx context.Context, c ports.AccountConnector, l ports.AccountLookup, budget time.Duration) (ports.Answer, error) {
	// Not a deadline: it would be the machine's clock's.
	calling, cancel := context.WithCancelCause(ctx)
	defer cancel(context.DeadlineExceeded)
	replies := make(chan reply, 1)
	var given atomic.Bool // to whom is first: the reply, or the end of the time
	var asking sync.WaitGroup
	asking.Go(func() {
		a, err := s.guarded(calling, c, l)
		if given.CompareAndSwap(false, true) {
			replies <- reply{a, err}
		} else if !s.loops.Stopped() && !errors.Is(err, context.Canceled) {
			s.cfg.Hooks.Late(c.Name())
		}
	})
	select {
	case r := <-replies:
		return r.answer, r.err
	case <-s.cfg.Clock.After(budget):
	case <-ctx.Done():
	}
	if !given.CompareAndSwap(false, true) {
		r := <-replies
		return r.answer, r.err
	}
	return ports.Answer{}, context.DeadlineExceeded
}

// guarded is a lookup whose panic hurts nobody else.
func (s *Service) guarded(ctx context.Context, c ports.AccountConnector, l ports.AccountLookup) (a ports.Answer, err error) {
	defer func() {
		if v := recover(); v != nil {
			a, err = ports.Answer{}, errcodes.Panicked(errcodes.MalformedAnswer, v)
			s.cfg.Logger.ErrorContext(ctx, "a connector panicked", "connector", c.Name(), "error", err, "stack", string(debug.Stack()))
		}
	}()
	return c.Lookup(ctx, l)
}

// reroute tells in the pending validations who is asked now.
func (s *Service) reroute(ctx context.Context, f *flight) {
	_, ids := f.waiting()
	for _, id := range ids {
		s.rerouteOne(ctx, f, id)
	}
}

// rerouteOne looks who is asked after it has read the record: who is asked next
// meanwhile makes the save a conflict, or comes upon it.
func (s *Service) rerouteOne(ctx context.Context, f *flight, id string) {
	for range maxAttempts {
		rec, err := s.read(ctx, f.owner, id)
		if err != nil {
			s.note(ctx, "a validation was not read", err)
			return
		}
		name := f.hasAsked()
		t, err := next(rec.Status, OnAsked)
		if err != nil || rec.Provider == name {
			return // it has ended meanwhile, or tells so already
		}
		rec.Provider = name
		err = s.save(ctx, &rec, t.Event, ports.Millis(s.cfg.Clock.Now()))
		if errcodes.Of(err) != errcodes.Conflict {
			s.note(ctx, "a validation was not updated", err)
			return
		}
	}
}
