package portstest

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// eventClaimChecks: who has an event, and for how long.
var eventClaimChecks = []storeCheck{
	{"a claim takes at most n events", eventsBounded},
	{"a lease keeps an event until it ends, and counts the attempts", eventLease},
	{"a lease holds when the caller's clock jumps back", eventLeaseBackwards},
	{"a retried event waits for its time", eventRetry},
	{"a claim that is not the latest is a conflict", eventStaleClaim},
	{"a claim serves once", eventClaimOnce},
	{"racers never get the same event", eventRacers},
	{"a reason of 1,024 bytes is taken", eventReason},
}

// eventOutcomeChecks: how it ends when it does not go well.
var eventOutcomeChecks = []storeCheck{
	{"a context that is done gives its own code and changes nothing", outboxCancelled},
	{"a closed store says so", outboxClosed},
	{"a store that is opened again has its events", outboxReopened},
}

func eventsBounded(k *kit) {
	for _, id := range []string{"a", "b", "c"} {
		k.carryEvents(event(id, id))
	}
	for _, want := range []int{2, 1, 0} {
		k.same(len(k.claimEvents(epoch, 2)), want, "the number of events in a claim of 2")
	}
}

func eventLease(k *kit) {
	k.carryEvents(event("event-1", "lock-1"))
	for attempt := 1; attempt <= 3; attempt++ {
		start := epoch.Add(time.Duration(attempt) * lease)
		k.same(k.first(start, "event-1").Attempt, attempt, "the attempt")
		k.same(len(k.claimEvents(start, 1)), 0, "the number of events at the start of a lease")
		k.same(len(k.claimEvents(start.Add(lease-time.Millisecond), 1)), 0, "the number of events just before a lease ends")
	}
}

func eventLeaseBackwards(k *kit) {
	k.carryEvents(event("event-1", "lock-1"))
	k.first(epoch, "event-1")
	k.same(len(k.claimEvents(epoch.Add(-24*time.Hour), 1)), 0, "the number of events a day before the lease")
}

func eventRetry(k *kit) {
	k.carryEvents(event("event-1", "lock-1"))
	at := epoch.Add(2 * lease)
	k.ok(k.Outbox.Retry(k.Context(), k.first(epoch, "event-1"), at), "Retry")
	k.same(len(k.claimEvents(at.Add(-time.Millisecond), 1)), 0, "the number of events before the retry's time")
	again := k.first(at, "event-1")
	k.same(again.Attempt, 2, "the attempt")
	k.ok(k.Outbox.Retry(k.Context(), again, at), "Retry within the lease")
	k.first(at, "event-1")
}

// eventEnds is every way to end a claim.
func (k *kit) eventEnds(e ports.Event) map[string]func(ctx context.Context) error {
	return map[string]func(ctx context.Context) error{
		"Ack":   func(ctx context.Context) error { return k.Outbox.Ack(ctx, e) },
		"Retry": func(ctx context.Context) error { return k.Outbox.Retry(ctx, e, epoch) },
		"Bury":  func(ctx context.Context) error { return k.Outbox.Bury(ctx, e, "no use") },
	}
}

// conflicts makes the calls and expects a conflict of each.
func (k *kit) conflicts(calls map[string]func(ctx context.Context) error, what string) {
	k.Helper()
	for name, call := range calls {
		k.code(call(k.Context()), errcodes.Conflict, name+" "+what)
	}
}

func eventStaleClaim(k *kit) {
	k.carryEvents(event("event-1", "lock-1"))
	stale := k.first(epoch, "event-1")
	latest := k.first(epoch.Add(lease), "event-1")
	k.conflicts(k.eventEnds(stale), "by a claim that is not the latest")
	k.conflicts(k.eventEnds(event("unknown", "lock-1")), "of an unknown event")
	k.same(len(k.claimEvents(epoch.Add(2*lease-time.Millisecond), 1)), 0, "the number of events within the latest lease")
	k.ok(k.Outbox.Ack(k.Context(), latest), "Ack by the latest claim")
}

func eventClaimOnce(k *kit) {
	for _, name := range []string{"Ack", "Retry", "Bury"} {
		k.carryEvents(event(name, "lock of "+name))
		e := k.first(epoch, name)
		ends := k.eventEnds(e)
		k.ok(ends[name](k.Context()), name)
		k.conflicts(ends, "by a claim that has served its "+name)
		if name == "Retry" {
			k.ok(k.Outbox.Ack(k.Context(), k.first(epoch, name)), "Ack after a retry")
		}
	}
}

func eventRacers(k *kit) {
	const n = 64
	for i := range n {
		k.carryEvents(event(fmt.Sprint("event-", i), fmt.Sprint("lock-", i)))
	}
	got := make([][]ports.Event, racers)
	errs := race(racers, func(i int) (err error) {
		got[i], err = k.Outbox.Claim(k.Context(), epoch, lease, n/racers)
		return err
	})
	seen := map[string]bool{}
	for i, err := range errs {
		k.ok(err, "Claim in a race")
		for _, e := range got[i] {
			if seen[e.ID] || e.Attempt != 1 {
				k.Fatalf("%s was claimed twice", e.ID)
			}
			seen[e.ID] = true
		}
	}
	k.same(len(seen)+len(k.claimEvents(epoch, n)), n, "the number of events claimed")
}

// longReason is as long as a reason may be, and no text.
var longReason = strings.Repeat("r\xff\x00\xc3", 256)

func eventReason(k *kit) {
	k.carryEvents(event("event-1", "lock-1"), event("event-2", "lock-2"))
	k.ok(k.Outbox.Bury(k.Context(), k.first(epoch, "event-1"), longReason), "Bury with a long reason")
	k.ok(k.Outbox.Bury(k.Context(), k.first(epoch, "event-2"), ""), "Bury without a reason")
}

func (k *kit) outboxCalls(e ports.Event) map[string]func(ctx context.Context) error {
	calls := k.eventEnds(e)
	calls["Claim"] = func(ctx context.Context) error { _, err := k.Outbox.Claim(ctx, epoch, lease, 1); return err }
	return calls
}

func outboxCancelled(k *kit) {
	for _, id := range []string{"buried", "claimed", "waiting"} {
		k.carryEvents(event(id, id))
	}
	k.ok(k.Outbox.Bury(k.Context(), k.first(epoch, "buried"), "no use"), "Bury")
	claimed := k.first(epoch, "claimed")
	k.doneContexts(k.outboxCalls(claimed))
	k.ok(k.Outbox.Ack(k.Context(), claimed), "Ack")
	k.same(k.first(epoch, "waiting").Attempt, 1, "the attempt")
	k.same(len(k.claimEvents(epoch, 1)), 0, "the number of events left")
}

func outboxClosed(k *kit) {
	k.carryEvents(event("event-1", "lock-1"))
	k.closed(k.outboxCalls(k.first(epoch, "event-1")))
}

func outboxReopened(k *kit) {
	k.need(k.Reopen != nil, "Reopen: it is not durable")
	for _, id := range []string{"buried", "acknowledged", "claimed", "waiting"} {
		k.carryEvents(event(id, id))
	}
	k.ok(k.Outbox.Bury(k.Context(), k.first(epoch, "buried"), "no use"), "Bury")
	k.ok(k.Outbox.Ack(k.Context(), k.first(epoch, "acknowledged")), "Ack")
	claimed := k.first(epoch, "claimed")
	k.Store = k.Reopen()
	k.same(eventIDs(k.claimEvents(epoch, 10)), []string{"waiting"}, "what waits after opening again")
	k.ok(k.Outbox.Retry(k.Context(), claimed, epoch.Add(lease)), "Retry of a claim of before")
	k.same(eventIDs(k.claimEvents(epoch.Add(lease), 10)), []string{"claimed", "waiting"}, "what comes again")
}
