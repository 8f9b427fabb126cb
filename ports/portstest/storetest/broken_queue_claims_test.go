package storetest_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/broken"
)

// claimArgs are the arguments of both kinds of claim.
type claimArgs struct {
	now   time.Time
	lease time.Duration
	n     int
}

// onClaims lets fn change the arguments of claims.
func onClaims(fn func(a *claimArgs)) func(b *bundle) {
	return func(b *bundle) {
		events, items := b.outbox.claim, b.work.claim
		b.outbox.claim = func(ctx context.Context, now time.Time, lease time.Duration, n int) ([]ports.Event, error) {
			a := claimArgs{now, lease, n}
			fn(&a)
			return events(ctx, a.now, a.lease, a.n)
		}
		b.work.claim = func(ctx context.Context, kind string, now time.Time, lease time.Duration, n int) ([]ports.WorkItem, error) {
			a := claimArgs{now, lease, n}
			fn(&a)
			return items(ctx, kind, a.now, a.lease, a.n)
		}
	}
}

var (
	claimsOneMore = onClaims(func(a *claimArgs) { a.n++ })
	leasesLonger  = onClaims(func(a *claimArgs) { a.lease += time.Millisecond })
	leasesShorter = onClaims(func(a *claimArgs) { a.lease -= time.Millisecond })
)

// forgetsLeases ignores leases when the clock jumps back.
func forgetsLeases(b *bundle) {
	var last time.Time
	onClaims(func(a *claimArgs) {
		if a.now.Before(last) {
			a.now = a.now.AddDate(1, 0, 0)
		}
		last = a.now
	})(b)
}

// onEnds lets fn change the results of Ack, Done, Retry and Bury.
func onEnds(b *bundle, fn func(id string, claim int64, err error) error) {
	inner := *b
	b.outbox.ack = func(ctx context.Context, e ports.Event) error {
		return fn(e.ID, e.Claim, inner.outbox.ack(ctx, e))
	}
	b.outbox.retry = func(ctx context.Context, e ports.Event, at time.Time) error {
		return fn(e.ID, e.Claim, inner.outbox.retry(ctx, e, at))
	}
	b.outbox.bury = func(ctx context.Context, e ports.Event, reason string) error {
		return fn(e.ID, e.Claim, inner.outbox.bury(ctx, e, reason))
	}
	b.work.done = func(ctx context.Context, w ports.WorkItem) error {
		return fn(w.ID, w.Claim, inner.work.done(ctx, w))
	}
	b.work.retry = func(ctx context.Context, w ports.WorkItem, at time.Time) error {
		return fn(w.ID, w.Claim, inner.work.retry(ctx, w, at))
	}
	b.work.bury = func(ctx context.Context, w ports.WorkItem, reason string) error {
		return fn(w.ID, w.Claim, inner.work.bury(ctx, w, reason))
	}
}

// takesStale never returns a conflict.
func takesStale(b *bundle) {
	onEnds(b, func(_ string, _ int64, err error) error {
		if errcodes.Of(err) == errcodes.Conflict {
			return nil
		}
		return err
	})
}

func internalStale(b *bundle) {
	onEnds(b, func(_ string, _ int64, err error) error {
		return broken.Recode(err, errcodes.Conflict, errcodes.Internal)
	})
}

// takesTwice accepts a claim that is already settled.
func takesTwice(b *bundle) {
	ended := map[string]bool{}
	onEnds(b, func(id string, claim int64, err error) error {
		name := fmt.Sprint(id, claim)
		if ended[name] {
			return nil
		}
		ended[name] = err == nil
		return err
	})
}

// shortReasons rejects reasons that do not fit its column.
func shortReasons(b *bundle) {
	events, items := b.outbox.bury, b.work.bury
	refuse := errcodes.New(errcodes.StorageUnavailable, "the reason is too long")
	b.outbox.bury = func(ctx context.Context, e ports.Event, reason string) error {
		if len(reason) > 255 {
			return refuse
		}
		return events(ctx, e, reason)
	}
	b.work.bury = func(ctx context.Context, w ports.WorkItem, reason string) error {
		if len(reason) > 255 {
			return refuse
		}
		return items(ctx, w, reason)
	}
}

// retriesAt moves the time of every retry.
func retriesAt(by time.Duration) func(b *bundle) {
	return func(b *bundle) {
		events, items := b.outbox.retry, b.work.retry
		b.outbox.retry = func(ctx context.Context, e ports.Event, at time.Time) error { return events(ctx, e, at.Add(by)) }
		b.work.retry = func(ctx context.Context, w ports.WorkItem, at time.Time) error { return items(ctx, w, at.Add(by)) }
	}
}

// retriesNever ignores retries.
func retriesNever(b *bundle) {
	b.outbox.retry = func(context.Context, ports.Event, time.Time) error { return nil }
	b.work.retry = func(context.Context, ports.WorkItem, time.Time) error { return nil }
}

// claimsTwice returns every claim's result to the next caller too.
func claimsTwice(b *bundle) {
	var mu sync.Mutex
	var events []ports.Event
	var items []ports.WorkItem
	claimEvents, claimItems := b.outbox.claim, b.work.claim
	b.outbox.claim = func(ctx context.Context, now time.Time, lease time.Duration, n int) (got []ports.Event, err error) {
		mu.Lock()
		defer mu.Unlock()
		if len(events) > 0 {
			got, events = events, nil
			return got, nil
		}
		events, err = claimEvents(ctx, now, lease, n)
		return events, err
	}
	b.work.claim = func(ctx context.Context, kind string, now time.Time, lease time.Duration, n int) (got []ports.WorkItem, err error) {
		mu.Lock()
		defer mu.Unlock()
		if len(items) > 0 {
			got, items = items, nil
			return got, nil
		}
		items, err = claimItems(ctx, kind, now, lease, n)
		return items, err
	}
}

// claimFlaws are the flaws that the outbox and the work share.
func claimFlaws(things, thing string) []flawedStore {
	leased := "a leased " + strings.Fields(thing)[1] + " is not claimed until the lease ends, and attempts are counted"
	retried := "a retried " + strings.Fields(thing)[1] + " waits for its time"
	return append(commonFlaws("a done context returns its code and changes nothing"),
		flawedStore{"claims more than n", "a claim takes at most n " + things, claimsOneMore},
		flawedStore{"leases for too long", leased, leasesLonger},
		flawedStore{"leases for too short a time", leased, leasesShorter},
		flawedStore{"forgets leases when the clock jumps back", "a lease holds if the caller's clock jumps back", forgetsLeases},
		flawedStore{"retries too early", retried, retriesAt(-time.Millisecond)},
		flawedStore{"retries too late", retried, retriesAt(time.Millisecond)},
		flawedStore{"ignores the time of a retry", retried, retriesNever},
		flawedStore{"accepts stale claims", "a claim that is not the latest is a conflict", takesStale},
		flawedStore{"calls a stale claim internal", "a claim that is not the latest is a conflict", internalStale},
		flawedStore{"accepts a claim twice", "a claim can be settled once", takesTwice},
		flawedStore{"claims twice", "concurrent claims never return the same " + strings.Fields(thing)[1], claimsTwice},
		flawedStore{"rejects long reasons", "a reason of 1,024 bytes is accepted", shortReasons},
		flawedStore{"forgets " + things, "a reopened store has its " + strings.Replace(things, "items", "work", 1), forgets},
	)
}
