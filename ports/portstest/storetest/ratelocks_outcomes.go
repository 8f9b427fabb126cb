package storetest

import (
	"context"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

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
	for code, ctx := range kit.Done(k) {
		for name, call := range calls {
			k.Code(call(ctx), code, name+" with a context that is done")
		}
	}
}

// closed closes the store and makes every call.
func (k *storeKit) closed(calls map[string]func(ctx context.Context) error) {
	k.Helper()
	k.Need(k.Close != nil, "Close")
	k.OK(k.Close(), "Close")
	for name, call := range calls {
		k.Code(call(k.Context()), errcodes.Closed, name+" after Close")
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
		k.Same(len(k.claimEvents(kit.Epoch, 10)), 1, "the number of events")
	}
	if k.Work != nil {
		k.Same(len(k.claimWork(kit.Epoch, 10)), 1, "the number of work items")
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
