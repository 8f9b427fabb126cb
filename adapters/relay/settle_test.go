package relay_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/corridor-go/corridor/adapters/relay"
	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest"
	"github.com/corridor-go/corridor/ports/portstest/storemodel"
)

// recorder records the calls that it passes on to an outbox, and returns errors on
// demand.
type recorder struct {
	ports.Outbox

	fail    map[string]error // by call
	calls   []string
	reasons []string
}

func (o *recorder) call(name string, do func() error) error {
	o.calls = append(o.calls, name)
	if err := o.fail[name]; err != nil {
		return err
	}
	return do()
}

func (o *recorder) Claim(ctx context.Context, now time.Time, lease time.Duration, n int) (events []ports.Event, err error) {
	err = o.call("Claim", func() error {
		events, err = o.Outbox.Claim(ctx, now, lease, n)
		return err
	})
	return events, err
}

func (o *recorder) Ack(ctx context.Context, e ports.Event) error {
	return o.call("Ack", func() error { return o.Outbox.Ack(ctx, e) })
}

func (o *recorder) Retry(ctx context.Context, e ports.Event, at time.Time) error {
	return o.call("Retry", func() error { return o.Outbox.Retry(ctx, e, at) })
}

func (o *recorder) Bury(ctx context.Context, e ports.Event, reason string) error {
	o.reasons = append(o.reasons, reason)
	return o.call("Bury", func() error { return o.Outbox.Bury(ctx, e, reason) })
}

var errNever = errcodes.New(errcodes.InvalidRequest, "")

func TestALostClaimIsNotAnError(t *testing.T) {
	for name, failure := range map[string]error{"Ack": nil, "Retry": errDown, "Bury": errNever} {
		t.Run(name, func(t *testing.T) {
			outbox := &recorder{Outbox: stored(t, event("a1", "a"), event("a2", "a")).Outbox()}
			clock := portstest.NewClock(noon)
			r, err := relay.New(relay.Ports{Outbox: outbox, Sink: sinkFunc(func(ctx context.Context, e ports.Event) error {
				clock.Advance(relay.DefaultLease)
				events, err := outbox.Outbox.Claim(ctx, clock.Now(), relay.DefaultLease, 1)
				require.NoError(t, err)
				require.Equal(t, e.ID, events[0].ID, "another relay claims it meanwhile")
				return failure
			})}, relay.Policy{}, &relay.Config{Clock: clock})
			require.NoError(t, err)
			n, err := r.Drain(t.Context())
			require.NoError(t, err)
			require.Equal(t, failure == nil, n == 1)
			require.Equal(t, []string{"Claim", name}, outbox.calls, "the tick ends")
		})
	}
}

func TestAnErrorOfTheOutboxEndsTheTick(t *testing.T) {
	broken := errcodes.New(errcodes.Internal, "the disk is full")
	for _, c := range []struct {
		call      string
		failure   error
		delivered int
	}{{"Claim", nil, 0}, {"Ack", nil, 1}, {"Retry", errDown, 0}, {"Bury", errNever, 0}} {
		t.Run(c.call, func(t *testing.T) {
			outbox := &recorder{Outbox: stored(t, one(3)...).Outbox(), fail: map[string]error{c.call: broken}}
			tried := 0
			r, err := relay.New(relay.Ports{Outbox: outbox, Sink: sinkFunc(func(context.Context, ports.Event) error {
				tried++
				return c.failure
			})}, relay.Policy{}, &relay.Config{Clock: portstest.NewClock(noon)})
			require.NoError(t, err)
			n, err := r.Drain(t.Context())
			require.ErrorIs(t, err, broken)
			require.Equal(t, c.delivered, n)
			require.LessOrEqual(t, tried, 1, "no further event is delivered")
		})
	}
}

func TestADeliveryEndedByTheContextIsNotAFailure(t *testing.T) {
	store := stored(t, one(3)...)
	outbox := &recorder{Outbox: store.Outbox()}
	clock := portstest.NewClock(noon)
	ctx, cancel := context.WithCancel(t.Context())
	tried := 0
	r, err := relay.New(relay.Ports{Outbox: outbox, Sink: sinkFunc(func(ctx context.Context, _ ports.Event) error {
		tried++
		cancel()
		return fmt.Errorf("post: %w", ctx.Err())
	})}, relay.Policy{Attempts: 1}, &relay.Config{Clock: clock})
	require.NoError(t, err)
	n, err := r.Drain(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.Zero(t, n)
	require.Equal(t, 1, tried, "no delivery after the context ended")
	require.Equal(t, []string{"Claim"}, outbox.calls, "neither released nor buried")

	clock.Advance(relay.DefaultLease)
	s := &sink{}
	r, err = relay.New(relay.Ports{Outbox: outbox, Sink: s}, relay.Policy{}, &relay.Config{Clock: clock})
	require.NoError(t, err)
	n, err = r.Drain(t.Context())
	require.NoError(t, err)
	require.Equal(t, 3, n, "they are claimable after the lease")
}

func TestADeliveredEventIsSettledEvenIfTheContextEnds(t *testing.T) {
	store := stored(t, one(3)...)
	clock := portstest.NewClock(noon)
	ctx, cancel := context.WithCancel(t.Context())
	s := &sink{}
	r, err := relay.New(relay.Ports{Outbox: store.Outbox(), Sink: sinkFunc(func(ctx context.Context, e ports.Event) error {
		cancel()
		return s.Deliver(ctx, e)
	})}, relay.Policy{}, &relay.Config{Clock: clock})
	require.NoError(t, err)
	n, err := r.Drain(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 1, n)
	clock.Advance(relay.DefaultLease)
	err = r.Tick(t.Context(), time.Time{})
	require.NoError(t, err)
	require.Equal(t, []string{"e0", "e1", "e2"}, s.got)
}

func TestOnlyTheReasonOrTheCodeOfAFailureIsStored(t *testing.T) {
	const secret = "4012888888881881"
	failed := func(cause error) error { return errcodes.Wrap(errcodes.InvalidRequest, "card "+secret, cause) }
	for name, c := range map[string]struct {
		failure error
		code    errcodes.Code
		reason  string
	}{
		"an error without a code": {errors.New("card " + secret), errcodes.Internal, "internal"},
		"a coded error":           {failed(errors.New(secret)), errcodes.InvalidRequest, "invalid_request"},
		"an error with a reason":  {failed(ports.DeliveryReason("410 Gone")), errcodes.InvalidRequest, "410 Gone"},
		"an empty reason":         {failed(ports.DeliveryReason("")), errcodes.InvalidRequest, "invalid_request"},
		"a reason that is too long": {
			failed(ports.DeliveryReason(strings.Repeat("r", ports.MaxReason+1))), errcodes.InvalidRequest, strings.Repeat("r", ports.MaxReason),
		},
	} {
		t.Run(name, func(t *testing.T) {
			outbox := &recorder{Outbox: stored(t, event("a1", "a")).Outbox()}
			clock := portstest.NewClock(noon)
			var log bytes.Buffer
			s := &sink{fail: map[string][]error{"a1": {c.failure, c.failure}}}
			r, err := relay.New(relay.Ports{Outbox: outbox, Sink: s}, relay.Policy{Attempts: 2}, &relay.Config{Clock: clock, Logger: slog.New(slog.NewTextHandler(&log, nil))})
			require.NoError(t, err)
			for range 2 {
				err = r.Tick(t.Context(), time.Time{})
				require.NoError(t, err)
				clock.Advance(time.Hour)
			}
			require.Equal(t, []string{c.reason}, outbox.reasons)
			require.Contains(t, log.String(), "code="+string(c.code))
			require.Contains(t, strings.ReplaceAll(log.String(), `"`, ""), "reason="+c.reason)
			require.NotContains(t, log.String(), secret)
		})
	}
}

func TestAReplayedEventHasAllAttemptsAgain(t *testing.T) {
	store := stored(t, event("a1", "a"))
	outbox := &recorder{Outbox: store.Outbox()}
	clock := portstest.NewClock(noon)
	s := &sink{fail: map[string][]error{"a1": {errDown, errDown, errDown, errDown, errDown, errDown}}}
	r, err := relay.New(relay.Ports{Outbox: outbox, Sink: s}, relay.Policy{Attempts: 3}, &relay.Config{Clock: clock})
	require.NoError(t, err)
	for range 2 {
		outbox.calls = nil
		for range 3 {
			err = r.Tick(t.Context(), time.Time{})
			require.NoError(t, err)
			clock.Advance(time.Hour)
		}
		require.Equal(t, []string{"Claim", "Retry", "Claim", "Retry", "Claim", "Bury"}, settling(outbox.calls))
		n, err := store.DeadLetters().Replay(t.Context(), clock.Now(), storemodel.AuditRow)
		require.NoError(t, err)
		require.Equal(t, 1, n)
	}
	err = r.Tick(t.Context(), time.Time{})
	require.NoError(t, err)
	require.Equal(t, []string{"a1"}, s.got)
}

// settling returns the calls without the claims that found nothing.
func settling(calls []string) []string {
	var kept []string
	for i, c := range calls {
		if c != "Claim" || i+1 < len(calls) && calls[i+1] != "Claim" {
			kept = append(kept, c)
		}
	}
	return kept
}

func TestRunContinuesAfterAnErrorOfTheOutbox(t *testing.T) {
	outbox := &recorder{Outbox: stored(t, event("a1", "a")).Outbox(), fail: map[string]error{"Claim": errDown}}
	s := &sink{}
	clock := portstest.NewClock(noon)
	var log bytes.Buffer
	var failures []error
	r, err := relay.New(relay.Ports{Outbox: outbox, Sink: s}, relay.Policy{}, &relay.Config{
		Clock: clock, Logger: slog.New(slog.NewTextHandler(&log, nil)),
		Hooks: relay.Hooks{Background: func(_ context.Context, err error) { failures = append(failures, err) }},
	})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- r.Run(ctx) }()
	pausing := func() {
		t.Helper()
		require.Eventually(t, func() bool { return clock.Waiters() == 1 }, time.Minute, time.Millisecond, "Run waits for its next tick")
	}
	pausing()
	require.Contains(t, log.String(), "level=WARN")
	require.Equal(t, []error{errDown}, failures)
	outbox.fail = nil
	clock.Advance(relay.DefaultEvery)
	pausing()
	require.Equal(t, []string{"a1"}, s.delivered())
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
}

// Buried is called once per dead letter, with the event and the code of the failure.
func TestBuriedIsCalledForEachDeadLetter(t *testing.T) {
	for _, c := range []struct {
		name     string
		failures []error // of the event's deliveries, in order
		bury     error   // what the outbox's Bury returns
		attempts int
		want     []errcodes.Code
	}{
		{"the receiver rejects the event", []error{errNever}, nil, 50, []errcodes.Code{errcodes.InvalidRequest}},
		{"attempts are used up", []error{errDown, errDown}, nil, 2, []errcodes.Code{errcodes.Of(errDown)}},
		{"a failure without a code", []error{errors.New("4012888888881881")}, nil, 1, []errcodes.Code{errcodes.Internal}},
		{"the event is delivered", nil, nil, 1, nil},
		{"the event is to be tried again", []error{errDown}, nil, 2, nil},
		{"the claim was lost", []error{errNever}, errcodes.New(errcodes.Conflict, ""), 50, nil},
		{"the outbox is broken", []error{errNever}, errcodes.New(errcodes.StorageUnavailable, ""), 50, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			clock := portstest.NewClock(noon)
			outbox := &recorder{Outbox: stored(t, event("a1", "a"), event("b1", "b")).Outbox(), fail: map[string]error{"Bury": c.bury}}
			var codes []errcodes.Code
			r, err := relay.New(relay.Ports{Outbox: outbox, Sink: &sink{fail: map[string][]error{"a1": c.failures}}}, relay.Policy{Attempts: c.attempts}, &relay.Config{Clock: clock, Hooks: relay.Hooks{Buried: func(_ context.Context, e ports.Event, code errcodes.Code) {
				require.Equal(t, "a1", e.ID)
				require.Equal(t, "test", e.Kind)
				require.Equal(t, "Bury", outbox.calls[len(outbox.calls)-1], "the event is buried first")
				codes = append(codes, code)
			}}})
			require.NoError(t, err)
			for range max(len(c.failures), 1) {
				err = r.Tick(t.Context(), time.Time{})
				require.Equal(t, errcodes.Of(c.bury) == errcodes.StorageUnavailable, err != nil)
				clock.Advance(relay.DefaultFirstPause)
			}
			require.Equal(t, c.want, codes)
		})
	}
}
