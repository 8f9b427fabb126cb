package storetest

import (
	"fmt"
	"time"

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
		key := keyOf("owner of " + first.name)
		b := k.mint(key, fmt.Sprint("lock-", i), kit.Epoch)
		change := k.end(b, b.Slots[0].ID, first.end)
		then(first.name, k.save(change), b.Slots[0], change.Locks[0])
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
		key := keyOf("owner of " + how.name)
		want := how.end(activeLock(key, fmt.Sprint("lock-", i), kit.Epoch))
		b := k.save(ports.RateLockChange{Book: k.book(key), Locks: []ports.RateLock{want}})
		k.Same(k.lock(key.Owner, want.ID), want, "a lock that "+how.name+" before it was saved")
		k.refused(mint(b, activeLock(key, want.ID, kit.Epoch)), how.name+": minting its id")
		k.Same(k.lock(key.Owner, want.ID), want, "a lock that "+how.name+", after a conflict")
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
			if second.name == first {
				continue
			}
			change := mint(b, activeLock(b.Key, "fresh", kit.Epoch.Add(time.Hour)))
			change.Locks = append(change.Locks, second.end(active))
			k.refused(change, first+" first: ending a lock again as "+second.name)
			k.gone(b.Key.Owner, "fresh")
			k.Same(k.lock(ended.Owner, ended.ID), ended, "a lock that "+first)
		}
	})
}
