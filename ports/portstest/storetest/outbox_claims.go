package storetest

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
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

func eventsBounded(k *storeKit) {
	for _, id := range []string{"a", "b", "c"} {
		k.carryEvents(kit.Event(id, id))
	}
	for _, want := range []int{2, 1, 0} {
		k.Same(len(k.claimEvents(kit.Epoch, 2)), want, "the number of events in a claim of 2")
	}
}

func eventLease(k *storeKit) {
	k.carryEvents(kit.Event("event-1", "lock-1"))
	for attempt := 1; attempt <= 3; attempt++ {
		start := kit.Epoch.Add(time.Duration(attempt) * lease)
		k.Same(k.first(start, "event-1").Attempt, attempt, "the attempt")
		k.Same(len(k.claimEvents(start, 1)), 0, "the number of events at the start of a lease")
		k.Same(len(k.claimEvents(start.Add(lease-time.Millisecond), 1)), 0, "the number of events just before a lease ends")
	}
}

func eventLeaseBackwards(k *storeKit) {
	k.carryEvents(kit.Event("event-1", "lock-1"))
	k.first(kit.Epoch, "event-1")
	k.Same(len(k.claimEvents(kit.Epoch.Add(-24*time.Hour), 1)), 0, "the number of events a day before the lease")
}

func eventRetry(k *storeKit) {
	k.carryEvents(kit.Event("event-1", "lock-1"))
	at := kit.Epoch.Add(2 * lease)
	k.OK(k.Outbox.Retry(k.Context(), k.first(kit.Epoch, "event-1"), at), "Retry")
	k.Same(len(k.claimEvents(at.Add(-time.Millisecond), 1)), 0, "the number of events before the retry's time")
	again := k.first(at, "event-1")
	k.Same(again.Attempt, 2, "the attempt")
	k.OK(k.Outbox.Retry(k.Context(), again, at), "Retry within the lease")
	k.first(at, "event-1")
}

// eventEnds is every way to end a claim.
func (k *storeKit) eventEnds(e ports.Event) map[string]func(ctx context.Context) error {
	return map[string]func(ctx context.Context) error{
		"Ack":   func(ctx context.Context) error { return k.Outbox.Ack(ctx, e) },
		"Retry": func(ctx context.Context) error { return k.Outbox.Retry(ctx, e, kit.Epoch) },
		"Bury":  func(ctx context.Context) error { return k.Outbox.Bury(ctx, e, "no use") },
	}
}

// conflicts makes the calls and expects a conflict of each.
func (k *storeKit) conflicts(calls map[string]func(ctx context.Context) error, what string) {
	k.Helper()
	for name, call := range calls {
		k.Code(call(k.Context()), errcodes.Conflict, name+" "+what)
	}
}

func eventStaleClaim(k *storeKit) {
	k.carryEvents(kit.Event("event-1", "lock-1"))
	stale := k.first(kit.Epoch, "event-1")
	latest := k.first(kit.Epoch.Add(lease), "event-1")
	k.conflicts(k.eventEnds(stale), "by a claim that is not the latest")
	k.conflicts(k.eventEnds(kit.Event("unknown", "lock-1")), "of an unknown event")
	k.Same(len(k.claimEvents(kit.Epoch.Add(2*lease-time.Millisecond), 1)), 0, "the number of events within the latest lease")
	k.OK(k.Outbox.Ack(k.Context(), latest), "Ack by the latest claim")
}

func eventClaimOnce(k *storeKit) {
	for _, name := range []string{"Ack", "Retry", "Bury"} {
		k.carryEvents(kit.Event(name, "lock of "+name))
		e := k.first(kit.Epoch, name)
		ends := k.eventEnds(e)
		k.OK(ends[name](k.Context()), name)
		k.conflicts(ends, "by a claim that has served its "+name)
		if name == "Retry" {
			k.OK(k.Outbox.Ack(k.Context(), k.first(kit.Epoch, name)), "Ack after a retry")
		}
	}
}

func eventRacers(k *storeKit) {
	const n = 64
	for i := range n {
		k.carryEvents(kit.Event(fmt.Sprint("event-", i), fmt.Sprint("lock-", i)))
	}
	got := make([][]ports.Event, kit.Racers)
	errs := kit.Race(kit.Racers, func(i int) (err error) {
		got[i], err = k.Outbox.Claim(k.Context(), kit.Epoch, lease, n/kit.Racers)
		return err
	})
	seen := map[string]bool{}
	for i, err := range errs {
		k.OK(err, "Claim in a race")
		for _, e := range got[i] {
			if seen[e.ID] || e.Attempt != 1 {
				k.Fatalf("%s was claimed twice", e.ID)
			}
			seen[e.ID] = true
		}
	}
	k.Same(len(seen)+len(k.claimEvents(kit.Epoch, n)), n, "the number of events claimed")
}

// longReason is as long as a reason may be, and no text.
var longReason = strings.Repeat("r\xff\x00\xc3", 256)

func eventReason(k *storeKit) {
	k.carryEvents(kit.Event("event-1", "lock-1"), kit.Event("event-2", "lock-2"))
	k.OK(k.Outbox.Bury(k.Context(), k.first(kit.Epoch, "event-1"), longReason), "Bury with a long reason")
	k.OK(k.Outbox.Bury(k.Context(), k.first(kit.Epoch, "event-2"), ""), "Bury without a reason")
}

func (k *storeKit) outboxCalls(e ports.Event) map[string]func(ctx context.Context) error {
	calls := k.eventEnds(e)
	calls["Claim"] = func(ctx context.Context) error { _, err := k.Outbox.Claim(ctx, kit.Epoch, lease, 1); return err }
	return calls
}

func outboxCancelled(k *storeKit) {
	for _, id := range []string{"buried", "claimed", "waiting"} {
		k.carryEvents(kit.Event(id, id))
	}
	k.OK(k.Outbox.Bury(k.Context(), k.first(kit.Epoch, "buried"), "no use"), "Bury")
	claimed := k.first(kit.Epoch, "claimed")
	k.doneContexts(k.outboxCalls(claimed))
	k.OK(k.Outbox.Ack(k.Context(), claimed), "Ack")
	k.Same(k.first(kit.Epoch, "waiting").Attempt, 1, "the attempt")
	k.Same(len(k.claimEvents(kit.Epoch, 1)), 0, "the number of events left")
}

func outboxClosed(k *storeKit) {
	k.carryEvents(kit.Event("event-1", "lock-1"))
	k.closed(k.outboxCalls(k.first(kit.Epoch, "event-1")))
}

func outboxReopened(k *storeKit) {
	k.Need(k.Reopen != nil, "Reopen: it is not durable")
	for _, id := range []string{"buried", "acknowledged", "claimed", "waiting"} {
		k.carryEvents(kit.Event(id, id))
	}
	k.OK(k.Outbox.Bury(k.Context(), k.first(kit.Epoch, "buried"), "no use"), "Bury")
	k.OK(k.Outbox.Ack(k.Context(), k.first(kit.Epoch, "acknowledged")), "Ack")
	claimed := k.first(kit.Epoch, "claimed")
	k.Store = k.Reopen()
	k.Same(eventIDs(k.claimEvents(kit.Epoch, 10)), []string{"waiting"}, "what waits after opening again")
	k.OK(k.Outbox.Retry(k.Context(), claimed, kit.Epoch.Add(lease)), "Retry of a claim of before")
	k.Same(eventIDs(k.claimEvents(kit.Epoch.Add(lease), 10)), []string{"claimed", "waiting"}, "what comes again")
}
