package relay

import (
	"context"
	"errors"
	"runtime/debug"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Run ticks at once, again after a tick that delivered something, and otherwise every
// Config.Every. It returns ctx's error when ctx is done, and nil after Stop.
func (r *Relay) Run(ctx context.Context) error {
	return r.loops.Run(ctx, func(ctx context.Context, _ time.Time) error {
		for {
			if delivered, err := r.drain(ctx); delivered == 0 || err != nil {
				return r.loops.Report(ctx, err)
			}
		}
	})
}

// Tick delivers the waiting events, batch by batch. It returns when no event is left, or
// after a batch with a failed delivery, so that it tries no event twice. Since
// deliveries take time, leases and pauses count from Config.Clock at each claim and
// each failure; the time passed in is not used.
//
// A failed delivery is not an error, and a panic of the sink is a failed delivery. Tick
// returns the first error of the outbox, or ctx's error. Events that are claimed but
// not settled by then can be claimed again after Config.Lease.
func (r *Relay) Tick(ctx context.Context, _ time.Time) error {
	_, err := r.drain(ctx)
	return r.loops.Report(ctx, err)
}

// Stop ends Run and its tick after the delivery in progress, and waits for it at most
// until ctx is done; then it returns ctx's error. It releases events that are claimed
// but not tried. After Stop, Tick delivers nothing. Stop may be called more than once.
func (r *Relay) Stop(ctx context.Context) error { return r.loops.Stop(ctx) }

// drain is Tick, and returns how many events it delivered.
func (r *Relay) drain(ctx context.Context) (delivered int, err error) {
	for more := true; more && err == nil && !r.loops.Stopped(); {
		var n int
		n, more, err = r.batch(ctx)
		delivered += n
	}
	return delivered, err
}

// batch claims events and tries them until half of the lease is used: the other half is
// for the last delivery, during which no other relay may claim the event. more is true
// if it claimed events and all of them are gone from the outbox.
func (r *Relay) batch(ctx context.Context) (delivered int, more bool, err error) {
	start := r.cfg.Clock.Now()
	events, err := r.outbox.Claim(ctx, start, r.cfg.Lease, int(r.fits.Load()))
	if err != nil {
		return 0, false, err
	}
	tried, gone := 0, 0
	defer func() { r.measure(tried, r.cfg.Clock.Now().Sub(start)) }()
	for i, e := range events {
		if err := ctx.Err(); err != nil {
			return delivered, false, err
		}
		now := r.cfg.Clock.Now()
		if now.Before(start) || r.loops.Stopped() {
			return delivered, false, r.release(ctx, events[i:], now)
		}
		if now.Sub(start) >= r.cfg.Lease/2 {
			break
		}
		tried++
		got, err := r.deliver(ctx, e)
		if got.delivered {
			delivered++
		}
		if err != nil {
			return delivered, false, err
		}
		if got.gone {
			gone++
		}
	}
	return delivered, gone > 0 && gone == len(events), nil
}

// release makes untried events claimable by any relay: after Stop, and when the clock
// was set back since the claim, because the rest of the lease is unknown then.
func (r *Relay) release(ctx context.Context, events []ports.Event, now time.Time) error {
	for _, e := range events {
		if err := r.outbox.Retry(ctx, e, now); err != nil && errcodes.Of(err) != errcodes.Conflict {
			return err
		}
	}
	return nil
}

// measure sizes the next claim by the speed of the last one. A claim counts as an
// attempt, so events that are often claimed and not tried would be buried early.
func (r *Relay) measure(tried int, took time.Duration) {
	if tried == 0 || took < 0 {
		return
	}
	each := max(took/time.Duration(tried), 1)
	r.fits.Store(int64(min(max(r.cfg.Lease/2/each, 1), time.Duration(r.cfg.Batch))))
}

// outcome is what happened to an event. A delivered event is not gone if another relay
// has claimed it meanwhile; an event that is gone may have been buried.
type outcome struct{ delivered, gone bool }

// deliver tries a claimed event and settles it, even if ctx ends meanwhile, because the
// receiver may have it by then. A delivery that fails because ctx is done says nothing
// about the receiver and is not settled.
func (r *Relay) deliver(ctx context.Context, e ports.Event) (outcome, error) {
	failure := r.attempt(ctx, e)
	if failure != nil && ctx.Err() != nil {
		return outcome{}, ctx.Err()
	}
	gone, err := r.settle(context.WithoutCancel(ctx), e, failure)
	if errcodes.Of(err) == errcodes.Conflict {
		gone, err = false, nil // another relay has claimed the event since, and settles it
	}
	return outcome{failure == nil, gone}, err
}

// attempt passes the event to the sink. A panic of the sink is a failed delivery and
// does not end the process.
func (r *Relay) attempt(ctx context.Context, e ports.Event) (failure error) {
	defer func() {
		if v := recover(); v != nil {
			failure = errcodes.Panicked(errcodes.Internal, v)
			r.cfg.Logger.ErrorContext(ctx, "event sink panicked", "event", e.ID, "error", failure, "stack", string(debug.Stack()))
		}
	}()
	return r.sink.Deliver(ctx, e)
}

// settle ends the claim of an event according to its failure, and reports whether the
// event is gone from the outbox.
func (r *Relay) settle(ctx context.Context, e ports.Event, failure error) (gone bool, err error) {
	if failure == nil {
		return true, r.outbox.Ack(ctx, e)
	}
	code := errcodes.Of(failure)
	reason := reasonOf(failure)
	log := r.cfg.Logger.With("event", e.ID, "kind", e.Kind, "attempt", e.Attempt, "code", string(code), "reason", reason)
	if e.Attempt >= r.policy.Attempts || !errcodes.CategoryOf(errcodes.StatusOf(failure)).Retry {
		if err := r.outbox.Bury(ctx, e, reason); err != nil {
			return true, err
		}
		log.ErrorContext(ctx, "event buried")
		r.cfg.Hooks.Buried(ctx, e, code)
		return true, nil
	}
	log.WarnContext(ctx, "event not delivered")
	return false, r.outbox.Retry(ctx, e, r.cfg.Clock.Now().Add(r.pause(e.Attempt, failure)))
}

// reasonOf returns the reason that the sink states for a failure, or else its code, never
// its text, which may contain personal data.
func reasonOf(failure error) string {
	if reason, ok := errors.AsType[ports.DeliveryReason](failure); ok && reason != "" {
		return string(reason[:min(len(reason), ports.MaxReason)])
	}
	return string(errcodes.Of(failure))
}

// pause returns what the receiver asked for, or else FirstPause, doubled per attempt.
func (r *Relay) pause(attempt int, failure error) time.Duration {
	if asked := errcodes.RetryAfterOf(failure); asked > 0 {
		return asked
	}
	pause := r.policy.FirstPause
	for range attempt - 1 {
		if pause > r.policy.LongestPause-pause {
			return r.policy.LongestPause
		}
		pause *= 2
	}
	return pause
}
