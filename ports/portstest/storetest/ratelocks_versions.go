package storetest

import (
	"fmt"
	"time"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

// versionChecks check compare-and-swap and that ids are used once (I1, I13).
var versionChecks = []storeCheck{
	{"each save raises the version by one", func(k *storeKit) {
		key := keyOf("acme")
		for version := range int64(5) {
			b := k.book(key)
			k.Same(b.Version, version, "the version")
			k.save(ports.RateLockChange{Book: b})
		}
	}},
	{"versions rise above 255", func(k *storeKit) {
		const saves = 300
		b := k.book(keyOf("acme"))
		for range saves {
			b = k.save(ports.RateLockChange{Book: b})
		}
		k.Same(k.book(b.Key), b, fmt.Sprint("the book after ", saves, " saves"))
		kit.Each(k, []int64{0, saves - 256, 127, 128, 255, 256, saves - 1}, func(n int64) string { return fmt.Sprint("version ", n) }, func(version int64) {
			stale := b
			stale.Version = version
			k.rejected(ports.RateLockChange{Book: stale}, fmt.Sprint("a save at version ", version, " of ", saves))
		})
	}},
	{"version 0 creates a book, once", func(k *storeKit) {
		key := keyOf("acme")
		unsaved := k.book(key)
		want := k.mint(key, "lock-1", kit.Epoch)
		err := k.RateLocks.Save(k.Context(), mint(unsaved, activeLock(key, "lock-2", kit.Epoch)))
		k.Code(err, errcodes.Conflict, "creating an existing book")
		k.Same(k.book(key), want, "the book")
	}},
	{"a stale version is a conflict and stores nothing", func(k *storeKit) {
		key := keyOf("acme")
		stale := k.mint(key, "lock-1", kit.Epoch)
		k.save(ports.RateLockChange{Book: k.book(key)})
		k.rejected(mint(stale, activeLock(key, "lock-2", kit.Epoch.Add(time.Millisecond))), "a save at a stale version")
		k.gone(key.Owner, "lock-2")
		k.rejected(k.end(stale, "lock-1", cancelledAt(kit.Epoch)), "ending a lock at a stale version")
		k.Same(k.lock(key.Owner, "lock-1").Status, ports.LockActive, "the status after a conflict")
	}},
	{"a stale version without locks is a conflict and stores nothing", staleWithoutLocks},
	{"a version above the stored one is a conflict", func(k *storeKit) {
		key := keyOf("acme")
		b := k.mint(key, "lock-1", kit.Epoch)
		b.Version++
		k.rejected(mint(b, activeLock(key, "lock-2", kit.Epoch.Add(time.Millisecond))), "a save at a version above the stored one")
		unsaved := ports.Book{Key: keyOf("zenith"), Version: 1}
		k.rejected(mint(unsaved, activeLock(unsaved.Key, "lock-3", kit.Epoch)), "a save at version 1 of an unknown book")
	}},
	{"a lock id used in another book is a conflict and stores nothing", idTakenElsewhere},
	{"a lock id used in the same book is a conflict and stores nothing", func(k *storeKit) {
		key := keyOf("acme")
		b := k.mint(key, "lock-1", kit.Epoch)
		want := k.lock(key.Owner, "lock-1")
		again := activeLock(key, "lock-1", kit.Epoch.Add(time.Second))
		k.rejected(mint(b, again), "minting the id of a live lock")
		k.Same(k.lock(key.Owner, "lock-1"), want, "the live lock")

		change := k.end(b, "lock-1", cancelledAt(kit.Epoch.Add(time.Minute)))
		b = k.save(change)
		k.rejected(mint(b, again), "minting the id of an ended lock")
		k.Same(k.lock(key.Owner, "lock-1"), change.Ended[0], "the ended lock")
	}},
	{"of many concurrent saves at one version one succeeds", oneWinner},
	{"saves of different books do not conflict", func(k *storeKit) {
		owner := func(i int) string { return fmt.Sprintf("owner-%d", i) }
		k.RaceOK("one of many saves of different books", func(i int) error {
			key := keyOf(owner(i))
			return k.RateLocks.Save(k.Context(), mint(ports.Book{Key: key}, activeLock(key, "lock-of-"+owner(i), kit.Epoch)))
		})
		for i := range kit.Racers {
			k.Same(k.book(keyOf(owner(i))).Version, int64(1), "the version of "+owner(i))
			k.lock(owner(i), "lock-of-"+owner(i))
		}
	}},
	{"a change with a repeated lock is a conflict and stores nothing", lockTwice},
	{"a minted lock that is not in its book is rejected and stores nothing", func(k *storeKit) {
		key := keyOf("acme")
		b := k.mint(key, "lock-1", kit.Epoch)
		fresh := activeLock(key, "lock-2", kit.Epoch.Add(time.Second))
		k.rejectedAs(errcodes.CorruptRecord, ports.RateLockChange{Book: b, Minted: &fresh}, "a minted lock that is not in its book")
		change := mint(b, fresh)
		fresh.ExpiresAt = fresh.ExpiresAt.Add(time.Second)
		change.Minted = &fresh
		k.rejectedAs(errcodes.CorruptRecord, change, "a minted lock that its book contains with another expiry")
		k.gone(key.Owner, fresh.ID)
	}},
	{"an invalid lock is rejected and stores nothing", recordsThatCannotBe},
	{queuedTwice, func(k *storeKit) {
		key := keyOf("acme")
		k.queuedTwice(func(events []ports.Event, work []ports.WorkItem) error {
			change := mint(k.book(key), activeLock(key, "lock-1", kit.Epoch))
			change.Events, change.Work = events, work
			return k.RateLocks.Save(k.Context(), change)
		})
		k.gone(key.Owner, "lock-1")
	}},
}

// rejected checks that a change is rejected as a conflict and leaves no trace.
func (k *storeKit) rejected(change ports.RateLockChange, what string) {
	k.rejectedAs(errcodes.Conflict, change, what)
}

func (k *storeKit) rejectedAs(code errcodes.Code, change ports.RateLockChange, what string) {
	want := k.book(change.Book.Key)
	change.Events = append(change.Events, kit.Event("stray-event", "stray"))
	change.Work = append(change.Work, job("stray-work", kit.Epoch))
	k.Code(k.RateLocks.Save(k.Context(), change), code, what)
	k.Same(k.book(change.Book.Key), want, "the book after a rejected change")
	k.nothingQueued("after a rejected change")
}

// staleWithoutLocks checks compare-and-swap for changes of a book without locks:
// the book only, with events, and with work.
func staleWithoutLocks(k *storeKit) {
	stale := k.mint(keyOf("acme"), "lock-1", kit.Epoch)
	want := k.save(ports.RateLockChange{Book: k.book(stale.Key)})
	stale.HighWater = kit.Epoch.Add(time.Hour)
	for _, c := range []struct {
		name   string
		change ports.RateLockChange
	}{
		{"only the book", ports.RateLockChange{Book: stale}},
		{"only events", ports.RateLockChange{Book: stale, Events: []ports.Event{kit.Event("stray-event", "stray")}}},
		{"only work", ports.RateLockChange{Book: stale, Work: []ports.WorkItem{job("stray-work", kit.Epoch)}}},
	} {
		k.Case(c.name, func() {
			k.Code(k.RateLocks.Save(k.Context(), c.change), errcodes.Conflict, "at a stale version "+c.name)
			k.Same(k.book(stale.Key), want, "the book after a conflict")
			k.nothingQueued("after a conflict")
		})
	}
	never := ports.RateLockChange{Book: ports.Book{Key: keyOf("zenith"), Version: 1}}
	k.Code(k.RateLocks.Save(k.Context(), never), errcodes.Conflict, "only the book at version 1 of an unknown book")
	k.Same(k.book(never.Book.Key), ports.Book{Key: never.Book.Key}, "the book after a conflict")
}

func idTakenElsewhere(k *storeKit) {
	key := keyOf("acme")
	inverse := ports.BookKey{Owner: key.Owner, Pair: key.Pair.Inverse()}
	k.mint(key, "lock-1", kit.Epoch)
	want := k.lock(key.Owner, "lock-1")
	for _, other := range []ports.BookKey{keyOf("zenith"), inverse} {
		k.Case(other.Owner+" "+other.Pair.Base, func() {
			fresh, taken := activeLock(other, "lock-2", kit.Epoch), activeLock(other, "lock-1", kit.Epoch.Add(time.Millisecond))
			k.rejected(mint(k.book(other), taken), "minting an id that another book has used")
			change := mint(k.book(other), fresh)
			change.Ended = []ports.RateLock{expired(taken)}
			k.rejected(change, "ending a lock of another book")
			k.gone(other.Owner, fresh.ID)
		})
	}
	k.Same(k.lock(key.Owner, "lock-1"), want, "the lock with the id")
}

func oneWinner(k *storeKit) {
	key := keyOf("acme")
	for round := range 8 {
		b := k.book(key)
		id := func(i int) string { return fmt.Sprintf("lock-%d-%d", round, i) }
		errs := kit.Race(kit.Racers, func(i int) error {
			l := activeLock(key, id(i), kit.Epoch.Add(time.Duration(round)*time.Second))
			return k.RateLocks.Save(k.Context(), replace(b, l))
		})
		won := k.winner(errs)
		for i := range errs {
			if i != won {
				k.gone(key.Owner, id(i))
			}
		}
		now := k.book(key)
		k.Same(now.Version, b.Version+1, "the version after a race")
		k.Same(now.Slots[0].ID, id(won), "the winner's lock")
	}
}

const queuedTwice = "a change with a repeated event or item is a conflict and stores nothing"

func lockTwice(k *storeKit) {
	key := keyOf("acme")
	l := activeLock(key, "lock-1", kit.Epoch)
	change := mint(k.book(key), l)
	change.Ended = []ports.RateLock{expired(l)}
	k.rejected(change, "minting and ending a lock in one change")
	k.gone(key.Owner, l.ID)

	b := k.mint(key, l.ID, kit.Epoch)
	change = k.end(b, l.ID, expired)
	change.Ended = append(change.Ended, change.Ended[0])
	k.rejected(change, "ending a lock twice in one change")
	change = ports.RateLockChange{Book: b, Ended: change.Ended[:1]}
	k.rejected(change, "ending a lock that stays in its book")
	k.Same(k.lock(key.Owner, l.ID), l, "the lock after a conflict")
}

// impossible are records that each break one rule and are otherwise valid.
var impossible = []struct {
	name  string
	spoil func(l *ports.RateLock)
}{
	{"without a status", func(l *ports.RateLock) { l.Status = "" }},
	{"with an unknown status", func(l *ports.RateLock) { *l = expired(*l); l.Status = "paid" }},
	{"active, with a reason", func(l *ports.RateLock) { l.CancellationReason = ports.CancelledRequested }},
	{"active, with an end", func(l *ports.RateLock) { l.EndedAt = kit.Epoch }},
	{"active, with an observed mid", func(l *ports.RateLock) { l.ObservedMid = "17.9000" }},
	{"expired, without an end", func(l *ports.RateLock) { *l = expired(*l); l.EndedAt = time.Time{} }},
	{"expired, with a reason", func(l *ports.RateLock) { *l = expired(*l); l.CancellationReason = ports.CancelledRequested }},
	{"cancelled, without a reason", func(l *ports.RateLock) { *l = cancelledAt(kit.Epoch)(*l); l.CancellationReason = "" }},
	{"cancelled for an unknown reason", func(l *ports.RateLock) { *l = cancelledAt(kit.Epoch)(*l); l.CancellationReason = "whim" }},
	{"cancelled by drift without a mid", func(l *ports.RateLock) { *l = driftedAt(kit.Epoch, "", -324)(*l) }},
	{"with a deviation without drift", func(l *ports.RateLock) { *l = cancelledAt(kit.Epoch)(*l); l.DeviationBps = -324 }},
	{"with a negative markup", func(l *ports.RateLock) { l.MarkupBps = -1 }},
	{"that expires as it begins", func(l *ports.RateLock) { l.ExpiresAt = l.CreatedAt }},
	{"with a price that does not follow from mid and markup", func(l *ports.RateLock) { l.AllInRate = "18.5" }},
}

func recordsThatCannotBe(k *storeKit) {
	key := keyOf("acme")
	b := k.mint(key, "lock-1", kit.Epoch)
	want := k.lock(key.Owner, "lock-1")
	for _, wrong := range impossible {
		k.Case(wrong.name, func() {
			fresh, stored := activeLock(key, "lock-2", kit.Epoch.Add(time.Second)), want
			wrong.spoil(&fresh)
			wrong.spoil(&stored)
			k.rejectedAs(errcodes.CorruptRecord, mint(b, fresh), "minting a record "+wrong.name)
			emptied := b
			emptied.Slots[0] = ports.RateLock{}
			k.rejectedAs(errcodes.CorruptRecord, ports.RateLockChange{Book: emptied, Ended: []ports.RateLock{stored}}, "ending a lock by a record "+wrong.name)
			k.gone(key.Owner, fresh.ID)
			k.Same(k.lock(key.Owner, stored.ID), want, "the stored lock after a record "+wrong.name)
			inSlot := b
			inSlot.Slots[1] = fresh
			k.rejectedAs(errcodes.CorruptRecord, ports.RateLockChange{Book: inSlot}, "a slot with a record "+wrong.name)
		})
	}
	behind := ports.Book{Key: keyOf("zenith")}
	behind.Slots[1] = activeLock(behind.Key, "lock-3", kit.Epoch)
	k.rejectedAs(errcodes.CorruptRecord, ports.RateLockChange{Book: behind}, "a lock after an empty slot")
}
