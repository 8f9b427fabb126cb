package relay

import (
	"context"
	"runtime/debug"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// Tick delivers what waits, one batch after the other, and tells how many were
// delivered. It ends when none waits, and after a batch that did not go for
// good, so that it tries no event twice. It takes no time as a parameter: the
// deliveries themselves take time, so leases and pauses count from Config.Clock
// as it shows at each claim and each failure.
//
// A failed delivery is no error, and a panic of the sink is a failed delivery.
// The first error of the outbox ends the tick and is returned as it is; so does
// ctx, with its error. What was claimed and not settled by then is free again
// after Config.Lease.
func (r *Relay) Tick(ctx context.Context) (int, error) {
	for delivered := 0; ; {
		n, more, err := r.batch(ctx)
		delivered += n
		if err != nil || !more {
			return delivered, err
		}
	}
}

// batch claims events and tries them until half of the lease is used: the other
// half is for the last of them, which nobody else must get meanwhile. more
// tells that there were some, and that all are gone.
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
		if now.Before(start) {
			return delivered, false, r.giveBack(ctx, events[i:], now)
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

// giveBack frees events that were not tried because the clock was set back since
// they were claimed: it does not tell how much of their lease is used, which would
// hold them until the clock shows that time again.
func (r *Relay) giveBack(ctx context.Context, events []ports.Event, now time.Time) error {
	for _, e := range events {
		if err := r.outbox.Retry(ctx, e, now); err != nil && errcodes.Of(err) != errcodes.Conflict {
			return err
		}
	}
	return nil
}

// measure sizes the next claim by the speed of the last. A claim counts as an
// attempt, so events that are claimed and not reached would be buried early.
func (r *Relay) measure(tried int, took time.Duration) {
	if tried == 0 || took < 0 {
		return
	}
	each := max(took/time.Duration(tried), 1)
	r.fits.Store(int64(min(max(r.cfg.Lease/2/each, 1), time.Duration(r.cfg.Batch))))
}

// outcome is what became of an event: one that was delivered is not gone when
// the claim was lost meanwhile, and one that is gone may have been buried.
type outcome struct{ delivered, gone bool }

// deliver tries one claimed event and settles it, also when ctx ends meanwhile:
// the receiver has it by then. Only a delivery that fails because ctx is done
// says nothing about the receiver, and stays unsettled.
func (r *Relay) deliver(ctx context.Context, e ports.Event) (outcome, error) {
	failure := r.attempt(ctx, e)
	if failure != nil && ctx.Err() != nil {
		return outcome{}, ctx.Err()
	}
	gone, err := r.settle(context.WithoutCancel(ctx), e, failure)
	if errcodes.Of(err) == errcodes.Conflict {
		gone, err = false, nil // another relay has claimed it since, and settles it
	}
	return outcome{failure == nil, gone}, err
}

// attempt hands the event to the sink, whose panic is a failed delivery: the
// process, and with it all else it does, is not to end for one event.
func (r *Relay) attempt(ctx context.Context, e ports.Event) (failure error) {
	defer func() {
		if v := recover(); v != nil {
			failure = errcodes.Panicked(errcodes.Internal, v)
			r.cfg.Logger.ErrorContext(ctx, "the sink panicked", "event", e.ID, "error", failure, "stack", string(debug.Stack()))
		}
	}()
	return r.sink.Deliver(ctx, e)
}

// settle tells the outbox how the delivery went, and reports whether the event
// is gone for good. Of the failure only the code is kept: its text may name
// what no log or table should hold.
func (r *Relay) settle(ctx context.Context, e ports.Event, failure error) (gone bool, err error) {
	if failure == nil {
		return true, r.outbox.Ack(ctx, e)
	}
	code := errcodes.Of(failure)
	log := r.cfg.Logger.With("event", e.ID, "kind", e.Kind, "attempt", e.Attempt, "code", string(code))
	if e.Attempt >= r.cfg.Attempts || !errcodes.CategoryOf(errcodes.StatusOf(failure)).Retry {
		if err := r.outbox.Bury(ctx, e, string(code)); err != nil {
			return true, err
		}
		log.ErrorContext(ctx, "event buried")
		r.cfg.Buried(e, code)
		return true, nil
	}
	log.WarnContext(ctx, "event not delivered")
	return false, r.outbox.Retry(ctx, e, r.cfg.Clock.Now().Add(r.pause(e.Attempt, failure)))
}

// pause is what the receiver asked for, else a doubling from FirstPause.
func (r *Relay) pause(attempt int, failure error) time.Duration {
	if asked := errcodes.RetryAfterOf(failure); asked > 0 {
		return asked
	}
	pause := r.cfg.FirstPause
	for range attempt - 1 {
		if pause > r.cfg.LongestPause-pause {
			return r.cfg.LongestPause
		}
		pause *= 2
	}
	return pause
}
