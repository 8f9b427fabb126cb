package storetest

import (
	"context"
	"fmt"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// endingChecks check that a lock ends once (I4, I8), and what happens on failures.
var endingChecks = []storeCheck{
	// Each ended lock is ended again, in the same way and in every other way, by a
	// change that also mints a new lock.
	{"ending an ended lock is a conflict and stores nothing", func(k *storeKit) {
		k.eachEnd(func(first string, b ports.Book, active, ended ports.RateLock) {
			for _, second := range endings {
				k.Case(second.name, func() {
					change := mint(b, activeLock(b.Key, "fresh", kit.Epoch.Add(time.Hour)))
					change.Ended = []ports.RateLock{second.end(active)}
					k.rejected(change, first+" first: ending a lock again as "+second.name)
					k.gone(b.Key.Owner, "fresh")
					k.Same(k.lock(ended.Owner, ended.ID), ended, "a lock that "+first)
				})
			}
		})
	}},
	{"ending a lock that was never minted is a conflict and stores nothing", neverMinted},
	{"a change ends both locks of a book and mints another", func(k *storeKit) {
		key := keyOf("acme")
		k.mint(key, "lock-1", kit.Epoch)
		b := k.mint(key, "lock-2", kit.Epoch.Add(time.Millisecond))
		fresh := activeLock(key, "lock-3", kit.Epoch.Add(time.Minute))
		change := mint(ports.Book{Key: key, Version: b.Version}, fresh)
		change.Ended = []ports.RateLock{cancelledAt(fresh.CreatedAt)(b.Slots[1]), driftedAt(fresh.CreatedAt, "17.9000", -324)(b.Slots[0])}
		k.Same(k.save(change), k.book(key), "the book")
		for _, want := range append(change.Ended, fresh) {
			k.Same(k.lock(key.Owner, want.ID), want, "the lock "+want.ID)
		}
	}},
	{"ending a lock changes only the fields of its end", func(k *storeKit) {
		key := keyOf("acme")
		change := k.end(k.mint(key, "lock-x", kit.Epoch), "lock-x", expired)
		want := change.Ended[0]
		change.Ended[0].MidSource, change.Ended[0].ToleranceBps = "another", 1
		k.save(change)
		k.Same(k.lock(key.Owner, "lock-x"), want, "a lock that expired, saved with another source and tolerance")
	}},
	{"a done context returns its code and stores nothing", func(k *storeKit) {
		key := keyOf("acme")
		want := k.mint(key, "lock-1", kit.Epoch)
		change := mint(want, activeLock(key, "lock-2", kit.Epoch.Add(time.Millisecond)))
		change.Events, change.Work = []ports.Event{kit.Event("stray", "stray")}, []ports.WorkItem{job("stray", kit.Epoch)}
		k.doneContexts(rateLockCalls(k.RateLocks, change))
		k.Same(k.book(key), want, "the book after a save with a done context")
		k.gone(key.Owner, "lock-2")
		k.nothingQueued("after a save with a done context")
	}},
	{"a closed store returns Closed", func(k *storeKit) {
		key := keyOf("acme")
		b := k.mint(key, "lock-1", kit.Epoch)
		k.closed(rateLockCalls(k.RateLocks, ports.RateLockChange{Book: b}))
	}},
	{"a lost acknowledgement returns OutcomeUnknown, and the change is whole or absent", lostAcknowledgement},
	{"a full store returns StorageUnavailable, stores nothing, and works when there is room", fullStore},
	{"a reopened store has everything", func(k *storeKit) {
		k.Need(k.Reopen != nil, "Reopen")
		key := keyOf("acme")
		first := k.mint(key, "lock-1", kit.Epoch)
		change := k.end(k.mint(key, "lock-2", kit.Epoch.Add(time.Second)), "lock-1", cancelledAt(kit.Epoch.Add(time.Minute)))
		want := k.save(change)
		k.Store = k.Reopen()
		k.Same(k.book(key), want, "the book after reopening")
		k.Same(k.lock(key.Owner, "lock-1"), change.Ended[0], "the ended lock after reopening")
		k.Same(k.list(ports.LockQuery{Pair: usdZAR}), []string{"lock-2"}, "the pair's listing after reopening")
		k.Same(k.list(ports.LockQuery{DueBy: kit.Epoch.AddDate(1, 0, 0)}), []string{"lock-2"}, "what is due after reopening")
		k.Same(k.list(ports.LockQuery{Owner: "acme"}), []string{"lock-1", "lock-2"}, "the owner's listing after reopening")
		k.rejected(mint(first, activeLock(key, "lock-3", kit.Epoch.Add(time.Second))), "a save at an earlier version")
	}},
}

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

// endings differ from each other as little as possible.
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

func (k *storeKit) eachEnd(then func(first string, b ports.Book, active, ended ports.RateLock)) {
	for i, first := range endings {
		k.Case(first.name, func() {
			key := keyOf("owner of " + first.name)
			b := k.mint(key, fmt.Sprint("lock-", i), kit.Epoch)
			change := k.end(b, b.Slots[0].ID, first.end)
			then(first.name, k.save(change), b.Slots[0], change.Ended[0])
		})
	}
}

func neverMinted(k *storeKit) {
	for i, how := range endings {
		k.Case(how.name, func() {
			key := keyOf("owner of " + how.name)
			stray := how.end(activeLock(key, fmt.Sprint("lock-", i), kit.Epoch))
			k.rejected(ports.RateLockChange{Book: k.book(key), Ended: []ports.RateLock{stray}}, how.name+": ending a lock of an unknown book")
			b := k.mint(key, fmt.Sprint("other-", i), kit.Epoch)
			change := k.end(b, b.Slots[0].ID, expired)
			change.Ended = append(change.Ended, stray)
			k.rejected(change, how.name+": ending an unknown lock and a stored one")
			k.gone(key.Owner, stray.ID)
			k.Same(k.lock(key.Owner, b.Slots[0].ID), b.Slots[0], "the stored lock")
		})
	}
}

func rateLockCalls(s ports.RateLockStore, change ports.RateLockChange) map[string]func(ctx context.Context) error {
	key := change.Book.Key
	return map[string]func(ctx context.Context) error{
		"Book": func(ctx context.Context) error { return errOf(s.Book(ctx, key)) },
		"Save": func(ctx context.Context) error { return s.Save(ctx, change) },
		"Lock": func(ctx context.Context) error { _, _, err := s.Lock(ctx, key.Owner, "lock-1"); return err },
		"List": func(ctx context.Context) error { return errOf(s.List(ctx, ports.LockQuery{Pair: key.Pair, Limit: 10})) },
	}
}

func (k *storeKit) doneContexts(calls map[string]func(ctx context.Context) error) {
	for code, ctx := range kit.ByName(kit.Done(k)) {
		for name, call := range kit.ByName(calls) {
			k.Case(name+" "+string(code), func() { k.Code(call(ctx), code, name+" with a done context") })
		}
	}
}

func (k *storeKit) closed(calls map[string]func(ctx context.Context) error) {
	k.Need(k.Close != nil, "Close")
	k.OK(k.Close(), "Close")
	kit.EachOf(k, calls, func(name string, call func(ctx context.Context) error) {
		k.Code(call(k.Context()), errcodes.Closed, name+" after Close")
	})
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
		now = k.save(change) // which can still succeed
	} else {
		change.Book.Version++
		k.Same(now, change.Book, "the book with the change")
	}
	k.Same(k.lock(key.Owner, "lock-2"), *change.Minted, "the lock")
	k.queuedOnce()
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
	k.Same(k.lock(key.Owner, "lock-2"), *change.Minted, "a lock saved when there was room again")
}
