package portstest_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
	"github.com/corridor-go/corridor/ports/portstest/internal/broken"
)

// sink is a correct sink whose Deliver a flaw can replace.
type sink struct {
	deliver func(context.Context, ports.Event) error

	mu      sync.Mutex
	got     []string
	refuses bool
}

func newSink() *sink {
	s := &sink{}
	s.deliver = func(ctx context.Context, e ports.Event) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.refuses {
			return errcodes.New(errcodes.Unavailable, "")
		}
		s.got = append(s.got, e.ID)
		return nil
	}
	return s
}

func (s *sink) Deliver(ctx context.Context, e ports.Event) error { return s.deliver(ctx, e) }

func (s *sink) open() portstest.Sink {
	return portstest.Sink{
		EventSink: s,
		Received: func() []string {
			s.mu.Lock()
			defer s.mu.Unlock()
			return slices.Clone(s.got)
		},
		Refuse: func() { s.refuses = true },
	}
}

// deliversBy wraps Deliver.
func deliversBy(fn func(deliver func(context.Context, ports.Event) error, ctx context.Context, e ports.Event) error) func(s *sink) {
	return func(s *sink) {
		deliver := s.deliver
		s.deliver = func(ctx context.Context, e ports.Event) error { return fn(deliver, ctx, e) }
	}
}

// quotes makes the error wrap a cause with the event's data.
func quotes(cause func(text string) error) func(s *sink) {
	return deliversBy(func(deliver func(context.Context, ports.Event) error, ctx context.Context, e ports.Event) error {
		err := deliver(ctx, e)
		if err == nil {
			return nil
		}
		return errcodes.Wrap(errcodes.Of(err), "", cause("not accepted: "+string(e.Data)))
	})
}

type deliverFunc = func(context.Context, ports.Event) error

var sinkFlaws = []struct {
	flaw, check string
	spoil       func(s *sink)
}{
	{"drops large events", "delivered events are received", deliversBy(func(deliver deliverFunc, ctx context.Context, e ports.Event) error {
		if len(e.Data) > 32<<10 {
			return nil
		}
		return deliver(ctx, e)
	})},
	{"rejects repeats", "an event may be delivered twice", func(s *sink) {
		seen := map[string]bool{}
		deliversBy(func(deliver deliverFunc, ctx context.Context, e ports.Event) error {
			if seen[e.ID] {
				return errcodes.New(errcodes.Conflict, "")
			}
			seen[e.ID] = true
			return deliver(ctx, e)
		})(s)
	}},
	{"appends a newline to the data", "Deliver does not change an event's data", deliversBy(func(deliver deliverFunc, ctx context.Context, e ports.Event) error {
		e.Data = append(e.Data, '\n')
		return deliver(ctx, e)
	})},
	{"drops some events", "concurrent deliveries all arrive", func(s *sink) {
		var mu sync.Mutex
		n := 0
		deliversBy(func(deliver deliverFunc, ctx context.Context, e ports.Event) error {
			mu.Lock()
			n++
			drop := n%4 == 0
			mu.Unlock()
			if drop {
				return nil
			}
			return deliver(ctx, e)
		})(s)
	}},
	{"ignores contexts", "a done context returns its code and delivers nothing", deliversBy(func(deliver deliverFunc, ctx context.Context, e ports.Event) error {
		return deliver(context.WithoutCancel(ctx), e)
	})},
	{"checks the context only after delivery", "a done context returns its code and delivers nothing", deliversBy(func(deliver deliverFunc, ctx context.Context, e ports.Event) error {
		return broken.OrDone(ctx, deliver(context.WithoutCancel(ctx), e))
	})},
	{"fails without a code", "a failed delivery returns an error with a code", deliversBy(func(deliver deliverFunc, ctx context.Context, e ports.Event) error {
		if err := deliver(ctx, e); err != nil {
			return errors.New("it failed")
		}
		return nil
	})},
	{"quotes the event in its error", "the error of a failed delivery does not contain the event's data", quotes(func(text string) error {
		return errors.New(text)
	})},
	{"quotes the event in its reason", "the error of a failed delivery does not contain the event's data", quotes(func(text string) error {
		return ports.DeliveryReason(text)
	})},
	{"reports a failure as success", "a failed delivery returns an error with a code", deliversBy(func(deliver deliverFunc, ctx context.Context, e ports.Event) error {
		if err := deliver(ctx, e); errcodes.Of(err) != errcodes.Unavailable {
			return err
		}
		return nil
	})},
}

func TestACorrectSinkPasses(t *testing.T) {
	portstest.EventSink(t, portstest.SinkHarness{Open: func(testing.TB) portstest.Sink { return newSink().open() }})
}

func TestEveryFlawOfASinkIsCaught(t *testing.T) {
	for _, s := range sinkFlaws {
		t.Run(s.flaw, func(t *testing.T) {
			r := broken.Record(t, func(tb testing.TB) {
				flawed := newSink()
				s.spoil(flawed)
				portstest.RunSinkCheck(tb, s.check, flawed.open())
			})
			if !r.Failed() {
				t.Errorf("the check %q did not catch it", s.check)
			}
		})
	}
}
