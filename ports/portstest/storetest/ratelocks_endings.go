package storetest

import (
	"context"
	"fmt"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// endingChecks: the end of a lock is for good (I4, I8).
var endingChecks = []storeCheck{
	{"saving an ended lock again as it is changes nothing", sameEndAgain},
	{"another end of an ended lock is a conflict and stores nothing", otherEnd},
	{"a lock may be saved ended that never was active", neverActive},
	{"the end of a lock changes nothing but its end", onlyTheEnd},
}

// ending gives an active lock its end.
type ending func(l ports.RateLock) ports.RateLock

func expired(l ports.RateLock) ports.RateLock {
	l.Status, l.EndedAt = ports.LockExpired, l.ExpiresAt
	return l
}

func cancelledAt(at time.Time) ending {
	return func(l ports.RateLock) ports.RateLock {
		l.Status, l.CancellationReason, l.EndedAt = ports.LockCancelled, ports.CancelledRequested, at
		return l
	}
}

func driftedAt(at time.Time, observed string, bps int64) ending {
	return func(l ports.RateLock) ports.RateLock {
		l.Status, l.CancellationReason, l.EndedAt = ports.LockCancelled, ports.CancelledMarketDrift, at
		l.ObservedMid, l.DeviationBps = observed, bps
		return l
	}
}

// endings differ from one another in as little as two ends can.
var endings = []struct {
	name string
	end  ending
}{
	{"expired", expired},
	{"requested", cancelledAt(kit.Epoch.Add(time.Minute))},
	{"requested 1 ms later", cancelledAt(kit.Epoch.Add(time.Minute + time.Millisecond))},
	{"drifted", driftedAt(kit.Epoch.Add(time.Minute), "17.9000", -324)},
	{"drifted 1 ms later", driftedAt(kit.Epoch.Add(time.Minute+time.Millisecond), "17.9000", -324)},
	{"drifted to the same mid without its zeros", driftedAt(kit.Epoch.Add(time.Minute), "17.9", -324)},
	{"drifted by a basis point less", driftedAt(kit.Epoch.Add(time.Minute), "17.9000", -323)},
}

// eachEnd ends a lock in every way, each in a book of its own.
func (k *storeKit) eachEnd(then func(first string, b ports.Book, active, ended ports.RateLock)) {
	k.Helper()
	for i, first := range endings {
		k.Case(first.name, func() {
			key := keyOf("owner of " + first.name)
			b := k.mint(key, fmt.Sprint("lock-", i), kit.Epoch)
			change := k.end(b, b.Slots[0].ID, first.end)
			then(first.name, k.save(change), b.Slots[0], change.Locks[0])
		})
	}
}

func sameEndAgain(k *storeKit) {
	k.eachEnd(func(first string, b ports.Book, _, ended ports.RateLock) {
		again := ended
		again.AsOf = ended.EndedAt // it is no part of the record
		want := k.save(ports.RateLockChange{Book: b, Locks: []ports.RateLock{again}})
		k.Same(k.lock(ended.Owner, ended.ID), ended, "a lock that "+first+" and was saved again")
		k.Same(k.book(b.Key), want, "the book of a lock that was saved again")
	})
}

func neverActive(k *storeKit) {
	for i, how := range endings {
		k.Case(how.name, func() {
			key := keyOf("owner of " + how.name)
			want := how.end(activeLock(key, fmt.Sprint("lock-", i), kit.Epoch))
			b := k.save(ports.RateLockChange{Book: k.book(key), Locks: []ports.RateLock{want}})
			k.Same(k.lock(key.Owner, want.ID), want, "a lock that "+how.name+" before it was saved")
			k.refused(mint(b, activeLock(key, want.ID, kit.Epoch)), how.name+": minting its id")
			k.Same(k.lock(key.Owner, want.ID), want, "a lock that "+how.name+", after a conflict")
		})
	}
}

// onlyTheEnd ends a lock by a record that differs in what an end does not touch.
func onlyTheEnd(k *storeKit) {
	k.eachEnd(func(first string, b ports.Book, _, ended ports.RateLock) {
		again := ended
		again.MidSource, again.ToleranceBps, again.MidAt = "another", 1, time.Time{}
		k.save(ports.RateLockChange{Book: b, Locks: []ports.RateLock{again}})
		k.Same(k.lock(ended.Owner, ended.ID), ended, "a lock that "+first+", saved again with another source and tolerance")
	})
	key := keyOf("acme")
	change := k.end(k.mint(key, "lock-x", kit.Epoch), "lock-x", expired)
	want := change.Locks[0]
	change.Locks[0].MidSource, change.Locks[0].ToleranceBps = "another", 1
	k.save(change)
	k.Same(k.lock(key.Owner, "lock-x"), want, "a lock that expired, and came with another source and tolerance")
}

func otherEnd(k *storeKit) {
	k.eachEnd(func(first string, b ports.Book, active, ended ports.RateLock) {
		for _, second := range endings {
			k.Case(second.name, func() {
				if second.name == first {
					return
				}
				change := mint(b, activeLock(b.Key, "fresh", kit.Epoch.Add(time.Hour)))
				change.Locks = append(change.Locks, second.end(active))
				k.refused(change, first+" first: ending a lock again as "+second.name)
				k.gone(b.Key.Owner, "fresh")
				k.Same(k.lock(ended.Owner, ended.ID), ended, "a lock that "+first)
			})
		}
	})
}

// outcomeChecks: how it ends when it does not go well.
var outcomeChecks = []storeCheck{
	{"a context that is done gives its own code and stores nothing", rateLocksCancelled},
	{"a closed store says so", rateLocksClosed},
	{"a lost acknowledgement is an unknown outcome, and the change whole or absent", lostAcknowledgement},
	{"a full store says so, stores nothing, and goes on when there is room", fullStore},
	{"a store that is opened again has everything", rateLocksReopened},
}

// rateLockCalls makes every call of the port.
func rateLockCalls(s ports.RateLockStore, change ports.RateLockChange) map[string]func(ctx context.Context) error {
	key := change.Book.Key
	return map[string]func(ctx context.Context) error{
		"Book": func(ctx context.Context) error { _, err := s.Book(ctx, key); return err },
		"Save": func(ctx context.Context) error { return s.Save(ctx, change) },
		"Lock": func(ctx context.Context) error { _, _, err := s.Lock(ctx, key.Owner, "lock-1"); return err },
		"Live": func(ctx context.Context) error {
			_, err := s.Live(ctx, ports.LiveQuery{Pair: key.Pair, Limit: 10})
			return err
		},
		"Due": func(ctx context.Context) error {
			_, err := s.Due(ctx, ports.DueQuery{By: kit.Epoch, Limit: 10})
			return err
		},
	}
}

// doneContexts makes every call with a context that is over.
func (k *storeKit) doneContexts(calls map[string]func(ctx context.Context) error) {
	k.Helper()
	for code, ctx := range kit.ByName(kit.Done(k)) {
		for name, call := range kit.ByName(calls) {
			k.Case(name+" "+string(code), func() { k.Code(call(ctx), code, name+" with a context that is done") })
		}
	}
}

// closed closes the store and makes every call.
func (k *storeKit) closed(calls map[string]func(ctx context.Context) error) {
	k.Helper()
	k.Need(k.Close != nil, "Close")
	k.OK(k.Close(), "Close")
	for name, call := range kit.ByName(calls) {
		k.Case(name, func() {
			k.Code(call(k.Context()), errcodes.Closed, name+" after Close")
		})
	}
}

func rateLocksCancelled(k *storeKit) {
	key := keyOf("acme")
	want := k.mint(key, "lock-1", kit.Epoch)
	change := mint(want, activeLock(key, "lock-2", kit.Epoch.Add(time.Millisecond)))
	change.Events, change.Work = []ports.Event{kit.Event("stray", "stray")}, []ports.WorkItem{job("stray", kit.Epoch)}
	k.doneContexts(rateLockCalls(k.RateLocks, change))
	k.Same(k.book(key), want, "the book after a save with a context that was done")
	k.gone(key.Owner, "lock-2")
	k.nothingQueued("after a save with a context that was done")
}

func rateLocksClosed(k *storeKit) {
	key := keyOf("acme")
	b := k.mint(key, "lock-1", kit.Epoch)
	k.closed(rateLockCalls(k.RateLocks, ports.RateLockChange{Book: b}))
}

func lostAcknowledgement(k *storeKit) {
	k.Need(k.LoseNextCommit != nil, "LoseNextCommit")
	key := keyOf("acme")
	before := k.mint(key, "lock-1", kit.Epoch)
	change := mint(before, activeLock(key, "lock-2", kit.Epoch.Add(time.Millisecond)))
	change.Events, change.Work = []ports.Event{kit.Event("event", "lock-2")}, []ports.WorkItem{job("work", kit.Epoch)}
	k.LoseNextCommit()
	k.Code(k.RateLocks.Save(k.Context(), change), errcodes.OutcomeUnknown, "Save that loses its acknowledgement")

	now := k.book(key)
	if now.Version == before.Version {
		k.Same(now, before, "the book without the change")
		k.gone(key.Owner, "lock-2")
		k.nothingQueued("without the change")
		now = k.save(change) // the change can still be made
	} else {
		change.Book.Version++
		k.Same(now, change.Book, "the book with the change")
	}
	k.Same(k.lock(key.Owner, "lock-2"), change.Locks[0], "the lock")
	if k.Outbox != nil {
		k.Same(len(events.take(k, kit.Epoch, 10)), 1, "the number of events")
	}
	if k.Work != nil {
		k.Same(len(items.take(k, kit.Epoch, 10)), 1, "the number of work items")
	}
	k.mint(ports.BookKey{Owner: "next", Pair: now.Key.Pair}, "lock-3", kit.Epoch)
}

func fullStore(k *storeKit) {
	k.Need(k.Fill != nil, "Fill")
	key := keyOf("acme")
	want := k.mint(key, "lock-1", kit.Epoch)
	change := mint(want, activeLock(key, "lock-2", kit.Epoch.Add(time.Millisecond)))
	change.Events, change.Work = []ports.Event{kit.Event("event", "lock-2")}, []ports.WorkItem{job("work", kit.Epoch)}
	empty := k.Fill()
	k.Code(k.RateLocks.Save(k.Context(), change), errcodes.StorageUnavailable, "Save in a full store")
	k.Same(k.book(key), want, "the book in a full store")
	k.gone(key.Owner, "lock-2")
	empty()
	k.nothingQueued("after a save that found no room")
	k.save(change)
	k.Same(k.lock(key.Owner, "lock-2"), change.Locks[0], "a lock saved when there was room again")
}

func rateLocksReopened(k *storeKit) {
	k.Need(k.Reopen != nil, "Reopen: it is not durable")
	key := keyOf("acme")
	first := k.mint(key, "lock-1", kit.Epoch)
	change := k.end(k.mint(key, "lock-2", kit.Epoch.Add(time.Second)), "lock-1", cancelledAt(kit.Epoch.Add(time.Minute)))
	want := k.save(change)
	k.Store = k.Reopen()
	k.Same(k.book(key), want, "the book after opening again")
	k.Same(k.lock(key.Owner, "lock-1"), change.Locks[0], "the ended lock after opening again")
	k.Same(k.live(ports.LiveQuery{Pair: usdZAR}), []string{"lock-2"}, "Live after opening again")
	k.Same(k.due(ports.DueQuery{By: kit.Epoch.AddDate(1, 0, 0)}), []string{"lock-2"}, "Due after opening again")
	k.refused(mint(first, activeLock(key, "lock-3", kit.Epoch.Add(time.Second))), "a save at a version of before")
}
